"""A folder built as kustomize does, with what Flux or Argo CD adds to its kustomization, or without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from virtcatalog.api.kinds import holds_vm
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.kubevirt.decoding import CLUSTER_WIDE, counts
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, identity
from virtcatalog.repositories.documents import Opaque, digest_of, joined
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.kustomize.declared import Addition
from virtcatalog.repositories.model import Environment, Kind, Resource, resource
from virtcatalog.repositories.tree import Tree, texts_in
from virtcatalog.repositories.tree import joined as joined_path

LISTS: Final = ("resources", "components", "patches", "patchesStrategicMerge", "patchesJson6902")
"""What is added to the end of what a kustomization has; other fields take the place of its own."""

#: The fields of a kustomization about charts that it inflates.
_OF_CHARTS: Final = ("helmCharts", "helmGlobals", "helmChartInflationGenerator")


class Built(NamedTuple):
    """What is deployed as one.

    `failed` when what renders it gives nothing, for the problems. `folders` and `files` are what it takes of the
    repository: that is nobody else's.
    """

    resources: tuple[Resource, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: bool = False
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    opaque: tuple[Opaque, ...] = ()

    @property
    def holds_vms(self) -> bool:
        """Whether there are VMs in it, or may be."""
        return bool(self.opaque or self.vms)

    @property
    def vms(self) -> list[Resource]:
        """The objects that hold a VM."""
        return [resource for resource in self.resources if holds_vm(resource.data)]

    def environment(self, name: str, kind: Kind, folder: str, place: Source, cluster: str = "") -> Environment:
        """Return the environment that deploys this."""
        return Environment(
            name=name,
            kind=kind,
            folder=folder,
            place=place,
            cluster=cluster,
            resources=self.resources,
            unrendered=self.unrendered,
            problems=self.problems,
            failed=self.failed,
            opaque=self.opaque,
        )


def collected(parts: Iterable[Built]) -> Built:
    """Return what several sources give together; of an object that two of them have the last counts."""
    parts = list(parts)
    resources = {identity(resource.data): resource for part in parts for resource in part.resources}
    return Built(
        tuple(resources.values()),
        tuple(problem for part in parts for problem in part.unrendered),
        tuple(problem for part in parts for problem in part.problems),
        any(part.failed for part in parts),
        tuple(folder for part in parts for folder in part.folders),
        tuple(file for part in parts for file in part.files),
        tuple(opaque for part in parts for opaque in part.opaque),
    )


def plain(tree: Tree, files: Iterable[str]) -> Built:
    """Return the objects of files, as they stand there."""
    files = tuple(files)
    documents = joined(map(tree.documents, files))
    resources = tuple(map(resource, documents.manifests))
    return Built(resources, documents.unrendered, documents.problems, files=files, opaque=documents.opaque)


def in_namespace(built: Built, namespace: str) -> Built:
    """Return it with the objects that VMs are or meet in that namespace, if they name none and can be in one."""
    if not namespace:
        return built
    return built._replace(resources=tuple(_homed(resource, namespace) for resource in built.resources))


def _homed(deployed: Resource, namespace: str) -> Resource:
    metadata = deployed.data.get("metadata")
    is_homeless = counts(deployed.data) and deployed.data.get("kind") not in CLUSTER_WIDE
    if not is_homeless or not isinstance(metadata, dict) or metadata.get("namespace"):
        return deployed
    return deployed._replace(data={**deployed.data, "metadata": {**metadata, "namespace": namespace}})


def kustomized(
    tree: Tree,
    at: str,
    added: Addition | None = None,
    *,
    is_flux: bool = False,
) -> Built:
    """Build a folder; what is added to its kustomization makes one of a folder without. `is_flux` says that Flux builds
    it.
    """
    built = build(tree.folder(at), tree.label_of(at), added=added, reading=tree.reading, is_flux=is_flux)
    opaque = tuple(_charts(tree, at, built.unrendered))
    # What kustomize fails on, it builds nothing of.
    return Built(built.resources, built.unrendered, built.problems, bool(built.problems), folders=(at,), opaque=opaque)


def with_metadata(resource: Resource, common: Data) -> Resource:
    """Return an object with the labels and annotations of a `commonMetadata`."""
    metadata = dict(resource.data.get("metadata") or {})
    for key in ("labels", "annotations"):
        if pairs := {**map_at(metadata, key), **map_at(common, key)}:
            metadata[key] = pairs
    return resource._replace(data={**resource.data, "metadata": metadata})


def _charts(tree: Tree, at: str, unrendered: Iterable[Problem]) -> Iterator[Opaque]:
    """Yield the charts of the repository that a kustomization inflates, if there are objects of KubeVirt's in them."""
    charts = {problem.file: problem for problem in unrendered if problem.field.startswith("helmChart")}
    for folder in tree.built_of([at]) if charts else ():
        kustomization = tree.kustomizations[folder]
        problem, first = charts.get(tree.label_of(kustomization.file)), tree.first(kustomization.file)
        if problem is None or first is None:
            continue
        settings = {key: first.data[key] for key in _OF_CHARTS if key in first.data}
        home = joined_path(folder, str(map_at(settings, "helmGlobals").get("chartHome") or "charts"))
        value_files = {joined_path(folder, text) for text in texts_in(settings)} & kustomization.files
        of_charts = (file for file in tree.root.listing().files if home and file.startswith(f"{home}/"))
        files = [*of_charts, *sorted(filter(None, value_files))]
        if tree.holds_ours(files):
            yield Opaque(problem, digest_of([settings, *((file, tree.lines(file)) for file in files)]))
