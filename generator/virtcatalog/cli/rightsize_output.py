"""What `virtcatalog rightsize` prints and writes: a table, Markdown, JSON, and the files of VMs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from virtcatalog.capacity.nodes import amount_text
from virtcatalog.catalog.prices import monthly
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import Problem
from virtcatalog.escaping import markdown_prose
from virtcatalog.manifests.identity import full_name
from virtcatalog.units import count, memory

if TYPE_CHECKING:
    from virtcatalog.ask.items import Fact
    from virtcatalog.cli.vm_files import File, Vm
    from virtcatalog.review.side import Side
    from virtcatalog.rightsize.sizes import Advice

_HEADER = ("VM", "Uses", "Type", "Would do", "Requests", "How", "Why")
_ORDER = ("larger", "smaller", "stays", "unknown", "fits")


def print_text(advices: Sequence[Advice]) -> None:
    """Print the VMs that do not just fit, and what all of them save."""
    rows = list(_rows(advices))
    if rows:
        print_tables(_HEADER, [("", rows)], titled=False)


def as_markdown(advices: Sequence[Advice]) -> str:
    """The same as a table of Markdown."""
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(tuple(map(markdown_prose, row)) for row in _rows(advices))]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def as_data(advices: Sequence[Advice]) -> dict[str, Any]:
    """All VMs as plain data; amounts are in the scheduler's units."""
    return {"vms": [_plain(advice) for advice in advices]}


def _rows(advices: Sequence[Advice]) -> Iterator[tuple[str, ...]]:
    for advice in sorted(advices, key=lambda advice: (_ORDER.index(advice.outcome), advice.vm)):
        if advice.outcome != "fits":
            why = "; ".join((*advice.notes, *advice.reasons))
            how = advice.now if advice.new else advice.outcome
            yield (advice.vm, _usage(advice), advice.old, advice.new, _requests(advice), how, why)


def _usage(advice: Advice) -> str:
    usage = advice.usage
    parts = []
    if usage is not None and usage.cpu is not None:
        parts.append(f"{count(round(usage.cpu, 2))} CPUs")
    if usage is not None and usage.memory is not None:
        parts.append(memory(usage.memory))
    return ", ".join(parts)


def _requests(advice: Advice) -> str:
    names = sorted({*advice.before, *advice.after})
    more = {name: advice.after.get(name, 0) - advice.before.get(name, 0) for name in names}
    parts = [f"{'+' if amount > 0 else ''}{amount_text(name, amount)}" for name, amount in more.items() if amount]
    if advice.saves:
        parts.append(f"{_signed(-advice.saves)} a month")
    return ", ".join(parts)


def _signed(amount: Fraction) -> str:
    return f"{'+' if amount > 0 else ''}{monthly(amount)}"


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
    """All VMs as rows of a table for machines: CPUs, bytes, and what is saved a month."""
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
            "why": "; ".join((*advice.notes, *advice.reasons)),
        }
        for advice in advices
    ]


def write(
    vms: Sequence[tuple[File, int, Vm]], advices: Sequence[Advice], repositories: Mapping[str, Side]
) -> list[Problem]:
    """Name the new types in the files of the VMs; say which cannot be rewritten.

    VMs of a repository are rendered with the new files before these are written.
    """
    from virtcatalog.cli.rewriting import Rewritten, proven, replace
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
    replace(files)
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
