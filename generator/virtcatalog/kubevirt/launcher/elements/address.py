"""`<address>` of devices that sit at a given place on a bus, and the `<alias>` that they are known by."""

from __future__ import annotations

import re

from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf

_PCI = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


def pci_address(address: str, field: str) -> Element:
    """The `<address>` for `0000:81:01.0`; DomainError at `field` for anything that is no such address.

    Source: pkg/virt-launcher/virtwrap/device/pciaddress.go.
    """
    match = _PCI.fullmatch(address)
    if match is None:
        raise DomainError(field, f"{address!r} is not a PCI address such as 0000:81:01.0")
    domain, bus, slot, function = (f"0x{digits}" for digits in match.groups())
    return leaf("address", type="pci", domain=domain, bus=bus, slot=slot, function=function)


def scsi_address(unit: int) -> Element:
    """The `<address>` of a disk on the first SCSI controller."""
    return leaf("address", type="drive", controller="0", bus="0", unit=str(unit))


def alias(name: str) -> Element:
    """The `<alias>` by which KubeVirt finds a device again; libvirt keeps only those that start with `ua-`."""
    return leaf("alias", name=f"ua-{name}")
