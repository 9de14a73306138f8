"""`<video>`: the graphics card."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.efi import boots_efi
from virtcatalog.kubevirt.launcher.elements.graphics import has_graphics
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_VRAM = "16384"


def video(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<video>`: the card that the VMI names, else the architecture's usual one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    if not has_graphics(vmi, context):
        return None
    wanted = vmi.spec.domain.devices.video
    if wanted is not None:
        return _video(wanted.type, _VRAM)
    if context.architecture.name != "amd64":
        return _video("virtio")
    if context.bochs_for_efi_guests and boots_efi(vmi):
        return _video("bochs")
    return _video("vga", _VRAM)


def _video(kind: str, memory: str = "") -> Element:
    element = Element("video")
    vram = {"vram": memory} if memory else {}
    SubElement(element, "model", {"type": kind, **vram, "heads": "1"})
    return element
