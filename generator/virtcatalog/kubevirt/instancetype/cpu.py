"""The CPU of an instance type.

Source: pkg/instancetype/apply/cpu.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import CPU, DomainSpec
from virtcatalog.api.instancetype import CPUInstancetype, VirtualMachinePreferenceSpec
from virtcatalog.kubevirt.preference.topology import guest_topology


def apply_cpu(
    instancetype: CPUInstancetype, preference: VirtualMachinePreferenceSpec | None, domain: DomainSpec
) -> list[str]:
    """Set model, placement, NUMA, real time and the topology of the vCPUs; on any conflict only `cpu` itself.

    Source: applyCPU.
    """
    said = domain.cpu is not None or domain.resources.requests or domain.resources.limits
    cpu = domain.cpu = domain.cpu or CPU()
    conflicts = _conflicts(instancetype, cpu, domain) if said else []
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
