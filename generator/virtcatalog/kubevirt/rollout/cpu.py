"""CPU sockets of a running VMI. Source: pkg/virt-controller/watch/vm/vm.go (handleCPUChangeRequest, VMICPUsPatch)."""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import MILLI, Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.rollout.running import CPU_CHANGE, Restart, Running, SyncError


def plug_cpus(running: Running, wanted: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec | Restart | None:
    """Return the VMI's spec with the sockets that its VM wants, or why that takes a restart; None if all is well.

    `wanted` is the VM's template with its instance type and preference applied.
    """
    assert running.vmi is not None
    spec = running.vmi.spec
    asked, cpu = wanted.domain.cpu, spec.domain.cpu
    if asked is None or cpu is None or asked.sockets == cpu.sockets:
        return None
    if running.conditions.get(CPU_CHANGE):
        raise SyncError(Cause("", "spec.template.spec.domain.cpu.sockets", "another CPU hotplug is in progress"))
    if asked.sockets > cpu.max_sockets:
        return Restart("cpu-max", f"{asked.sockets} sockets are more than the {cpu.max_sockets} that can be plugged in")
    if asked.sockets < cpu.sockets:
        return Restart(
            "cpu-reduced", f"sockets cannot be taken out while the guest runs: {cpu.sockets} → {asked.sockets}"
        )
    if wanted.architecture == "arm64":
        return Restart("cpu-arm", "arm64 has no CPU hotplug")
    return _patched(spec, wanted, running.cluster.configuration)


def _patched(
    spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, config: Configuration
) -> VirtualMachineInstanceSpec:
    """What the VM asks for in requests and limits grows with the vCPUs."""
    asked, cpu = wanted.domain.cpu, spec.domain.cpu
    assert asked is not None
    assert cpu is not None
    delta = Quantity((asked.vcpus - cpu.vcpus) * (1000 // config.cpu_allocation_ratio) * MILLI)
    resources, demands = spec.domain.resources, wanted.domain.resources
    grown = replace(
        resources,
        requests=_grown(resources.requests, demands.requests, delta),
        limits=_grown(resources.limits, demands.limits, delta),
    )
    return replace(spec, domain=replace(spec.domain, cpu=replace(cpu, sockets=asked.sockets), resources=grown))


def _grown(amounts: dict[str, Quantity], demanded: dict[str, Quantity], delta: Quantity) -> dict[str, Quantity]:
    return {**amounts, "cpu": amounts.get("cpu", Quantity()) + delta} if demanded.get("cpu") else amounts
