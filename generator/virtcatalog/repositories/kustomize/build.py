"""Builds a folder as kustomize does, as far as sets of instance types and preferences need it; nothing is run.

Order and meaning are kustomize's (api/internal/target/kusttarget.go, kusttarget_configplugin.go): resources,
components, then the transformers of the folder. Fields that are not supported are errors, and so are remote resources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from os.path import normpath
from typing import Any

from virtcatalog.api.findings import describe
from virtcatalog.api.kinds import CLUSTER_SCOPED
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder, LinkOutError, SourceError
from virtcatalog.manifests.layout import KUSTOMIZATIONS
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.jsonpatch import PatchError, patched
from virtcatalog.repositories.kustomize.selectors import Selector, SelectorError

Data = dict[str, Any]

_SUPPORTED = frozenset(
    (
        *("apiVersion", "kind", "metadata", "resources", "bases", "components", "patches", "patchesStrategicMerge"),
        *("patchesJson6902", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations"),
    )
)
_OPTIONS = frozenset(("allowNameChange", "allowKindChange"))
_DEEPEST = 30


class Resource:
    """An object on its way through transformers; `ids` are its version, kind, namespace and name, the latest last."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.ids = [self._id()]

    def _id(self) -> tuple[str, str, str, str]:
        metadata = self.data.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        version, kind = str(self.data.get("apiVersion")), str(self.data.get("kind"))
        return version, kind, str(metadata.get("namespace") or ""), str(metadata.get("name") or "")

    def changed(self) -> None:
        """Remember its present id."""
        if self._id() != self.ids[-1]:
            self.ids.append(self._id())


def shape_fault(data: Data) -> str:
    """Return why an object has no usable identity, labels or annotations; "" if it has."""
    metadata = data.get("metadata")
    if not isinstance(metadata, dict | None):
        return f"metadata must be a map, not {describe(metadata)}"
    fields = metadata or {}
    texts = {key: data.get(key) for key in ("apiVersion", "kind")}
    texts |= {f"metadata.{key}": fields.get(key) for key in ("name", "namespace")}
    maps = {f"metadata.{key}": fields.get(key) for key in ("labels", "annotations")}
    faults = [f"{key} must be a string, not {describe(text)}" for key, text in texts.items() if not _is_text(text)]
    faults += [
        f"{key} must be a map, not {describe(value)}"
        for key, value in maps.items()
        if not isinstance(value, dict | None)
    ]
    return faults[0] if faults else ""


def is_kustomization(folder: Folder) -> bool:
    """Whether a folder is one that kustomize builds."""
    return any(folder.has(name) for name in KUSTOMIZATIONS)


def build(folder: Folder, name: str) -> list[Data]:
    """Return the objects of a folder, which problems call `name`. Raises ManifestError."""
    return [resource.data for resource in _Builder(folder, name, (), _Run()).build([])]


class _Run:
    """Shared by all folders: the budget, and the documents of texts."""

    def __init__(self) -> None:
        self.budget = Budget()
        self._documents: dict[bytes, list[Any]] = {}

    def documents(self, content: bytes, name: str) -> list[Any]:
        """Return the documents of a text, which is parsed once; raises ManifestError."""
        self.budget.file()
        if content in self._documents:
            for document in self._documents[content]:
                self.budget.copy(document)
            return self._documents[content]
        text = Text(content, name)
        documents = [data for _, data in text.documents()]
        if text.problems:
            raise ManifestError(*text.problems)
        self._documents[content] = documents
        return documents


