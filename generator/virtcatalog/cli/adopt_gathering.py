"""What `virtcatalog adopt` and `rightsize` work on: VMs of files and repositories, and what these may name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.api.decode import manifest_name
from virtcatalog.cli import options
from virtcatalog.cli.adopt_input import File, read
from virtcatalog.cli.adopt_repository import read_repository
from virtcatalog.cli.console import summary
from virtcatalog.cli.inputs import catalog_objects, companions, load_any
from virtcatalog.cli.inputs import placed as from_where
from virtcatalog.cli.repository import deployed_all, repository_at
from virtcatalog.errors import Problem, VirtcatalogError, listed
from virtcatalog.manifests.identity import identity

if TYPE_CHECKING:
    from virtcatalog.fleet.outcome import Located
    from virtcatalog.manifests.identity import Data, Identity
    from virtcatalog.review.side import Side


class Gathered(NamedTuple):
    """Files with their VMs, what is wrong with others, and the objects that VMs may name.

    `release` is that which environments say that they run, "" if they say none; `repositories` are by their folders.
    """

    files: list[File]
    problems: list[Problem]
    objects: list[Data]
    release: str
    repositories: dict[str, Side]


def gathered(sources: Sequence[str], catalog: str | None, environments: tuple[str, ...]) -> Gathered:
    """Read sources of VMs and a catalog, in some environments or all."""
    repositories = {path: side for path in map(_folder, sources) if path and (side := repository_at(path)) is not None}
    files, problems = read(source for source in sources if _folder(source) not in repositories)
    companion_manifests = [
        *companions(options.settings().cluster),
        *(companion for file in files for companion in file.companions),
    ]
    objects, release = _offered(catalog, sources, () if repositories else environments)
    objects += (manifest.data for manifest in companion_manifests)
    for path, side in repositories.items():
        units, of_units, unfit = deployed_all({path: side}, environments)
        files += read_repository(path, units)
        objects += _agreeing(of_units)
        problems += unfit
    return Gathered(files, problems, objects, release, repositories)


def _folder(source: str) -> str:
    """The folder that a source is; "" for a dump, whose source says of which cluster or environment it is."""
    path, where = from_where(source)
    return "" if where else path


def _agreeing(objects: Iterable[Located]) -> list[Data]:
    """What environments of a repository deploy; VirtcatalogError for objects of one name that differ."""
    by_identity: dict[Identity, Located] = {}
    for located in objects:
        first = by_identity.setdefault(identity(located.manifest), located)
        if first.manifest != located.manifest:
            names = listed(sorted({first.environment, located.environment}))
            name = manifest_name(located.manifest)
            raise VirtcatalogError(f"{name} is not the same in {names}: name an environment with -e")
    return [located.manifest for located in by_identity.values()]


def _offered(catalog: str | None, sources: Iterable[str], environments: Sequence[str]) -> tuple[list[Data], str]:
    """What VMs may adopt in every environment that is asked about, and the release that these say that they run."""
    from virtcatalog.environments import check_places, offered, places_of
    from virtcatalog.releases import DEFAULT

    loaded = load_any(catalog, environments)
    overlays = loaded.overlays if loaded is not None else ()
    places = [source.where for source in map(from_where, sources) if source.where]
    check_places(places, overlays, f"in {catalog or 'catalog'}")
    if loaded is None:
        return catalog_objects(catalog), ""
    names = [*environments, *places_of(places, overlays)]
    releases = {overlay.kubevirt for overlay in overlays if not names or overlay.name in names}
    if len({release or DEFAULT.name for release in releases}) > 1:
        summary("the environments run several releases of KubeVirt: -e asks about one")
    return offered(loaded, names), releases.pop() if len(releases) == 1 else ""
