"""`<graphics>`: the VNC server behind `virtctl vnc`."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def has_graphics(autoattach: bool | None, *, other_architecture: bool) -> bool:
    """Whether the machine has graphics: unless the VMI wants none, or QEMU emulates another architecture."""
    return autoattach is not False and not other_architecture


def graphics(uid: str) -> Element:
    """`<graphics>`: VNC on a socket of the launcher's.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    element = Element("graphics", {"type": "vnc"})
    SubElement(element, "listen", {"type": "socket", "socket": f"/var/run/kubevirt-private/{uid}/virt-vnc"})
    return element
