"""Where `virtcatalog adopt` writes: the rewritten files as one stream, a diff, each in its place, or all as JSON."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.cli.console import echo, note, print_texts, show_json, summary, write_diff
from virtcatalog.cli.previews import marked
from virtcatalog.errors import Problem, counted, some
from virtcatalog.escaping import json_value

_COMMENT = re.compile(r"(?:^|\s)(#.*)$")

if TYPE_CHECKING:
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.adopt.fleet import Adoption, Outcome
    from virtcatalog.adopt.rewrite import Changed
    from virtcatalog.cli.adopt_input import File, Vm, Written
    from virtcatalog.manifests.identity import Data
    from virtcatalog.manifests.read import Manifest


class Machine(NamedTuple):
    """A VM of a file, by its number among the file's VMs, and what it adopts, packed."""

    vm: Vm
    number: int
    outcome: Outcome
    packed: bytes

    @classmethod
    def of(cls, vm: Vm, number: int, adoption: Adoption) -> Machine:
        """Pack what a VM adopts: a fleet has many of them, each with its manifest as it would be."""
        return cls(vm, number, adoption.outcome, pickle.dumps(adoption, pickle.HIGHEST_PROTOCOL))

    @property
    def name(self) -> str:
        """`namespace/name`."""
        return self.vm.name

    @property
    def adoption(self) -> Adoption:
        """What the VM adopts."""
        adoption: Adoption = pickle.loads(self.packed)  # noqa: S301 - we packed it
        return adoption


class _Changed:
    """VMs of a file as they are to be, by their numbers."""

    def __init__(self, machines: Iterable[Machine]) -> None:
        self.machines = {machine.number: machine for machine in machines}

    def __contains__(self, number: object) -> bool:
        return number in self.machines

    def __getitem__(self, number: int) -> Data:
        shrunk_vm = self.machines[number].adoption.shrunk
        assert shrunk_vm is not None  # of the others there is nothing to be changed
        return shrunk_vm.manifest


class Rewritten(NamedTuple):
    """A file's name, its text as it was, and as it is to be, and the VMs that are changed."""

    name: str
    old: str
    new: str
    machines: tuple[Machine, ...] = ()

    def lost_comments(self) -> Iterator[str]:
        """Yield the comments that went with the fields that they were about, each with its line."""
        comments = Counter(match[1] for match in map(_COMMENT.search, self.new.splitlines()) if match)
        for number, line in enumerate(self.old.splitlines(), start=1):
            comment = _COMMENT.search(line)
            if comment and comments[comment[1]]:
                comments[comment[1]] -= 1
            elif comment:
                yield f"{self.name}:{number}:{comment.start(1) + 1}: comment goes with its field: {comment[1]}"


def rewritten(file: File, machines: Sequence[Machine], *, nearest: bool) -> tuple[Rewritten, list[Problem]]:
    """Return a file with its VMs shrunk, also to the nearest if wanted; one that cannot be rewritten stays as it is."""
    from virtcatalog.adopt.rewrite import rewrite
    from virtcatalog.manifests.edits import UnwritableError

    text = file.stream.text().decode("utf-8", "replace")
    outcomes = ("adopted", "nearest") if nearest else ("adopted",)
    chosen = [machine for machine in machines if machine.outcome in outcomes and machine.adoption.shrunk is not None]
    changed: Changed = _Changed(chosen)
    faults: list[Problem] = []
    if file.written is not None:
        intended = {machine.number: changed[machine.number] for machine in chosen}
        vms = [(machine.number, machine.vm.manifest, intended.get(machine.number)) for machine in machines]
        changed, faults = carried_back(file.written, vms)
    chosen = [machine for machine in chosen if _number(file, machine) in changed]
    if not chosen:
        return Rewritten(file.name, text, text), faults
    try:
        return Rewritten(file.name, text, rewrite(text, changed), tuple(chosen)), faults
    except UnwritableError as error:
        message = f"cannot be rewritten: {error}"
        faults += [machine.vm.manifest.problem("", message) for machine in chosen]
        return Rewritten(file.name, text, text), faults


