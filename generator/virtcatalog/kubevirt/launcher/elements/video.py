"""`<video>`: the graphics card."""

from __future__ import annotations

from virtcatalog.api.devices import VideoDevice
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo

_VRAM = "16384"


def video(device: VideoDevice | None, architecture: str, *, use_bochs: bool) -> Element:
    """`<video>`: the card that the VMI names, else the architecture's usual one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    if device is not None:
        return _video(device.type, _VRAM)
    if architecture != "amd64":
        return _video("virtio")
    return _video("bochs") if use_bochs else _video("vga", _VRAM)


@memo
def _video(kind: str, memory: str = "") -> Element:
    element = Shared("video")
    vram = {"vram": memory} if memory else {}
    SubElement(element, "model", {"type": kind, **vram, "heads": "1"})
    return element
