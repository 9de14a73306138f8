"""`virtcatalog adopt`: VMs that say everything themselves take an instance type and a preference instead."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import click

from virtcatalog.cli import execution, options
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import echo, failing, print_problems, progress, show_json, summary
from virtcatalog.cli.defaults import is_given
from virtcatalog.cli.previews import with_previews
from virtcatalog.cli.rewriting import Rewritten, print_files, proven, write_in_place
from virtcatalog.cli.table import aligned
from virtcatalog.cli.vm_files import File, OnDemand, Vm, read_vm_files
from virtcatalog.errors import Problem, VirtcatalogError, counted, outcome_word, placed
from virtcatalog.escaping import json_value

if TYPE_CHECKING:
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.adopt.fleet import Adoption, Outcome
    from virtcatalog.adopt.rewrite import Changed
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.identity import Data

_EXPLAINED = 20
"""How many VMs are explained one by one; of more, those that adopt the same are one line."""


@click.command(
    "adopt",
    epilog="""\b
Examples:
  virtcatalog adopt -f vm.yaml                        the shorter manifest; why, on stderr
  virtcatalog adopt -f vm.yaml -o diff                what would change in the file
  virtcatalog adopt -f vms/ -i                        every VM of a folder, in its own file
  virtcatalog adopt -f vm.yaml --nearest > new.yaml
  virtcatalog adopt -f fleet.yaml -j auto -o diff     a whole fleet: one line for VMs that adopt the same
  virtcatalog adopt -f fleet.yaml --propose           sizes that the catalog lacks
  kubectl get vm -A -o yaml | virtcatalog adopt -f - -o json -c output
