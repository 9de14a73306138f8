"""`<redirdev>`: USB devices that a user's machine lends to the guest."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_PORTS = 4


def redirdevs(uid: str) -> list[Element]:
    """As many ports for `virtctl usbredir` as KubeVirt has.

    Source: pkg/virt-launcher/virtwrap/converter/compute/usb_redir.go (UsbRedirectDeviceDomainConfigurator).
    """
    elements = []
    for port in range(_PORTS):
        element = Element("redirdev", {"type": "unix", "bus": "usb"})
        path = f"/var/run/kubevirt-private/{uid}/virt-usbredir-{port}"
        SubElement(element, "source", {"mode": "bind", "path": path})
        elements.append(element)
    return elements
