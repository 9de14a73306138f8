"""An instance type applied to a VMI, and after it the preference.

Source: pkg/instancetype/apply (a file a field of the instance type), pkg/instancetype/conflict/conflicts.go.
"""

from __future__ import annotations

import struct
from operator import attrgetter

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.devices import Devices
from virtcatalog.api.domainspec import CPU, DiskIOThreads, DomainSpec, Memory
from virtcatalog.api.instancetype import (
    CPUInstancetype,
    MemoryInstancetype,
    VirtualMachineInstancetypeSpec,
    VirtualMachinePreferenceSpec,
)
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Notation, Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.matchers import apply_annotations
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.preference.apply import apply_preference
from virtcatalog.kubevirt.preference.topology import guest_topology
from virtcatalog.releases import Traits

_ALWAYS = ("cpu", "memory", "annotations")
_more = attrgetter(*(name for name in VirtualMachineInstancetypeSpec.__struct_fields__ if name not in _ALWAYS))
"""What few instance types have."""
_NOTHING_MORE = _more(
    VirtualMachineInstancetypeSpec(cpu=CPUInstancetype(guest=1), memory=MemoryInstancetype(guest=Quantity()))
)


def apply_to_vmi(
    path: str,
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec | None,
    vmi_spec: VirtualMachineInstanceSpec,
    vmi_metadata: ObjectMeta,
    traits: Traits,
) -> list[Cause]:
    """Apply an instance type, then a preference, to a VMI or a VM's template; `path` is that of `vmi_spec`.

    Returns a cause for each field of the VM that the instance type also decides; the preference is not applied then.
    """
    if instancetype is not None:
        conflicts = apply_instancetype(instancetype, preference, vmi_spec, vmi_metadata, path=path)
        if conflicts:
            return _decided(conflicts)
    if preference is not None:
        cpu = preference.cpu
        if vmi_spec.domain.cpu is None and cpu is not None and cpu.preferred_cpu_features:
            return [Cause("", "", "KubeVirt fails on preferredCPUFeatures when the VM has no instance type and no cpu")]
        apply_preference(preference, vmi_spec, vmi_metadata, traits)
    return []


def _decided(fields: list[str]) -> list[Cause]:
    message = "the instance type decides this: remove it from the VM"
    return [invalid(field, message) for field in fields]


def apply_instancetype(
    instancetype: VirtualMachineInstancetypeSpec,
    preference: VirtualMachinePreferenceSpec | None,
    vmi_spec: VirtualMachineInstanceSpec,
    vmi_metadata: ObjectMeta,
    *,
    path: str = "",
) -> list[str]:
    """Apply an instance type; the preference is asked for the CPU topology only.

    Returns the fields of the VM that conflict with it, below `path`; KubeVirt names annotations `annotations.<key>`
    wherever they are.
    """
    domain = vmi_spec.domain
    conflicts = apply_cpu(instancetype.cpu, preference, domain) + apply_memory(instancetype.memory, domain)
    if _more(instancetype) != _NOTHING_MORE:
        conflicts = [
            *apply_node_selector(instancetype, vmi_spec),
            *apply_scheduler_name(instancetype, vmi_spec),
            *conflicts,
            *apply_io_threads(instancetype, domain),
            *apply_io_threads_policy(instancetype, domain),
            *apply_launch_security(instancetype, domain),
            *apply_gpus(instancetype, domain.devices),
            *apply_host_devices(instancetype, domain.devices),
        ]
    if path and conflicts:
        conflicts = [f"{path}.{field}" for field in conflicts]
    if instancetype.annotations:
        conflicts += apply_annotations(instancetype.annotations, vmi_metadata)
    return conflicts


def apply_cpu(
    instancetype: CPUInstancetype, preference: VirtualMachinePreferenceSpec | None, domain: DomainSpec
) -> list[str]:
    """Set model, placement, NUMA, real time and the topology of the vCPUs; on any conflict only `cpu` itself.

    Source: applyCPU.
    """
    sets_cpu = domain.cpu is not None or domain.resources.requests or domain.resources.limits
    cpu = domain.cpu = domain.cpu or CPU()
    conflicts = _conflicts(instancetype, cpu, domain) if sets_cpu else []
    if conflicts:
        return conflicts
    if instancetype.model is not None:
        cpu.model = instancetype.model
    if instancetype.dedicated_cpu_placement is not None:
        cpu.dedicated_cpu_placement = instancetype.dedicated_cpu_placement
    if instancetype.isolate_emulator_thread is not None:
        cpu.isolate_emulator_thread = instancetype.isolate_emulator_thread
    if instancetype.numa is not None:
        cpu.numa = clone(instancetype.numa)
    if instancetype.realtime is not None:
        cpu.realtime = clone(instancetype.realtime)
    if instancetype.max_sockets is not None:
        cpu.max_sockets = instancetype.max_sockets
    cpu.sockets, cpu.cores, cpu.threads = guest_topology(instancetype.guest, preference)
    return []


