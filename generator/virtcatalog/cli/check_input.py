"""What `virtcatalog check` reads: catalogs, manifests and repositories; and what --fix writes before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.cli.console import echo
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.inputs import default_path, deployed_all, file_paths, named_units, placed, split_repositories
from virtcatalog.errors import ManifestError, ProblemsError, VirtcatalogError, counted
from virtcatalog.fleet.sources import Placed, contents
from virtcatalog.manifests.layout import CATALOG, CATALOG_FOLDERS, KUSTOMIZATIONS
from virtcatalog.manifests.sources import exists, is_catalog, is_folder, not_there, open_folder

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.check.finding import Finding
    from virtcatalog.check.subject import Inventory, Subject
    from virtcatalog.errors import Problem
    from virtcatalog.kubevirt.conditions import Conditions


def read_inventory(
    catalog: str | None,
    sources: Sequence[str],
    today: date,
    conditions: Conditions,
    environments: Sequence[str],
) -> tuple[Inventory | None, list[Finding], list[str]]:
    """Read everything, and name all environments; what cannot be read is a finding, and no more is looked at then."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.check.declarations import unreadable
    from virtcatalog.check.inventory import take
    from virtcatalog.cli.conditions import beside_upstream, upstream_of
    from virtcatalog.environments import check_environments, check_places
    from virtcatalog.fleet.files import SoundFleet

    path = catalog or ("catalog" if sources else default_path())
    places = [placed(source) for source in sources]
    inputs = [place.path for place in places]
    for file in [path, *inputs] if catalog or not sources else inputs:
        if file != "-" and not exists(file):
            raise VirtcatalogError(not_there(file))
    problems: list[Problem] = []
    loaded: Catalog | None = None
    if is_catalog(path):
        try:
            loaded = load_catalog(path)
        except ProblemsError as error:
            problems += error.problems
    elif catalog or path != "catalog":
        places = [Placed(path), *places]
    repositories, plain = split_repositories(places)
    places = [*plain, *map(placed, settings().cluster)]
    units, of_units, unfit = deployed_all(repositories, environments)
    try:
        fleet = SoundFleet(places)
    except ManifestError as error:
        problems += error.problems
    if problems:
        return None, unreadable(sorted(problems)), []
    texts: list[tuple[bytes, str]] = []
    if loaded:
        folder = open_folder(path)
        texts = [(folder.read(file), Path(path, file).as_posix()) for file in loaded.files if file.endswith(".yaml")]
    overlays = loaded.overlays if loaded else ()
    if not repositories:
        check_environments(environments, overlays, f"in {path}")
    check_places(fleet.others, overlays, f"in {path}")
    companions = [manifest.data for manifests in fleet.others.values() for manifest in manifests]
    inventory = take(
        loaded,
        today=today,
        texts=texts,
        conditions=conditions,
        elsewhere=fleet.others,
        fleet=fleet,
        number=fleet.number,
        upstream=upstream_of(fleet, companions, conditions) if loaded is None else (),
        environments=environments,
        units=beside_upstream(units, conditions, alone=loaded is None),
        of_units=of_units,
        repositories=[named_units(side, environments) for side in repositories.values()],
    )
    subjects = *inventory.objects, *inventory.companions
    if loaded is None and not unfit and not inventory.number and not any(map(_is_ours, subjects)):
        where = ", ".join(place.path for place in places) or path
        raise VirtcatalogError(f"{where}: there is no {CATALOG}, and no manifest of KubeVirt's")
    return inventory, unreadable(sorted(unfit)), [overlay.name for overlay in overlays]


def _is_ours(subject: Subject) -> bool:
    from virtcatalog.api.kinds import kind_type

    return kind_type(str(subject.manifest.get("apiVersion")), subject.kind) is not None


def with_nodes(inventory: Inventory, file: str) -> Inventory:
    """Return the inventory with the nodes that a file declares."""
    from virtcatalog.capacity.nodes import load_nodes
    from virtcatalog.catalog.places import Source
    from virtcatalog.check.subject import Subject

    nodes = [Subject(manifest=node, origin="import", place=lambda _: Source(file)) for node in load_nodes(file)]
    return msgspec.structs.replace(inventory, companions=(*inventory.companions, *nodes))


def refused_since(revision: str, catalog: str | None, sources: Sequence[str]) -> list[Finding]:
    """Find the changes of objects since a revision that clusters refuse; a catalog's own objects have no such field."""
    from virtcatalog.check.finding import together
    from virtcatalog.check.sync import refused_changes
    from virtcatalog.cli.sides import states

    of_catalog = [catalog or default_path()] if catalog or not sources else []
    paths = file_paths([*of_catalog, *sources], "--since compares files")
    findings: list[Finding] = []
    for before, after in (states(revision, path) for path in paths if not is_catalog(path)):
        if before.repository is not None and after.repository is not None:
            findings += refused_changes(before.repository, after.repository)
    return together(findings)


def write_as_stored(catalog: str | None, sources: Sequence[str], conditions: Conditions) -> None:
    """Rewrite the files of manifests, and those of a catalog's VMs, and say which."""
    from virtcatalog.cli.rewriting import Rewritten, write_in_place
    from virtcatalog.gitops.fixing import fix
    from virtcatalog.releases import DEFAULT

    paths = file_paths(sources, "--fix changes files")
    path = catalog or "catalog"
    if is_catalog(path):
        path = f"{path}/{CATALOG_FOLDERS[-1]}"
        paths += [path] if is_folder(path) else []
    elif catalog:
        paths.append(path)
    # What cannot be read is a finding of the check that follows.
    files = {name: content for path in paths for name, content in contents(path, [])}
    kustomizations = {name: content for path in paths for name, content in _kustomizations(path)}
    fixed = fix(files, kustomizations, conditions.release or DEFAULT)
    write_in_place(Rewritten(file.name, file.old, file.new) for file in fixed if not file.unwritable)
    for file in fixed:
        if file.unwritable:
            echo(f"{file.name}: cannot be rewritten in its own text: {file.unwritable}", err=True)
        else:
            echo(f"{file.name}: {counted(file.fields, 'field')} written as stored", err=True)


def _kustomizations(path: str) -> Iterator[tuple[str, bytes]]:
    """The kustomizations in a folder, or beside a file: what they take for patches is left alone."""
    root = Path(path) if is_folder(path) else Path(path).parent
    if not is_folder(str(root)):
        return
    folder = open_folder(str(root))
    for file in folder.listing().files:
        if Path(file).name in KUSTOMIZATIONS:
            yield str(root / file), folder.read(file)
