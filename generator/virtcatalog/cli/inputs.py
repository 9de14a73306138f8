"""What `-f`, `-c` and `--at` name: files, folders, standard input, catalogs, repositories and git revisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli.console import summary
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError, some
from virtcatalog.fleet.sources import Placed, built_contents
from virtcatalog.manifests.layout import CATALOG, is_archive
from virtcatalog.manifests.sources import USUAL_CATALOG, exists, is_catalog, is_folder, open_in_checkout

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.fleet.outcome import Deployed, Located
    from virtcatalog.manifests.folder import Folder
    from virtcatalog.manifests.read import Manifest
    from virtcatalog.repositories.helm import Renderer
    from virtcatalog.repositories.model import Repository
    from virtcatalog.review.side import Side

_SHOWN = 3
#: What may be the name of an environment or a cluster.
_NAME = re.compile(r"[a-z0-9][-a-z0-9.]*")


def placed(source: str) -> Placed:
    """Read what `-f` was given: `FILE`, or `production=FILE`. A file that is called so is meant."""
    where, sign, path = source.partition("=")
    if sign and path and _NAME.fullmatch(where) and not exists(source):
        return Placed(path, where)
    return Placed(source)


def file_paths(sources: Iterable[str], purpose: str) -> list[str]:
    """Return the paths of what `-f` was given; UsageError for standard input, with the purpose that needs files."""
    paths = [placed(source).path for source in sources]
    if "-" in paths:
        raise click.UsageError(f"{purpose}, and -f - is none")
    return paths


def read(sources: Iterable[str]) -> list[Manifest]:
    """Read every manifest of the given files, folders and `-`; ManifestError carries the problems of all of them."""
    from virtcatalog.manifests.read import read_apart, usable

    manifests: list[Manifest] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in built_contents(source, problems):
            in_file, faults = read_apart(content, name)
            manifests += in_file
            problems += faults
    return usable(manifests, problems)


def load_any(source: str | None, environments: Iterable[str]) -> Catalog | None:
    """Return the catalog at a path, by default `catalog`, None if that is none; it must have the environments."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.environments import check_environments

    path = source or "catalog"
    catalog = load_catalog(path) if is_catalog(path) else None
    check_environments(environments, catalog.overlays if catalog else (), f"in {path}")
    return catalog


def catalog_objects(source: str | None) -> list[dict[str, Any]]:
    """Return the objects of a catalog, of an output tree, or of a file or folder of manifests.

    Without a source: those of `catalog` if that is a catalog, else none.
    """
    if source is None:
        return catalog_objects("catalog") if is_catalog("catalog") else []
    if is_catalog(source):
        from virtcatalog.catalog.load import load_catalog

        return load_catalog(source).objects()
    return [manifest.data for manifest in read([source])]


def companions(sources: Iterable[str]) -> list[Manifest]:
    """Read the objects of the cluster that files and folders hold; VMs among them are left out."""
    from virtcatalog.api.kinds import holds_vm

    return [manifest for manifest in read(placed(source).path for source in sources) if not holds_vm(manifest.data)]


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


def split_repositories(places: Iterable[Placed]) -> tuple[dict[str, Side], list[Placed]]:
    """Read those places that are repositories; return them by their paths, and the other places."""
    places = list(places)
    repositories = {place.path: side for place in places if not place.where and (side := repository_at(place.path))}
    return repositories, [place for place in places if place.where or place.path not in repositories]


def default_path() -> str:
    """Return what a command is about that names nothing: `catalog`, else the folder if that is a repository."""
    from virtcatalog.repositories.find import is_repository

    is_here = not exists(USUAL_CATALOG) and is_repository(open_in_checkout("."))
    return "." if is_here else USUAL_CATALOG


def _deployed(side: Side, environments: Sequence[str] = ()) -> tuple[list[Deployed], list[Problem]]:
    """The VMs of a repository, of these environments if any are named, and what is wrong with it.

    A VM of which nobody knows what it is, for a value that only the cluster has, is among what is wrong.
    """
    from virtcatalog.fleet.outcome import Deployed, Located

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


def named_units(side: Side, environments: Sequence[str]) -> Repository:
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
    from virtcatalog.environments import check_names
    from virtcatalog.review.side import environment_names

    if repositories:
        names = [name for side in repositories.values() for name in environment_names(side)]
        check_names(environments, names, f"in {', '.join(repositories)}")
    units: list[Deployed] = []
    objects: list[Located] = []
    problems: list[Problem] = []
    for side in repositories.values():
        groups, faults = _deployed(side, environments)
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
    """An object that VMs of a repository meet."""
    from virtcatalog.fleet.outcome import Located, unplaced

    assert side.views is not None
    origin = side.views.origin(manifest)
    return Located(manifest, origin.problem) if origin is not None else unplaced(manifest)


class Revision:
    """A git revision of the repository around the working directory; nothing of it is checked out."""

    def __init__(self, name: str) -> None:
        from virtcatalog.manifests.git import Repository

        self._name = name
        self._repository = Repository(Path())
        self._commit = self._repository.commit(name)

    def catalog(self, path: str) -> Catalog | None:
        """Return the catalog at a path; None for what is no catalog, such as an output tree."""
        from virtcatalog.catalog.load import load_catalog

        folder = self._folder(path)
        return load_catalog(self._label(path), folder) if folder.has(CATALOG) else None

    def objects(self, path: str) -> list[dict[str, Any]]:
        """Return the manifests of an output tree or a folder at a path."""
        from virtcatalog.review.read import read_side

        side = read_side(self._folder(path), self._label(path))
        if side.problems:
            raise ManifestError(*side.problems)
        return [*side.objects_in("")]

    def _label(self, path: str) -> str:
        return f"{self._name}:{path}"

    def _folder(self, path: str) -> Folder:
        folder = self._repository.folder(self._commit, path)
        if folder is None:
            raise VirtcatalogError(f"{self._label(path)}: there is nothing in this revision")
        return folder
