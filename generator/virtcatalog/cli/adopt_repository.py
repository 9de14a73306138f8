"""The VMs of a repository that `virtcatalog adopt` may shorten, with the files that they are written in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from virtcatalog.api.findings import field_path
from virtcatalog.cli.adopt_input import File, Vm, Written
from virtcatalog.cli.adopt_output import Rewritten
from virtcatalog.cli.repository import renderer
from virtcatalog.errors import Problem, VirtcatalogError, within
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.read import Manifest, unchecked, vms_of
from virtcatalog.manifests.sources import open_in_checkout
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.review.side import within as path_in

if TYPE_CHECKING:
    from virtcatalog.api.findings import Path
    from virtcatalog.fleet.outcome import Deployed, Located
    from virtcatalog.manifests.identity import Data
    from virtcatalog.review.side import Side


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


def refuted(path: str, side: Side, files: Iterable[Rewritten], intended: Mapping[int, Data]) -> list[Problem]:
    """Render a repository with rewritten files; say which VMs would not be as they should.

    `intended` has those that change, as they should be, by the identities of their manifests.
    """
    from virtcatalog.review.read import read_side

    files = [file for file in files if file.new != file.old]
    if not files:
        return []
    changes: dict[str, bytes | None] = {path_in(file.name, path): file.new.encode() for file in files}
    after = read_side(open_in_checkout(path).changed(changes), path, renderer())
    manifests = {(vm.environment, vm.key): vm.manifest for vm in after.vms}
    problems = []
    for vm in side.vms:
        if manifests.get((vm.environment, vm.key)) != intended.get(id(vm.manifest), vm.manifest):
            message = within("would change otherwise than it should, so that nothing is written", [vm.environment])
            problems.append(vm.problem("", message))
    return problems
