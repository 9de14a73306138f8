"""What VMs adopt, in words for people and as data for machines; of a fleet, a line for all that adopt the same."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from virtcatalog.adopt.candidates import Candidates, Instancetype, Reference
from virtcatalog.adopt.fleet import Adoption, Size
from virtcatalog.adopt.shrink import Change, RemovedField, ShrunkVm, still_inline
from virtcatalog.api.findings import field_path
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import counted, outcome_word, some
from virtcatalog.manifests.fields import get
from virtcatalog.units import count, memory

_SHOWN = 100
_MEMORY = ("memory", "maxMemory")
_NUMBER = re.compile(r"\[\d+\]")


_NOTHING_FITS = "KubeVirt would refuse the VM with each of its instance types"
_NOTHING_STAYS = "no instance type that the VM may name leaves its placement and annotations as they are"
"""Why there is not even a nearest instance type."""


def explain(adoption: Adoption) -> Iterator[str]:
    """Yield lines that say what a VM adopts, which fields are removed for which object, which stay and why."""
    shrunk = adoption.shrunk
    if shrunk is None:
        if adoption.outcome == "unchanged":
            yield "nothing to adopt: it names what it can"
        elif adoption.outcome == "nearest":
            yield f"nothing of the catalog can be adopted: {_NOTHING_FITS if adoption.reasons else _NOTHING_STAYS}"
        return
    names = " and ".join(f"{name.kind} {name.name}" for name in shrunk.names if name)
    sizes = f"{adoption.before} values become {shrunk.size}"
    if adoption.outcome == "adopted":
        yield f"adopts {names}, domain unchanged; {sizes}"
    else:
        yield f"nothing makes the same domain; the nearest are {names}; {sizes}"
        yield from _domain(shrunk)
    for by, fields in groupby(sorted(shrunk.removed, key=lambda field: field.by), key=lambda field: field.by):
        yield f"  removed, for {by.kind} {by.name} says so:"
        for field in fields:
            yield f"    {field_path(field.path)}: {_show(field.value)} ({field.source})"
    for path in shrunk.added:
        yield f"  added: {field_path(path)}: {_show(get(shrunk.manifest, path))}, or CPUs could be plugged in"
    for remaining in shrunk.remaining:
        without = "nothing" if remaining.instead is None else _show(remaining.instead)
        yield f"  stays: {field_path(remaining.path)}: {_show(remaining.value)} (without it: {without})"
    for path in still_inline(shrunk):
        yield f"  stays: {field_path(path)}: {_show(get(shrunk.manifest, path))} (neither object says so)"
    where = "VMI" if shrunk.domain else "outside the domain"
    for change in shrunk.outside:
        yield f"  {where}: {change.field}: {_show(change.old)} becomes {_show(change.new)}"


def _domain(shrunk: ShrunkVm) -> Iterator[str]:
    """Where the domain differs; of many elements of one path, such as vCPUs, the first stands for all."""
    alike: dict[str, list[Change]] = {}
    for change in shrunk.domain:
        alike.setdefault(_NUMBER.sub("", change.place), []).append(change)
    for place, (first, *further) in alike.items():
        old, new = (_amount(first.place, value) for value in (first.old, first.new))
        more = f", and {len(further)} more of {place}" if further else ""
        yield f"  domain: {first.place}: {old} becomes {new}{more}"


def document(name: str, adoption: Adoption) -> dict[str, Any]:
    """Return an adoption as plain data; removed fields come with the object and field that set them now."""
    shrunk = adoption.shrunk
    data: dict[str, Any] = {
        "name": name,
        "outcome": adoption.outcome,
        "reasons": [{"field": reason.field, "message": reason.sentence} for reason in adoption.reasons],
        "size": {"before": adoption.before, "after": shrunk.size if shrunk else adoption.before},
    }
    if shrunk is not None:
        data |= {
            "instancetype": _reference(shrunk.names.instancetype),
            "preference": _reference(shrunk.names.preference),
            "removed": [_removed(field) for field in shrunk.removed],
            "added": [{"field": field_path(path), "value": get(shrunk.manifest, path)} for path in shrunk.added],
            "kept": list(_remaining(shrunk)),
            "domainDifferences": [
                {"place": change.place, "old": change.old, "new": change.new} for change in shrunk.domain
            ],
            "otherDifferences": [
                {"field": difference.field, "old": difference.old, "new": difference.new}
                for difference in shrunk.outside
            ],
            "vm": shrunk.manifest,
        }
    return data


COLUMNS = ("VM", "Outcome", "Instance type", "Preference", "Values")


def rows(adoptions: Iterable[tuple[str, Adoption]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table of many VMs."""
    for name, adoption in adoptions:
        shrunk = adoption.shrunk
        sizes = f"{adoption.before} -> {shrunk.size}" if shrunk else str(adoption.before)
        yield name, outcome_word(adoption.outcome), *_adopted_names(adoption), sizes


