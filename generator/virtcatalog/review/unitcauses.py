"""What makes a VM come or go whose file stays: the unit that deploys it, or its name or namespace there."""

from __future__ import annotations

from virtcatalog.catalog.places import Source
from virtcatalog.review.side import Side, Vm, within
from virtcatalog.review.verdict import Cause

_NAME, _NAMESPACE = "metadata.name", "metadata.namespace"


def cause_at(name: str, place: Source, label: str) -> Cause:
    """Return a cause at its place in the working tree: a side that is a revision is called `revision:path`."""
    revision, _, _ = label.rpartition(":")
    return Cause(name, place.file.removeprefix(f"{revision}:"), place.line)


def unit_cause(vm: Vm, side: Side, base: Side, head: Side) -> Cause | None:
    """Return why a VM is on that side alone, None where its file is, too."""
    other = base if side is head else head
    path = within(vm.place.file, side.label)
    if side.repository is None or other.repository is None or path not in other.repository.files:
        return None
    unit = side.repository.environments[vm.unit.number]
    if unit.kind == "folder":
        return None
    if unit.is_deployed not in _deployed(vm.environment, other):
        return cause_at(f"the {'new' if side is head else 'deleted'} {unit.kind}", unit.place, side.label)
    counterpart = _counterpart(vm, path, other)
    if counterpart is not None:
        field = _NAMESPACE if _name(vm)[0] == _name(counterpart)[0] else _NAME
        after = vm if side is head else counterpart
        return cause_at(field, after.field(field), head.label) if after.field is not None else None
    return cause_at(f"the {unit.kind}", unit.place, side.label) if path in other.repository.idle else None


def _deployed(name: str, side: Side) -> set[bool]:
    """Whether an object deploys the units of a side that are called so."""
    units = side.repository.environments if side.repository is not None else ()
    return {unit.is_deployed for unit, called in zip(units, side.units, strict=True) if called == name}


def _counterpart(vm: Vm, path: str, other: Side) -> Vm | None:
    """The VM of the same file and unit on the other side that has another name, or another namespace."""
    (name, namespace), kind = _name(vm), vm.manifest["kind"]
    for candidate in other.vms:
        if candidate.environment != vm.environment or candidate.manifest["kind"] != kind:
            continue
        its_name, its_namespace = _name(candidate)
        is_other = (name == its_name) != (namespace == its_namespace)
        if is_other and within(candidate.place.file, other.label) == path:
            return candidate
    return None


def _name(vm: Vm) -> tuple[str, str]:
    metadata = vm.manifest["metadata"]
    return metadata["name"], metadata.get("namespace", "")
