"""Where libvirt puts devices on the PCI bus, in the order in which it hands out places.

A guest names its NICs by these places, and Windows knows disks by them.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.elements.hostdevs import SRIOV
from virtcatalog.kubevirt.launcher.launch.ports import placeholder_count
from virtcatalog.kubevirt.launcher.pci import is_on_pci, supports_pcie_hotplug
from virtcatalog.kubevirt.launcher.xml import Element

#: Interfaces, disks and host devices, and what gets its place before these do; what comes behind moves none of them.
_ORDER = ("filesystem", "interface", "sound", "controller", "disk", "hostdev")
_ASKED = ("interface", "disk", "hostdev")


def pci_places(devices: Element, vmi: VirtualMachineInstance) -> dict[str, int | str]:
    """Return where the interfaces, disks and host devices of a domain are: name to place.

    A place is an address, where the domain says one, or which free place of the bus it is, counted from 1. Root ports
    that are kept free for hotplug (docs/pci-topology.md) are behind the interfaces; those that KubeVirt adds later
    move nothing. Source: libvirt's src/qemu/qemu_domain_address.c (qemuDomainAssignDevicePCISlots).
    """
    places: dict[str, int | str] = {}
    if vmi.spec.architecture == "s390x":  # no PCI bus, unless a host device brings one
        return places
    taken = {int(bus, 16) for device in devices if (bus := _bus(device))}
    place = 0
    for device in _in_order(devices, vmi):
        name = _name(device) if device is not None and device.tag in _ASKED else ""
        address = _address(device) if device is not None else None
        if address is None:
            place += 1
            while place in taken:
                place += 1
        if name:
            places[name] = address or place
    return places


def _in_order(devices: Element, vmi: VirtualMachineInstance) -> Iterator[Element | None]:
    """The devices that get a place; None is a root port that is kept free behind the interfaces."""
    free = placeholder_count(vmi) if supports_pcie_hotplug(vmi.spec) else 0
    for tag in _ORDER:
        yield from (device for device in devices.iterfind(tag) if _gets_place(device))
        if tag == "interface":
            yield from [None] * free


def _gets_place(device: Element) -> bool:
    if device.tag == "filesystem":
        return True
    if device.tag == "sound":  # the others are part of the chipset
        return device.get("model") == "ac97"
    if device.tag == "hostdev" and device.get("type") == "mdev":
        return True
    if device.tag == "controller" and (device.get("type") in ("pci", "sata", "ide") or device.get("model") == "none"):
        return False
    return is_on_pci(device)


def _name(device: Element) -> str:
    """What the VMI calls a device; an interface may be a host device of the domain."""
    alias = device.find("alias")
    return (alias.get("name") or "").removeprefix("ua-").removeprefix(SRIOV) if alias is not None else ""


def _address(device: Element) -> str | None:
    address = device.find("address")
    if address is None or address.get("type") != "pci" or not address.get("bus"):
        return None
    numbers = [int(address.get(part) or "0", 16) for part in ("domain", "bus", "slot", "function")]
    return "{:04x}:{:02x}:{:02x}.{:x}".format(*numbers)


def _bus(device: Element) -> str:
    """The bus that a device takes for itself by its own address, "" if it takes none."""
    address = device.find("address")
    return address.get("bus") or "" if address is not None and address.get("type") == "pci" else ""
