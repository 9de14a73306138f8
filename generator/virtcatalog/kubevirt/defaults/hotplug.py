"""How far CPU and memory of a running VMI may grow.

Source: pkg/defaults/defaults.go (setupHotplug), pkg/liveupdate/memory/memory.go.
"""

from __future__ import annotations

from virtcatalog.api.domainspec import CPU, Memory
from virtcatalog.api.int64 import wrapped
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.memo import memo

_MAX_VCPUS = 512
_BLOCK = 2 * 2**20
_GIGABYTE_BLOCK = 2**30
_UINT32 = 0xFFFFFFFF
_MIN_GUEST = 2**30


def set_hotplug_limits(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    """Set maxSockets and maxGuest where the rollout strategy and the architecture allow hotplug."""
    cpu, memory = spec.domain.cpu, spec.domain.memory
    if spec.architecture == "arm64" or not config.live_update or cpu is None or memory is None:
        return
    if cpu.max_sockets == 0:
        cpu.max_sockets = _max_sockets(cpu, config)
    if memory.max_guest is None:
        max_guest = _max_guest(memory, config)
        if max_guest is not None and not live_update_memory_problem(spec, max_guest):
            memory.max_guest = max_guest


def live_update_memory_problem(spec: VirtualMachineInstanceSpec, max_guest: Quantity) -> str:
    """Say why memory hotplug up to `max_guest` is not possible, "" when it is."""
    cpu, memory = spec.domain.cpu, spec.domain.memory
    guest = memory.guest if memory else None
    block, alignment = _BLOCK, "2Mi"
    if memory and memory.hugepages is not None and memory.hugepages.page_size == "1Gi":
        block, alignment = _GIGABYTE_BLOCK, "1Gi"
    problem = ""
    if cpu is not None and cpu.realtime is not None:
        problem = "a realtime VM cannot have memory hotplug"
    elif cpu is not None and cpu.numa is not None and cpu.numa.guest_mapping_passthrough is not None:
        problem = "a VM with NUMA passthrough cannot have memory hotplug"
    elif spec.domain.launch_security is not None:
        problem = "an encrypted VM cannot have memory hotplug"
    elif guest is None:
        problem = "memory hotplug needs memory.guest"
    elif guest > max_guest:
        problem = f"memory.guest {guest} is above maxGuest {max_guest}"
    elif guest.value % block:
        problem = f"memory hotplug needs memory.guest to be a multiple of {alignment}, not {guest}"
    elif max_guest.value % block:
        problem = f"maxGuest must be a multiple of {alignment}, not {max_guest}"
    elif spec.architecture != "amd64":
        problem = "only amd64 has memory hotplug"
    elif guest.value < _MIN_GUEST:
        problem = f"memory hotplug needs at least 1Gi of guest memory, not {guest}"
    return problem


def _max_sockets(cpu: CPU, config: Configuration) -> int:
    if config.maximum_cpu_sockets:
        return max(config.maximum_cpu_sockets, cpu.sockets)
    sockets = cpu.sockets * config.max_hotplug_ratio & _UINT32
    per_socket = cpu.cores * cpu.threads & _UINT32
    if (sockets * per_socket & _UINT32) > _MAX_VCPUS:
        sockets = max(_MAX_VCPUS // per_socket, cpu.sockets)
    return sockets


def _max_guest(memory: Memory, config: Configuration) -> Quantity | None:
    if config.maximum_guest_memory is not None:
        return config.maximum_guest_memory
    if memory.guest is None:
        return None
    return _times(memory.guest.value, config.max_hotplug_ratio)


@memo
def _times(guest: int, ratio: int) -> Quantity:
    return Quantity.of(wrapped(guest * ratio))
