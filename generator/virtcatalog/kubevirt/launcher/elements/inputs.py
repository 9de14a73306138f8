"""`<input>`: tablets and keyboards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Shared


def inputs(vmi: VirtualMachineInstance, context: Context) -> Iterator[Element]:
    """Yield the VMI's tablets, then what the graphics of the architecture are of no use without.

    Source: pkg/virt-launcher/virtwrap/converter/compute/input_device.go (InputDeviceDomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    for position, device in enumerate(devices.inputs):
        field = f"spec.domain.devices.inputs[{position}]"
        if device.bus not in ("", "usb", "virtio"):
            raise DomainError(f"{field}.bus", f"an input device sits on usb or virtio, not on {device.bus}")
        if device.type != "tablet":
            raise DomainError(f"{field}.type", f"an input device is a tablet, not a {device.type!r}")
        yield _tablet(device.bus or "usb", device.name)
    if devices.autoattach_graphics_device is False:
        return
    if context.architecture.name == "arm64":
        if not devices.inputs:
            yield Element("input", {"type": "tablet", "bus": "usb"})
        yield Element("input", {"type": "keyboard", "bus": "usb"})
    elif context.architecture.name == "s390x":
        yield Element("input", {"type": "keyboard", "bus": "virtio"})


@lru_cache(maxsize=256)
def _tablet(bus: str, name: str) -> Element:
    model = {"model": "virtio"} if bus == "virtio" else {}
    element = Shared("input", {"type": "tablet", "bus": bus, **model})
    add_alias(element, name)
    return element
