"""Helm releases as Flux and Argo CD have them: which chart, and which values in which order.

Source: fluxcd/helm-controller, internal/release (name.go, values.go of fluxcd/pkg/chartutil); argo-cd,
reposerver/repository/repository.go (helmTemplate).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.building import Built, in_namespace
from virtcatalog.repositories.charts import CHART
from virtcatalog.repositories.chartvalues import Deployed, argo_parameters, flux_values, value_files, values_of
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.helm import Charts, Release, opaque_of
from virtcatalog.repositories.model import Environment, Resource, resource
from virtcatalog.repositories.postrendering import post_rendered
from virtcatalog.repositories.tree import Tree, joined, parents
from virtcatalog.repositories.values import values_at

_VALUES: Final = re.compile(r"values[-_.].*\.ya?ml|.*[-_.]values\.ya?ml")
_MOST_FILES: Final = 20
_LONGEST_NAME: Final = 53
_DIGEST: Final = 12


def flux_release(
    deployer: Deployer, tree: Tree, charts: Charts, settings: Sequence[Resource], *, is_here: bool
) -> Built:
    """Return what a HelmRelease deploys; `is_here` says that its source is this repository."""
    name = deployer.text("chart", "spec", "chart") or deployer.text("chartRef", "name")
    at = joined("", name.lstrip("/")) if is_here else None
    files = value_files(deployer, tree, "", ("chart", "spec", "valuesFiles"), "ignoreMissingValuesFiles")
    values = flux_values(deployer, tree, settings)
    namespace = deployer.text("targetNamespace") or deployer.namespace
    release = Release(
        name=_flux_name(deployer),
        namespace=namespace,
        chart=_chart(tree, at),
        chart_name=name,
        values=values.layers,
        problem=lambda message: deployer.problem("spec.chart", message),
        defaults=files.layers,
    )
    # Post-renderers see the objects as the chart makes them: most name no namespace.
    built = in_namespace(post_rendered(_built(charts, release, tree, at), deployer, tree.reading), namespace)
    unrendered = (*files.unrendered, *values.unrendered)
    opaque = (*built.opaque, *(values.opaque if built.holds_vms else _unseen(release, unrendered)))
    return built._replace(unrendered=(*unrendered, *built.unrendered), opaque=opaque)


def argo_release(deployer: Deployer, source: Path, tree: Tree, charts: Charts, at: str | None, namespace: str) -> Built:
    """Return what a source of an Application deploys, a path of its spec; `at` is its folder, None for none here."""
    helm = (*source, "helm")
    files = value_files(deployer, tree, at or "", (*helm, "valueFiles"), "ignoreMissingValueFiles")
    unrendered = list(files.unrendered)
    own = values_of(deployer, tree, (*helm, "valuesObject")) or values_of(deployer, tree, (*helm, "values"))
    if own is None and deployer.text(*helm, "values").strip():
        field = field_path(("spec", *helm, "values"))
        unrendered.append(deployer.problem(field, "is no map of values"))
    parameters, unread = argo_parameters(deployer, tree, at, helm)
    name = deployer.text(*source, "chart") or deployer.text(*source, "path")
    release = Release(
        name=deployer.text(*helm, "releaseName") or deployer.name,
        namespace=deployer.text(*helm, "namespace") or namespace,
        chart=_chart(tree, at),
        chart_name=name,
        values=(*files.layers, *([own] if own is not None else ())),
        problem=lambda message: deployer.problem(field_path(("spec", *source)), message),
        parameters=parameters,
    )
    built = in_namespace(_built(charts, release, tree, at), release.namespace)
    opaque = () if built.holds_vms else _unseen(release, unrendered)
    return built._replace(unrendered=(*unrendered, *unread, *built.unrendered), opaque=(*built.opaque, *opaque))


def _unseen(release: Release, unrendered: Sequence[Problem]) -> tuple[Opaque, ...]:
    """The VMs that a chart may make with values that no file of the repository has."""
    return opaque_of(release, unrendered[0]) if unrendered else ()


def lone_charts(tree: Tree, charts: Charts, deployed_folders: Collection[str]) -> Iterator[Environment]:
    """Yield what charts make that hold VMs and that nothing in the repository deploys: with the values that they have,
    and with each further file of values beside them.
    """
    for at in sorted(tree.charts - {*deployed_folders}):
        if any(above in tree.charts for above in parents(at)):
            continue
        if not tree.holds_ours(tree.below(at)):
            continue
        files = [file for file in tree.folders.get(at, ()) if _VALUES.fullmatch(file.rpartition("/")[2])]
        for file in ("", *files[:_MOST_FILES]):
            yield _lone_chart(tree, charts, at, file)


def _lone_chart(tree: Tree, charts: Charts, at: str, file: str) -> Environment:
    name = at.rpartition("/")[2] or "chart"
    place = Source(tree.label_of(file or f"{at}/{CHART}".lstrip("/")))
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
    documents = charts.documents(release, tree.label_of(at or ""))
    return Built(
        tuple(map(_installed, documents.manifests)),
        documents.unrendered,
        documents.problems,
        folders=(at,) if release.chart is not None and at is not None else (),
        opaque=documents.opaque,
    )


def _installed(manifest: Manifest) -> Resource:
    """An object as the release has it; of a rendered one no more than the template is known."""
    if isinstance(manifest, Deployed):
        return Resource(manifest.data, manifest.source)
    return resource(manifest) if any(manifest.place()) else Resource(manifest.data, partial(_in_file, manifest.file))


def _in_file(file: str, _field: str) -> Source:
    return Source(file)


def _chart(tree: Tree, at: str | None) -> Folder | None:
    if at is None:
        return None
    folder = tree.root.folder(at) if at else tree.root
    return folder if folder is not None and folder.has(CHART) else None


def _flux_name(deployer: Deployer) -> str:
    """What Flux calls a release: a name that is too long for Helm ends with its digest."""
    target = deployer.text("targetNamespace")
    name = deployer.text("releaseName") or (f"{target}-{deployer.name}" if target else deployer.name)
    if len(name) <= _LONGEST_NAME:
        return name
    digest = sha256(name.encode()).hexdigest()[:_DIGEST]
    return f"{name[: _LONGEST_NAME - _DIGEST - 1]}-{digest}"