def _number(file: File, machine: Machine) -> int:
    """The number of a VM in the text of its file; -1 for one that is not written there."""
    if file.written is None:
        return machine.number
    written = file.written.get(machine.number)
    return written.number if written is not None else -1


def carried_back(
    written: Mapping[int, Written], vms: Iterable[tuple[int, Manifest, Data | None]]
) -> tuple[dict[int, Data], list[Problem]]:
    """VMs of a file as they are to be written, by their numbers there: those that change alike wherever they are.

    `vms` have their numbers in `written`, what is deployed, and as what it should be deployed, None where it stays.
    """
    from virtcatalog.adopt.written import ElsewhereError, carried

    changed: dict[int, Data] = {}
    problems: list[Problem] = []
    lost: set[int] = set()
    chosen: list[tuple[Written, Manifest]] = []
    for number, vm, intended in vms:
        own = written.get(number)
        if intended is None:
            lost |= {own.number} if own is not None else set()
            continue
        if own is None:
            problems.append(vm.problem("", "is rendered, and does not stand in this file: change it by hand"))
            continue
        chosen.append((own, vm))
        try:
            new = carried(vm.data, intended, own.data)
        except ElsewhereError as error:
            problems.append(vm.problem(error.field, f"{error}; change it there"))
            lost.add(own.number)
            continue
        if changed.setdefault(own.number, new) != new:
            lost.add(own.number)
    for own, vm in chosen:
        if own.number in lost & changed.keys():
            problems.append(
                vm.problem("", "would not be the same in each environment that deploys it: change it by hand")
            )
    return {number: new for number, new in changed.items() if number not in lost}, problems


def show(form: str, files: list[Rewritten], machines: list[Machine]) -> None:
    """Print what becomes of files and VMs in one of the forms: `yaml`, `diff` or `json`."""
    if form == "json":
        show_json(map(_as_json, machines), len(machines) != 1)
    elif form == "diff":
        write_diffs(files)
    else:
        print_texts([file.new for file in files])


def write_diffs(files: Iterable[Rewritten]) -> None:
    """Print what changes in files."""
    from virtcatalog.manifests.textdiff import unified

    for file in files:
        name = file.name.lstrip("/")
        write_diff(unified(file.old, file.new, f"a/{name}", f"b/{name}"))


def _as_json(machine: Machine) -> str:
    from virtcatalog.adopt.report import document

    manifest = machine.vm.manifest
    line, column = manifest.place("")
    place = {"file": manifest.file, "line": line, "column": column}
    return json_value(marked(document(machine.name, machine.adoption) | {"place": place}))


def replace(files: Iterable[Rewritten]) -> None:
    """Write files, each as a whole or not at all, with the permissions that they had."""
    from virtcatalog.writing import WriteError, real_place, replace_file

    places = [(Path(file.name), file.new) for file in files]
    for path, _ in places:
        real_place(path)
    for written, (path, text) in enumerate(places):
        try:
            replace_file(path, text, note)
        except WriteError as error:
            before = (
                f"; rewritten before it: {some([str(place) for place, _ in places[:written]], 5)}" if written else ""
            )
            raise WriteError(f"{error}{before}") from error


def print_proposals(adoptions: Iterable[tuple[str, Adoption]], vms: int, candidates: Candidates) -> None:
    """Print what a catalog could declare for those of so many VMs whose size it lacks."""
    from virtcatalog.adopt.report import declarations, proposals

    proposed = proposals(adoptions)
    for line in declarations(proposed, candidates):
        echo(line)
    wanting = sum(len(proposal.vms) for proposal in proposed)
    summary(f"{counted(len(proposed), 'size')} for {wanting:,} of {counted(vms, 'VM')}")
