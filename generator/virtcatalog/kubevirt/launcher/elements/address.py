"""`<address>` of devices that sit at a given place on a bus."""

from __future__ import annotations

import re

from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf

_PCI = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


def add_pci_address(parent: Element, address: str, field: str) -> None:
    """Add the `<address>` for `0000:81:01.0`; DomainError at `field` for anything that is no such address.

    Source: pkg/virt-launcher/virtwrap/device/pciaddress.go.
    """
    match = _PCI.fullmatch(address)
    if match is None:
        raise DomainError(field, f"{address!r} is not a PCI address such as 0000:81:01.0")
    domain, bus, slot, function = match.groups()
    attributes = {
        "type": "pci",
        "domain": f"0x{domain}",
        "bus": f"0x{bus}",
        "slot": f"0x{slot}",
        "function": f"0x{function}",
    }
    SubElement(parent, "address", attributes)


def add_scsi_address(parent: Element, unit: int) -> None:
    """Add the `<address>` of a disk on the first SCSI controller."""
    SubElement(parent, "address", {"type": "drive", "controller": "0", "bus": "0", "unit": str(unit)})


def add_alias(parent: Element, name: str) -> None:
    """Add the `<alias>` by which KubeVirt finds a device again; libvirt keeps only those that start with `ua-`."""
    parent.append(leaf("alias", name=f"ua-{name}"))
