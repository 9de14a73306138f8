"""What a fleet adopts, in short: a line for all VMs that adopt the same, and the sizes that the catalog lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from virtcatalog.adopt.candidates import Candidates, Instancetype, Reference
from virtcatalog.adopt.fleet import Adoption, Size
from virtcatalog.adopt.report import NOTHING_STAYS
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import counted, some
from virtcatalog.units import count, memory

_OUTCOMES = ("unsupported", "refused", "nearest", "adopted", "unchanged")
_SHOWN = 100
_SEVERAL = 2

NamedAdoption = tuple[str, Adoption]
"""A VM as `namespace/name`, and what it adopts."""

COLUMNS = ("VMs", "Outcome", "Instance type", "Preference", "Such as", "Why")


class Proposal(NamedTuple):
    """A size that several VMs have and no instance type."""

    size: Size
    vms: tuple[str, ...]
    nearest: Reference
    """The instance type that they would get instead."""


def groups(adoptions: Iterable[NamedAdoption], candidates: Candidates) -> tuple[list[tuple[str, ...]], int, int]:
    """Return the rows of a table, and the numbers of the groups and VMs that it leaves off.

    Outcomes that need a look come first, then the largest groups.
    """
    vms_by_row: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for name, adoption in adoptions:
        names = [name.name if name else "" for name in adoption.shrunk.names] if adoption.shrunk else ["", ""]
        vms_by_row[adoption.outcome, names[0], names[1], _why(adoption, candidates)].append(name)
    ordered = sorted(vms_by_row.items(), key=lambda item: (_OUTCOMES.index(item[0][0]), -len(item[1]), item[0]))
    rows: list[tuple[str, ...]] = [
        (f"{count(len(vms))}", outcome, instancetype, preference, vms[0], why)
        for (outcome, instancetype, preference, why), vms in ordered[:_SHOWN]
    ]
    left = [vms for _, vms in ordered[_SHOWN:]]
    return rows, len(left), sum(map(len, left))


def _why(adoption: Adoption, candidates: Candidates) -> str:
    """Why the VM does not adopt anything, in a few words."""
    if adoption.reasons:
        first = adoption.reasons[0]
        return f"{first.field}: {first.sentence}" if first.field else first.sentence
    if adoption.outcome != "nearest":
        return ""
    if adoption.shrunk is None:
        return NOTHING_STAYS
    if adoption.wanted is not None:
        assert adoption.shrunk.names.instancetype is not None
        group = candidates.groups[adoption.shrunk.names.instancetype]
        assert isinstance(group, Instancetype)
        return f"has {_words(adoption.wanted)}, not {_words(Size(group.vcpus, group.memory))}"
    places = adoption.shrunk.domain
    more = f", and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0].place} would be {places[0].new or 'gone'}{more}"


def _words(size: Size) -> str:
    return f"{counted(size.vcpus, 'vCPU')} and {memory(size.memory)}"


def proposals(adoptions: Iterable[NamedAdoption]) -> list[Proposal]:
    """Return the sizes that several VMs have and the catalog lacks, those of the most VMs first."""
    wanting: dict[Size, list[str]] = defaultdict(list)
    nearest: dict[Size, Reference] = {}
    for name, adoption in adoptions:
        if (
            adoption.wanted is not None
            and adoption.shrunk is not None
            and adoption.shrunk.names.instancetype is not None
        ):
            wanting[adoption.wanted].append(name)
            nearest.setdefault(adoption.wanted, adoption.shrunk.names.instancetype)
    several = [(size, vms) for size, vms in wanting.items() if len(vms) >= _SEVERAL]
    ordered = sorted(several, key=lambda item: (-len(item[1]), item[0]))
    return [Proposal(size, tuple(vms), nearest[size]) for size, vms in ordered]


def declarations(proposed: Sequence[Proposal], candidates: Candidates) -> Iterator[str]:
    """Yield lines for files of a catalog: sizes of classes that it has, or a class for several of one new ratio."""
    ratios = {
        instancetype.memory / instancetype.vcpus for instancetype in candidates.instancetypes if instancetype.vcpus
    }
    alike: dict[float, list[Proposal]] = defaultdict(list)
    for proposal in proposed:
        alike[proposal.size.memory / max(proposal.size.vcpus, 1)].append(proposal)
    beside: dict[str, list[Proposal]] = defaultdict(list)
    for ratio, members in alike.items():
        if ratio in ratios or len(members) < _SEVERAL or not ratio.is_integer():
            for member in members:
                beside[member.nearest.name.rpartition(".")[0] or member.nearest.name].append(member)
            continue
        quantity = Quantity.of(int(ratio))
        yield f"# a class of its own, to be named better: {len(members)} sizes of {memory(int(ratio))} a vCPU"
        yield f"class: x{str(quantity).lower()}"
        yield f"memoryPerVcpu: {quantity}"
        yield "sizes:"
        yield from (_line(member, f"vcpus: {member.size.vcpus}") for member in members)
    for members in beside.values():
        yield f"# beside {some(sorted({member.nearest.name for member in members}), len(members))}"
        yield "sizes:"
        yield from (
            _line(member, f"vcpus: {member.size.vcpus}, memory: {Quantity.of(member.size.memory)}")
            for member in members
        )


def _line(proposal: Proposal, size: str) -> str:
    return f"  {_name(proposal.size)}: {{{size}}}  # {some(proposal.vms, 1)}"


def _name(size: Size) -> str:
    return f"{size.vcpus}x{str(Quantity.of(size.memory)).lower()}"
