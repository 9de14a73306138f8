"""`<graphics>`: the VNC server behind `virtctl vnc`."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def has_graphics(vmi: VirtualMachineInstance, context: Context) -> bool:
    """Whether the machine has graphics: unless the VMI wants none, or QEMU emulates another architecture."""
    wanted = vmi.spec.domain.devices.autoattach_graphics_device is not False
    return wanted and not context.emulates_other_architecture


def graphics(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<graphics>`: VNC on a socket of the launcher's.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    if not has_graphics(vmi, context):
        return None
    element = Element("graphics", {"type": "vnc"})
    socket = f"/var/run/kubevirt-private/{vmi.metadata.uid}/virt-vnc"
    SubElement(element, "listen", {"type": "socket", "socket": socket})
    return element
