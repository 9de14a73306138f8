"""`<vsock>`: a socket between guest and host."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def vsock(cid: int | None) -> Element | None:
    """`<vsock>` with the address that virt-controller gives the VMI, if it does; always of virtio 1.0.

    Source: pkg/virt-launcher/virtwrap/converter/compute/vsock.go (VSOCKDomainConfigurator).
    """
    if cid is None:
        return None
    element = Element("vsock", {"model": "virtio-non-transitional"})
    SubElement(element, "cid", {"auto": "no", "address": str(cid)})
    return element
