"""The Applications that an ApplicationSet makes: lists, folders and files of the repository, and these combined.

Source: github.com/argoproj/argo-cd, applicationset/generators/{list,git,matrix,merge}.go, docs/operator-manual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.limits import REPOSITORY_UNITS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge
from virtcatalog.repositories.clusters import IN_CLUSTER, Cluster
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.globs import PATH, PATHSPEC, Dialect
from virtcatalog.repositories.gotemplates import Missing, TemplateError
from virtcatalog.repositories.kustomize.origins import has_field
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.parameters import (
    Matches,
    Parameters,
    as_go,
    check_texts,
    combined,
    filled,
    is_filled,
    merged,
    path_parameters,
    selector_of,
)
from virtcatalog.repositories.tree import Tree


class Generated(NamedTuple):
    """The Applications that an ApplicationSet makes, and what of it cannot be known.

    Of that `opaque` is what the repository does say, if there may be VMs in it.
    """

    applications: tuple[Resource, ...]
    unrendered: tuple[Problem, ...] = ()
    opaque: tuple[Opaque, ...] = ()


def applications(deployer: Deployer, tree: Tree, clusters: Sequence[Cluster] = ()) -> Generated:
    """Return the Applications that an ApplicationSet makes; their fields stand in its template.

    `clusters` are those of which the repository has the Secrets.
    """
    generators = _Generators(deployer, tree, clusters)
    applications: list[Resource] = []
    try:
        for index, generator in enumerate(deployer.items("generators")):
            template = merge(deployer.get("template", of=dict) or {}, _own_template(generator))
            for parameters in generators.parameters(generator, f"spec.generators[{index}]"):
                applications.append(generators.application(template, parameters))
                if len(applications) > REPOSITORY_UNITS:
                    raise VirtcatalogError(f"makes more than {REPOSITORY_UNITS} Applications")
    except VirtcatalogError as error:
        applications.clear()
        generators.failed.append(deployer.problem("spec", f"is not rendered: {error}"))
    unrendered = tuple(dict.fromkeys((*generators.unrendered, *generators.failed)))
    if not generators.failed or not _may_hold_vms(deployer, tree):
        return Generated(tuple(applications), unrendered)
    digest = digest_of([deployer.resource.data.get("spec"), generators.parameter_sets])
    return Generated(
        tuple(applications), unrendered, tuple(Opaque(problem, digest) for problem in generators.failed[:1])
    )


def _missing(deployer: Deployer) -> Missing:
    """What becomes of templates that lack a parameter. Source: Go's text/template/option.go."""
    missing: Missing = "no value"
    for option in deployer.items("goTemplateOptions"):
        missing = "error" if option == "missingkey=error" else "zero" if option == "missingkey=zero" else "no value"
    return missing


def _without_project(patch: Data) -> Data:
    """A patch without the one field that none changes."""
    spec = {key: value for key, value in map_at(patch, "spec").items() if key != "project"}
    return {**patch, "spec": spec} if isinstance(patch.get("spec"), dict) else patch


