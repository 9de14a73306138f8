"""A folder built as kustomize does, with what Flux or Argo CD adds to its kustomization, or without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.kubevirt.cluster import CLUSTER_WIDE, counts
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.identity import identity
from virtcatalog.manifests.layout import KUSTOMIZATIONS
from virtcatalog.repositories.documents import joined
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.model import Resource, resource
from virtcatalog.repositories.tree import Tree

#: What is added to the end of what a kustomization has, and what takes the place of it.
_LISTS = ("resources", "components", "patches", "patchesStrategicMerge", "patchesJson6902")


class Built(NamedTuple):
    """What is deployed as one.

    `failed` when there is nothing because of the problems. `folders` and `files` are what it takes of the repository:
    that is nobody else's.
    """

    resources: tuple[Resource, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: bool = False
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


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
    )


def plain(tree: Tree, files: Iterable[str]) -> Built:
    """Return the objects of files, as they stand there."""
    files = tuple(files)
    documents = joined(map(tree.documents, files))
    resources = tuple(map(resource, documents.manifests))
    return Built(resources, documents.unrendered, documents.problems, files=files)


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


def kustomized(tree: Tree, at: str, added: Mapping[str, Any] | None = None) -> Built:
    """Build a folder; `added` are fields of a kustomization beside its own, and make one of a folder without."""
    folder = tree.folder(at)
    name = next((name for name in KUSTOMIZATIONS if folder.has(name)), KUSTOMIZATIONS[0])
    file = f"{at}/{name}".lstrip("/")
    try:
        if added:
            folder = folder.changed({name: dump(_extended(_declared(tree, file), added)).encode()})
    except VirtcatalogError as error:
        return Built(problems=(Problem(file=tree.shown(file), message=str(error)),), failed=True, folders=(at,))
    built = build(folder, tree.shown(at))
    failed = bool(built.problems) and not built.resources
    return Built(built.resources, built.unrendered, built.problems, failed, folders=(at,))


def _declared(tree: Tree, file: str) -> dict[str, Any]:
    try:
        content = tree.root.read(file)
    except SourceError:
        return {}
    data = next((data for _, data in Text(content, file).documents()), None)
    return data if isinstance(data, dict) else {}


def _extended(declared: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kustomization with fields added: lists grow, other fields are replaced."""
    lists = {key: [*(declared.get(key) or ()), *added[key]] for key in _LISTS if added.get(key)}
    return {**declared, **added, **lists}
