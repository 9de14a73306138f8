"""What a running VMI takes over from its VM: CPU sockets, guest memory, annotations (both ways), affinity, tolerations.

Source: pkg/virt-controller/watch/vm/vm.go (handleCPUChangeRequest, VMICPUsPatch, handleMemoryHotplugRequest,
syncDynamicAnnotationsAndLabelsToVMI, syncPCITopologyAnnotationsToVM, handleAffinityChangeRequest,
handleTolerationsChangeRequest).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import MILLI, Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.hotplug import live_update_memory_problem
from virtcatalog.kubevirt.defaults.webhooks import PCI_TOPOLOGY_ANNOTATION
from virtcatalog.kubevirt.rollout.running import CPU_CHANGE, MEMORY_CHANGE, Restart, Running, SyncError

_DESCHEDULER = ("descheduler.alpha.kubernetes.io/evict", "descheduler.alpha.kubernetes.io/prefer-no-eviction")
_SKIP_BACKUP_HOOKS = "kubevirt.io/skip-backup-hooks"
_PCI_SLOTS_ANNOTATION = "kubevirt.io/pci-interface-slot-count"

Annotations = Mapping[str, str]


def followed(vm: VirtualMachine, vmi: Annotations) -> dict[str, str]:
    """Return the annotations of a VMI as its VM has them now.

    SyncError when one of the template and one of the VM itself change at once: the controller's patch fails then.
    """
    of_template = _taken(vmi, vm.spec.template.metadata.annotations, _DESCHEDULER)
    of_both = _taken(of_template, vm.metadata.annotations, (_SKIP_BACKUP_HOOKS,))
    if of_template != vmi and of_both != of_template:
        message = f"{_SKIP_BACKUP_HOOKS} and an annotation for the descheduler cannot change at once"
        raise SyncError(Cause("", "metadata.annotations", message))
    return of_both


def _taken(annotations: Annotations, source: Annotations, keys: Iterable[str]) -> dict[str, str]:
    taken = dict(annotations)
    for key in keys:
        if key in source:
            taken[key] = source[key]
        else:
            taken.pop(key, None)
    return taken


def note_pci_topology(vm: VirtualMachine, vmi: Annotations) -> None:
    """Have the VM's template keep the PCI topology of its machine; changes `vm`."""
    annotations = vm.spec.template.metadata.annotations
    if not vmi.get(PCI_TOPOLOGY_ANNOTATION) or annotations.get(PCI_TOPOLOGY_ANNOTATION):
        return
    annotations[PCI_TOPOLOGY_ANNOTATION] = vmi[PCI_TOPOLOGY_ANNOTATION]
    if _PCI_SLOTS_ANNOTATION in vmi:
        annotations[_PCI_SLOTS_ANNOTATION] = vmi[_PCI_SLOTS_ANNOTATION]


def place(spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec) -> list[VirtualMachineInstanceSpec]:
    """Return the VMI's spec after each step that brings it where its VM wants it: there are up to three."""
    steps = []
    for changed in (
        {"affinity": wanted.affinity},
        {"node_selector": wanted.node_selector},
        {"tolerations": wanted.tolerations},
    ):
        following = replace(spec, **changed)
        if following != spec:
            steps.append(following)
            spec = following
    return steps


