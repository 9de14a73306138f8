"""The guest's memory. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration

_LEAST = 2**20


def validate_guest_memory(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The guest's memory fits the limit, unless the cluster updates VMs live (then it may be plugged later).

    Source: validateGuestMemoryLimit.
    """
    limit = spec.domain.resources.limits.get("memory")
    memory = spec.domain.memory
    if not limit or not memory or memory.guest is None or config.live_update:
        return
    if memory.guest.value > limit.value:
        yield invalid(
            f"{path}.domain.memory.guest", f"{memory.guest} is more than the limit, resources.limits.memory {limit}"
        )


def validate_reserved_overhead(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Reserved overhead needs its feature gate (validateReservedOverheadMemlock)."""
    memory = spec.domain.memory
    if memory and memory.reserved_overhead is not None and not config.feature_gate("ReservedOverheadMemlock"):
        yield invalid(
            f"{path}.domain.memory.reservedOverhead", "needs the feature gate ReservedOverheadMemlock, which is off"
        )


def memory_warnings(spec: VirtualMachineInstanceSpec, path: str) -> list[Warning]:
    """Guest memory of less than a mebibyte, which KubeVirt takes: most often a number whose unit was left out."""
    guest = spec.domain.memory.guest if spec.domain.memory is not None else None
    if guest is None or not 0 < guest.value < _LEAST:
        return []
    said = f"{guest} is a memory of {guest.value} bytes: give it a unit, such as {guest.value}Gi"
    return [Warning("Suspect", f"{path}.domain.memory.guest", said)]


def validate_memory_is_set(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> list[Cause]:
    """A VMI says how much memory it has; a VM template need not (validateMemoryIsProvided)."""
    domain = spec.domain
    memory = domain.memory
    if memory is not None and (memory.guest is not None or memory.hugepages is not None):
        return []
    if domain.resources.requests.get("memory"):
        return []
    message = (
        f"the VM has no memory: set {path}.domain.memory.guest, {path}.domain.memory.hugepages.pageSize "
        f"or {path}.domain.resources.requests.memory"
    )
    return [required("", message)]
