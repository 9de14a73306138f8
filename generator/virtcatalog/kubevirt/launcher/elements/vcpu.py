"""`<vcpu>` and `<vcpus>`: how many virtual CPUs there are, and which may be plugged in later."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.api.domainspec import CPU, ResourceRequirements
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf
from virtcatalog.kubevirt.memo import memo

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


def requested_topology(cpu: CPU | None, resources: ResourceRequirements) -> CPUTopology:
    """The CPUs the guest boots with: `spec.domain.cpu`, else one socket a CPU of the resources.

    Source: pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go (GetCPUTopology).
    """
    if cpu is not None and (cpu.sockets or cpu.cores or cpu.threads):
        return CPUTopology(cpu.sockets or 1, cpu.cores or 1, cpu.threads or 1)
    amount = resources.limits.get("cpu", resources.requests.get("cpu"))
    return CPUTopology(1 if amount is None else amount.value & _UINT32, 1, 1)


def max_sockets(cpu: CPU | None, *, hotplug: bool) -> int:
    """How many sockets there are once all are plugged in; 0 where none can be, as without CPU hotplug."""
    return cpu.max_sockets if cpu is not None and hotplug else 0


def domain_topology(requested: CPUTopology, max_sockets: int) -> CPUTopology:
    """The CPUs the domain declares: `max_sockets` sockets where CPUs can be plugged in."""
    return CPUTopology(max_sockets, requested.cores, requested.threads) if max_sockets else requested


@memo
def vcpu(requested: CPUTopology, max_sockets: int) -> Sequence[Element]:
    """`<vcpu>`, and `<vcpus>` where CPUs can be plugged in: all CPUs of the first socket always stay.

    Source: pkg/virt-launcher/virtwrap/converter/compute/cpu.go (CPUDomainConfigurator).
    """
    if not max_sockets:
        return (leaf("vcpu", str(requested.vcpus), placement="static"),)
    total = domain_topology(requested, max_sockets).vcpus
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
