"""`virtcatalog rightsize`: VMs that are too large or too small for what they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from virtcatalog.capacity.nodes import amount_text
from virtcatalog.catalog.prices import monthly
from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import data, echo, failing, print_problems, progress, summary
from virtcatalog.cli.items import as_csv
from virtcatalog.cli.previews import print_json
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import Problem, VirtcatalogError, counted, counted_kinds, some
from virtcatalog.escaping import markdown_prose
from virtcatalog.manifests.identity import full_name
from virtcatalog.units import count, memory

if TYPE_CHECKING:
    from virtcatalog.ask.items import Fact
    from virtcatalog.cli.vm_files import File, Vm
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.review.side import Side
    from virtcatalog.rightsize.sizes import Advice, Outcome

_COLUMNS = ("VM", "Uses", "Type", "Would do", "Requests", "How", "Why")
_GRAVITY = ("larger", "smaller", "stays", "unknown", "fits")


@click.command(
    "rightsize",
    epilog="""\b
Examples:
  virtcatalog rightsize -f vms/ --metrics usage.json
  virtcatalog rightsize -f vms/ --metrics usage.csv --headroom 30 --prices prices.yaml
  virtcatalog rightsize -f vms/ --metrics usage.json -i      write it into the files of the VMs
  virtcatalog rightsize -f vms/ --metrics usage.json -o markdown > comment.md
""",
)
@options.manifests("VMs, and whatever objects of the cluster they refer to.", required=True)
@options.catalog()
@options.file("--metrics", "What VMs use: JSON of Prometheus' HTTP API or CSV, see docs/rightsize.md.", required=True)
@click.option(
    "--headroom",
    metavar="PERCENT",
    type=click.FloatRange(0, 1000),
    default=20,
    help="What a size has beyond what is used. [default: 20]",
)
@click.option(
    "--percentile",
    metavar="NUMBER",
    type=click.FloatRange(0, 100, min_open=True),
    default=95,
    help="What counts of a range of samples. [default: 95]",
)
@options.monthly_prices
@options.environments
@options.form(("text", "markdown", "json", "csv"))
@click.option("-i", "--in-place", is_flag=True, help="Name the sizes that would do in the files of the VMs.")
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    catalog: str | None,
    metrics: str,
    headroom: float,
    percentile: float,
    prices: str | None,
    environments: tuple[str, ...],
    form: str,
    in_place: bool,
    conditions: Conditions,
) -> int:
    """Find VMs that are larger or smaller than what they use: the right size for each, and how it gets there.

    The type has to be one that says the same but for vCPUs and memory. What the change does to a VM that runs is the
    verdict of diff: live, migrate, pending, restart. VMs with CPUs of their own, NUMA cells or huge pages stay.

    Exit status: 0 every VM fits, 1 another size would do for some, 2 metrics or VMs that cannot be read or told.
    """
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.cli.vm_files import read_vm_files
    from virtcatalog.manifests.folder import SourceError
    from virtcatalog.manifests.sources import read_file
    from virtcatalog.review.requestreport import load_prices
    from virtcatalog.rightsize.metrics import read_metrics
    from virtcatalog.rightsize.sizes import Sizer

    try:
        content = read_file(metrics)
    except SourceError as error:
        raise VirtcatalogError(f"{metrics}: {error.message}") from None
    measured = read_metrics(content, metrics, percentile)
    files, problems, objects, release, repositories = read_vm_files(sources, catalog, environments)
    candidates = Candidates(objects, judged_by(conditions, release, objects))
    if not candidates.instancetypes:
        raise VirtcatalogError("there is no instance type: name a catalog with -c, or a dump that has them with -f")
    sizer = Sizer(candidates, headroom / 100, load_prices(prices) if prices else None)
    vms = [(file, number, vm) for file in files for number, vm in file.vms.items()]
    names = Counter(full_name(vm.manifest.data) for _, _, vm in vms)
    advices: list[Advice] = []
    for _, _, vm in progress(vms, len(vms), "VMs", silent=True):
        manifest = vm.manifest.data
        name = full_name(manifest)
        usage = measured.usage.get(name) if names[name] == 1 else None
        advices.append(replace(sizer.advise(manifest, usage), vm=vm.name))
    problems += (
        Problem(file=", ".join(sources), object=name, message=f"is there {number} times: name an environment with -e")
        for name, number in names.items()
        if number > 1
    )
    if not vms and not problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    if form == "json":
        print_json(as_data(advices))
    elif form == "csv":
        echo(as_csv(as_rows(advices)), nl=False)
    elif form == "markdown":
        data(as_markdown(advices))
    else:
        print_text(advices)
    if in_place:
        problems += _write(vms, advices, repositories)
    print_problems([*problems, *measured.problems])
    strange = sorted(measured.usage.keys() - names.keys())
    if strange:
        others = counted(len(strange), "VM that is", "VMs that are")
        echo(f"the metrics name {others} not given: {some(strange, 3)}", err=True)
    _close(advices)
    if problems or measured.problems or any(advice.outcome == "unknown" for advice in advices):
        return 2
    return 1 if any(advice.new for advice in advices) else 0


def _close(advices: Sequence[Advice]) -> None:
    numbers = Counter(advice.outcome for advice in advices)
    words: dict[Outcome, tuple[str, str]] = {
        "smaller": ("could be smaller", "could be smaller"),
        "larger": ("should be larger", "should be larger"),
        "stays": ("stays as it is", "stay as they are"),
        "fits": ("fits", "fit"),
        "unknown": ("cannot be told", "cannot be told"),
    }
    summary(": ".join(filter(None, (counted(len(advices), "VM"), ", ".join(counted_kinds(numbers, words))))))


def print_text(advices: Sequence[Advice]) -> None:
    """Print the VMs that do not just fit as a table."""
    if rows := list(_rows(advices)):
        print_tables(_COLUMNS, [("", rows)], titled=False)


def as_markdown(advices: Sequence[Advice]) -> str:
    """Return the same as a table of Markdown."""
    rows = [_COLUMNS, tuple("---" for _ in _COLUMNS), *(tuple(map(markdown_prose, row)) for row in _rows(advices))]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _rows(advices: Sequence[Advice]) -> Iterator[tuple[str, ...]]:
    for advice in sorted(advices, key=lambda advice: (_GRAVITY.index(advice.outcome), advice.vm)):
        if advice.outcome != "fits":
            how = advice.now if advice.new else advice.outcome
            yield advice.vm, _usage(advice), advice.old, advice.new, _requests(advice), how, _why(advice)


def _why(advice: Advice) -> str:
    return "; ".join((*advice.notes, *advice.reasons))


def _usage(advice: Advice) -> str:
    usage = advice.usage
    parts = []
    if usage is not None and usage.cpu is not None:
        parts.append(f"{count(round(usage.cpu, 2))} CPUs")
    if usage is not None and usage.memory is not None:
        parts.append(memory(usage.memory))
    return ", ".join(parts)


def _requests(advice: Advice) -> str:
    from virtcatalog.review.requestreport import more

    changes = more(advice.before, advice.after)
    parts = [f"{'+' if amount > 0 else ''}{amount_text(name, amount)}" for name, amount in changes.items()]
    if advice.saves:
        parts.append(f"{'+' if advice.saves < 0 else ''}{monthly(-advice.saves)} a month")
    return ", ".join(parts)


def as_data(advices: Sequence[Advice]) -> dict[str, Any]:
    """Return all VMs as plain data; amounts are in the scheduler's units."""
    return {"vms": [_plain(advice) for advice in advices]}


