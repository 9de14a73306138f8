"""`<disk>`: what the guest sees of the VMI's disks."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter

import msgspec

from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.context import BackingVolume, Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address, add_scsi_address
from virtcatalog.kubevirt.launcher.elements.blockio import Blocks, add_blockio, blocks_of
from virtcatalog.kubevirt.launcher.elements.disksource import EMPTY_TRAY, DiskSource, Image, source_of
from virtcatalog.kubevirt.launcher.elements.diskthreads import bus_of, disk_threads, target_of
from virtcatalog.kubevirt.launcher.elements.iothreads import SUPPLEMENTAL_POOL, has_iothreads, supplemental_pool
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf

_PREFIXES = {"virtio": "vd", "sata": "sd", "scsi": "sd", "usb": "sd"}
_ERROR_POLICIES = ("stop", "ignore", "report", "enospace")
_RESERVATIONS_SOCKET = "/var/run/kubevirt/daemons/pr/pr-helper.sock"

_block_size = attrgetter("block_size")
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Disk)
_OF_VM = DiskSource(image=Image("file", "raw", ""))
"""Stands for an image that is of one VM alone."""


class _Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What all disks of a VMI have in common.

    `queues`, `iommu` and `pool` are of virtio disks: `pool` is the number of threads that serve all of them, None
    without a pool. `blocks` are there where a disk asks for block sizes.
    """

    model: str
    queues: str
    iommu: bool
    pool: int | None
    reservations_migrate: bool
    expands: bool
    blocks: Blocks | None


def disks(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """A `<disk>` for each disk of the VMI; DomainError for one that cannot be.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_Disk_To_api_Disk).
    """
    devices = vmi.spec.domain.devices
    volumes = {volume.name: (index, volume) for index, volume in enumerate(vmi.spec.volumes)}
    machine = _machine(vmi, context)
    threads = disk_threads(vmi) if has_iothreads(vmi) and machine.pool is None else None
    units: dict[str, int] = {}
    counts: dict[str, int] = {}
    made = []
    for position, disk in enumerate(devices.disks):
        field = f"spec.domain.devices.disks[{position}]"
        source = _source(vmi, disk, volumes.get(disk.name), context, field)
        bus = bus_of(disk)
        if disk.name not in units:  # disks are numbered by prefix (vd, sd)
            prefix = _PREFIXES.get(bus, "")
            units[disk.name] = counts.get(prefix, 0)
            counts[prefix] = units[disk.name] + 1
        thread = next(threads) if threads is not None and bus == "virtio" else None
        claim, shared = context.volumes.get(disk.name), _OF_VM if source.of_vm else source
        element = _disk(_ENCODER.encode(disk), field, units[disk.name], thread, shared, claim, machine)
        made.append(_with_image(element, source.image) if source.of_vm else element)
    return made


def _machine(vmi: VirtualMachineInstance, context: Context) -> _Machine:
    devices = vmi.spec.domain.devices
    pooled = vmi.spec.domain.io_threads_policy == SUPPLEMENTAL_POOL
    return _Machine(
        model=context.architecture.virtio_model(devices.use_virtio_transitional),
        queues=str(requested_topology(vmi).vcpus or 1) if devices.block_multi_queue else "",
        iommu=uses_iommu(vmi),
        pool=supplemental_pool(vmi) if pooled else None,
        reservations_migrate=context.release.traits.reservations_migrate,
        expands=context.expand_disks,
        blocks=blocks_of(context) if any(map(_block_size, devices.disks)) else None,
    )


@lru_cache(maxsize=1024)
def device_name(prefix: str, index: int) -> str:
    """`vd` and 0 make `vda`; after `vdz` comes `vdaa`."""
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return prefix + name


def _source(
    vmi: VirtualMachineInstance, disk: Disk, found: tuple[int, Volume] | None, context: Context, field: str
) -> DiskSource:
    if found is not None:
        return source_of(vmi, found[1], found[0], context)
    if disk.cdrom is None:
        raise DomainError(f"{field}.name", f"there is no volume {disk.name!r}")
    return EMPTY_TRAY


@lru_cache(maxsize=1024)
def _disk(
    encoded: bytes,
    field: str,
    unit: int,
    thread: int | None,
    source: DiskSource,
    claim: BackingVolume | None,
    machine: _Machine,
) -> Element:
    """`<disk>` of what the VMI says in MessagePack: most disks of a name are alike. `unit` is its number on its bus."""
    disk = _DECODER.decode(encoded)
    bus = bus_of(disk)
    device = "disk" if disk.disk is not None else "lun" if disk.lun is not None else "cdrom"
    element = Shared("disk", {"type": source.image.type, "device": device})
    if (device == "disk" and bus == "virtio") or source.metrics:
        element.set("model", machine.model)
    element.append(_driver(disk, source, claim, thread, machine, field))
    image = SubElement(element, "source", _location(source.image, named=True) if source.image.path else {})
    if disk.lun is not None and disk.lun.reservation and not source.metrics:
        reservations = SubElement(image, "reservations", {"managed": "no"})
        if machine.reservations_migrate:
            reservations.set("migration", "yes")
        SubElement(reservations, "source", {"type": "unix", "path": _RESERVATIONS_SOCKET, "mode": "client"})
    if source.data is not None:
        image.append(_image("dataStore", source.data, named=False))
    if source.backing is not None:
        element.append(_image("backingStore", source.backing, named=True))
    if disk.block_size is not None and machine.blocks is not None:
        add_blockio(element, disk.block_size, source, machine.blocks, f"{field}.blockSize")
    _add_target(element, disk, bus, source, unit)
    _add_address(element, disk.disk, bus, unit if disk.cdrom is None else None, field)
    if claim is not None and claim.has_claim and disk.cdrom is None:
        SubElement(element, "filesystemOverhead").text = claim.filesystem_overhead
        if claim.capacity is not None:
            SubElement(element, "capacity").text = str(claim.capacity)
        if machine.expands:
            SubElement(element, "expandDisksEnabled").text = "true"
    return element


def _driver(
    disk: Disk, source: DiskSource, claim: BackingVolume | None, thread: int | None, machine: _Machine, field: str
) -> Element:
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
        if source.discard or (disk.cdrom is None and (claim is None or not claim.preallocated)):
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


def _with_image(shared: Element, image: Image) -> Element:
    """A disk like another, on an image of its own."""
    element = Element("disk", shared.attrib)
    element.extend(shared)
    element[1] = Element("source", _location(image, named=True))
    element[1].extend(shared[1])
    return element


@lru_cache(maxsize=1024)
def _image(tag: str, image: Image, *, named: bool) -> Element:
    element = Shared(tag, {"type": image.type})
    SubElement(element, "format", {"type": image.format})
    SubElement(element, "source", _location(image, named=named))
    return element


def _location(image: Image, *, named: bool) -> dict[str, str]:
    location = {"file" if image.type == "file" else "dev": image.path}
    if named and image.name:
        location["name"] = image.name
    return location
