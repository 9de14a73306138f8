"""Real-time guests. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import required
from virtcatalog.kubevirt.configuration import Configuration


def validate_realtime(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A real-time guest has dedicated CPUs and the host's NUMA topology (validateRealtime)."""
    cpu = spec.domain.cpu
    if not cpu or cpu.realtime is None:
        return
    if not cpu.dedicated_cpu_placement:
        yield required(f"{path}.domain.cpu.dedicatedCpuPlacement", "cpu.realtime needs it to be true")
    if not cpu.numa or cpu.numa.guest_mapping_passthrough is None:
        yield required(f"{path}.domain.cpu.numa.guestMappingPassthrough", "cpu.realtime needs it to be set: {}")
