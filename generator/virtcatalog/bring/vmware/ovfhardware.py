"""The hardware of an OVF descriptor's system: its CPUs, memory, disks and network cards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from virtcatalog.bring.imports import host
from virtcatalog.bring.vmware.machine import Disk, Nic, in_order
from virtcatalog.bring.vmware.ovfmarks import Marks, attribute
from virtcatalog.bring.vmware.settings import device, setting_fate
from virtcatalog.bring.vmware.values import mac_of
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.xml import XMLElement, problem_at

#: What an item of the hardware is called; the last two are OVF 2's.
ITEMS: Final = ("Item", "StorageItem", "EthernetPortItem")
#: CIM_ResourceAllocationSettingData.ResourceType
_CPU, _MEMORY, _ETHERNET, _DISKS = "3", "4", "10", ("17", "31")
_BUSES: Final = {"5": "ide", "6": "scsi", "8": "scsi", "20": "sata"}
_UNIT = re.compile(r"bytes?(?: ?\* ?(?P<base>2|10)\^(?P<power>\d{1,2}))?", re.IGNORECASE)
_UNITS: Final = {"kilobytes": 2**10, "megabytes": 2**20, "gigabytes": 2**30, "kb": 2**10, "mb": 2**20, "gb": 2**30}
_LONGEST_NUMBER: Final = 18
_LONGEST_PLACE: Final = 4


def children(element: XMLElement, *names: str) -> list[XMLElement]:
    """Return the elements in an element that are called so, in whatever namespace."""
    return [child for child in element if child.name in names]


def first(element: XMLElement, *path: str) -> XMLElement | None:
    """Return the first element at a path of names."""
    for name in path:
        below = children(element, name)
        if not below:
            return None
        element = below[0]
    return element


class Hardware:
    """A VirtualHardwareSection, while it is read; what is looked at is noted in `marks`."""

    def __init__(self, root: XMLElement, section: XMLElement, vbox: XMLElement | None, marks: Marks, file: str) -> None:
        """`vbox` is the hardware as VirtualBox's own part of the descriptor has it."""
        self.root, self.section, self.vbox, self.marks, self.file = root, section, vbox, marks, file
        self._properties = {
            attribute(element, "key"): attribute(element, "value")
            for element in root.walk()
            if element.name == "Property"
        }
        configurations = [element for element in root.walk() if element.name == "Configuration"]
        default = [element for element in configurations if attribute(element, "default") == "true"]
        self._default = next((attribute(element, "id") for element in (*default, *configurations)), "")
        items = children(section, *ITEMS)
        self.items = [item for item in items if self._is_deployed(item)]
        for item in items:
            if item not in self.items:
                marks.all(item, host("it is of a deployment configuration that is not the default"))

    def _is_deployed(self, item: XMLElement) -> bool:
        configurations = attribute(item, "configuration").split()
        return not configurations or self._default in configurations

    def _fault(self, element: XMLElement, message: str) -> ManifestError:
        return ManifestError(problem_at(self.file, element, message))

    def of_type(self, *kinds: str) -> Iterator[XMLElement]:
        """Yield the items of these types."""
        for item in self.items:
            kind = first(item, "ResourceType")
            if kind is not None and kind.text in kinds:
                yield item

    def _one(self, kind: str, noun: str) -> XMLElement:
        item = next(self.of_type(kind), None)
        if item is None:
            raise self._fault(self.section, f"has no item of ResourceType {kind}: it says nothing of its {noun}")
        return item

    def _number(self, item: XMLElement, name: str) -> int:
        element = first(item, name)
        text = element.text if element is not None else ""
        if not (text.isascii() and text.isdecimal()) or len(text) > _LONGEST_NUMBER or int(text) < 1:
            raise self._fault(element or item, f"{text!r} is no whole number from 1 on")
        return int(text)

    def cpus(self) -> tuple[int, int]:
        """Return the number of CPUs, and of cores a socket, 0 where that is not said."""
        item = self._one(_CPU, "CPUs")
        vcpus = self._number(item, "VirtualQuantity")
        self.marks.text(first(item, "VirtualQuantity"), "vcpus")
        cores = first(item, "CoresPerSocket")
        if cores is None:
            return vcpus, 0
        self.marks.text(cores, "cores")
        return vcpus, self._number(item, "CoresPerSocket")

    def memory(self) -> int:
        """Return the bytes of memory."""
        item = self._one(_MEMORY, "memory")
        unit = first(item, "AllocationUnits")
        self.marks.text(first(item, "VirtualQuantity"), "memory")
        self.marks.text(unit, "memory")
        amount = self._number(item, "VirtualQuantity")
        return amount * (2**20 if unit is None else self._unit(unit, unit.text))

    def _unit(self, element: XMLElement, text: str) -> int:
        match = _UNIT.fullmatch(text.strip())
        if match is not None:
            return int(match["base"]) ** int(match["power"]) if match["base"] else 1
        unit = _UNITS.get(text.strip().lower())
        if unit is None:
            raise self._fault(element, f"{text!r} is no unit of memory such as byte * 2^20")
        return unit

    def _controllers(self) -> dict[str, tuple[str, int]]:
        """Bus and number of the controllers, by their InstanceID."""
        controllers: dict[str, tuple[str, int]] = {}
        counts: dict[str, int] = {}
        for item in self.of_type(*_BUSES):
            kind, subtype, identity = (first(item, name) for name in ("ResourceType", "ResourceSubType", "InstanceID"))
            bus = _BUSES[kind.text if kind is not None else ""]
            if subtype is not None and "nvme" in subtype.text.lower():
                bus = "nvme"
            if subtype is not None and subtype.text.lower().startswith("virtio"):
                bus = "scsi"
            controllers[identity.text if identity is not None else ""] = bus, counts.get(bus, 0)
            counts[bus] = counts.get(bus, 0) + 1
        return controllers

    def disks(self) -> list[tuple[Disk, XMLElement]]:
        """Return the disks as VMware numbers them, each with its item."""
        controllers = self._controllers()
        descriptions = {attribute(disk, "diskId"): disk for disk in self.root.walk() if disk.name == "Disk"}
        files = {attribute(file, "id"): file for file in self.root.walk() if file.name == "File"}
        disks: list[tuple[Disk, int]] = []
        items = list(self.of_type(*_DISKS))
        for number, item in enumerate(items):
            resource, parent, unit, label = (
                first(item, name) for name in ("HostResource", "Parent", "AddressOnParent", "ElementName")
            )
            source = resource.text.rpartition("/")[2] if resource is not None else ""
            description = descriptions.get(source)
            file = files.get(attribute(description, "fileRef") if description is not None else source)
            bus, controller = controllers.get(parent.text if parent is not None else "", ("", 0))
            place = unit.text if unit is not None else ""
            disks.append(
                (
                    Disk(
                        label=label.text if label is not None else f"disk {number + 1}",
                        size=self._capacity(description) if description is not None else 0,
                        bus=bus,
                        controller=controller,
                        unit=int(place)
                        if place.isdecimal() and place.isascii() and len(place) <= _LONGEST_PLACE
                        else 0,
                        file=attribute(file, "href"),
                    ),
                    number,
                )
            )
        ordered = in_order(disks)
        for index, (_, number) in enumerate(ordered):
            item = items[number]
            resource = first(item, "HostResource")
            source = resource.text.rpartition("/")[2] if resource is not None else ""
            self._mark_disk(item, descriptions.get(source), files, index)
        return [(disk, items[number]) for disk, number in ordered]

    def _mark_disk(
        self, item: XMLElement, description: XMLElement | None, files: dict[str, XMLElement], index: int
    ) -> None:
        self.marks.text(first(item, "HostResource"), "disk", index)
        self.marks.text(first(item, "AddressOnParent"), "disk", index)
        self.marks.text(first(item, "Parent"), "disk.bus", index)
        if description is None:
            return
        for name in ("capacity", "capacityAllocationUnits"):
            self.marks.attribute(description, name, "disk.size", index)
        for name in ("format", "fileRef", "populatedSize"):
            self.marks.attribute(description, name, "disk.file", index)
        file = files.get(attribute(description, "fileRef"))
        for name in ("href", "size", "compression", "chunkSize"):
            self.marks.attribute(file, name, "disk.file", index)

    def _capacity(self, disk: XMLElement) -> int:
        text = attribute(disk, "capacity")
        if text.startswith("${") and text.endswith("}"):
            text = self._properties.get(text[2:-1], "")
        if not (text.isascii() and text.isdecimal()) or len(text) > _LONGEST_NUMBER:
            raise ManifestError(
                problem_at(self.file, disk, f"{attribute(disk, 'capacity')!r} is no size of a disk", "capacity")
            )
        return int(text) * self._unit(disk, attribute(disk, "capacityAllocationUnits") or "byte")

    def nics(self) -> Iterator[Nic]:
        """Yield the network cards."""
        adapters = (
            [
                adapter
                for adapter in children(first(self.vbox, "Network") or self.vbox, "Adapter")
                if attribute(adapter, "enabled") == "true"
            ]
            if self.vbox is not None
            else []
        )
        for index, item in enumerate(self.of_type(_ETHERNET)):
            connection, address, kind, connected, label = (
                first(item, name)
                for name in ("Connection", "Address", "ResourceSubType", "AutomaticAllocation", "ElementName")
            )
            adapter = adapters[index] if index < len(adapters) else None
            for element, subject in (
                (connection, "nic.network"),
                (address, "nic.mac"),
                (kind, "nic.model"),
                (connected, "nic.connected"),
            ):
                self.marks.text(element, subject, index)
            self.marks.attribute(adapter, "MACAddress", "nic.mac", index)
            self.marks.attribute(adapter, "type", "nic.model", index)
            yield Nic(
                label=label.text if label is not None else f"network adapter {index + 1}",
                network=connection.text if connection is not None else "",
                mac=mac_of(address.text if address is not None and address.text else attribute(adapter, "MACAddress")),
                model=kind.text.lower() if kind is not None else attribute(adapter, "type").lower(),
                connected=connected is None or connected.text.lower() != "false",
            )

    def mark_devices(self) -> None:
        """Mark what else there is: drives, controllers, cards and settings."""
        for item in self.items:
            kind, subtype = first(item, "ResourceType"), first(item, "ResourceSubType")
            number = kind.text if kind is not None else ""
            if number not in (_CPU, _MEMORY, _ETHERNET, *_DISKS) and not (
                subtype is not None and self.marks.has(subtype)
            ):
                self.marks.text(
                    subtype if subtype is not None else kind, device(number, subtype.text if subtype else "")
                )
        for config in self.section.walk():
            if config.name in ("Config", "ExtraConfig") and not self.marks.has(config):
                self.marks.attribute(
                    config, "value", setting_fate(attribute(config, "key"), attribute(config, "value"))
                )
