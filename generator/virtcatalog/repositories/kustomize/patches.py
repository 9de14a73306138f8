"""`patches`, `patchesStrategicMerge` and `patchesJson6902`.

Source: PatchTransformer.go, PatchStrategicMergeTransformer.go and PatchJson6902Transformer.go in api/internal/builtins.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.files import Files, objects_of
from virtcatalog.repositories.kustomize.jsonpatch import PatchError, patched
from virtcatalog.repositories.kustomize.origins import Merging, Parts, Rewriting, Spot, is_quoted
from virtcatalog.repositories.kustomize.resource import (
    Id,
    Resource,
    follow_shared,
    is_scalar,
    metadata_of,
    namesake,
    settle_types,
    shape_fault,
    text_of,
    unfit_problems,
)
from virtcatalog.repositories.kustomize.scalars import is_no_text
from virtcatalog.repositories.kustomize.selectors import Selector, SelectorError
from virtcatalog.repositories.kustomize.strategic import MergeError, merge_patch

_TARGET: Final = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")


class Patching:
    """Applies patches to a list of objects, which changes in place."""

    def __init__(self, files: Files, resources: list[Resource], budget: Budget) -> None:
        self._files, self._resources, self._budget = files, resources, budget

    def patch(self, declared: Declared) -> None:
        """Apply an entry of `patches`. Raises ManifestError."""
        declared.only("path", "patch", "target", "options")
        options = declared.get("options")
        if options.data is not None:
            options.only("allowNameChange", "allowKindChange")
        documents = self._documents(declared)
        target = declared.get("target")
        if target.data is not None:
            target.only(*_TARGET)
        if documents and isinstance(documents[0].data, list):
            if target.data is None:
                raise declared.fault("a list of operations needs a `target`")
            self._operations(documents[0], declared, remember=True)
            return
        patches = objects_of(documents)
        if target.data is not None and len(patches) > 1:
            raise declared.fault("has a `target`, and more than one patch: kustomize takes one then")
        names, kinds = (
            options.data is not None and options.flag(key) for key in ("allowNameChange", "allowKindChange")
        )
        for patch in patches:
            for resource in self._targets(patch, declared):
                self._merge(resource, patch, declared, names=names, kinds=kinds)
        if target.data is not None:
            self._unlike(declared)

    def strategic(self, declared: Declared) -> None:
        """Apply an entry of `patchesStrategicMerge`: a file or a patch. Raises ManifestError."""
        if not isinstance(declared.data, str):
            raise declared.fault("must be a string")
        if self._files.is_file(declared.data):
            patches = self._files.objects(declared.data, declared)
        else:
            try:
                patches = objects_of(self._files.inline(declared, objects=True))
            except ManifestError:
                if "\n" in declared.data or "{" in declared.data:
                    raise
                raise declared.fault(f"there is no file {declared.data}") from None
        for patch in patches:
            self._merge(self._object_named(patch, declared), patch, declared, names=False, kinds=False)
        self._unlike(declared)

    def json6902(self, declared: Declared) -> None:
        """Apply an entry of `patchesJson6902`. Raises ManifestError."""
        declared.only("path", "patch", "target", "options")
        if declared.get("target").data is None or not declared.get("target").only(*_TARGET).text("name"):
            raise declared.fault("needs a `target` with a name")
        documents = self._documents(declared)
        if not documents or not isinstance(documents[0].data, list):
            raise declared.fault("must have a list of operations")
        self._operations(documents[0], declared, remember=False)

    def _documents(self, declared: Declared) -> list[Declared]:
        """The documents of a patch; of those behind a list of operations kustomize reads none."""
        text, path = declared.text("patch").strip(), declared.text("path")
        if bool(text) == bool(path):
            raise declared.fault("needs `path` or `patch`, one of them")
        content = self._files.content(path, declared.get("path")).decode(errors="replace") if path else text
        if content.startswith("["):
            if not _is_json(content):
                raise declared.fault("operations that begin with [ must be JSON")
            return self._read(declared, path, objects=False)
        documents = self._read(declared, path, objects=True)
        is_list = bool(documents) and isinstance(documents[0].data, list)
        return self._read(declared, path, objects=False) if is_list else documents

    def _read(self, declared: Declared, path: str, *, objects: bool) -> list[Declared]:
        if path:
            return self._files.documents(path, declared.get("path"), objects=objects)
        return self._files.inline(declared.get("patch"), objects=objects)

    def _operations(self, document: Declared, declared: Declared, *, remember: bool) -> None:
        for resource in self._selected(declared.get("target")):
            if unfit := unfit_problems(resource):
                raise ManifestError(*unfit)
            try:
                data, changes = patched(resource.data, document.data, self._budget, document.spot)
            except PatchError as error:
                raise declared.fault(f"{error} ({resource.title})") from None
            if not isinstance(data, dict):
                raise declared.fault("leaves no object")
            if fault := shape_fault(data):
                raise declared.fault(f"{fault} ({resource.title})")
            if remember:
                resource.remember()
            resource.data = data
            resource.shared.clear()
            resource.untyped.clear()
            resource.changes += [*changes, Rewriting()]

    def _unlike(self, declared: Declared) -> None:
        """Raise ManifestError when two objects have one name."""
        self._budget.objects(len(self._resources))
        if (second := namesake(self._resources)) is not None:
            raise declared.fault(f"makes a second object called {second.title}")

    def _targets(self, patch: Declared, declared: Declared) -> list[Resource]:
        if declared.get("target").data is None:
            return [self._object_named(patch, declared)]
        return self._of_same_ids(declared.get("target"))

    def _object_named(self, patch: Declared, declared: Declared) -> Resource:
        identity = Resource(patch.data, patch.spot).current
        self._budget.keys(len(self._resources))
        matching = [resource for resource in self._resources if _has_id(resource, identity)]
        if len(matching) != 1:
            number = "no object" if not matching else f"{len(matching)} objects"
            raise declared.fault(f"{identity.kind}/{identity.name} is the name of {number}")
        return matching[0]

    def _selected(self, target: Declared) -> list[Resource]:
        try:
            selector = Selector({key: target.text(key) for key in target.only(*_TARGET).data}, self._budget)
        except SelectorError as error:
            raise target.fault(str(error)) from None
        return [resource for resource in self._resources if selector.matches(resource)]

    def _of_same_ids(self, target: Declared) -> list[Resource]:
        """What a target selects, with all of the same names: a strategic merge patch takes these, too."""
        ids = {resource.current for resource in self._selected(target)}
        return [resource for resource in self._resources if resource.current in ids]

    def _merge(self, resource: Resource, patch: Declared, declared: Declared, *, names: bool, kinds: bool) -> None:
        data, metadata = resource.data, resource.metadata
        version, kind, name, namespace = (
            *(data.get("apiVersion"), data.get("kind")),
            *(metadata.get("name"), metadata.get("namespace")),
        )
        if names or kinds:
            resource.remember()
        content = patch.data
        has_texts = not isinstance(declared.data, dict) or "target" in declared.data
        if has_texts:  # kustomize's resWrangler.ApplySmPatch
            content = {**_with_texts(patch), "apiVersion": version}
        self._budget.copy(data)
        try:
            result = merge_patch(fresh(data), content, self._budget, partial(_over_text, resource, patch.spot))
        except MergeError as error:
            raise declared.fault(f"{error} ({resource.title})") from None
        if result is None:
            self._resources.remove(resource)
            return
        merged, parts = result
        resource.data = merged
        if fault := shape_fault({**merged, "kind": kind, "metadata": _named_metadata(merged, name)}):
            raise declared.fault(f"{fault} ({resource.title})")
        restored: list[tuple[dict[str, Any], str, Any]] = [(merged, "apiVersion", version)]
        restored += [] if kinds else [(merged, "kind", kind)]
        restored += [] if names else [(resource.metadata, "name", name)]
        for holder, key, value in (*restored, (resource.metadata, "namespace", namespace)):
            if value is None:
                holder.pop(key, None)
            else:
                holder[key] = value
        follow_shared(resource)
        settle_types(resource)
        resource.changes.append(Merging(_without_names(parts), patch.spot, has_texts))


def _with_texts(patch: Declared) -> dict[str, Any]:
    """A patch whose labels and annotations are texts, as they are written: null, too, which takes nothing away then."""
    metadata = dict(metadata_of(patch.data))
    for key in ("labels", "annotations"):
        texts = {
            name: _written(patch.spot, ("metadata", key, name), value) for name, value in map_at(metadata, key).items()
        }
        metadata.pop(key, None)
        if texts:
            metadata[key] = texts
    return {**patch.data, "metadata": metadata}


def _written(spot: Spot, path: Path, value: Any) -> str:
    """A scalar as the text that it is written as; "" for what is none, as in kustomize."""
    if not is_no_text(value):  # nobody has to look at how it is written
        return str(value)
    scalar = spot.within(*path).scalar
    return scalar[0] if scalar is not None else text_of(value) if is_scalar(value) else ""


def _over_text(resource: Resource, spot: Spot, path: Path, patched: Path, value: Any) -> Any:
    """What a text of an object becomes under a scalar of a patch that is none: a text where it stands in quotes."""
    below: Any = resource.data
    for step in path:
        below = below[step]
    if not is_quoted(resource.home, resource.changes, path, below):
        return value
    return _written(spot, patched, value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _named_metadata(merged: dict[str, Any], name: Any) -> Any:
    """The metadata of a patched object, which may have no name yet."""
    metadata = merged.get("metadata")
    return {"name": name, **(metadata or {})} if isinstance(metadata, dict | None) else metadata


def _without_names(parts: Parts) -> Parts:
    """What a patch sets: kind and name only say of what."""
    rest = {key: part for key, part in parts.items() if key not in ("kind", "metadata")}
    metadata = parts.get("metadata")
    if metadata is None:
        return rest
    inner = {key: part for key, part in (metadata.parts or {}).items() if key not in ("name", "namespace")}
    return {**rest, "metadata": metadata._replace(parts=inner)} if inner else rest


def _has_id(resource: Resource, identity: Id) -> bool:
    may_be = resource.former or resource.name == identity.name  # it takes much longer to make all ids
    return bool(may_be) and identity in resource.ids
