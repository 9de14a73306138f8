"""The VMs of files that `virtcatalog adopt` may shorten: each is read from its file's text when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.cli.inputs import placed
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.sources import contents
from virtcatalog.manifests.identity import full_name
from virtcatalog.manifests.read import Manifest, unchecked, vms_of
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream

if TYPE_CHECKING:
    from virtcatalog.manifests.identity import Data


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


class Written(NamedTuple):
    """A VM as a file has it, by its number and its line there."""

    number: int
    line: int
    data: Data


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


def read(sources: Iterable[str]) -> tuple[list[File], list[Problem]]:
    """Read the files; VMs that cannot be read are among the problems, other objects must be fine."""
    files: list[File] = []
    problems: list[Problem] = []
    fatal: list[Problem] = []
    spool = Spool()
    for source in map(placed, sources):
        for name, content in contents(source.path, fatal):
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
