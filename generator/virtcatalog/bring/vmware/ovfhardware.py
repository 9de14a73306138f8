"""The hardware of an OVF descriptor's system: its CPUs, memory, disks and network cards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from virtcatalog.bring.imports import host
from virtcatalog.bring.vmware.machine import Disk, Nic, in_order, mac_of
from virtcatalog.bring.vmware.ovfmarks import Marks, attribute, first, text
from virtcatalog.bring.vmware.settings import device, setting_fate
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


def children(element: XMLElement | None, *names: str) -> list[XMLElement]:
    """Return the elements in an element that are called so, in whatever namespace; none where there is no element."""
    return [child for child in element or () if child.name in names]


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
            if text(item, "ResourceType") in kinds:
                yield item

    def _one(self, kind: str, noun: str) -> XMLElement:
        item = next(self.of_type(kind), None)
        if item is None:
            raise self._fault(self.section, f"has no item of ResourceType {kind}: it says nothing of its {noun}")
        return item

    def _number(self, item: XMLElement, name: str) -> int:
        digits = text(item, name)
        if not (digits.isascii() and digits.isdecimal()) or len(digits) > _LONGEST_NUMBER or int(digits) < 1:
            raise self._fault(first(item, name) or item, f"{digits!r} is no whole number from 1 on")
        return int(digits)

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

    def _unit(self, element: XMLElement, words: str) -> int:
        match = _UNIT.fullmatch(words.strip())
        if match is not None:
            return int(match["base"]) ** int(match["power"]) if match["base"] else 1
        unit = _UNITS.get(words.strip().lower())
        if unit is None:
            raise self._fault(element, f"{words!r} is no unit of memory such as byte * 2^20")
        return unit

    def _controllers(self) -> dict[str, tuple[str, int]]:
        """Bus and number of the controllers, by their InstanceID."""
        controllers: dict[str, tuple[str, int]] = {}
        counts: dict[str, int] = {}
        for item in self.of_type(*_BUSES):
            bus, subtype = _BUSES[text(item, "ResourceType")], text(item, "ResourceSubType").lower()
            if "nvme" in subtype:
                bus = "nvme"
            if subtype.startswith("virtio"):
                bus = "scsi"
            controllers[text(item, "InstanceID")] = bus, counts.get(bus, 0)
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
            source, label = _source(item), first(item, "ElementName")
            description = descriptions.get(source)
            file = files.get(attribute(description, "fileRef") if description is not None else source)
            bus, controller = controllers.get(text(item, "Parent"), ("", 0))
            unit = text(item, "AddressOnParent")
            disk = Disk(
                label=label.text if label is not None else f"disk {number + 1}",
                size=self._capacity(description) if description is not None else 0,
                bus=bus,
                controller=controller,
                unit=int(unit) if unit.isdecimal() and unit.isascii() and len(unit) <= _LONGEST_PLACE else 0,
                file=attribute(file, "href"),
            )
            disks.append((disk, number))
        ordered = [(disk, items[number]) for disk, number in in_order(disks)]
        for index, (_, item) in enumerate(ordered):
            self._mark_disk(item, descriptions.get(_source(item)), files, index)
        return ordered

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
        written = digits = attribute(disk, "capacity")
        if written.startswith("${") and written.endswith("}"):
            digits = self._properties.get(written[2:-1], "")
        if not (digits.isascii() and digits.isdecimal()) or len(digits) > _LONGEST_NUMBER:
            raise ManifestError(problem_at(self.file, disk, f"{written!r} is no size of a disk", "capacity"))
        return int(digits) * self._unit(disk, attribute(disk, "capacityAllocationUnits") or "byte")

    def nics(self) -> Iterator[Nic]:
        """Yield the network cards."""
        adapters = [
            adapter
            for adapter in children(first(self.vbox, "Network") or self.vbox, "Adapter")
            if attribute(adapter, "enabled") == "true"
        ]
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
                network=text(connection),
                mac=mac_of(text(address) or attribute(adapter, "MACAddress")),
                model=(kind.text if kind is not None else attribute(adapter, "type")).lower(),
                connected=connected is None or connected.text.lower() != "false",
            )

    def mark_devices(self) -> None:
        """Mark what else there is: drives, controllers, cards and settings."""
        for item in self.items:
            kind, subtype = first(item, "ResourceType"), first(item, "ResourceSubType")
            is_marked = subtype is not None and self.marks.has(subtype)
            if text(kind) not in (_CPU, _MEMORY, _ETHERNET, *_DISKS) and not is_marked:
                self.marks.text(subtype if subtype is not None else kind, device(text(kind), text(subtype)))
        for config in self.section.walk():
            if config.name in ("Config", "ExtraConfig") and not self.marks.has(config):
                self.marks.attribute(
                    config, "value", setting_fate(attribute(config, "key"), attribute(config, "value"))
                )


def _source(item: XMLElement) -> str:
    """The id of the disk or file that an item of the hardware refers to."""
    return text(item, "HostResource").rpartition("/")[2]