class _Generators:
    def __init__(self, deployer: Deployer, tree: Tree, clusters: Sequence[Cluster]) -> None:
        self._deployer, self._tree, self._clusters = deployer, tree, clusters
        self._is_go = bool(deployer.get("goTemplate", of=bool))
        self._is_open = False
        self._missing = _missing(deployer)
        self.unrendered: list[Problem] = []
        self.failed: list[Problem] = []
        self.parameter_sets: list[Parameters] = []

    def application(self, template: Mapping[str, Any], parameters: Parameters) -> Resource:
        """Return the Application of one set of parameters."""
        if not all(isinstance(template.get(key) or {}, dict) for key in ("metadata", "spec")):
            raise VirtcatalogError("metadata and spec of the template must be maps")
        data = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"namespace": self._deployer.namespace, **(template.get("metadata") or {})},
            "spec": template.get("spec") or {},
        }
        self.parameter_sets.append(parameters)
        patches = self._patches(parameters)
        # Argo CD fills in nothing where there are no parameters (RenderTemplateParams).
        data = merge(self._filled(data, parameters) if parameters else data, *patches)
        data["metadata"] = {key: value for key, value in data["metadata"].items() if value}
        return Resource(data, partial(self._field, patches))

    def _field(self, patches: Sequence[Data], path: str) -> Source:
        """Where a field of an Application stands: in the patch, or in the template."""
        if path and any(has_field(patch, path) for patch in patches):
            return self._deployer.resource.field("spec.templatePatch")
        return self._deployer.resource.field(f"spec.template.{path}" if path else "")

    def _patches(self, parameters: Parameters) -> list[Data]:
        """What `templatePatch` changes in an Application. Source: applicationset/utils/template_functions.go."""
        patch = self._deployer.text("templatePatch")
        if not patch:
            return []
        why = "it makes no map"
        try:
            text = Text(str(self._filled(patch, parameters)))
            documents = [document for _, document in text.documents()]
            if not text.problems and all(isinstance(document, dict) for document in documents):
                return [_without_project(document) for document in documents]
        except TemplateError as error:
            why = str(error)
        self.failed.append(self._deployer.problem("spec.templatePatch", f"what it changes is not rendered: {why}"))
        return []

    def parameters(self, generator: Any, field: str) -> list[Parameters]:
        """Return the sets of parameters that a generator makes."""
        if not isinstance(generator, dict):
            return []
        makers = {"list": self._list, "git": self._git, "matrix": self._matrix, "merge": self._merge}
        parameter_sets: list[Parameters] = []
        for kind in generator:
            value = map_at(generator, kind)
            if kind in makers:
                parameter_sets += islice(makers[kind](value, f"{field}.{kind}"), REPOSITORY_UNITS + 1)
            elif kind == "clusters" and self._clusters:
                parameter_sets += self._of_clusters(value, f"{field}.clusters")
            elif kind != "selector":
                message = f"which {kind} there are is not known: its Applications are taken once"
                self._note(f"{field}.{kind}", message)
                self._is_open = True
                parameter_sets.append(self._with_values({}, value))
        return list(filter(self._selector(generator, field), parameter_sets))

    def _selector(self, generator: Mapping[str, Any], field: str, *, of_labels: bool = False) -> Matches:
        if self._is_open and not is_filled(generator):
            self._note(f"{field}.selector", "is not looked at: what it takes is not known")
            return lambda _: True
        return selector_of(generator, field, of_labels=of_labels)

    def _of_clusters(self, value: Mapping[str, Any], field: str) -> Iterator[Parameters]:
        """Yield the clusters of which there are Secrets, and without a selector the one that Argo CD runs in.

        Source: applicationset/generators/cluster.go.
        """
        matches = self._selector(value, field, of_labels=True)
        clusters = [cluster for cluster in self._clusters if matches(cluster.labels)]
        if not any(map_at(value, "selector").values()) and not any(
            cluster.server == IN_CLUSTER for cluster in self._clusters
        ):
            clusters = [Cluster("in-cluster", IN_CLUSTER), *clusters]
        parameter_sets = [self._with_values(cluster.parameters, value) for cluster in clusters]
        yield from [{"clusters": parameter_sets}] if value.get("flatList") is True else parameter_sets

    def _list(self, value: Mapping[str, Any], field: str) -> Iterator[Parameters]:
        for index, element in enumerate(value.get("elements") or ()):
            if isinstance(element, dict):
                if not self._is_go:
                    check_texts(element, f"{field}.elements[{index}]")
                yield as_go(element, f"{field}.elements[{index}]")
        text = value.get("elementsYaml")
        if isinstance(text, str) and text.strip():
            elements = [data for _, data in Text(text).documents()] if "{{" not in text else []
            if len(elements) == 1 and isinstance(elements[0], list):
                for element in elements[0]:
                    if isinstance(element, dict):
                        yield as_go(element, f"{field}.elementsYaml")
            else:
                self._is_open = True
                self._note(f"{field}.elementsYaml", "is not rendered: it makes no list")

    def _git(self, value: Mapping[str, Any], field: str) -> Iterator[Parameters]:
        prefix = str(value.get("pathParamPrefix") or "")
        matches: Iterator[tuple[str, Parameters, str]]
        if value.get("directories"):
            matches = ((at, {}, "") for at in self._matching(value["directories"], self._folders, PATH))
        else:
            matches = self._files(value.get("files") or [], field)
        for at, parameters, file in matches:
            yield self._with_values({**parameters, **path_parameters(at, file, prefix, is_go=self._is_go)}, value)

    def _files(self, patterns: Sequence[Any], field: str) -> Iterator[tuple[str, Parameters, str]]:
        for path in self._matching(patterns, self._tree.files, PATHSPEC):
            manifest = self._tree.first(path)
            data = {} if self._tree.is_empty(path) else manifest.data if manifest is not None else ""
            items: list[Any] = data if isinstance(data, list) else [data]
            if not all(isinstance(item, dict) for item in items):
                raise VirtcatalogError(f"{field}.files: {path} holds no map")
            at, _, name = path.rpartition("/")
            yield from ((at, as_go(item, path), name) for item in items)

    @property
    def _folders(self) -> Iterator[str]:
        """The folders of which none is hidden, nor in one that is."""
        return (folder for folder in self._tree.every_folder if not folder.startswith(".") and "/." not in folder)

    def _matching(self, patterns: Sequence[Any], paths: Iterable[str], dialect: Dialect) -> Iterator[str]:
        globs: list[tuple[bool, Callable[[str], bool]]] = []
        for pattern in patterns:
            if isinstance(pattern, dict) and isinstance(pattern.get("path"), str):
                matches = self._tree.globs.glob(pattern["path"], dialect)
                globs.append((bool(pattern.get("exclude")), matches))
        for path in paths:
            if any(matches(path) for is_excluded, matches in globs if not is_excluded) and not any(
                matches(path) for is_excluded, matches in globs if is_excluded
            ):
                yield path

    def _matrix(self, value: Mapping[str, Any], field: str) -> Iterator[Parameters]:
        """Combine two generators; the second may be a template of what the first makes."""
        generators = [generator for generator in value.get("generators") or () if isinstance(generator, dict)]
        if len(generators) != 2:
            raise VirtcatalogError(f"{field} must have two generators")
        for first in self.parameters(generators[0], f"{field}.generators[0]"):
            for other in self.parameters(self._filled(generators[1], first), f"{field}.generators[1]"):
                yield combined(first, other, field, is_go=self._is_go)

    def _merge(self, value: Mapping[str, Any], field: str) -> Iterator[Parameters]:
        keys = [str(key) for key in value.get("mergeKeys") or ()]
        generators = [generator for generator in value.get("generators") or () if isinstance(generator, dict)]
        if len(generators) < 2:
            raise VirtcatalogError(f"{field} must have two generators, or more")
        sets = [
            self.parameters(generator, f"{field}.generators[{index}]") for index, generator in enumerate(generators)
        ]
        yield from merged(sets, keys, field, is_go=self._is_go)

    def _with_values(self, parameters: Parameters, generator: Mapping[str, Any]) -> Parameters:
        """Add the generator's own `values`, which may be templates themselves."""
        values = generator.get("values")
        if not isinstance(values, dict):
            return parameters
        own = {} if self._is_go else map_at(parameters, "values")
        return {**parameters, "values": {**own, **self._filled(values, parameters)}}

    def _filled(self, value: Any, parameters: Parameters) -> Any:
        return filled(value, parameters, is_go=self._is_go, missing="stays" if self._is_open else self._missing)

    def _note(self, field: str, message: str) -> None:
        self.unrendered.append(self._deployer.problem(field, message))


