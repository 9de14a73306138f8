"""Input devices. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_inputs(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """An input device is a tablet on the virtio or the USB bus (validateInputDevices)."""
    for index, device in enumerate(spec.domain.devices.inputs):
        field = f"{path}.domain.devices.inputs[{index}]"
        if device.bus not in ("", "virtio", "usb"):
            yield invalid(f"{field}.bus", f"{device.bus!r} is no bus for input devices; virtio and usb are")
        if device.type != "tablet":
            yield invalid(f"{field}.type", f"{device.type!r} is no type of input device; tablet is the only one")
