"""`<video>`: the graphics card."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.graphics import has_graphics
from virtcatalog.domain.xml import Element, SubElement

_VRAM = "16384"


def video(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<video>`: the card that the VMI names, else the architecture's usual one.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/graphics.go.
    """
    if not has_graphics(vmi, context):
        return None
    wanted = vmi.spec.domain.devices.video
    if wanted is not None:
        attributes = {"type": wanted.type, "vram": _VRAM, "heads": "1"}
    elif context.architecture.name != "amd64":
        attributes = {"type": "virtio", "heads": "1"}
    elif context.bochs_for_efi_guests and _boots_efi(vmi):
        attributes = {"type": "bochs", "heads": "1"}
    else:
        attributes = {"type": "vga", "vram": _VRAM, "heads": "1"}
    element = Element("video")
    SubElement(element, "model", attributes)
    return element


def _boots_efi(vmi: VirtualMachineInstance) -> bool:
    firmware = vmi.spec.domain.firmware
    return firmware is not None and firmware.bootloader is not None and firmware.bootloader.efi is not None