class _Builder:
    """Builds one folder."""

    def __init__(self, folder: Folder, name: str, parents: tuple[str, ...], run: _Run) -> None:
        self._folder, self._name, self._parents, self._run = folder, name, parents, run
        self._budget = run.budget
        self._file = next(
            (kustomization for kustomization in KUSTOMIZATIONS if folder.has(kustomization)), KUSTOMIZATIONS[0]
        )
        self._path = f"{name}/{self._file}"

    def build(self, accumulated: list[Resource]) -> list[Resource]:
        """Return the objects of the folder after its transformers; a Component's are applied to `accumulated`, too."""
        data = self.declared
        is_component = data.get("kind") == "Component"
        resources = list(accumulated) if is_component else []
        for key in ("resources", "bases"):
            for index, path in enumerate(self._list(data, key)):
                resources += self._resource(path, f"{key}[{index}]")
        for index, path in enumerate(self._list(data, "components")):
            resources = self._below(path, f"components[{index}]", component=True).build(resources)
        for index, patch in enumerate(self._list(data, "patchesStrategicMerge")):
            resources = self._strategic_files(patch, f"patchesStrategicMerge[{index}]", resources)
        for index, patch in enumerate(self._list(data, "patches")):
            resources = self._patch(patch, f"patches[{index}]", resources)
        self._rename(data, resources)
        self._label(data, resources)
        for index, patch in enumerate(self._list(data, "patchesJson6902")):
            resources = self._patch(patch, f"patchesJson6902[{index}]", resources)
        return resources

    def fail(self, field: str, message: str) -> ManifestError:
        """Return an error for a field of the kustomization."""
        return ManifestError(Problem(file=self._path, field=field, message=message))

    @cached_property
    def declared(self) -> Data:
        """The content of the kustomization."""
        documents = self._documents(self._file)
        if len(documents) != 1 or not isinstance(documents[0], dict):
            raise ManifestError(Problem(file=self._path, message="must be one map"))
        data = documents[0]
        for key in data:
            if key not in _SUPPORTED:
                raise self.fail(
                    str(key), "is not supported: build the folder with `kubectl kustomize`, and import that"
                )
        return data

    def _documents(self, path: str) -> list[Any]:
        if _leaves(path):
            raise ManifestError(
                Problem(file=self._path, message=f"{path} is not in the folder, and kustomize does not read it")
            )
        try:
            content = self._folder.read(path)
        except SourceError as error:
            raise ManifestError(Problem(file=f"{self._name}/{path}", message=error.message)) from None
        return self._run.documents(content, f"{self._name}/{path}")

    def _list(self, data: Data, key: str) -> list[Any]:
        value = data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.fail(key, "must be a list")
        return value

    def _map(self, data: Data, key: str, field: str = "") -> Data:
        value = data.get(key) or {}
        if not isinstance(value, dict):
            raise self.fail(field or key, "must be a map")
        return value

    def _text(self, data: Data, key: str) -> str:
        value = data.get(key)
        if not _is_text(value):
            raise self.fail(key, "must be a string")
        return str(value or "")

    def _resource(self, path: Any, field: str) -> list[Resource]:
        if isinstance(path, str) and self._is_file(path):
            return [Resource(fresh(item)) for item in self._objects(path)]
        return self._below(path, field, component=False).build([])

    def _objects(self, path: str) -> Iterator[Data]:
        for document in self._documents(path):
            items = [document]
            if isinstance(document, dict) and document.get("kind") == "List":
                items = document.get("items") or []
            for item in items if isinstance(items, list) else [None]:
                if not isinstance(item, dict):
                    raise ManifestError(
                        Problem(file=f"{self._name}/{path}", message="holds something that is no object")
                    )
                if fault := shape_fault(item):
                    raise ManifestError(Problem(file=f"{self._name}/{path}", message=fault))
                yield item

    def _is_file(self, path: str) -> bool:
        try:
            return not _leaves(path) and self._folder.has(path)
        except LinkOutError:
            return False

    def _below(self, path: Any, field: str, *, component: bool) -> _Builder:
        """The builder of another folder."""
        if not isinstance(path, str) or not path:
            raise self.fail(field, "must be a path")
        if "://" in path or path.startswith("git@") or "?ref=" in path:
            raise self.fail(field, f"{path} is elsewhere, and nothing is fetched: build it with `kubectl kustomize`")
        try:
            folder = self._folder.folder(path)
        except LinkOutError:
            raise self.fail(field, f"{path} leads out of what may be read") from None
        if folder is None or not is_kustomization(folder):
            raise self.fail(field, f"there is no file and no kustomization at {path}")
        name = f"{self._name}/{path.removeprefix('./')}"
        if len(self._parents) > _DEEPEST or "/".join(folder.at) in self._parents:
            raise self.fail(field, f"{path} is built of this folder: they go round in a circle")
        below = _Builder(folder, name, (*self._parents, "/".join(self._folder.at)), self._run)
        if component != (below.declared.get("kind") == "Component"):
            raise self.fail(field, f"{path} is {'no' if component else 'a'} Component")
        return below

    def _patch(self, patch: Any, field: str, resources: list[Resource]) -> list[Resource]:
        """Apply an entry of `patches`: a strategic merge patch or a JSON patch."""
        if not isinstance(patch, dict) or set(patch) - {"path", "patch", "target", "options"}:
            raise self.fail(field, "must have `path` or `patch`, and may have `target` and `options`")
        options = patch.get("options") or {}
        if not isinstance(options, dict) or set(options) - _OPTIONS:
            raise self.fail(f"{field}.options", f"may have {' and '.join(sorted(_OPTIONS))}")
        if isinstance(patch.get("path"), str):
            documents = self._documents(patch["path"])
        else:
            documents = self._inline(str(patch.get("patch") or ""), f"{field}.patch")
        target = patch.get("target")
        for document in documents:
            if isinstance(document, list):
                resources = self._json(document, target, field, resources)
            elif isinstance(document, dict):
                resources = self._strategic(document, target, options, field, resources)
            else:
                raise self.fail(field, "is neither an object nor a list of operations")
        return resources

    def _inline(self, patch: str, field: str) -> list[Any]:
        try:
            return self._run.documents(patch.encode(errors="surrogatepass"), self._path)
        except ManifestError as error:
            raise self.fail(field, error.problems[0].message) from None

    def _strategic_files(self, patch: Any, field: str, resources: list[Resource]) -> list[Resource]:
        text = str(patch)
        documents = self._documents(text) if self._is_file(text) else self._inline(text, field)
        for document in documents:
            if not isinstance(document, dict):
                raise self.fail(field, "is neither a file nor an object")
            resources = self._strategic(document, None, {}, field, resources)
        return resources

    def _json(self, operations: list[Any], target: Any, field: str, resources: list[Resource]) -> list[Resource]:
        if target is None:
            raise self.fail(field, "a list of operations needs a `target`")
        for resource in self._selected(target, field, resources):
            try:
                data = patched(resource.data, operations, self._budget)
            except PatchError as error:
                raise self.fail(field, f"{error} ({'/'.join(resource.ids[-1][1::2])})") from None
            if not isinstance(data, dict):
                raise self.fail(field, "leaves no object")
            resource.data = self._checked(data, resource, field)
            resource.changed()
        return resources

    def _strategic(
        self, patch: Data, target: Any, options: Mapping[str, Any], field: str, resources: list[Resource]
    ) -> list[Resource]:
        chosen = (
            self._target_of(patch, field, resources) if target is None else self._selected(target, field, resources)
        )
        metadata = patch.get("metadata") if target is not None else None
        for key in ("labels", "annotations"):
            pairs = metadata.get(key) if isinstance(metadata, dict) else None
            if isinstance(pairs, dict) and None in pairs.values():
                raise self.fail(
                    field, f"kustomize makes a text of null in {key} where there is a `target`: remove it by name"
                )
        deleted = set()
        for resource in chosen:
            if patch.get("$patch") == "delete":
                deleted.add(id(resource))
                continue
            old = resource.data
            resource.data = self._checked(self._merged(old, patch, field), resource, field)
            if not options.get("allowNameChange"):
                _metadata(resource.data)["name"] = (old.get("metadata") or {}).get("name")
            if not options.get("allowKindChange"):
                resource.data |= {key: old.get(key) for key in ("apiVersion", "kind")}
            resource.changed()
        return [resource for resource in resources if id(resource) not in deleted]

    def _checked(self, data: Data, resource: Resource, field: str) -> Data:
        """Return a patched object; an error if it is no object any more."""
        if fault := shape_fault(data):
            raise self.fail(field, f"{fault} ({'/'.join(resource.ids[-1][1::2])})")
        return data

    def _merged(self, below: Data, patch: Mapping[str, Any], field: str) -> Data:
        """A strategic merge for kinds without a schema: maps merge, `null` removes, lists are replaced."""
        directive = patch.get("$patch")
        if directive not in (None, "merge", "replace"):
            raise self.fail(field, f"$patch: {directive} is not supported here")
        for key in patch:
            if key.startswith("$") and key != "$patch":
                raise self.fail(field, f"{key} is not supported")
        self._budget.keys(len(below) + len(patch))
        merged = {} if directive == "replace" else dict(below)
        for key, value in patch.items():
            if key == "$patch":
                continue
            if value is None or (isinstance(value, dict) and value.get("$patch") == "delete"):
                merged.pop(key, None)
            elif isinstance(value, dict):
                inner = merged.get(key)
                merged[key] = self._merged(inner if isinstance(inner, dict) else {}, value, field)
            elif isinstance(value, list) and any(isinstance(item, dict) and "$patch" in item for item in value):
                raise self.fail(field, f"$patch in a list ({key}) is not supported")
            else:
                self._budget.copy(value)
                merged[key] = fresh(value)
        return merged

    def _target_of(self, patch: Data, field: str, resources: list[Resource]) -> list[Resource]:
        wanted = Resource(patch).ids[0]
        self._budget.keys(sum(len(resource.ids) for resource in resources))
        matching = [resource for resource in resources if wanted in resource.ids]
        if len(matching) != 1:
            number = "no object" if not matching else f"{len(matching)} objects"
            raise self.fail(field, f"{wanted[1]}/{wanted[3]} is the name of {number}")
        return matching

    def _selected(self, target: Any, field: str, resources: list[Resource]) -> list[Resource]:
        if not isinstance(target, dict):
            raise self.fail(f"{field}.target", "must be a map")
        try:
            selector = Selector(target, self._budget)
        except SelectorError as error:
            raise self.fail(f"{field}.target", str(error)) from None
        chosen = []
        for resource in resources:
            names = (resource.ids[0][2:], resource.ids[-1][2:])
            if selector.matches(resource.data, names):
                chosen.append(resource)
        return chosen

    def _rename(self, data: Data, resources: list[Resource]) -> None:
        namespace, prefix, suffix = (self._text(data, key) for key in ("namespace", "namePrefix", "nameSuffix"))
        self._budget.objects(len(resources), len(namespace) + len(prefix) + len(suffix))
        for resource in resources:
            metadata = _metadata(resource.data)
            if namespace and resource.data.get("kind") not in CLUSTER_SCOPED:
                metadata["namespace"] = namespace
            if prefix or suffix:
                metadata["name"] = f"{prefix}{metadata.get('name') or ''}{suffix}"
            resource.changed()

    def _label(self, data: Data, resources: list[Resource]) -> None:
        labels: Data = {}
        for index, entry in enumerate(self._list(data, "labels")):
            if not isinstance(entry, dict) or set(entry) - {"pairs", "includeSelectors", "includeTemplates"}:
                raise self.fail(f"labels[{index}]", "may have pairs, includeSelectors and includeTemplates")
            labels |= self._map(entry, "pairs", f"labels[{index}].pairs")
        labels |= self._map(data, "commonLabels")
        for key, pairs in (("labels", labels), ("annotations", self._map(data, "commonAnnotations"))):
            for resource in resources if pairs else ():
                metadata = resource.data["metadata"]
                self._budget.keys(len(pairs) + len(metadata.get(key) or {}))
                metadata[key] = {**(metadata.get(key) or {}), **pairs}


def _is_text(value: Any) -> bool:
    """Whether a value may stand where a string is required; as in kustomize, `name: 5` may."""
    return not isinstance(value, dict | list)


def _metadata(data: Data) -> Data:
    """The metadata of an object, added if it is missing."""
    if data.get("metadata") is None:
        data["metadata"] = {}
    metadata: Data = data["metadata"]
    return metadata


def _leaves(path: str) -> bool:
    """Whether a path leads out of the kustomization's folder, where kustomize reads no files."""
    return normpath(path).startswith(("..", "/"))