def _plain(advice: Advice) -> dict[str, Any]:
    usage = advice.usage
    plain: dict[str, Any] = {
        "vm": advice.vm,
        "outcome": advice.outcome,
        "usage": {"cpu": usage.cpu, "memory": usage.memory} if usage is not None else None,
        "instancetype": advice.old,
        "wouldDo": advice.new,
        "now": advice.now,
        "notes": list(advice.notes),
        "reasons": list(advice.reasons),
        "requests": {"before": dict(advice.before), "after": dict(advice.after)},
    }
    return plain if advice.saves is None else {**plain, "savesPerMonth": float(monthly(advice.saves))}


def as_rows(advices: Sequence[Advice]) -> list[dict[str, Fact | float]]:
    """Return all VMs as rows for machines: CPUs, bytes, and what is saved a month."""
    return [
        {
            "name": advice.vm,
            "outcome": advice.outcome,
            "cpu": advice.usage.cpu if advice.usage is not None else None,
            "memory": advice.usage.memory if advice.usage is not None else None,
            "instancetype": advice.old,
            "wouldDo": advice.new,
            "now": advice.now,
            "savesPerMonth": float(monthly(advice.saves)) if advice.saves is not None else None,
            "why": _why(advice),
        }
        for advice in advices
    ]


def _write(
    vms: Sequence[tuple[File, int, Vm]], advices: Sequence[Advice], repositories: Mapping[str, Side]
) -> list[Problem]:
    """Name the new types in the files of the VMs; say which cannot be rewritten.

    VMs of a repository are rendered with the new files before these are written.
    """
    from virtcatalog.cli.rewriting import Rewritten, proven, write_in_place
    from virtcatalog.manifests.edits import UnwritableError
    from virtcatalog.rightsize.rewriting import renamed, sized

    by_file: dict[str, tuple[File, list[tuple[int, Vm, str]]]] = {}
    for (file, number, vm), advice in zip(vms, advices, strict=True):
        by_file.setdefault(file.name, (file, []))[1].append((number, vm, advice.new))
    problems: list[Problem] = []
    files: list[Rewritten] = []
    for name, (file, own) in by_file.items():
        names, faults = _names(file, own)
        problems += faults
        if not names:
            continue
        text = file.stream.text().decode("utf-8", "replace")
        intended = {id(vm.manifest.data): sized(vm.manifest.data, new) for _, vm, new in own if new}
        try:
            files.append(Rewritten(name, text, renamed(text, names), file.repository, intended))
        except UnwritableError as error:
            problems.append(Problem(file=name, message=f"cannot be rewritten: {error}"))
    files, faults = proven(files, repositories)
    write_in_place(files)
    return [*problems, *faults]


def _names(file: File, vms: Sequence[tuple[int, Vm, str]]) -> tuple[dict[str, str], list[Problem]]:
    """The new types of VMs of a file, by the names that they have in it."""
    from virtcatalog.adopt.written import carried_back
    from virtcatalog.rightsize.rewriting import sized

    if file.written is None:
        return {vm.name: new for _, vm, new in vms if new}, []
    intended = [(number, vm.manifest, sized(vm.manifest.data, new) if new else None) for number, vm, new in vms]
    changed, problems = carried_back(file.written, intended)
    return {full_name(data): data["spec"]["instancetype"]["name"] for data in changed.values()}, problems
