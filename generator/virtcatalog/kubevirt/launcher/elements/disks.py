"""`<disk>`: what the guest sees of the VMI's disks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address, add_scsi_address
from virtcatalog.kubevirt.launcher.elements.blockio import add_blockio
from virtcatalog.kubevirt.launcher.elements.disksource import EMPTY_TRAY, DiskSource, Image, own_path, source_of
from virtcatalog.kubevirt.launcher.elements.diskthreads import bus_of, disk_threads, target_of
from virtcatalog.kubevirt.launcher.elements.iothreads import SUPPLEMENTAL_POOL, has_iothreads, supplemental_pool
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, SubElement, leaf

_PREFIXES = {"virtio": "vd", "sata": "sd", "scsi": "sd", "usb": "sd"}
_ERROR_POLICIES = ("stop", "ignore", "report", "enospace")
_RESERVATIONS_SOCKET = "/var/run/kubevirt/daemons/pr/pr-helper.sock"

_ENCODER = msgspec.msgpack.Encoder()
_DECODER, _DISK = msgspec.msgpack.Decoder(list[Disk]), msgspec.msgpack.Decoder(Disk)


class _Machine(NamedTuple):
    """What the virtio disks of a VMI have in common: `pool` threads serve all of them, None without a pool."""

    transitional: bool | None
    queues: str
    iommu: bool
    pool: int | None


class Drive(Form):
    """The `<disk>` of a disk that many VMIs have; where its image is of one VM alone, namespace and name are its texts.

    `position` is its place among the VMI's disks, `source` what is behind it: None behind a drive's empty tray.
    """

    def __init__(
        self, make: Callable[..., Sequence[Element]], texts: int, disk: Disk, position: int, source: DiskSource | None
    ) -> None:
        super().__init__(make, texts)
        self.disk, self.position, self.source = disk, position, source


def disks(vmi: VirtualMachineInstance, context: Context) -> list[Filled]:
    """A `<disk>` for each disk of the VMI; DomainError for one that cannot be.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_Disk_To_api_Disk).
    """
    found, machine = vmi.spec.domain.devices.disks, _machine(vmi)
    threads = tuple(disk_threads(vmi)) if machine.pool is None and has_iothreads(vmi) else None
    sources: list[DiskSource | None] = []
    try:
        _add_sources(sources, vmi, context)
    except DomainError:  # what is wrong with a disk before this one is told first
        _drives(_ENCODER.encode(found[: len(sources)]), tuple(sources), threads, machine, context.shared)
        raise
    own = vmi.metadata.namespace, vmi.metadata.name
    drives = _drives(_ENCODER.encode(found), tuple(sources), threads, machine, context.shared)
    return [drive.filled(*own) if drive.texts else drive.filled() for drive in drives]


@lru_cache(maxsize=1024)
def _drives(
    encoded: bytes,
    sources: tuple[DiskSource | None, ...],
    threads: tuple[int, ...] | None,
    machine: _Machine,
    context: Context,
) -> Sequence[Drive]:
    """The disks of what the VMI says in MessagePack: many VMIs have disks of the same names and sorts.

    `threads` are those of the virtio disks.
    """
    found = _DECODER.decode(encoded)
    units, serving = _units(found), iter(threads or ())
    drives = []
    for position, disk in enumerate(found):
        thread = next(serving) if threads is not None and bus_of(disk) == "virtio" else None
        place = position, units[position]
        drives.append(_drive(_ENCODER.encode(disk), place, thread, sources[position], machine, context))
    return drives


def _units(found: Sequence[Disk]) -> list[int]:
    """The number of each disk among those of its prefix (vd, sd); disks of one name have one number."""
    units: dict[str, int] = {}
    counts: dict[str, int] = {}
    for disk in found:
        if disk.name not in units:
            prefix = _PREFIXES.get(bus_of(disk), "")
            units[disk.name] = counts.get(prefix, 0)
            counts[prefix] = units[disk.name] + 1
    return [units[disk.name] for disk in found]


def _machine(vmi: VirtualMachineInstance) -> _Machine:
    domain, devices = vmi.spec.domain, vmi.spec.domain.devices
    queues = str(requested_topology(vmi).vcpus or 1) if devices.block_multi_queue else ""
    pool = supplemental_pool(vmi) if domain.io_threads_policy == SUPPLEMENTAL_POOL else None
    iommu = domain.launch_security is not None and uses_iommu(vmi)
    return _Machine(devices.use_virtio_transitional, queues, iommu, pool)


@lru_cache(maxsize=1024)
def device_name(prefix: str, index: int) -> str:
    """`vd` and 0 make `vda`; after `vdz` comes `vdaa`."""
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return prefix + name


def _add_sources(found: list[DiskSource | None], vmi: VirtualMachineInstance, context: Context) -> None:
    """Add what is behind each disk."""
    volumes = {volume.name: (index, volume) for index, volume in enumerate(vmi.spec.volumes)}
    for position, disk in enumerate(vmi.spec.domain.devices.disks):
        if disk.name in volumes:
            index, volume = volumes[disk.name]
            found.append(source_of(volume, index, context))
        elif disk.cdrom is not None:
            found.append(None)
        else:
            raise DomainError(f"spec.domain.devices.disks[{position}].name", f"there is no volume {disk.name!r}")


@lru_cache(maxsize=1024)
def _drive(
    encoded: bytes,
    place: tuple[int, int],
    thread: int | None,
    source: DiskSource | None,
    machine: _Machine,
    context: Context,
) -> Drive:
    """The disk of what the VMI says in MessagePack; `place` is its position and its number on its bus."""
    disk, (position, unit) = _DISK.decode(encoded), place
    field = f"spec.domain.devices.disks[{position}]"
    element = _disk(disk, field, unit, thread, source or EMPTY_TRAY, machine, context)
    if source is None or not source.own:
        return Drive(lambda: [element], 0, disk, position, source)
    file, image = source.own, source.image

    def make(namespace: str, name: str) -> Sequence[Element]:
        return [_with_image(element, own_path(namespace, name, file), image)]

    return Drive(make, 2, disk, position, source)


def _disk(
    disk: Disk,
    field: str,
    unit: int,
    thread: int | None,
    source: DiskSource,
    machine: _Machine,
    context: Context,
) -> Element:
    bus = bus_of(disk)
    device = "disk" if disk.disk is not None else "lun" if disk.lun is not None else "cdrom"
    element = Element("disk", {"type": source.image.type, "device": device})
    if (device == "disk" and bus == "virtio") or source.metrics:
        element.set("model", context.architecture.virtio_model(machine.transitional))
    element.append(_driver(disk, source, thread, machine, field))
    image = SubElement(element, "source", _location(source.image, named=True) if source.image.path else {})
    if disk.lun is not None and disk.lun.reservation and not source.metrics:
        reservations = SubElement(image, "reservations", {"managed": "no"})
        if context.release.traits.reservations_migrate:
            reservations.set("migration", "yes")
        SubElement(reservations, "source", {"type": "unix", "path": _RESERVATIONS_SOCKET, "mode": "client"})
    if source.data is not None:
        image.append(_image("dataStore", source.data, named=False))
    if source.backing is not None:
        element.append(_image("backingStore", source.backing, named=True))
    if disk.block_size is not None:
        add_blockio(element, disk.block_size, source, context, f"{field}.blockSize")
    _add_target(element, disk, bus, source, unit)
    _add_address(element, disk.disk, bus, unit if disk.cdrom is None else None, field)
    claim = source.claim
    if claim is not None and claim.has_claim and disk.cdrom is None:
        SubElement(element, "filesystemOverhead").text = claim.filesystem_overhead
        if claim.capacity is not None:
            SubElement(element, "capacity").text = str(claim.capacity)
        if context.expand_disks:
            SubElement(element, "expandDisksEnabled").text = "true"
    return element


def _driver(disk: Disk, source: DiskSource, thread: int | None, machine: _Machine, field: str) -> Element:
    attributes = {"name": "qemu", "type": source.image.format}
    cache = _cache(disk, field)
    policy = disk.error_policy or "stop"
    if disk.error_policy is not None and disk.error_policy not in _ERROR_POLICIES:
        raise DomainError(f"{field}.errorPolicy", f"{disk.error_policy!r} is none of {', '.join(_ERROR_POLICIES)}")
    if cache and not source.metrics:
        attributes["cache"] = cache
    attributes["error_policy"] = policy
    virtio = bus_of(disk) == "virtio"
    if not source.metrics:
        if disk.io:
            attributes["io"] = disk.io
        if source.discard or (disk.cdrom is None and (source.claim is None or not source.claim.preallocated)):
            attributes["discard"] = "unmap"
        if virtio and machine.queues:
            attributes["queues"] = machine.queues
        if virtio and machine.iommu:
            attributes["iommu"] = "on"
    if thread is not None:
        attributes["iothread"] = str(thread)
    if not virtio or machine.pool is None:
        return leaf("driver", **attributes)
    driver = Element("driver", attributes)
    listed = SubElement(driver, "iothreads")
    for number in range(1, machine.pool + 1):
        SubElement(listed, "iothread", {"id": str(number)})
    return driver


def _cache(disk: Disk, field: str) -> str:
    if disk.disk is None or not disk.shareable:
        return disk.cache
    if disk.cache not in ("", "none"):
        raise DomainError(f"{field}.cache", "disks that VMs share cannot be cached: cache must be none")
    return "none"


def _add_target(element: Element, disk: Disk, bus: str, source: DiskSource, unit: int) -> None:
    target = target_of(disk)
    attributes = {"dev": device_name(_PREFIXES.get(bus, ""), unit)}
    if bus:
        attributes["bus"] = bus
    if isinstance(target, CDRomTarget) and target.tray:
        attributes["tray"] = target.tray
    element.append(leaf("target", **attributes))
    if _readonly(disk) or source.metrics:
        element.append(leaf("readonly"))
    if disk.disk is not None:
        if disk.shareable:
            SubElement(element, "shareable")
        if disk.serial:
            SubElement(element, "serial").text = disk.serial
    if disk.boot_order is not None:
        SubElement(element, "boot", {"order": str(disk.boot_order)})
    add_alias(element, disk.name)


def _add_address(element: Element, target: DiskTarget | None, bus: str, unit: int | None, field: str) -> None:
    if target is not None and target.pci_address:
        if bus != "virtio":
            raise DomainError(f"{field}.disk.pciAddress", f"only virtio disks sit on PCI, and this one is {bus}")
        add_pci_address(element, target.pci_address, f"{field}.disk.pciAddress")
    elif bus == "scsi" and unit is not None:
        add_scsi_address(element, unit)


def _readonly(disk: Disk) -> bool:
    if disk.cdrom is not None and disk.disk is None and disk.lun is None:
        return disk.cdrom.readonly is not False
    writable = disk.disk or disk.lun
    return writable is not None and writable.readonly


def _with_image(shared: Element, path: str, image: Image) -> Element:
    """A disk like another, on an image of its own."""
    element = Element("disk", shared.attrib)
    element.extend(shared)
    element[1] = Element("source", _location(msgspec.structs.replace(image, path=path), named=True))
    element[1].extend(shared[1])
    return element


def _image(tag: str, image: Image, *, named: bool) -> Element:
    element = Element(tag, {"type": image.type})
    SubElement(element, "format", {"type": image.format})
    SubElement(element, "source", _location(image, named=named))
    return element


def _location(image: Image, *, named: bool) -> dict[str, str]:
    location = {"file" if image.type == "file" else "dev": image.path}
    if named and image.name:
        location["name"] = image.name
    return location
