"""`<vcpu>` and `<vcpus>`: how many virtual CPUs there are, and which may be plugged in later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf

_UINT32 = 2**32 - 1
_LISTED = 2**16


class CPUTopology(msgspec.Struct, frozen=True, cache_hash=True):
    """Sockets, cores a socket, threads a core; KubeVirt counts in 32 bits."""

    sockets: int
    cores: int
    threads: int

    @property
    def vcpus(self) -> int:
        """The number of virtual CPUs."""
        return self.cores * self.sockets * self.threads & _UINT32


def requested_topology(vmi: VirtualMachineInstance) -> CPUTopology:
    """The CPUs the guest boots with: `spec.domain.cpu`, else one socket a CPU of the resources.

    Source: pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go (GetCPUTopology).
    """
    cpu = vmi.spec.domain.cpu
    if cpu is not None and (cpu.sockets or cpu.cores or cpu.threads):
        return _topology(cpu.sockets or 1, cpu.cores or 1, cpu.threads or 1)
    resources = vmi.spec.domain.resources
    amount = resources.limits.get("cpu", resources.requests.get("cpu"))
    return _topology(1 if amount is None else amount.value & _UINT32, 1, 1)


def domain_topology(vmi: VirtualMachineInstance, context: Context) -> CPUTopology:
    """The CPUs the domain declares: `maxSockets` sockets where CPUs can be plugged in."""
    topology, max_sockets = requested_topology(vmi), _max_sockets(vmi, context)
    return _topology(max_sockets, topology.cores, topology.threads) if max_sockets else topology


_topology = lru_cache(maxsize=1024)(CPUTopology)


def vcpu(vmi: VirtualMachineInstance, context: Context) -> Sequence[Element]:
    """`<vcpu>`, and `<vcpus>` where CPUs can be plugged in: all CPUs of the first socket always stay.

    Source: pkg/virt-launcher/virtwrap/converter/compute/cpu.go (CPUDomainConfigurator).
    """
    return _vcpu(requested_topology(vmi), _max_sockets(vmi, context))


@lru_cache(maxsize=1024)
def _vcpu(requested: CPUTopology, max_sockets: int) -> Sequence[Element]:
    if not max_sockets:
        return (leaf("vcpu", str(requested.vcpus), placement="static"),)
    total = _topology(max_sockets, requested.cores, requested.threads).vcpus
    if total > _LISTED:
        raise UnsupportedError("spec.domain.cpu", f"a domain with a list of {total} vCPUs is not made")
    listed = _vcpus(total, requested.vcpus, requested.cores * requested.threads)
    return leaf("vcpu", str(total), placement="static"), listed


def _vcpus(total: int, enabled: int, fixed: int) -> Element:
    listed = Shared("vcpus")
    for number in range(total):
        attributes = {
            "id": str(number),
            "enabled": "yes" if number < enabled else "no",
            "hotpluggable": "no" if number < fixed else "yes",
        }
        SubElement(listed, "vcpu", attributes)
    return listed


def _max_sockets(vmi: VirtualMachineInstance, context: Context) -> int:
    """How many sockets there are once all are plugged in, 0 where none can be."""
    cpu = vmi.spec.domain.cpu
    return cpu.max_sockets if cpu is not None and context.architecture.cpu_hotplug else 0
