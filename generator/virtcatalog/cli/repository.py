"""A folder that `-f` names and that is a repository: what each of its units deploys, kept apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from virtcatalog.cli.console import summary
from virtcatalog.environments import check_names
from virtcatalog.errors import Problem, some
from virtcatalog.fleet.outcome import Deployed, Located
from virtcatalog.manifests.layout import is_archive
from virtcatalog.manifests.sources import USUAL_CATALOG, exists, is_folder, open_in_checkout

if TYPE_CHECKING:
    from typing import Any

    from virtcatalog.repositories.helm import Renderer
    from virtcatalog.repositories.model import Repository, Resource
    from virtcatalog.review.side import Side

_SHOWN = 3


def renderer() -> Renderer:
    """Return what renders repositories, with charts if there are any and helm is here."""
    from virtcatalog.repositories.helm import Renderer
    from virtcatalog.repositories.helmprocess import find_helm

    return Renderer(find_helm)


def repository_at(path: str) -> Side | None:
    """Read a repository that a user named; None for another folder, a file or `-`. What is not rendered is told."""
    if path == "-" or not (is_folder(path) or is_archive(path)):
        return None
    from virtcatalog.repositories.find import is_repository
    from virtcatalog.review.read import read_side

    folder = open_in_checkout(path)
    if not (is_repository(folder) or is_archive(path)):
        return None
    side = read_side(folder, path, renderer())
    if side.unrendered:
        parts = [str(problem) for problem in side.unrendered]
        summary(f"{path}: {len(parts):,} not rendered: {some(parts, _SHOWN)}")
    return side


def default_path() -> str:
    """Return what a command is about that names nothing: `catalog`, else the folder if that is a repository."""
    from virtcatalog.repositories.find import is_repository

    is_here = not exists(USUAL_CATALOG) and is_repository(open_in_checkout("."))
    return "." if is_here else USUAL_CATALOG


def deployed(side: Side, environments: Sequence[str] = ()) -> tuple[list[Deployed], list[Problem]]:
    """Return the VMs of a repository, of these environments if any are named, and what is wrong with it.

    A VM of which nobody knows what it is, for a value that only the cluster has, is among what is wrong.
    """
    problems = list(side.problems)
    groups: dict[tuple[str, int], Deployed] = {}
    for vm in side.vms:
        if environments and vm.environment not in environments:
            continue
        where = Located(vm.manifest, vm.problem).located_in(vm.environment)
        if vm.open:
            problems += (where.problem(value.field, value.sentence) for value in vm.open)
            continue
        objects = side.objects_in(vm.environment, vm.unit)
        if (vm.environment, id(objects)) not in groups:
            located = [_located(side, manifest) for manifest in objects]
            groups[vm.environment, id(objects)] = Deployed(vm.environment, [], located)
        groups[vm.environment, id(objects)].vms.append(where)
    return list(groups.values()), problems


def called(side: Side, environments: Sequence[str] = ()) -> Repository:
    """Return a side's repository with these of its units, each under the name by which users know it."""
    from msgspec.structs import replace

    assert side.repository is not None
    pairs = zip(side.repository.environments, side.units, strict=True)
    units = (replace(unit, name=name) for unit, name in pairs if not environments or name in environments)
    return replace(side.repository, environments=tuple(units))


def deployed_all(
    repositories: Mapping[str, Side], environments: Sequence[str]
) -> tuple[list[Deployed], list[Located], list[Problem]]:
    """Return the VMs of repositories by their paths, all other objects of these, and what is wrong."""
    from virtcatalog.review.side import environment_names

    if repositories:
        names = [name for side in repositories.values() for name in environment_names(side)]
        check_names(environments, names, f"in {', '.join(repositories)}")
    units: list[Deployed] = []
    objects: list[Located] = []
    problems: list[Problem] = []
    for side in repositories.values():
        groups, faults = deployed(side, environments)
        units += groups
        problems += faults
        objects += (
            _located(side, manifest).located_in(name)
            for name, manifests in side.objects.items()
            if not environments or name in environments
            for manifest in manifests
        )
    return units, objects, problems


def _located(side: Side, manifest: dict[str, Any]) -> Located:
    """Return an object that VMs of a repository meet."""
    assert side.views is not None
    return Located(manifest, partial(_problem, side.views.origin(manifest), manifest))


def _problem(origin: Resource | None, manifest: Mapping[str, Any], field: str, message: str) -> Problem:
    from virtcatalog.api.decode import manifest_name

    if origin is not None:
        return origin.problem(field, message)
    return Problem(object=manifest_name(manifest), field=field, message=message)
