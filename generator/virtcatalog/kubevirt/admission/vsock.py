"""Sockets between host and guest. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_vsock(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A VSOCK device needs its feature gate (validateVSOCK)."""
    if spec.domain.devices.autoattach_vsock and not config.feature_gate("VSOCK"):
        yield invalid(f"{path}.domain.devices.autoattachVSOCK", "needs the feature gate VSOCK, which is off")
