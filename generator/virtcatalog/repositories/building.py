"""A folder built as kustomize does, with what Flux or Argo CD adds to its kustomization, or without one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.layout import KUSTOMIZATIONS
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.tree import Tree

#: What is added to the end of what a kustomization has, and what takes the place of it.
_LISTS = ("resources", "components", "patches", "patchesStrategicMerge", "patchesJson6902")


class Built(NamedTuple):
    """The objects of a folder; `failed` when there are none because of the problems."""

    resources: tuple[Resource, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: bool = False


def kustomized(tree: Tree, at: str, added: Mapping[str, Any] | None = None) -> Built:
    """Build a folder; `added` are fields of a kustomization beside its own, and make one of a folder without."""
    folder = tree.root.folder(at) if at else tree.root
    assert folder is not None
    name = next((name for name in KUSTOMIZATIONS if folder.has(name)), KUSTOMIZATIONS[0])
    file = f"{at}/{name}".lstrip("/")
    try:
        if added:
            folder = folder.changed({name: dump(_extended(_declared(tree, file), added)).encode()})
        objects = build(folder, at or ".")
    except ManifestError as error:
        return Built(problems=tuple(_shown(tree, problem) for problem in error.problems), failed=True)
    except VirtcatalogError as error:
        return Built(problems=(Problem(file=tree.shown(file), message=str(error)),), failed=True)
    return Built(tuple(Resource(data, partial(_in_file, tree.shown(file))) for data in objects))


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


def _shown(tree: Tree, problem: Problem) -> Problem:
    return Problem(tree.shown(problem.file), *(getattr(problem, field) for field in Problem.__struct_fields__[1:]))


def _in_file(file: str, _field: str) -> Source:
    return Source(file)
