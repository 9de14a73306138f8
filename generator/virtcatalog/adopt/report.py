"""What a VM adopts, in words for people and as data for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from virtcatalog.adopt.adopt import Adoption
from virtcatalog.adopt.candidates import Reference
from virtcatalog.adopt.data import get
from virtcatalog.adopt.shrink import Change, Removed, Shrunk, still_inline
from virtcatalog.api.findings import field_path
from virtcatalog.units import memory

_SHOWN = 100
_MEMORY = ("memory", "maxMemory")
_NUMBER = re.compile(r"\[\d+\]")


NOTHING_FITS = "KubeVirt would refuse the VM with each of its instance types"
NOTHING_STAYS = "each of its instance types would place VMs elsewhere, or annotate them otherwise"
"""Why there is not even a nearest instance type."""


def explain(adoption: Adoption) -> Iterator[str]:
    """Yield lines that say what a VM adopts, what goes because of which object, what stays and why."""
    found = adoption.found
    if found is None:
        if adoption.outcome == "unchanged":
            yield "nothing to adopt: it names what it can"
        elif adoption.outcome == "nearest":
            yield f"nothing of the catalog can be adopted: {NOTHING_FITS if adoption.against else NOTHING_STAYS}"
        return
    names = " and ".join(f"{name.kind} {name.name}" for name in found.names if name)
    if adoption.outcome == "adopted":
        yield f"adopts {names}, domain unchanged; {_sizes(adoption, found)}"
    else:
        yield f"nothing makes the same domain; the nearest are {names}; {_sizes(adoption, found)}"
        yield from _domain(found)
    for by, fields in groupby(sorted(found.removed, key=lambda each: each.by), key=lambda each: each.by):
        yield f"  removed, for {by.kind} {by.name} says so:"
        for one in fields:
            yield f"    {field_path(one.path)}: {_show(one.value)} ({one.source})"
    for path in found.added:
        yield f"  added: {field_path(path)}: {_show(get(found.manifest, path))}, or CPUs could be plugged in"
    for kept in found.kept:
        without = "nothing" if kept.instead is None else _show(kept.instead)
        yield f"  stays: {field_path(kept.path)}: {_show(kept.value)} (without it: {without})"
    for path in still_inline(found):
        yield f"  stays: {field_path(path)}: {_show(get(found.manifest, path))} (neither object says so)"
    where = "VMI" if found.domain else "outside the domain"
    for change in found.outside:
        yield f"  {where}: {change.field}: {_show(change.old)} becomes {_show(change.new)}"


def _domain(found: Shrunk) -> Iterator[str]:
    """Where the domain differs; of what is the same of many elements, such as vCPUs, the first is told."""
    alike: dict[str, list[Change]] = {}
    for change in found.domain:
        alike.setdefault(_NUMBER.sub("", change.place), []).append(change)
    for place, (first, *others) in alike.items():
        old, new = (_amount(first.place, value) for value in (first.old, first.new))
        more = f", and {len(others)} more of {place}" if others else ""
        yield f"  domain: {first.place}: {old} becomes {new}{more}"


def document(name: str, adoption: Adoption) -> dict[str, Any]:
    """Return an adoption as plain data; fields that were taken out come with what says them now."""
    found = adoption.found
    made: dict[str, Any] = {
        "name": name,
        "outcome": adoption.outcome,
        "reasons": [{"field": each.field, "message": each.sentence} for each in adoption.against],
        "size": {"before": adoption.before, "after": found.size if found else adoption.before},
    }
    if found is not None:
        made |= {
            "instancetype": _reference(found.names.instancetype),
            "preference": _reference(found.names.preference),
            "removed": [_removed(each) for each in found.removed],
            "added": [{"field": field_path(path), "value": get(found.manifest, path)} for path in found.added],
            "kept": list(_kept(found)),
            "domainDifferences": [
                {"place": change.place, "old": change.old, "new": change.new} for change in found.domain
            ],
            "otherDifferences": [
                {"field": difference.field, "old": difference.old, "new": difference.new}
                for difference in found.outside
            ],
            "vm": found.manifest,
        }
    return made


COLUMNS = ("VM", "Outcome", "Instance type", "Preference", "Values")


def rows(adoptions: Iterable[tuple[str, Adoption]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table of many VMs."""
    for name, adoption in adoptions:
        found = adoption.found
        names = [name.name if name else "" for name in found.names] if found else ["", ""]
        sizes = f"{adoption.before} -> {found.size}" if found else str(adoption.before)
        yield name, adoption.outcome, *names, sizes


def _sizes(adoption: Adoption, found: Shrunk) -> str:
    return f"{adoption.before} values become {found.size}"


def _reference(name: Reference | None) -> dict[str, str] | None:
    return {"kind": name.kind, "name": name.name} if name is not None else None


def _removed(removed: Removed) -> dict[str, Any]:
    by = {"kind": removed.by.kind, "name": removed.by.name, "field": f"spec.{removed.source}"}
    return {"field": field_path(removed.path), "value": removed.value, "by": by}


def _kept(found: Shrunk) -> Iterator[dict[str, Any]]:
    for kept in found.kept:
        yield {"field": field_path(kept.path), "value": kept.value, "without": kept.instead}
    for path in still_inline(found):
        yield {"field": field_path(path), "value": get(found.manifest, path)}


def _amount(place: str, value: str | None) -> str:
    """A value of the domain, memory as people read it: libvirt is told bytes."""
    return memory(int(value)) if place in _MEMORY and value and value.isdecimal() else _show(value)


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
