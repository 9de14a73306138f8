"""What makes a VM come or go whose file stays: the unit that deploys it, or its name or namespace there."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from virtcatalog.catalog.places import Source
from virtcatalog.review.side import Side, Vm, within
from virtcatalog.review.verdict import Cause

_NAME, _NAMESPACE = "metadata.name", "metadata.namespace"


def cause_at(name: str, place: Source, label: str) -> Cause:
    """Return a cause at its place in the working tree: a side that is a revision is called `revision:path`."""
    revision, _, _ = label.rpartition(":")
    return Cause(name, place.file.removeprefix(f"{revision}:"), place.line)


class UnitCauses:
    """Finds why VMs are on one of two sides alone whose file is on both."""

    def __init__(self, base: Side, head: Side) -> None:
        self._base, self._head = base, head

    def of(self, vm: Vm, side: Side) -> Cause | None:
        """Return why a VM is on that side alone, None where its file is, too."""
        is_new = side is self._head
        other, index = (self._base, self._of_base) if is_new else (self._head, self._of_head)
        path = within(vm.place.file, side.label)
        if side.repository is None or other.repository is None or path not in other.repository.files:
            return None
        unit = side.repository.environments[vm.unit.number]
        if unit.kind == "folder":
            return None
        if unit.is_deployed not in index.deployed.get(vm.environment, ()):
            return cause_at(f"the {'new' if is_new else 'deleted'} {unit.kind}", unit.place, side.label)
        candidates = index.vms.get((vm.environment, vm.manifest["kind"], path), ())
        counterpart = next((candidate for candidate in candidates if _is_renamed(vm, candidate)), None)
        if counterpart is not None:
            field = _NAMESPACE if _name(vm)[0] == _name(counterpart)[0] else _NAME
            after = vm if is_new else counterpart
            return cause_at(field, after.field(field), self._head.label) if after.field is not None else None
        return cause_at(f"the {unit.kind}", unit.place, side.label) if path in other.repository.idle else None

    @cached_property
    def _of_base(self) -> _Index:
        return _index(self._base)

    @cached_property
    def _of_head(self) -> _Index:
        return _index(self._head)


class _Index(NamedTuple):
    """A side's VMs by their environment, kind and file; whether objects deploy its units, by their names."""

    vms: dict[tuple[str, str, str], list[Vm]]
    deployed: dict[str, set[bool]]


def _index(side: Side) -> _Index:
    index = _Index({}, {})
    for vm in side.vms:
        key = vm.environment, vm.manifest["kind"], within(vm.place.file, side.label)
        index.vms.setdefault(key, []).append(vm)
    for unit, name in zip(side.repository.environments if side.repository is not None else (), side.units, strict=True):
        index.deployed.setdefault(name, set()).add(unit.is_deployed)
    return index


def _is_renamed(vm: Vm, other: Vm) -> bool:
    """Whether two VMs differ in the name or the namespace, and not in both."""
    (name, namespace), (its_name, its_namespace) = _name(vm), _name(other)
    return (name == its_name) != (namespace == its_namespace)


def _name(vm: Vm) -> tuple[str, str]:
    metadata = vm.manifest["metadata"]
    return metadata["name"], metadata.get("namespace", "")
