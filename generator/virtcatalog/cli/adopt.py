"""`virtcatalog adopt`: VMs that say everything themselves take an instance type and a preference instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import execution, options
from virtcatalog.cli.adopt_gathering import gathered
from virtcatalog.cli.adopt_input import File, OnDemand
from virtcatalog.cli.adopt_output import Machine, Rewritten, print_proposals, replace, rewritten, show
from virtcatalog.cli.adopt_repository import refuted
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import echo, failing, print_problems, progress, summary
from virtcatalog.cli.inputs import placed as from_where
from virtcatalog.cli.table import aligned
from virtcatalog.errors import Problem, VirtcatalogError, counted, outcome_word, placed

if TYPE_CHECKING:
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.conditions import Conditions

_FORMS = ("yaml", "diff", "json")
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
@options.form(_FORMS, default="yaml")
@click.option("-i", "--in-place", is_flag=True, help="Change the files of the VMs; print only with -o.")
@click.option("--propose", is_flag=True, help="Print sizes for the catalog that several VMs have and no type has.")
@options.environments
@execution.executor
@click.option("--nearest", is_flag=True, help="Adopt the nearest, too: the VM's domain changes.")
@click.pass_context
@failing
@partial(conditioned, by_environment=True)
def command(
    context: click.Context,
    /,
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

    if in_place and any(from_where(source).path == "-" for source in sources):
        raise click.UsageError("--in-place changes files, and -f - is none", context)
    files, problems, objects, release, repositories = gathered(sources, catalog, environments)
    if not any(file.vms for file in files) and not problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    candidates = Candidates(objects, judged_by(conditions, release, objects))
    if not candidates.instancetypes and not candidates.preferences:
        where = catalog or "./catalog: name a catalog with -c, such as common-instancetypes, which KubeVirt deploys"
        raise VirtcatalogError(f"there is no instance type and no preference in {where}")
    files = [file for file in files if file.vms]
    machines = _adopted(files, candidates, executor)
    if propose:
        print_problems(sorted(problems))
        print_proposals(((machine.name, machine.adoption) for machine in machines), len(machines), candidates)
        return 2 if problems else 0
    rewritten_files: list[Rewritten] = []
    remaining = iter(machines)
    for file in files:
        text, unwritable = rewritten(file, list(islice(remaining, len(file.vms))), nearest=nearest)
        rewritten_files.append(text)
        problems += unwritable
    for path, side in repositories.items():
        own = [text for file, text in zip(files, rewritten_files, strict=True) if file.repository == path]
        intended = {
            id(machine.vm.manifest.data): shrunk_vm.manifest
            for text in own
            for machine in text.machines
            if (shrunk_vm := machine.adoption.shrunk) is not None
        }
        if faults := refuted(path, side, own, intended):
            problems += faults
            rewritten_files = [text._replace(new=text.old) if text in own else text for text in rewritten_files]
    _tell(machines, problems, rewritten_files, candidates)
    failed = any(machine.outcome not in ("adopted", "unchanged") for machine in machines)
    changed = [file for file in rewritten_files if file.new != file.old]
    if in_place:
        replace(changed)
    printed = not in_place or context.get_parameter_source("form") is not click.core.ParameterSource.DEFAULT
    if printed and (changed or form == "json" or not (failed or problems)):
        show(form, rewritten_files, machines)
    if problems or any(machine.outcome == "unsupported" for machine in machines):
        return 2
    return 1 if failed else 0


def _adopted(files: Iterable[File], candidates: Candidates, executor: Executor | None) -> list[Machine]:
    """What each VM adopts, in the order of the files."""
    from virtcatalog.adopt.fleet import adopt_all

    vms = [(number, vm) for file in files for number, vm in file.vms.items()]
    machines: list[Machine | None] = [None] * len(vms)
    adopted = adopt_all(OnDemand([vm for _, vm in vms]), candidates, executor)
    for place, adoption in progress(adopted, len(vms), "VMs", silent=True):
        number, vm = vms[place]
        machines[place] = Machine.of(vm, number, adoption)
    return [machine for machine in machines if machine is not None]


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
