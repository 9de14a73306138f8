"""What a VM adopts, in words for people and as data for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from virtcatalog.adopt.candidates import Reference
from virtcatalog.adopt.data import get
from virtcatalog.adopt.fleet import Adoption
from virtcatalog.adopt.shrink import Change, RemovedField, ShrunkVm, still_inline
from virtcatalog.api.findings import field_path
from virtcatalog.units import memory

_SHOWN = 100
_MEMORY = ("memory", "maxMemory")
_NUMBER = re.compile(r"\[\d+\]")


NOTHING_FITS = "KubeVirt would refuse the VM with each of its instance types"
NOTHING_STAYS = "each of its instance types would place VMs elsewhere, or annotate them otherwise"
"""Why there is not even a nearest instance type."""


def explain(adoption: Adoption) -> Iterator[str]:
    """Yield lines that say what a VM adopts, which fields are removed for which object, which stay and why."""
    shrunk = adoption.shrunk
    if shrunk is None:
        if adoption.outcome == "unchanged":
            yield "nothing to adopt: it names what it can"
        elif adoption.outcome == "nearest":
            yield f"nothing of the catalog can be adopted: {NOTHING_FITS if adoption.reasons else NOTHING_STAYS}"
        return
    names = " and ".join(f"{name.kind} {name.name}" for name in shrunk.names if name)
    if adoption.outcome == "adopted":
        yield f"adopts {names}, domain unchanged; {_sizes(adoption, shrunk)}"
    else:
        yield f"nothing makes the same domain; the nearest are {names}; {_sizes(adoption, shrunk)}"
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
    for place, (first, *others) in alike.items():
        old, new = (_amount(first.place, value) for value in (first.old, first.new))
        more = f", and {len(others)} more of {place}" if others else ""
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
        names = [name.name if name else "" for name in shrunk.names] if shrunk else ["", ""]
        sizes = f"{adoption.before} -> {shrunk.size}" if shrunk else str(adoption.before)
        yield name, adoption.outcome, *names, sizes


def _sizes(adoption: Adoption, shrunk: ShrunkVm) -> str:
    return f"{adoption.before} values become {shrunk.size}"


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
