"""`<memory>` and `<maxMemory>`: what the guest has, and what it may be given while it runs."""

from __future__ import annotations

from virtcatalog.api.domainspec import Memory, ResourceRequirements
from virtcatalog.api.int64 import wrapped
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf
from virtcatalog.kubevirt.memo import memo

_ZERO = Quantity()


def guest_memory(requested: Memory | None, resources: ResourceRequirements) -> Quantity:
    """The guest's memory: `memory.guest`, else the memory request, else its limit, else nothing.

    Source: pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go (GetVirtualMemory).
    """
    if requested is not None and requested.guest is not None:
        return requested.guest
    return resources.requests.get("memory", resources.limits.get("memory", _ZERO))


def in_bytes(quantity: Quantity, field: str) -> int:
    """The quantity in bytes as virt-launcher counts them; DomainError names `field` when it is negative.

    virt-launcher takes one byte off an amount that Kubernetes does not hold as a plain 64-bit integer: a
    fraction of a byte, and a binary amount of too many digits (from 100Ti on).
    """
    size = _bytes_of(str(quantity))
    if size < 0:
        raise DomainError(field, f"{quantity} of memory is negative")
    return size


@memo
def _bytes_of(text: str) -> int:
    amount = Quantity.stored(text)
    return wrapped(amount.value - 1) if amount.int64 is None else amount.int64


def memory(requested: Memory | None, resources: ResourceRequirements) -> list[Element]:
    """`<maxMemory>` when memory can be plugged in, and `<memory>`.

    Source: pkg/virt-launcher/virtwrap/converter/compute/memory.go (MemoryConfigurator).
    """
    elements = []
    if requested is None or requested.max_guest is None or requested.guest == requested.max_guest:
        size = in_bytes(guest_memory(requested, resources), "spec.domain.memory.guest")
    else:
        maximum = in_bytes(requested.max_guest, "spec.domain.memory.maxGuest")
        elements.append(leaf("maxMemory", str(maximum), unit="b", slots="0"))
        if requested.guest is None:
            raise DomainError("spec.domain.memory.guest", "maxGuest needs guest beside it")
        size = in_bytes(requested.guest, "spec.domain.memory.guest")
    elements.append(leaf("memory", str(size), unit="b"))
    return elements
