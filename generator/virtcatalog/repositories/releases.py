"""Helm releases as Flux and Argo CD have them: which chart, and which values in which order.

Source: fluxcd/helm-controller, internal/release (name.go, values.go of fluxcd/pkg/chartutil); argo-cd,
reposerver/repository/repository.go (helmTemplate).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.identity import Data, identity
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.building import Built, in_namespace
from virtcatalog.repositories.charts import CHART, is_chart
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.helm import OURS, Charts, Parameter, Release
from virtcatalog.repositories.model import Environment, Resource, resource
from virtcatalog.repositories.tree import Tree, joined, parents
from virtcatalog.repositories.values import Value, values_at

_VALUES: Final = re.compile(r"values[-_.].*\.ya?ml|.*[-_.]values\.ya?ml")
_MOST_FILES: Final = 20
_LONGEST_NAME: Final = 53
_DIGEST: Final = 12


class _Deployed(Manifest):
    """An object as it is deployed, with the places that its resource finds."""

    __slots__ = ("_path", "_resource", "_tree")

    def __init__(self, resource: Resource, tree: Tree, data: Any, path: Path = ()) -> None:
        super().__init__(data, Text(""), 0)
        self._resource, self._tree, self._path = resource, tree, path

    def within(self, data: Any, path: Path) -> Manifest:
        return _Deployed(self._resource, self._tree, data, (*self._path, *path))

    @property
    def file(self) -> str:
        return self.source(()).file

    def place(self, field: str | Path = "") -> tuple[int, int]:
        source = self.source(field)
        return source.line, source.column

    def source(self, field: str | Path) -> Source:
        """Where a field stands: what is built has some from elsewhere than the object."""
        own = field_path(self._path)
        if isinstance(field, tuple):
            return self._resource.field(field_path((*self._path, *field)))
        return self._resource.field(f"{own}.{field}".strip(".") if own else field)

    def _lines(self, path: Path, first: int, number: int) -> list[str]:
        lines = self._tree.lines(self._tree.path_of(self.source(path).file))
        return lines[first - 1 : first - 1 + number]


def flux_release(
    deployer: Deployer, tree: Tree, charts: Charts, config_maps: Sequence[Resource], *, is_here: bool
) -> Built:
    """Return what a HelmRelease deploys; `is_here` says that its source is this repository."""
    name = deployer.text("chart", "spec", "chart") or deployer.text("chartRef", "name")
    at = joined("", name.lstrip("/")) if is_here else None
    files, unrendered = _value_files(deployer, tree, "", ("chart", "spec", "valuesFiles"))
    layers = list(files)
    for index, reference in enumerate(deployer.items("valuesFrom")):
        found = _referred(deployer, tree, config_maps, reference)
        if found is not None:
            layers.append(found)
        elif not (isinstance(reference, dict) and reference.get("optional") is True):
            reference = reference if isinstance(reference, dict) else {}
            what = f"{reference.get('kind')} {reference.get('name')}"
            field = f"spec.valuesFrom[{index}]"
            unrendered.append(deployer.problem(field, f"takes values of {what}, which are not in the repository"))
    own = values_at(_manifest(deployer, tree), ("spec", "values"))
    if own is not None:
        layers.append(own)
    if deployer.get("postRenderers"):
        unrendered.append(deployer.problem("spec.postRenderers", "are not applied to what the chart renders"))
    namespace = deployer.text("targetNamespace") or deployer.namespace
    release = Release(
        name=_flux_name(deployer),
        namespace=namespace,
        chart=_chart(tree, at),
        chart_name=name,
        values=layers,
        problem=lambda message: deployer.problem("spec.chart", message),
        defaults=not files,
    )
    built = _built(charts, release, tree, at)
    return built._replace(unrendered=(*unrendered, *built.unrendered))


def argo_release(deployer: Deployer, source: Path, tree: Tree, charts: Charts, at: str | None, namespace: str) -> Built:
    """Return what a source of an Application deploys, a path of its spec; `at` is its folder, None for none here."""
    helm = (*source, "helm")
    files, unrendered = _value_files(deployer, tree, at or "", (*helm, "valueFiles"))
    manifest = _manifest(deployer, tree)
    own = values_at(manifest, ("spec", *helm, "valuesObject")) or values_at(manifest, ("spec", *helm, "values"))
    if own is None and deployer.text(*helm, "values").strip():
        field = field_path(("spec", *helm, "values"))
        unrendered.append(deployer.problem(field, "is no map of values"))
    if deployer.get(*helm, "fileParameters", of=list):
        field = field_path(("spec", *helm, "fileParameters"))
        unrendered.append(deployer.problem(field, "are not given to the chart"))
    parameters = [_parameter(each) for each in deployer.items(*helm, "parameters") if isinstance(each, dict)]
    name = deployer.text(*source, "chart") or deployer.text(*source, "path")
    release = Release(
        name=deployer.text(*helm, "releaseName") or deployer.name,
        namespace=deployer.text(*helm, "namespace") or namespace,
        chart=_chart(tree, at),
        chart_name=name,
        values=[*files, *([own] if own is not None else ())],
        problem=lambda message: deployer.problem(field_path(("spec", *source)), message),
        parameters=parameters,
    )
    built = _built(charts, release, tree, at)
    return built._replace(unrendered=(*unrendered, *built.unrendered))


def lone_charts(tree: Tree, charts: Charts, taken: Collection[str]) -> Iterator[Environment]:
    """Yield what charts make that hold VMs and that nothing in the repository deploys: with the values that they have,
    and with each further file of values beside them.
    """
    for at in sorted(tree.charts - {*taken}):
        if any(above in tree.charts for above in parents(at)):
            continue
        mine = [file for file in tree.below(at) if OURS.decode() in "\n".join(tree.lines(file))]
        if not mine:
            continue
        files = [file for file in tree.folders.get(at, ()) if _VALUES.fullmatch(file.rpartition("/")[2])]
        for file in ("", *files[:_MOST_FILES]):
            yield _lone_chart(tree, charts, at, file)


def _lone_chart(tree: Tree, charts: Charts, at: str, file: str) -> Environment:
    name = at.rpartition("/")[2] or "chart"
    place = Source(tree.shown(file or f"{at}/{CHART}".lstrip("/")))
    manifest = tree.first(file) if file else None
    values = values_at(manifest, ()) if manifest is not None else None
    release = Release(
        name=re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_NAME] or "chart",
        namespace="",
        chart=_chart(tree, at),
        chart_name=at or ".",
        values=[values] if values is not None else [],
        problem=lambda message: Problem(place.file, place.line, place.column, message=message),
    )
    built = _built(charts, release, tree, at)
    return built.environment(f"{name} ({file.rpartition('/')[2]})" if file else name, "chart", at, place)


def _built(charts: Charts, release: Release, tree: Tree, at: str | None) -> Built:
    documents = charts.documents(release, tree.shown(at or ""))
    built = Built(
        tuple(map(_installed, documents.manifests)),
        documents.unrendered,
        documents.problems,
        folders=(at,) if release.chart is not None and at is not None else (),
        opaque=documents.opaque,
    )
    return in_namespace(built, release.namespace)


def _installed(manifest: Manifest) -> Resource:
    """An object as the release has it; of a rendered one no more than the template is known."""
    if isinstance(manifest, _Deployed):
        return Resource(manifest.data, manifest.source)
    return resource(manifest) if any(manifest.place()) else Resource(manifest.data, partial(_in_file, manifest.file))


def _in_file(file: str, _field: str) -> Source:
    return Source(file)


def _parameter(declared: Data) -> Parameter:
    """A parameter of an Application, which `--set` takes for one although it has commas."""
    value = str(declared.get("value", "")).replace(",", "\\,")
    return Parameter(str(declared.get("name")), value, declared.get("forceString") is True)


def _manifest(deployer: Deployer, tree: Tree) -> Manifest:
    return _Deployed(deployer.resource, tree, deployer.resource.data)


def _chart(tree: Tree, at: str | None) -> Folder | None:
    if at is None:
        return None
    folder = tree.root.folder(at) if at else tree.root
    return folder if folder is not None and is_chart(folder) else None


def _value_files(deployer: Deployer, tree: Tree, at: str, path: Path) -> tuple[list[Value], list[Any]]:
    """Read files of values that are named from a folder; what is not there is named."""
    values, unrendered = [], []
    for index, name in enumerate(map(str, deployer.items(*path))):
        # `/web.yaml` is one of the repository's root, `$values/web.yaml` of that of another source.
        of_root = name.startswith(("/", "$")) and "/" in name
        file = joined("", name.partition("/")[2]) if of_root else joined(at, name)
        manifest = tree.first(file) if file else None
        found = values_at(manifest, ()) if manifest is not None else None
        if found is not None:
            values.append(found)
        elif not deployer.get(*path[:-1], "ignoreMissingValueFiles"):
            field = field_path(("spec", *path, index))
            unrendered.append(deployer.problem(field, f"{name} is no file of values in this repository"))
    return values, unrendered


def _referred(deployer: Deployer, tree: Tree, config_maps: Sequence[Resource], reference: Any) -> Value | None:
    """The values in the ConfigMap that a HelmRelease refers to."""
    if not isinstance(reference, dict) or reference.get("kind") != "ConfigMap" or reference.get("targetPath"):
        return None
    key = reference.get("valuesKey") or "values.yaml"
    for namespace in (deployer.namespace, ""):
        for config_map in config_maps:
            if identity(config_map.data)[1:] == (namespace, reference.get("name")):
                return values_at(_Deployed(config_map, tree, config_map.data), ("data", key))
    return None


def _flux_name(deployer: Deployer) -> str:
    """What Flux calls a release: a name that is too long for Helm ends with its digest."""
    target = deployer.text("targetNamespace")
    name = deployer.text("releaseName") or (f"{target}-{deployer.name}" if target else deployer.name)
    if len(name) <= _LONGEST_NAME:
        return name
    digest = sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: _LONGEST_NAME - _DIGEST - 1]}-{digest}"
