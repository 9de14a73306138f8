"""Files in a folder that change how Argo CD renders it: `.argocd-source.yaml`, and one for an Application's name.

Source: github.com/argoproj/argo-cd, reposerver/repository/repository.go (mergeSourceParameters).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.kustomize.origins import has_field
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.tree import Tree

_STAYS: Final = ("chart", "path", "repoURL", "targetRevision")
"""Fields of a source that no file changes."""


def overridden(deployer: Deployer, source: Path, tree: Tree, at: str) -> tuple[Deployer, list[Problem]]:
    """Return an Application with what files of a folder change in its source, and what is wrong with these files."""
    problems: list[Problem] = []
    for name in (".argocd-source.yaml", f".argocd-source-{deployer.name}.yaml"):
        path = f"{at}/{name}".lstrip("/")
        if not tree.root.has(path):
            continue
        manifest = tree.first(path)
        if manifest is None or not isinstance(manifest.data, dict):
            problems.append(Problem(tree.label_of(path), message="must be a map of fields of an Application's source"))
            continue
        data = _with(deployer.resource.data, ("spec", *source), manifest.data)
        deployer = Deployer(Resource(data, partial(_field, deployer.resource, source, manifest)))
    return deployer, problems


def _with(data: Any, path: Path, override: Data) -> Any:
    """The data with a merge patch applied to the map at a path."""
    if not path:
        return {**merge(data, override), **{key: data[key] for key in _STAYS if key in data}}
    changed = data.copy()
    changed[path[0]] = _with(data[path[0]], path[1:], override)
    return changed


def _field(declared: Resource, source: Path, override: Manifest, field: str) -> Source:
    """Where a field stands: in the file if that has it."""
    within = field.removeprefix(field_path(("spec", *source))).lstrip(".")
    if within and within != field and has_field(override.data, within):
        return Source(override.file, *override.place(within))
    return declared.field(field)