def _may_hold_vms(deployer: Deployer, tree: Tree) -> bool:
    """Whether the folders that its templates name, as far as they name any, hold objects of KubeVirt's."""
    own = deployer.get("template", of=dict) or {}
    templates = (own, *(merge(own, _own_template(generator)) for generator in deployer.items("generators")))
    starts = {start for template in templates for start in _starts(map_at(template, "spec"))}
    if "path" in deployer.text("templatePatch"):  # it may name any folder
        starts.add("")
    return tree.holds_ours(file for file in tree.files if any(file.startswith(start) for start in starts))


def _starts(spec: Mapping[str, Any]) -> Iterator[str]:
    """The paths of an Application's sources, up to the first parameter."""
    sources = spec.get("sources")
    for source in (spec.get("source"), *(sources if isinstance(sources, list) else ())):
        if isinstance(source, dict):
            yield str(source.get("path") or "").partition("{{")[0].strip("./")


def _own_template(generator: Any) -> dict[str, Any]:
    """The template of a generator, which is laid over the ApplicationSet's."""
    values = generator.values() if isinstance(generator, dict) else ()
    templates = (value.get("template") for value in values if isinstance(value, dict))
    return _without_empty(next((template for template in templates if isinstance(template, dict)), {}))


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without what says nothing: that is not laid over anything."""
    inner = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in data.items()}
    return {key: value for key, value in inner.items() if value}