def plug_cpus(running: Running, wanted: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec | Restart | None:
    """Return the VMI's spec with the sockets that its VM wants, or why that takes a restart; None if all is well.

    `wanted` is the VM's template with its instance type and preference applied.
    """
    assert running.vmi is not None
    spec = running.vmi.spec
    new, cpu = wanted.domain.cpu, spec.domain.cpu
    if new is None or cpu is None or new.sockets == cpu.sockets:
        return None
    if running.conditions.get(CPU_CHANGE):
        raise SyncError(Cause("", "spec.template.spec.domain.cpu.sockets", "another CPU hotplug is in progress"))
    if new.sockets > cpu.max_sockets:
        return Restart("cpu-max", f"{new.sockets} sockets are more than the {cpu.max_sockets} that can be plugged in")
    if new.sockets < cpu.sockets:
        return Restart(
            "cpu-reduced", f"sockets cannot be taken out while the guest runs: {cpu.sockets} → {new.sockets}"
        )
    if wanted.architecture == "arm64":
        return Restart("cpu-arm", "arm64 has no CPU hotplug")
    return _with_vcpus(spec, wanted, running.cluster.configuration)


def _with_vcpus(
    spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, config: Configuration
) -> VirtualMachineInstanceSpec:
    """What the VM asks for in requests and limits grows with the vCPUs."""
    new, cpu = wanted.domain.cpu, spec.domain.cpu
    assert new is not None
    assert cpu is not None
    delta = Quantity((new.vcpus - cpu.vcpus) * (1000 // config.cpu_allocation_ratio) * MILLI)
    resources, demands = spec.domain.resources, wanted.domain.resources
    grown = replace(
        resources,
        requests=_grown(resources.requests, demands.requests, delta),
        limits=_grown(resources.limits, demands.limits, delta),
    )
    return replace(spec, domain=replace(spec.domain, cpu=replace(cpu, sockets=new.sockets), resources=grown))


def _grown(amounts: dict[str, Quantity], demanded: dict[str, Quantity], delta: Quantity) -> dict[str, Quantity]:
    return {**amounts, "cpu": amounts.get("cpu", Quantity()) + delta} if demanded.get("cpu") else amounts


def plug_memory(running: Running, wanted: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec | Restart | None:
    """Return the VMI's spec with the memory that its VM wants, or why that takes a restart; None if all is well.

    `wanted` is the VM's template with its instance type and preference applied.
    """
    assert running.vmi is not None
    spec, at_boot = running.vmi.spec, running.guest.memory_at_boot
    memory, current = spec.domain.memory, running.guest.memory
    wanted_guest = wanted.domain.memory.guest if wanted.domain.memory is not None else None
    if wanted_guest is None or memory is None or memory.guest is None or current is None:
        return None
    if running.conditions.get(MEMORY_CHANGE) is False:
        return Restart("memory-failed", "plugging memory in has failed before")
    if wanted_guest == memory.guest:
        return None
    if not running.migratable:
        return Restart("memory-not-migratable", "memory comes with a live migration, which the VM cannot do")
    if memory.max_guest is None:
        return Restart("memory-unavailable", "the VM was started without room for more memory")
    if running.conditions.get(MEMORY_CHANGE):
        raise SyncError(Cause("", "spec.template.spec.domain.memory.guest", "another memory hotplug is in progress"))
    problem = live_update_memory_problem(wanted, memory.max_guest)
    if problem:
        return Restart("memory-unsupported", problem)
    if at_boot is not None and wanted_guest < at_boot:
        return Restart("memory-lower", f"the VM was started with {at_boot}, which is more than {wanted_guest}")
    return _with_memory(spec, wanted, wanted_guest, Quantity.of(wanted_guest.value - current.value))


def _with_memory(
    spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, wanted_guest: Quantity, delta: Quantity
) -> VirtualMachineInstanceSpec:
    """The request, at least the guest's memory, and the VM's limit grow with the guest."""
    assert spec.domain.memory is not None
    requests, limits = dict(spec.domain.resources.requests), dict(spec.domain.resources.limits)
    if requests.get("memory"):
        requests["memory"] = requests["memory"] + delta
        if requests["memory"] < wanted_guest:
            requests["memory"], delta = wanted_guest, Quantity()
    if wanted.domain.resources.limits.get("memory"):
        limits["memory"] = limits.get("memory", Quantity()) + delta
    memory = replace(spec.domain.memory, guest=wanted_guest)
    resources = replace(spec.domain.resources, requests=requests, limits=limits)
    return replace(spec, domain=replace(spec.domain, memory=memory, resources=resources))
