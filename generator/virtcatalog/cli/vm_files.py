"""The VMs that `virtcatalog adopt` and `rightsize` rewrite, with their files and repositories, and what they may name.

A VM is read from its file's text when it is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.adopt.written import Written
from virtcatalog.api.decode import manifest_name
from virtcatalog.api.findings import field_path
from virtcatalog.cli.console import summary
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.inputs import catalog_objects, companions, deployed_all, load_any, placed, split_repositories
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError, listed
from virtcatalog.fleet.sources import Placed, contents
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.identity import full_name, identity
from virtcatalog.manifests.read import Manifest, unchecked, vms_of
from virtcatalog.manifests.sources import open_in_checkout
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.review.side import within as path_in

if TYPE_CHECKING:
    from virtcatalog.api.findings import Path
    from virtcatalog.fleet.outcome import Deployed, Located
    from virtcatalog.manifests.identity import Data, Identity
    from virtcatalog.review.side import Side


class Vm(NamedTuple):
    """A VM that is read anew from its piece of a file; one of several in a piece is `parsed` already."""

    name: str
    """`namespace/name`."""
    stream: Stream
    piece: int
    parsed: Manifest | None

    @property
    def manifest(self) -> Manifest:
        """The VM."""
        if self.parsed is not None:
            return self.parsed
        (part,) = self.stream.vms(self.piece, self.piece + 1)
        (manifest,) = vms_of(part, unchecked)[0]
        return manifest


class OnDemand:
    """VMs as plain data, each of which is read when it is asked for."""

    def __init__(self, vms: Sequence[Vm]) -> None:
        self._vms = vms

    def __len__(self) -> int:
        return len(self._vms)

    def __getitem__(self, place: int) -> Data:
        data: Data = self._vms[place].manifest.data
        return data


class File(NamedTuple):
    """A file with its VMs by their number among all VMs of it, and the other objects.

    In a file of a repository a VM may stand that is deployed several times, or is rendered from what stands there:
    `written` is how each of its `vms` is written, if it is; `repository` is the folder that was named.
    """

    stream: Stream
    vms: dict[int, Vm]
    companions: list[Manifest]
    written: dict[int, Written] | None = None
    repository: str = ""

    @property
    def name(self) -> str:
        """What problems call it."""
        return self.stream.file


class VmFiles(NamedTuple):
    """Files with their VMs, what is wrong with others, and the objects that VMs may name.

    `release` is that which environments say that they run, "" if they say none; `repositories` are by their folders.
    """

    files: list[File]
    problems: list[Problem]
    objects: list[Data]
    release: str
    repositories: dict[str, Side]


def read_vm_files(sources: Sequence[str], catalog: str | None, environments: tuple[str, ...]) -> VmFiles:
    """Read sources of VMs and a catalog, in some environments or all."""
    repositories, places = split_repositories(map(placed, sources))
    files, problems = read(places)
    beside = companions(settings().cluster)
    beside += (companion for file in files for companion in file.companions)
    objects, release = _offered(catalog, places, () if repositories else environments)
    objects += (manifest.data for manifest in beside)
    for path, side in repositories.items():
        units, of_units, unfit = deployed_all({path: side}, environments)
        files += read_repository(path, units)
        objects += _agreeing(of_units)
        problems += unfit
    return VmFiles(files, problems, objects, release, repositories)


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


def _offered(catalog: str | None, files: Iterable[Placed], environments: Sequence[str]) -> tuple[list[Data], str]:
    """What VMs may adopt in every environment that is asked about, and the release that these say that they run."""
    from virtcatalog.environments import check_places, offered, places_of
    from virtcatalog.releases import DEFAULT

    loaded = load_any(catalog, environments)
    overlays = loaded.overlays if loaded is not None else ()
    places = [file.where for file in files if file.where]
    check_places(places, overlays, f"in {catalog or 'catalog'}")
    if loaded is None:
        return catalog_objects(catalog), ""
    names = [*environments, *places_of(places, overlays)]
    releases = {overlay.kubevirt for overlay in overlays if not names or overlay.name in names}
    if len({release or DEFAULT.name for release in releases}) > 1:
        summary("the environments run several releases of KubeVirt: -e asks about one")
    return offered(loaded, names), releases.pop() if len(releases) == 1 else ""


def read(places: Iterable[Placed]) -> tuple[list[File], list[Problem]]:
    """Read the files; VMs that cannot be read are among the problems, other objects must be fine."""
    files: list[File] = []
    problems: list[Problem] = []
    fatal: list[Problem] = []
    spool = Spool()
    for place in places:
        for name, content in contents(place.path, fatal):
            files.append(_read_file(Stream(spool.copy(content), name), problems, fatal))
    if fatal:
        raise ManifestError(*fatal, *problems)
    return files, problems


def _read_file(stream: Stream, problems: list[Problem], fatal: list[Problem]) -> File:
    vms: dict[int, Vm] = {}
    numbers = count()
    for piece in range(stream.pieces):
        for part in stream.vms(piece, piece + 1):
            manifests, faults = vms_of(part)
            fatal += faults if part.is_vm else ()  # the stream tells those of the others
            for manifest, number in zip(manifests, numbers, strict=False):
                problems += manifest.problems
                if not manifest.problems:
                    vms[number] = Vm(full_name(manifest.data), stream, piece, manifest if len(manifests) > 1 else None)
    fatal += (problem for other in stream.others for problem in other.problems)
    fatal += stream.problems
    return File(stream, vms, stream.others)


class _Rendered(Manifest):
    """A VM as it is deployed, with the places in the repository that its fields come from."""

    __slots__ = ("_located",)

    def __init__(self, vm: Located) -> None:
        super().__init__(vm.manifest, Text(""), 0)
        self._located = vm

    @property
    def file(self) -> str:
        return self.problem("", "").file

    @property
    def title(self) -> str:
        """What it is called, with its environment."""
        return self._located.title

    def place(self, field: str | Path = "") -> tuple[int, int]:
        problem = self.problem(field, "")
        return problem.line, problem.column

    def problem(self, field: str | Path, message: str) -> Problem:
        return self._located.problem(field if isinstance(field, str) else field_path(field), message)


def read_repository(path: str, units: Iterable[Deployed]) -> list[File]:
    """Return the files in which the VMs of a repository are written, each with all of these that it has."""
    by_file: dict[str, list[_Rendered]] = defaultdict(list)
    for unit in units:
        for vm in map(_Rendered, unit.vms):
            by_file[vm.file].append(vm)
    return [_file(path, name, vms) for name, vms in sorted(by_file.items())]


def _file(path: str, name: str, rendered: Sequence[_Rendered]) -> File:
    try:
        content = open_in_checkout(path).read(path_in(name, path))
    except VirtcatalogError:  # it is beside the folder that was named
        content = b""
    stream = Stream(Spool().copy(content), name)
    lines = {written.line: written for written in _written(stream)}
    places = [vm.place()[0] for vm in rendered]
    return File(
        stream,
        {number: Vm(vm.title, stream, 0, vm) for number, vm in enumerate(rendered)},
        [],
        {number: lines[line] for number, line in enumerate(places) if line in lines},
        path,
    )


def _written(stream: Stream) -> Iterator[Written]:
    numbers = count()
    for part in stream.vms():
        for manifest, number in zip(vms_of(part, unchecked)[0], numbers, strict=False):
            yield Written(number, manifest.place()[0], manifest.data)