def _adopted_names(adoption: Adoption) -> tuple[str, str]:
    """The names of the instance type and the preference that a VM adopts, "" for none."""
    if adoption.shrunk is None:
        return "", ""
    instancetype, preference = (reference.name if reference else "" for reference in adoption.shrunk.names)
    return instancetype, preference


def _reference(name: Reference | None) -> dict[str, str] | None:
    return {"kind": name.kind, "name": name.name} if name is not None else None


def _removed(field: RemovedField) -> dict[str, Any]:
    by = {"kind": field.by.kind, "name": field.by.name, "field": f"spec.{field.source}"}
    return {"field": field_path(field.path), "value": field.value, "by": by}


def _remaining(shrunk: ShrunkVm) -> Iterator[dict[str, Any]]:
    for field in shrunk.remaining:
        yield {"field": field_path(field.path), "value": field.value, "without": field.instead}
    for path in still_inline(shrunk):
        yield {"field": field_path(path), "value": get(shrunk.manifest, path)}


def _amount(place: str, value: str | None) -> str:
    """A value of the domain; memory, which libvirt takes in bytes, with a unit."""
    return memory(int(value)) if place in _MEMORY and value and value.isdecimal() else _show(value)


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_OUTCOMES = ("unsupported", "refused", "nearest", "adopted", "unchanged")
_GROUPS_SHOWN = 100
_SEVERAL = 2

NamedAdoption = tuple[str, Adoption]
"""A VM as `namespace/name`, and what it adopts."""

GROUP_COLUMNS = ("VMs", "Outcome", "Instance type", "Preference", "Such as", "Why")


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
        vms_by_row[adoption.outcome, *_adopted_names(adoption), _why(adoption, candidates)].append(name)
    ordered = sorted(vms_by_row.items(), key=lambda item: (_OUTCOMES.index(item[0][0]), -len(item[1]), item[0]))
    rows: list[tuple[str, ...]] = [
        (f"{count(len(vms))}", outcome_word(outcome), instancetype, preference, vms[0], why)
        for (outcome, instancetype, preference, why), vms in ordered[:_GROUPS_SHOWN]
    ]
    unshown = [vms for _, vms in ordered[_GROUPS_SHOWN:]]
    return rows, len(unshown), sum(map(len, unshown))


def _why(adoption: Adoption, candidates: Candidates) -> str:
    """Why the VM does not adopt anything, in a few words."""
    if adoption.reasons:
        first = adoption.reasons[0]
        return f"{first.field}: {first.sentence}" if first.field else first.sentence
    if adoption.outcome != "nearest":
        return ""
    if adoption.shrunk is None:
        return _NOTHING_STAYS
    if adoption.missing_size is not None:
        group = candidates.groups[_nearest(adoption)]
        assert isinstance(group, Instancetype)
        return f"has {_words(adoption.missing_size)}, not {_words(Size(group.vcpus, group.memory))}"
    places = adoption.shrunk.domain
    more = f", and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0].place} would be {places[0].new or 'gone'}{more}"


def _nearest(adoption: Adoption) -> Reference:
    """The instance type of an adoption that lacks a size."""
    assert adoption.shrunk is not None
    assert adoption.shrunk.names.instancetype is not None
    return adoption.shrunk.names.instancetype


def _words(size: Size) -> str:
    return f"{counted(size.vcpus, 'vCPU')} and {memory(size.memory)}"


def proposals(adoptions: Iterable[NamedAdoption]) -> list[Proposal]:
    """Return the sizes that several VMs have and the catalog lacks, those of the most VMs first."""
    wanting: dict[Size, list[str]] = defaultdict(list)
    nearest: dict[Size, Reference] = {}
    for name, adoption in adoptions:
        if adoption.missing_size is not None:
            wanting[adoption.missing_size].append(name)
            nearest.setdefault(adoption.missing_size, _nearest(adoption))
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
        alike[proposal.size.memory / proposal.size.vcpus].append(proposal)
    by_class: dict[str, list[Proposal]] = defaultdict(list)
    for ratio, members in alike.items():
        if ratio in ratios or len(members) < _SEVERAL or not ratio.is_integer():
            for member in members:
                by_class[member.nearest.name.rpartition(".")[0] or member.nearest.name].append(member)
            continue
        quantity = Quantity.of(int(ratio))
        yield f"# a class of its own, to be named better: {len(members)} sizes of {memory(int(ratio))} a vCPU"
        yield f"class: x{str(quantity).lower()}"
        yield f"memoryPerVcpu: {quantity}"
        yield "sizes:"
        yield from (_line(member, f"vcpus: {member.size.vcpus}") for member in members)
    for members in by_class.values():
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
