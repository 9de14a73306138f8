"""Video devices; the types are in architecture.py. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_video(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Who wants no graphics device cannot choose its type."""
    devices = spec.domain.devices
    if devices.video is not None and devices.autoattach_graphics_device is False:
        yield invalid(f"{path}.video", "domain.devices.video needs autoattachGraphicsDevice, which is false")