def _conflicts(instancetype: CPUInstancetype, cpu: CPU, domain: DomainSpec) -> list[str]:
    resources = domain.resources
    conflicts = []
    if resources.requests and "cpu" in resources.requests:
        conflicts.append("domain.resources.requests.cpu")
    if resources.limits and "cpu" in resources.limits:
        conflicts.append("domain.resources.limits.cpu")
    if cpu.sockets:
        conflicts.append("domain.cpu.sockets")
    if cpu.cores:
        conflicts.append("domain.cpu.cores")
    if cpu.threads:
        conflicts.append("domain.cpu.threads")
    if cpu.model and instancetype.model is not None:
        conflicts.append("domain.cpu.model")
    if cpu.dedicated_cpu_placement and instancetype.dedicated_cpu_placement is not None:
        conflicts.append("domain.cpu.dedicatedCPUPlacement")
    if cpu.isolate_emulator_thread and instancetype.isolate_emulator_thread is not None:
        conflicts.append("domain.cpu.isolateEmulatorThread")
    if cpu.numa is not None and instancetype.numa is not None:
        conflicts.append("domain.cpu.numa")
    if cpu.realtime is not None and instancetype.realtime is not None:
        conflicts.append("domain.cpu.realtime")
    return conflicts


_FLOAT32 = struct.Struct("<f")


def apply_memory(instancetype: MemoryInstancetype, domain: DomainSpec) -> list[str]:
    """Set guest memory, its maximum, huge pages and the request; on a conflict (the first one found) only `memory`.

    Source: applyMemory.
    """
    sets_memory = domain.memory is not None or domain.resources.requests or domain.resources.limits
    memory = domain.memory = domain.memory or Memory()
    conflict = _conflict(instancetype, memory, domain) if sets_memory else None
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
    return Quantity.of(requested if abs(requested) < 2**63 else -(2**63), notation)  # as amd64 makes an int64 of it


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


def apply_gpus(instancetype: VirtualMachineInstancetypeSpec, devices: Devices) -> list[str]:
    """Set the GPUs; a VM with GPUs of its own conflicts (applyGPUs)."""
    if not instancetype.gpus:
        return []
    if devices.gpus:
        return ["domain.devices.gpus"]
    devices.gpus = [clone(gpu) for gpu in instancetype.gpus]
    return []


def apply_host_devices(instancetype: VirtualMachineInstancetypeSpec, devices: Devices) -> list[str]:
    """Set the host devices; a VM with host devices of its own conflicts (applyHostDevices)."""
    if not instancetype.host_devices:
        return []
    if devices.host_devices:
        return ["domain.devices.hostDevices"]
    devices.host_devices = [clone(device) for device in instancetype.host_devices]
    return []


def apply_io_threads(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the size of the supplemental pool (applyIOThreads)."""
    if instancetype.io_threads is None or instancetype.io_threads.supplemental_pool_thread_count is None:
        return []
    if domain.io_threads is None:
        domain.io_threads = DiskIOThreads()
    elif domain.io_threads.supplemental_pool_thread_count is not None:
        return ["domain.ioThreads.supplementalPoolThreadCount"]
    domain.io_threads.supplemental_pool_thread_count = instancetype.io_threads.supplemental_pool_thread_count
    return []


def apply_io_threads_policy(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the policy (applyIOThreadPolicy)."""
    if instancetype.io_threads_policy is None:
        return []
    if domain.io_threads_policy is not None:
        return ["domain.ioThreadsPolicy"]
    domain.io_threads_policy = instancetype.io_threads_policy
    return []


def apply_launch_security(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the launch security as a whole; a VM with any of its own conflicts (applyLaunchSecurity)."""
    if instancetype.launch_security is None:
        return []
    if domain.launch_security is not None:
        return ["domain.launchSecurity"]
    domain.launch_security = clone(instancetype.launch_security)
    return []


def apply_node_selector(
    instancetype: VirtualMachineInstancetypeSpec, vmi_spec: VirtualMachineInstanceSpec
) -> list[str]:
    """Set the node selector as a whole, an empty one too; a VM with one of its own conflicts (applyNodeSelector)."""
    if instancetype.node_selector is None:
        return []
    if vmi_spec.node_selector:
        return ["nodeSelector"]
    vmi_spec.node_selector = dict(instancetype.node_selector)
    return []


def apply_scheduler_name(
    instancetype: VirtualMachineInstancetypeSpec, vmi_spec: VirtualMachineInstanceSpec
) -> list[str]:
    """Set the scheduler (applySchedulerName)."""
    if not instancetype.scheduler_name:
        return []
    if vmi_spec.scheduler_name:
        return ["schedulerName"]
    vmi_spec.scheduler_name = instancetype.scheduler_name
    return []
