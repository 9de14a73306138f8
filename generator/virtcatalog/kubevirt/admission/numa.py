"""The guest's NUMA topology. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_numa(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Passing the host's NUMA topology on needs dedicated CPUs and huge pages (validateNUMA)."""
    cpu = spec.domain.cpu
    if not cpu or not cpu.numa or cpu.numa.guest_mapping_passthrough is None:
        return
    field = f"{path}.domain.cpu.numa.guestMappingPassthrough"
    if not cpu.dedicated_cpu_placement:
        yield invalid(field, "needs cpu.dedicatedCpuPlacement: true")
    if not spec.domain.memory or spec.domain.memory.hugepages is None:
        yield invalid(field, "needs huge pages: set memory.hugepages.pageSize")
