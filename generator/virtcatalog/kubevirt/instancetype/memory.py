"""The memory of an instance type, and what its overcommit leaves for the pod to request.

Source: pkg/instancetype/apply/memory.go.
"""

from __future__ import annotations

import struct

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import DomainSpec, Memory
from virtcatalog.api.instancetype import MemoryInstancetype
from virtcatalog.api.quantity import Notation, Quantity
from virtcatalog.kubevirt.memo import memo

_FLOAT32 = struct.Struct("<f")


def apply_memory(instancetype: MemoryInstancetype, domain: DomainSpec) -> list[str]:
    """Set guest memory, its maximum, huge pages and the request; on a conflict (the first one found) only `memory`.

    Source: applyMemory.
    """
    said = domain.memory is not None or domain.resources.requests or domain.resources.limits
    memory = domain.memory = domain.memory or Memory()
    conflict = _conflict(instancetype, memory, domain) if said else None
    if conflict:
        return [conflict]
    memory.guest = instancetype.guest
    if instancetype.overcommit_percent > 0:
        domain.resources.requests["memory"] = overcommitted(instancetype.guest, instancetype.overcommit_percent)
    if instancetype.hugepages is not None:
        memory.hugepages = clone(instancetype.hugepages)
    if instancetype.max_guest is not None:
        memory.max_guest = instancetype.max_guest
    return []


def overcommitted(guest: Quantity, percent: int) -> Quantity:
    """Return what the pod requests of `guest` memory when `percent` of it is overcommitted, in the same notation."""
    return _overcommitted(guest.value, guest.notation, percent)


@memo
def _overcommitted(guest: int, notation: Notation, percent: int) -> Quantity:
    share = _float32(1 - _float32(_float32(percent) / 100))
    requested = int(_float32(_float32(guest) * share))
    return Quantity.of(requested, notation)


def _float32(number: float) -> float:
    """Round as Go's float32 does: KubeVirt computes the request in that precision, off by up to hundreds of bytes."""
    rounded: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return rounded


def _conflict(instancetype: MemoryInstancetype, memory: Memory, domain: DomainSpec) -> str | None:
    if memory.guest is not None:
        return "domain.memory.guest"
    if memory.hugepages is not None and instancetype.hugepages is not None:
        return "domain.memory.hugepages"
    if memory.max_guest is not None and instancetype.max_guest is not None:
        return "domain.memory.maxGuest"
    if "memory" in domain.resources.requests:
        return "domain.resources.requests.memory"
    if "memory" in domain.resources.limits:
        return "domain.resources.limits.memory"
    return None
