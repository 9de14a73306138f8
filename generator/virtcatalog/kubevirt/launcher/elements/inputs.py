"""`<input>`: tablets and keyboards."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf


def inputs(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The VMI's tablets, then what the graphics of the architecture are of no use without.

    Source: pkg/virt-launcher/virtwrap/converter/compute/input_device.go (InputDeviceDomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    made = []
    for position, device in enumerate(devices.inputs):
        if device.bus not in ("", "usb", "virtio"):
            message = f"an input device sits on usb or virtio, not on {device.bus}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].bus", message)
        if device.type != "tablet":
            message = f"an input device is a tablet, not a {device.type!r}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].type", message)
        made.append(_tablet(device.bus or "usb", device.name))
    if devices.autoattach_graphics_device is False:
        return made
    if context.architecture.name == "arm64":
        if not devices.inputs:
            made.append(leaf("input", type="tablet", bus="usb"))
        made.append(leaf("input", type="keyboard", bus="usb"))
    elif context.architecture.name == "s390x":
        made.append(leaf("input", type="keyboard", bus="virtio"))
    return made


def _tablet(bus: str, name: str) -> Element:
    model = {"model": "virtio"} if bus == "virtio" else {}
    element = Element("input", {"type": "tablet", "bus": bus, **model})
    add_alias(element, name)
    return element
