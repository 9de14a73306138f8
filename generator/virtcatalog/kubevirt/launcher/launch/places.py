"""Where libvirt puts devices on the PCI bus, in the order in which it hands out places.

A guest names its NICs by these places, and Windows knows disks by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.elements.hostdevs import SRIOV
from virtcatalog.kubevirt.launcher.launch.ports import placeholder_count
from virtcatalog.kubevirt.launcher.pci import is_on_pci, supports_pcie_hotplug
from virtcatalog.kubevirt.launcher.xml import Element

#: Interfaces, disks and host devices, and what gets its place before these do; what comes behind moves none of them.
_ORDER = ("filesystem", "interface", "sound", "controller", "disk", "hostdev")
_REPORTED = ("interface", "disk", "hostdev")
#: Models that have a slot of a conventional PCI bus.
_CONVENTIONAL = ("virtio-transitional", "e1000", "rtl8139", "ne2k_pci", "pcnet", "ac97")
#: Slots 0 to 2 of i440fx are its host bridge, its ISA bridge and the graphics adapter.
_FIRST_SLOT = 3


def pci_places(devices: Element, vmi: VirtualMachineInstance) -> dict[str, int | str]:
    """Return where the interfaces, disks and host devices of a domain are: name to place.

    A place is an address, where the domain says one or the machine has one bus, or which free root port it is, counted
    from 1. Root ports that are kept free for hotplug (docs/pci-topology.md) are behind the interfaces; those that
    KubeVirt adds later move nothing. Source: libvirt's src/qemu/qemu_domain_address.c (qemuDomainAssignDevicePCISlots,
    qemuDomainDeviceCalculatePCIConnectFlags).
    """
    if vmi.spec.architecture == "s390x":  # no PCI bus, unless a host device brings one
        return {}
    places = _ports(devices, placeholder_count(vmi)) if supports_pcie_hotplug(vmi.spec) else _slots(devices)
    return {name: place for device, place in places if device.tag in _REPORTED and (name := _name(device))}


def _ports(devices: Element, free: int) -> Iterator[tuple[Element, int | str]]:
    """Yield the places on PCIe: a root port each; conventional devices have the slots of one bridge behind a port.

    `free` root ports behind the interfaces are kept for others that are plugged in.
    """
    taken = {int(address.bus, 16) for device in devices if (address := _address(device))}
    ports = (port for port in count(1) if port not in taken)
    slots = 0
    for tag in _ORDER:
        for device in _placed(devices, tag):
            address = _address(device)
            if address is not None:
                yield device, str(address)
            elif _is_conventional(device):
                if not slots:
                    next(ports)
                slots += 1
                yield device, f"slot {slots} of a bridge"
            else:
                yield device, next(ports)
        if tag == "interface":
            for _ in range(free):
                next(ports)


def _slots(devices: Element) -> Iterator[tuple[Element, int | str]]:
    """Yield the places on the one bus of i440fx: the lowest slot that no device has for itself."""
    addresses = [address for device in devices if (address := _address(device))]
    taken = {int(address.slot, 16) for address in addresses if not int(address.bus, 16)}
    slots = (slot for slot in count(_FIRST_SLOT) if slot not in taken)
    for tag in _ORDER:
        for device in _placed(devices, tag):
            yield device, str(_address(device) or _Address(slot=f"{next(slots):x}"))


def _placed(devices: Element, tag: str) -> Iterator[Element]:
    """The devices of a tag that get a place."""
    return filter(_gets_place, devices.iterfind(tag))


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
    return alias.attrib["name"].removeprefix("ua-").removeprefix(SRIOV) if alias is not None else ""


def _is_conventional(device: Element) -> bool:
    model = device.find("model")
    return (device.get("model") if model is None else model.get("type")) in _CONVENTIONAL


class _Address(NamedTuple):
    """A PCI address; its parts are hexadecimal."""

    domain: str = "0"
    bus: str = "0"
    slot: str = "0"
    function: str = "0"

    def __str__(self) -> str:
        return "{:04x}:{:02x}:{:02x}.{:x}".format(*(int(part, 16) for part in self))


def _address(device: Element) -> _Address | None:
    """The address that a device has for itself."""
    address = device.find("address")
    if address is None or address.get("type") != "pci" or not address.get("bus"):
        return None
    return _Address(*(address.get(part) or "0" for part in _Address._fields))
