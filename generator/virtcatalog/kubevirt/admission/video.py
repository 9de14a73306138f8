"""Video devices; the types are in architecture.py. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

GATE = "VideoConfig"


def validate_video(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A type of video needs its feature gate, and who wants no graphics device cannot choose one.

    Source: validateVideoConfig.
    """
    devices = spec.domain.devices
    if devices.video is None:
        return
    if not config.feature_gate(GATE):
        yield invalid(f"{path}.video", f"domain.devices.video needs the feature gate {GATE}, which is off")
    elif devices.autoattach_graphics_device is False:
        yield invalid(f"{path}.video", "domain.devices.video needs autoattachGraphicsDevice, which is false")
