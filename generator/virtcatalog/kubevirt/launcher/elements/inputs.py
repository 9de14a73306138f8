"""`<input>`: tablets and keyboards."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import Input
from virtcatalog.kubevirt.launcher.elements.address import alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf, shared


def inputs(devices: Sequence[Input], architecture: str, *, wants_graphics: bool) -> list[Element]:
    """The VMI's tablets, then what the graphics of the architecture are of no use without.

    Source: pkg/virt-launcher/virtwrap/converter/compute/input_device.go (InputDeviceDomainConfigurator).
    """
    elements = []
    for position, device in enumerate(devices):
        if device.bus not in ("", "usb", "virtio"):
            message = f"an input device sits on usb or virtio, not on {device.bus}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].bus", message)
        if device.type != "tablet":
            message = f"an input device is a tablet, not a {device.type!r}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].type", message)
        elements.append(_tablet(device.bus or "usb", device.name))
    if not wants_graphics:
        return elements
    if architecture == "arm64":
        if not devices:
            elements.append(leaf("input", type="tablet", bus="usb"))
        elements.append(leaf("input", type="keyboard", bus="usb"))
    elif architecture == "s390x":
        elements.append(leaf("input", type="keyboard", bus="virtio"))
    return elements


def _tablet(bus: str, name: str) -> Element:
    model = {"model": "virtio"} if bus == "virtio" else {}
    return shared("input", alias(name), type="tablet", bus=bus, **model)
