"""The VMs of plain files as a stream: a VM is read when its turn comes, all other objects before the first VM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from virtcatalog.api.kinds import may_matter
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.sources import Placed, built_contents
from virtcatalog.kubevirt.decoding import counts
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.read import Manifest, Part, vms_of
from virtcatalog.manifests.sources import is_folder
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream

T = TypeVar("T")

Key = tuple[str, str]
"""An environment, and the environment or cluster that `-f` names for the file of a VM (`-f production=FILE`)."""


_SHARES, _FEWER = 8, 12
"""What is left of a file is divided into so many sections at least, which may get so many times smaller."""


class Share(NamedTuple):
    """The VMs of a part of a file, or of these the ones of some places in it, that an environment has."""

    part: Part
    environment: str = ""
    places: tuple[int, ...] | None = None

    def manifests(self) -> tuple[list[Manifest], list[Problem]]:
        """Read the VMs, unusable ones too; the problems are those of the text, which nothing else can tell.

        Of some places alone there are none: whoever chose these has them.
        """
        vms, problems = vms_of(self.part)
        return (vms, problems) if self.places is None else ([vms[place] for place in self.places], [])


class Section(NamedTuple):
    """Pieces of one of the files of a fleet, from `first` on as far as before `end`."""

    file: int
    first: int
    end: int


class Fleet:
    """The VMs of plain files, and what else is in these.

    `objects` are the others that VMs depend on, with the environment or cluster of their file. `without_vm` are files
    with neither a VM nor such an object. `problems` are those that make no VM's answer wrong; ManifestError for an
    object that VMs depend on and that cannot be read.
    """

    def __init__(self, sources: Iterable[Placed]) -> None:
        self.objects: list[tuple[Manifest, str]] = []
        self.problems: list[Problem] = []
        self.without_vm: list[str] = []
        self._streams: list[tuple[Stream, str]] = []
        spool = Spool()
        for path, where in sources:
            self._streams += ((stream, where) for stream in streams(path, spool, self.problems))
        fatal: list[Problem] = []
        for stream, where in self._streams:
            self.problems += stream.problems
            if (
                not stream.number
                and stream.others
                and not any(other.problems or counts(other.data) for other in stream.others)
            ):
                self.without_vm.append(stream.file)
            for other in stream.others:
                if not other.problems:
                    self.objects.append((other, where))
                else:
                    (fatal if may_matter(other.data) else self.problems).extend(other.problems)
        if fatal:
            raise ManifestError(*fatal, *self.problems)

    @property
    def number(self) -> int:
        """How many VMs there are."""
        return sum(stream.number for stream, _ in self._streams)

    @property
    def places(self) -> list[str]:
        """The environments or clusters of the files, "" for files without one."""
        return [where for _, where in self._streams]

    def parts(self) -> Iterator[tuple[Part, str]]:
        """Yield the parts of files that hold VMs, with where they are from."""
        return ((part, where) for stream, where in self._streams for part in stream.vms())

    def shares(self) -> Iterator[Share]:
        """Yield all VMs, of one environment."""
        return (Share(part) for part, _ in self.parts())

    def sections(self, most: int) -> Iterator[Section]:
        """Yield where all VMs are: so many pieces of a file, fewer towards its end, where others have nothing left."""
        least = max(1, most // _FEWER)
        for number, (stream, _) in enumerate(self._streams):
            first = 0
            while left := stream.pieces - first:
                size = min(left, max(least, min(most, left // _SHARES // least * least)))
                yield Section(number, first, first + size)
                first += size

    def within(self, section: Section) -> Iterator[Share]:
        """Yield the VMs of a section."""
        return map(Share, self._streams[section.file][0].vms(section.first, section.end))

    def by_environment(self, find: Callable[[Data, str], Sequence[str]]) -> dict[Key, Chosen]:
        """Tell the VMs apart by the environments that `find` says for a VM and where it is from.

        One of which it says none is left out; those that cannot be read are with the first. What is wrong with the
        texts is added to the `problems`.
        """
        chosen: dict[Key, Chosen] = {}
        for index, (part, where) in enumerate(self.parts()):
            vms, problems = Share(part).manifests()
            self.problems += problems
            for place, vm in enumerate(vms):
                keys = [(name, where) for name in find(vm.data, where)] if not vm.problems else list(chosen)[:1]
                for key in keys or ([("", where)] if vm.problems else []):
                    chosen.setdefault(key, Chosen(self, key[0])).add(index, place)
        return chosen


class Chosen:
    """Those of the VMs that an environment has."""

    def __init__(self, fleet: Fleet, environment: str) -> None:
        self._fleet, self._environment = fleet, environment
        self._places: dict[int, tuple[int, ...]] = {}

    def add(self, part: int, place: int) -> None:
        """Take a VM of a part."""
        self._places[part] = (*self._places.get(part, ()), place)

    @property
    def number(self) -> int:
        """How many VMs there are."""
        return sum(map(len, self._places.values()))

    def taken(self) -> set[tuple[int, int]]:
        """Return which VMs they are: the parts that they are in, and their places there."""
        return {(part, place) for part, places in self._places.items() for place in places}

    def shares(self) -> Iterator[Share]:
        """Yield the VMs."""
        for index, (part, _) in enumerate(self._fleet.parts()):
            if places := self._places.get(index):
                yield Share(part, self._environment, places)


def distinct(fleets: Iterable[Fleet | Chosen]) -> int:
    """Return how many VMs of one fleet there are in its parts, however many environments have the same ones."""
    number, chosen = 0, set[tuple[int, int]]()
    for fleet in fleets:
        if isinstance(fleet, Fleet):
            number += fleet.number
        else:
            chosen |= fleet.taken()
    return number + len(chosen)


class SoundFleet:
    """Every manifest of files that must all be sound: `others` by the environment of their file, and `number` VMs.

    Each loop over it reads the VMs anew. After the first problem nothing more is yielded: the rest is read for its
    problems, and a ManifestError at the end carries all of them.
    """

    def __init__(self, sources: Iterable[Placed]) -> None:
        self._problems: list[Problem] = []
        spool = Spool()
        self._streams = [(stream, where) for path, where in sources for stream in streams(path, spool, self._problems)]
        self.number = sum(stream.number for stream, _ in self._streams)
        self.others: dict[str, list[Manifest]] = {}
        for stream, where in self._streams:
            self._problems += [*stream.problems, *(problem for other in stream.others for problem in other.problems)]
            self.others.setdefault(where, []).extend(stream.others)
        if self._problems:
            next(iter(self), None)  # it yields nothing, and raises

    def __iter__(self) -> Iterator[tuple[Manifest, str]]:
        return self.answered(_unknown)

    def answered(self, find: Callable[[Share], T | None]) -> Iterator[tuple[Manifest | T, str]]:
        """Yield what `find` knows of a part, and every manifest of those of which it knows nothing."""
        problems = list(self._problems)
        for share, where in ((Share(part), where) for stream, where in self._streams for part in stream.vms()):
            answer = find(share) if not problems else None
            if answer is not None:
                yield answer, where
                continue
            vms, faults = share.manifests()
            problems += faults
            for vm in vms:
                problems += vm.problems
                if not problems:
                    yield vm, where
        if problems:
            raise ManifestError(*problems)


def _unknown(_: Share) -> Manifest | None:
    return None


def dumped(sources: Sequence[Placed], take: Callable[[Stream, str], object]) -> None:
    """Hand each file to `take`, with where it is from; ManifestError carries the problems of all."""
    problems: list[Problem] = []
    spool = Spool()
    for path, where in sources:
        for stream in streams(path, spool, problems):
            try:
                take(stream, where)
            except ManifestError as error:
                problems += error.problems
    if problems:
        raise ManifestError(*problems)


def streams(path: str, spool: Spool, problems: list[Problem]) -> Iterator[Stream]:
    """Yield the stream of every file that a file, a folder or `-` stands for; add what cannot be read."""
    name = "<stdin>" if path == "-" else path
    try:
        if not is_folder(path):
            yield Stream(spool.open(path), name)
            return
    except SourceError as error:
        problems.append(Problem(file=path, message=error.message))
        return
    for name, content in built_contents(path, problems):
        yield Stream(spool.copy(content), name)
