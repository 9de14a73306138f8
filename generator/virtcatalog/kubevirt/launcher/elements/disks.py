"""`<disk>`: what the guest sees of the VMI's disks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.context import BackingVolume, Context
from virtcatalog.kubevirt.launcher.elements.address import alias, pci_address, scsi_address
from virtcatalog.kubevirt.launcher.elements.disksource import EMPTY_TRAY, DiskSource, Image, blockio, source_of
from virtcatalog.kubevirt.launcher.elements.iothreads import (
    SUPPLEMENTAL_POOL,
    bus_of,
    disk_threads,
    has_iothreads,
    supplemental_pool,
    target_of,
)
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf, own, shared
from virtcatalog.kubevirt.memo import memo
from virtcatalog.releases import Traits

_PREFIXES = {"virtio": "vd", "sata": "sd", "scsi": "sd", "usb": "sd"}
_ERROR_POLICIES = ("stop", "ignore", "report", "enospace")
_RESERVATIONS_SOCKET = "/var/run/kubevirt/daemons/pr/pr-helper.sock"


class VirtioDisks(NamedTuple):
    """What the virtio disks of a VMI have in common: `pool` IO threads serve all of them, None without a pool.

    `queues` is 0 where disks have no more than one queue.
    """

    model: str
    queues: int
    iommu: bool
    pool: int | None


def virtio_disks(domain: DomainSpec, vcpus: int, model: str, *, iommu: bool) -> VirtioDisks:
    """What the virtio disks of a domain with so many vCPUs have in common."""
    queues = (vcpus or 1) if domain.devices.block_multi_queue else 0
    pool = supplemental_pool(domain) if domain.io_threads_policy == SUPPLEMENTAL_POOL else None
    return VirtioDisks(model, queues, iommu, pool)


def disks(
    domain: DomainSpec, volumes: Sequence[Volume], metadata: ObjectMeta, virtio: VirtioDisks, context: Context
) -> tuple[list[Element], list[DiskSource | None]]:
    """A `<disk>` for each disk of the VMI, and what is behind each; DomainError for one that cannot be.

    Nothing is behind a CD-ROM drive without a volume. Source: pkg/virt-launcher/virtwrap/converter/converter.go
    (Convert_v1_VirtualMachineInstance_To_api_Domain, Convert_v1_Disk_To_api_Disk).
    """
    volume_of = {volume.name: (index, volume) for index, volume in enumerate(volumes)}
    threads = disk_threads(domain) if virtio.pool is None and has_iothreads(domain) else None
    names = _Names()
    elements: list[Element] = []
    sources: list[DiskSource | None] = []
    for position, disk in enumerate(domain.devices.disks):
        field, bus, source = f"spec.domain.devices.disks[{position}]", bus_of(disk), None
        if disk.name in volume_of:
            index, volume = volume_of[disk.name]
            source = source_of(volume, index, metadata, context)
        elif disk.cdrom is None:
            raise DomainError(f"{field}.name", f"there is no volume {disk.name!r}")
        thread = next(threads) if threads is not None and bus == "virtio" else None
        unit = names.unit(disk.name, bus)
        elements.append(_disk(disk, bus, field, unit, thread, source or EMPTY_TRAY, virtio, context))
        sources.append(source)
    return elements, sources


class _Names:
    """Numbers disks among those of their prefix (vd, sd), in their order; disks of one name have one number."""

    def __init__(self) -> None:
        self._units: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def unit(self, name: str, bus: str) -> int:
        unit = self._units.get(name)
        if unit is None:
            prefix = _PREFIXES.get(bus, "")
            unit = self._units[name] = self._counts.get(prefix, 0)
            self._counts[prefix] = unit + 1
        return unit


def device_name(prefix: str, index: int) -> str:
    """`vd` and 0 make `vda`; after `vdz` comes `vdaa`."""
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return prefix + name


def _disk(
    disk: Disk,
    bus: str,
    field: str,
    unit: int,
    thread: int | None,
    source: DiskSource,
    virtio: VirtioDisks,
    context: Context,
) -> Element:
    device = "disk" if disk.disk is not None else "lun" if disk.lun is not None else "cdrom"
    attributes = {"type": source.image.type, "device": device}
    if (device == "disk" and bus == "virtio") or source.metrics:
        attributes["model"] = virtio.model
    parts = [_driver(disk, bus, source, thread, virtio, field), _source(disk, source, context.release.traits)]
    if source.backing is not None:
        parts.append(_image("backingStore", source.backing, by_name=True))
    if disk.block_size is not None:
        parts += blockio(disk.block_size, source, context, f"{field}.blockSize")
    parts += _target(disk, bus, source, unit)
    parts += _address(disk.disk, bus, unit if disk.cdrom is None else None, field)
    if source.claim is not None and source.claim.has_claim and disk.cdrom is None:
        parts += _growth(source.claim, expand_disks=context.expand_disks)
    return own("disk", *parts, **attributes) if source.own else shared("disk", *parts, **attributes)


@memo
def _growth(claim: BackingVolume, *, expand_disks: bool) -> Sequence[Element]:
    """How far the image on a claim may grow."""
    parts = [leaf("filesystemOverhead", claim.filesystem_overhead)]
    if claim.capacity is not None:
        parts.append(leaf("capacity", str(claim.capacity)))
    if expand_disks:
        parts.append(leaf("expandDisksEnabled", "true"))
    return tuple(parts)


def _source(disk: Disk, source: DiskSource, traits: Traits) -> Element:
    parts = []
    if disk.lun is not None and disk.lun.reservation and not source.metrics:
        migration = {"migration": "yes"} if traits.reservations_migrate else {}
        helper = leaf("source", type="unix", path=_RESERVATIONS_SOCKET, mode="client")
        parts.append(shared("reservations", helper, managed="no", **migration))
    if source.data is not None:
        parts.append(_image("dataStore", source.data, by_name=False))
    return own("source", *parts, **_place(source.image)) if source.own else _shared_source(source.image, *parts)


@memo
def _shared_source(image: Image, *parts: Element) -> Element:
    return shared("source", *parts, **_place(image))


def _place(image: Image) -> dict[str, str]:
    return _location(image, by_name=True) if image.path else {}


def _driver(disk: Disk, bus: str, source: DiskSource, thread: int | None, virtio: VirtioDisks, field: str) -> Element:
    cache, policy, is_virtio = _cache(disk, field), disk.error_policy, bus == "virtio"
    if policy is not None and policy not in _ERROR_POLICIES:
        raise DomainError(f"{field}.errorPolicy", f"{policy!r} is none of {', '.join(_ERROR_POLICIES)}")
    pool = virtio.pool if is_virtio else None
    if source.metrics:
        return _driver_of(source.image.format, "", policy or "stop", "", False, 0, False, thread, pool)
    unmap = source.discard or (disk.cdrom is None and (source.claim is None or not source.claim.preallocated))
    queues, iommu = (virtio.queues, virtio.iommu) if is_virtio else (0, False)
    return _driver_of(source.image.format, cache, policy or "stop", disk.io, unmap, queues, iommu, thread, pool)


@memo
def _driver_of(
    image_format: str,
    cache: str,
    policy: str,
    io: str,
    unmap: bool,
    queues: int,
    iommu: bool,
    thread: int | None,
    pool: int | None,
) -> Element:
    """`<driver>`, served by an IO thread, or by a pool of so many, or by neither."""
    attributes = {"name": "qemu", "type": image_format}
    if cache:
        attributes["cache"] = cache
    attributes["error_policy"] = policy
    if io:
        attributes["io"] = io
    if unmap:
        attributes["discard"] = "unmap"
    if queues:
        attributes["queues"] = str(queues)
    if iommu:
        attributes["iommu"] = "on"
    if thread is not None:
        attributes["iothread"] = str(thread)
    if pool is None:
        return leaf("driver", **attributes)
    threads = [leaf("iothread", id=str(number)) for number in range(1, pool + 1)]
    return shared("driver", shared("iothreads", *threads), **attributes)


def _cache(disk: Disk, field: str) -> str:
    if disk.disk is None or not disk.shareable:
        return disk.cache
    if disk.cache not in ("", "none"):
        raise DomainError(f"{field}.cache", "disks that VMs share cannot be cached: cache must be none")
    return "none"


def _target(disk: Disk, bus: str, source: DiskSource, unit: int) -> Sequence[Element]:
    target = target_of(disk)
    tray = target.tray if isinstance(target, CDRomTarget) else ""
    readonly = _readonly(disk) or source.metrics
    shareable, serial = (bool(disk.shareable), disk.serial) if disk.disk is not None else (False, "")
    return _target_of(disk.name, bus, unit, tray, readonly, shareable, serial, disk.boot_order)


@memo
def _target_of(
    name: str, bus: str, unit: int, tray: str, readonly: bool, shareable: bool, serial: str, boot_order: int | None
) -> Sequence[Element]:
    """`<target>`, and what says how the guest sees the disk, up to its `<alias>`."""
    attributes = {"dev": device_name(_PREFIXES.get(bus, ""), unit)}
    if bus:
        attributes["bus"] = bus
    if tray:
        attributes["tray"] = tray
    parts = [leaf("target", **attributes)]
    if readonly:
        parts.append(leaf("readonly"))
    if shareable:
        parts.append(leaf("shareable"))
    if serial:
        parts.append(leaf("serial", serial))
    if boot_order is not None:
        parts.append(leaf("boot", order=str(boot_order)))
    return (*parts, alias(name))


def _address(target: DiskTarget | None, bus: str, unit: int | None, field: str) -> list[Element]:
    if target is not None and target.pci_address:
        if bus != "virtio":
            raise DomainError(f"{field}.disk.pciAddress", f"only virtio disks sit on PCI, and this one is {bus}")
        return [pci_address(target.pci_address, f"{field}.disk.pciAddress")]
    return [scsi_address(unit)] if bus == "scsi" and unit is not None else []


def _readonly(disk: Disk) -> bool:
    if disk.cdrom is not None and disk.disk is None and disk.lun is None:
        return disk.cdrom.readonly is not False
    writable = disk.disk or disk.lun
    return writable is not None and writable.readonly


def _image(tag: str, image: Image, *, by_name: bool) -> Element:
    location = leaf("source", **_location(image, by_name=by_name))
    return shared(tag, leaf("format", type=image.format), location, type=image.type)


def _location(image: Image, *, by_name: bool) -> dict[str, str]:
    location = {"file" if image.type == "file" else "dev": image.path}
    if by_name and image.name:
        location["name"] = image.name
    return location