""",
)
@options.manifests("VMs, and whatever objects of the cluster they refer to.", required=True)
@options.catalog()
@options.form(("yaml", "diff", "json"))
@click.option("-i", "--in-place", is_flag=True, help="Change the files of the VMs; print only with -o.")
@click.option("--propose", is_flag=True, help="Print sizes for the catalog that several VMs have and no type has.")
@options.environments
@execution.executor
@click.option("--nearest", is_flag=True, help="Adopt the nearest, too: the VM's domain changes.")
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    catalog: str | None,
    form: str,
    in_place: bool,
    nearest: bool,
    propose: bool,
    environments: tuple[str, ...],
    executor: Executor | None,
    conditions: Conditions,
) -> int:
    """Find the instance type and preference under which a VM gets shorter and keeps its libvirt domain.

    What they say goes from the manifest; everything else in the file stays as it is, comments too. That the domain
    is the same is proven by expanding the VM before and after. Without an exact match the nearest one is described and
    nothing is written, unless --nearest asks for it; the exit status is 1.
    """
    from virtcatalog.adopt.candidates import Candidates

    files, problems, objects, release, repositories = read_vm_files(sources, catalog, environments)
    if not any(file.vms for file in files) and not problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    candidates = Candidates(objects, judged_by(conditions, release, objects))
    if not candidates.instancetypes and not candidates.preferences:
        where = catalog or "./catalog: name a catalog with -c, such as common-instancetypes, which KubeVirt deploys"
        raise VirtcatalogError(f"there is no instance type and no preference in {where}")
    files = [file for file in files if file.vms]
    machines_by_file = _adopted(files, candidates, executor)
    machines = [machine for own in machines_by_file for machine in own]
    if propose:
        print_problems(sorted(problems))
        print_proposals(((machine.name, machine.adoption) for machine in machines), len(machines), candidates)
        return 2 if problems else 0
    texts: list[Rewritten] = []
    for file, own in zip(files, machines_by_file, strict=True):
        text, faults = _rewritten(file, own, nearest=nearest)
        texts.append(text)
        problems += faults
    texts, faults = proven(texts, repositories)
    problems += faults
    _tell(machines, problems, texts, candidates)
    failed = any(machine.outcome not in ("adopted", "unchanged") for machine in machines)
    if in_place:
        write_in_place(texts)
    printed = not in_place or is_given("form")
    changed = any(text.new != text.old for text in texts)
    if printed and (changed or form == "json" or not (failed or problems)):
        if form == "json":
            show_json(map(_as_json, machines), len(machines) != 1)
        else:
            print_files(texts, form)
    if problems or any(machine.outcome == "unsupported" for machine in machines):
        return 2
    return 1 if failed else 0


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


def _adopted(files: Sequence[File], candidates: Candidates, executor: Executor | None) -> list[list[Machine]]:
    """What each VM adopts, a list for each file."""
    from virtcatalog.adopt.fleet import adopt_all

    vms = [(number, vm) for file in files for number, vm in file.vms.items()]
    machines: list[Machine | None] = [None] * len(vms)
    adopted = adopt_all(OnDemand([vm for _, vm in vms]), candidates, executor)
    for place, adoption in progress(adopted, len(vms), "VMs", silent=True):
        number, vm = vms[place]
        machines[place] = Machine.of(vm, number, adoption)
    ordered = (machine for machine in machines if machine is not None)
    return [list(islice(ordered, len(file.vms))) for file in files]


class _Shrunk:
    """VMs of a file as they are to be, by their numbers."""

    def __init__(self, machines: Iterable[Machine]) -> None:
        self.machines = {machine.number: machine for machine in machines}

    def __contains__(self, number: object) -> bool:
        return number in self.machines

    def __getitem__(self, number: int) -> Data:
        shrunk_vm = self.machines[number].adoption.shrunk
        assert shrunk_vm is not None  # of the others there is nothing to be changed
        return shrunk_vm.manifest


def _rewritten(file: File, machines: Sequence[Machine], *, nearest: bool) -> tuple[Rewritten, list[Problem]]:
    """A file with its VMs shrunk, also to the nearest if wanted; one that cannot be rewritten stays as it is."""
    from virtcatalog.adopt.rewrite import rewrite
    from virtcatalog.adopt.written import carried_back
    from virtcatalog.manifests.edits import UnwritableError

    text = file.stream.text().decode("utf-8", "replace")
    outcomes = ("adopted", "nearest") if nearest else ("adopted",)
    chosen = [machine for machine in machines if machine.outcome in outcomes and machine.adoption.shrunk is not None]
    changed: Changed = _Shrunk(chosen)
    intended: dict[int, Data] = {}
    faults: list[Problem] = []
    if file.written is not None:
        shrunk = {machine.number: changed[machine.number] for machine in chosen}
        vms = [(machine.number, machine.vm.manifest, shrunk.get(machine.number)) for machine in machines]
        changed, faults = carried_back(file.written, vms)
        numbers = {number: written.number for number, written in file.written.items()}
        chosen = [machine for machine in chosen if numbers.get(machine.number, -1) in changed]
        intended = {id(machine.vm.manifest.data): shrunk[machine.number] for machine in chosen}
    if not chosen:
        return Rewritten(file.name, text, text), faults
    try:
        return Rewritten(file.name, text, rewrite(text, changed), file.repository, intended), faults
    except UnwritableError as error:
        message = f"cannot be rewritten: {error}"
        faults += [machine.vm.manifest.problem("", message) for machine in chosen]
        return Rewritten(file.name, text, text), faults


def _tell(machines: list[Machine], problems: list[Problem], files: list[Rewritten], candidates: Candidates) -> None:
    """Explain every VM on stderr, and sum up when they are many; of very many only say what they have in common."""
    from virtcatalog.adopt.report import COLUMNS, rows

    print_problems(sorted(problems))
    if len(machines) > _EXPLAINED:
        _tell_groups(machines, candidates)
        return
    for machine in machines:
        _tell_one(machine)
    for file in files:
        print_problems(file.lost_comments())
    if len(machines) > 1:
        for text in aligned(COLUMNS, rows((machine.name, machine.adoption) for machine in machines)):
            summary(text)


def _tell_one(machine: Machine) -> None:
    from virtcatalog.adopt.report import explain

    manifest, adoption = machine.vm.manifest, machine.adoption
    print_problems(placed(adoption.reasons, manifest.problem))
    line, column = manifest.place("")
    start = f"{manifest.file}:{line}:{column}: {manifest.name}: "
    for text in explain(adoption):
        echo(start + text, err=True)
        start = ""


def _tell_groups(machines: list[Machine], candidates: Candidates) -> None:
    from virtcatalog.adopt.report import GROUP_COLUMNS, groups

    rows, unshown, vms = groups(((machine.name, machine.adoption) for machine in machines), candidates)
    for text in aligned(GROUP_COLUMNS, rows):
        summary(text)
    if unshown:
        summary(f"and {counted(unshown, 'group')} more, of {counted(vms, 'VM')}; -o json has each VM")
    counts = Counter(machine.outcome for machine in machines)
    parts = ", ".join(f"{number:,} {outcome_word(outcome)}" for outcome, number in counts.most_common())
    summary(f"{counted(len(machines), 'VM')}: {parts}")


def _as_json(machine: Machine) -> str:
    from virtcatalog.adopt.report import document

    manifest = machine.vm.manifest
    line, column = manifest.place("")
    place = {"file": manifest.file, "line": line, "column": column}
    return json_value(with_previews(document(machine.name, machine.adoption) | {"place": place}))


def print_proposals(adoptions: Iterable[tuple[str, Adoption]], vms: int, candidates: Candidates) -> None:
    """Print what a catalog could declare for those of so many VMs whose size it lacks."""
    from virtcatalog.adopt.report import declarations, proposals

    proposed = proposals(adoptions)
    for line in declarations(proposed, candidates):
        echo(line)
    wanting = sum(len(proposal.vms) for proposal in proposed)
    summary(f"{counted(len(proposed), 'size')} for {wanting:,} of {counted(vms, 'VM')}")
