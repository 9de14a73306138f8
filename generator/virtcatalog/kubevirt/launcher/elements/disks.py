"""`<disk>`: what the guest sees of the VMI's disks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address, add_scsi_address
from virtcatalog.kubevirt.launcher.elements.blockio import add_blockio
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


def disks(vmi: VirtualMachineInstance, context: Context) -> Iterator[Element]:
    """Yield a `<disk>` for each disk of the VMI; DomainError for one that cannot be.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_Disk_To_api_Disk).
    """
    devices = vmi.spec.domain.devices
    volumes = {volume.name: (index, volume) for index, volume in enumerate(vmi.spec.volumes)}
    units = _units(devices.disks)
    queues = str(requested_topology(vmi).vcpus or 1) if devices.block_multi_queue else ""
    iommu = uses_iommu(vmi)
    pool = vmi.spec.domain.io_threads_policy == SUPPLEMENTAL_POOL
    threads = disk_threads(vmi) if has_iothreads(vmi) and not pool else None
    for position, disk in enumerate(devices.disks):
        field = f"spec.domain.devices.disks[{position}]"
        source = _source(vmi, disk, volumes.get(disk.name), context, field)
        bus = bus_of(disk)
        virtio = bus == "virtio"
        attributes = _driver(disk, source, context, field)
        if virtio and not source.metrics:
            if queues:
                attributes["queues"] = queues
            if iommu:
                attributes["iommu"] = "on"
        if virtio and threads is not None:
            attributes["iothread"] = str(next(threads))
        driver = leaf("driver", **attributes)
        if virtio and pool:
            driver = _with_pool(attributes, vmi)
        element = _disk(vmi, disk, bus, source, driver, context)
        _add_rest(element, disk, bus, source, units[disk.name], context, field)
        yield element


@lru_cache(maxsize=1024)
def device_name(prefix: str, index: int) -> str:
    """`vd` and 0 make `vda`; after `vdz` comes `vdaa`."""
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return prefix + name


def _units(disks: list[Disk]) -> dict[str, int]:
    """Number the disks of each prefix (`vd`, `sd`) in their order."""
    counts: dict[str, int] = {}
    units: dict[str, int] = {}
    for disk in disks:
        if disk.name not in units:
            prefix = _PREFIXES.get(bus_of(disk), "")
            units[disk.name] = counts.get(prefix, 0)
            counts[prefix] = units[disk.name] + 1
    return units


def _source(
    vmi: VirtualMachineInstance, disk: Disk, found: tuple[int, Volume] | None, context: Context, field: str
) -> DiskSource:
    if found is not None:
        return source_of(vmi, found[1], found[0], context)
    if disk.cdrom is None:
        raise DomainError(f"{field}.name", f"there is no volume {disk.name!r}")
    return EMPTY_TRAY


def _driver(disk: Disk, source: DiskSource, context: Context, field: str) -> dict[str, str]:
    attributes = {"name": "qemu", "type": source.image.format}
    cache = _cache(disk, field)
    policy = disk.error_policy or "stop"
    if disk.error_policy is not None and disk.error_policy not in _ERROR_POLICIES:
        raise DomainError(f"{field}.errorPolicy", f"{disk.error_policy!r} is none of {', '.join(_ERROR_POLICIES)}")
    if source.metrics:
        attributes["error_policy"] = policy
        return attributes
    if cache:
        attributes["cache"] = cache
    attributes["error_policy"] = policy
    if disk.io:
        attributes["io"] = disk.io
    claim = context.volumes.get(disk.name)
    if source.discard or (disk.cdrom is None and (claim is None or not claim.preallocated)):
        attributes["discard"] = "unmap"
    return attributes


def _cache(disk: Disk, field: str) -> str:
    if disk.disk is None or not disk.shareable:
        return disk.cache
    if disk.cache not in ("", "none"):
        raise DomainError(f"{field}.cache", "disks that VMs share cannot be cached: cache must be none")
    return "none"


def _disk(
    vmi: VirtualMachineInstance, disk: Disk, bus: str, source: DiskSource, driver: Element, context: Context
) -> Element:
    device = "disk" if disk.disk is not None else "lun" if disk.lun is not None else "cdrom"
    element = Element("disk", {"type": source.image.type, "device": device})
    if (device == "disk" and bus == "virtio") or source.metrics:
        transitional = vmi.spec.domain.devices.use_virtio_transitional
        element.set("model", context.architecture.virtio_model(transitional))
    element.append(driver)
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
    return element


def _add_rest(
    element: Element, disk: Disk, bus: str, source: DiskSource, unit: int, context: Context, field: str
) -> None:
    target = target_of(disk)
    if disk.block_size is not None:
        add_blockio(element, disk.block_size, source, context, f"{field}.blockSize")
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
    _add_address(element, disk.disk, bus, unit if disk.cdrom is None else None, field)
    claim = context.volumes.get(disk.name)
    if claim is not None and claim.has_claim and disk.cdrom is None:
        SubElement(element, "filesystemOverhead").text = claim.filesystem_overhead
        if claim.capacity is not None:
            SubElement(element, "capacity").text = str(claim.capacity)
        if context.expand_disks:
            SubElement(element, "expandDisksEnabled").text = "true"


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


def _with_pool(attributes: dict[str, str], vmi: VirtualMachineInstance) -> Element:
    driver = Element("driver", attributes)
    listed = SubElement(driver, "iothreads")
    for thread in range(1, supplemental_pool(vmi) + 1):
        SubElement(listed, "iothread", {"id": str(thread)})
    return driver


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
