"""The disks of a VMI, how they pair with its volumes by name, and the boot order.

Source: pkg/storage/admitters/disks.go; vmi-create-admitter.go (validateBootOrder,
validateVirtualMachineInstanceSpecVolumeDisks, validatePersistentReservation); pkg/storage/reservation/pr.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter

from virtcatalog.api.addresses import is_pci_address
from virtcatalog.api.devices import BlockSize, CustomBlockSize, Disk
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_label_problems
from virtcatalog.errors import Cause, nearest
from virtcatalog.kubevirt.causes import MOST_CAUSES, invalid, not_supported, required
from virtcatalog.kubevirt.configuration import Configuration

MAX_SERIAL_LENGTH = 256
MIN_BLOCK_SIZE, MAX_BLOCK_SIZE = 512, 2 * 1024 * 1024
_SERIAL = re.compile(r"[A-Za-z0-9_.+-]+")
_CACHES = ("", "none", "writethrough", "writeback")
_IO_MODES = ("", "native", "threads")
_ERROR_POLICIES = (None, "stop", "ignore", "report", "enospace")
_BUSES_OF_CDROM = ("scsi", "sata", "usb")
_BUSES = ("virtio", *_BUSES_OF_CDROM)


def validate_disks(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Name, target, address, boot order, bus, serial, cache, IO mode, error policy and block size of every disk.

    Source: ValidateDisks.
    """
    disks_path = f"{path}.domain.devices.disks"
    named: dict[str, list[int]] = {}
    for index, disk in enumerate(spec.domain.devices.disks):
        name = disk.name
        namesakes = named.setdefault(name, [])
        for earlier in namesakes:
            field = f"{disks_path}[{index}].name"
            yield invalid(field, f"disk {earlier} is also named {name!r}: names must differ")
        if len(namesakes) < MOST_CAUSES:
            namesakes.append(index)
        target = disk.disk
        is_hard_disk = disk.lun is None and disk.cdrom is None
        if not is_hard_disk or (target is not None and target.pci_address):
            yield from _target(disk, index, disks_path)
        if disk.boot_order == 0:
            yield invalid(f"{disks_path}[{index}].bootOrder", f"disk {name!r}: bootOrder must be 1 or greater")
        is_plain = target is None or (target.bus in _BUSES and not target.readonly)
        if not is_hard_disk or not is_plain or disk.dedicated_io_thread:
            yield from _bus(disk, index, disks_path)
        if disk.serial:
            yield from _serial(disk.serial, f"{disks_path}[{index}].serial")
        if disk.cache not in _CACHES:
            yield invalid(
                f"{disks_path}[{index}].cache",
                f"disk {name!r}: cache {disk.cache!r} is none of none, writethrough and writeback",
            )
        if disk.io not in _IO_MODES:
            yield not_supported(
                f"{disks_path}.domain.devices.disks[{index}].io",
                f"disk {name!r}: io {disk.io!r} is neither native nor threads",
            )
        if disk.error_policy not in _ERROR_POLICIES:
            yield invalid(
                f"{disks_path}[{index}].errorPolicy",
                f"disk {name!r}: errorPolicy {disk.error_policy!r} is none of stop, ignore, report and enospace",
            )
        for problem in dns_label_problems(name):
            field = f"{disks_path}.domain.devices.disks[{index}].name"
            yield invalid(field, f"a disk's name can become a container's: {problem}")
        if disk.block_size is not None:
            yield from _block_size(disk, disk.block_size, f"{disks_path}[{index}].blockSize")


def _target(disk: Disk, index: int, disks_path: str) -> Iterator[Cause]:
    """One of disk, lun and cdrom at most; a PCI address is for virtio disks alone."""
    target = disk.disk
    if (target is not None) + (disk.lun is not None) + (disk.cdrom is not None) > 1:
        field = f"{disks_path}[{index}]"
        yield invalid(field, f"disk {disk.name!r} can have only one of disk, lun and cdrom")
    if target is not None and target.pci_address:
        field = f"{disks_path}.domain.devices.disks.disk[{index}].pciAddress"
        if target.bus != "virtio":
            yield invalid(field, f"disk {disk.name!r}: pciAddress needs bus virtio")
        if not is_pci_address(target.pci_address):
            yield invalid(field, f"disk {disk.name!r}: {target.pci_address!r} is no PCI address such as 0000:81:01.0")


def _bus_of(disk: Disk) -> tuple[str, str]:
    """The kind of target that counts and its bus."""
    if disk.disk is not None:
        return "disk", disk.disk.bus
    if disk.lun is not None:
        return "lun", disk.lun.bus
    if disk.cdrom is not None:
        return "cdrom", disk.cdrom.bus
    return "", ""


def _bus(disk: Disk, index: int, disks_path: str) -> Iterator[Cause]:
    kind, bus = _bus_of(disk)
    if not bus:
        return
    if bus not in _BUSES:
        possible = _BUSES_OF_CDROM if kind == "cdrom" else _BUSES
        yield invalid(
            f"{disks_path}[{index}].{kind}.bus",
            f"disk {disk.name!r}: bus {bus!r} is none of {', '.join(possible)}{nearest(bus, possible)}",
        )
    elif bus == "virtio" and kind == "cdrom":
        yield invalid(f"{disks_path}[{index}].cdrom.bus", f"disk {disk.name!r}: a cdrom cannot be on bus virtio")
    elif bus == "sata" and disk.disk is not None and disk.disk.readonly:
        field = f"{disks_path}[{index}].disk.bus"
        yield invalid(field, f"disk {disk.name!r}: a hard disk on bus sata cannot be readonly")
    if disk.dedicated_io_thread and bus != "virtio":
        yield not_supported(
            f"{disks_path}.domain.devices.disks[{index}]",
            f"disk {disk.name!r}: dedicatedIOThread needs bus virtio, not {bus}",
        )


def _serial(serial: str, field: str) -> Iterator[Cause]:
    if not _SERIAL.fullmatch(serial):
        yield invalid(field, f"serial {serial!r} can hold letters, digits and _.+- alone")
    if len(serial) > MAX_SERIAL_LENGTH:
        yield invalid(field, f"serial has {len(serial)} characters, {MAX_SERIAL_LENGTH} are allowed")


def _block_size(disk: Disk, size: BlockSize, field: str) -> Iterator[Cause]:
    custom, match = size.custom, size.match_volume
    if custom is None:
        return
    if match is not None and match.enabled is not False:
        yield invalid(field, f"disk {disk.name!r}: blockSize is either custom or matchVolume, not both")
    elif custom.logical > custom.physical:
        yield invalid(
            f"{field}.custom.logical",
            f"disk {disk.name!r}: logical block size {custom.logical} is greater than physical {custom.physical}",
        )
    elif _bus_of(disk)[1] == "sata" and custom.logical != MIN_BLOCK_SIZE:
        yield invalid(
            f"{field}.custom.logical",
            f"disk {disk.name!r}: on bus sata the logical block size is {MIN_BLOCK_SIZE}, not {custom.logical}",
        )
    elif custom.discard_granularity is not None and custom.logical and custom.discard_granularity % custom.logical:
        yield invalid(
            f"{field}.custom.discardGranularity",
            f"disk {disk.name!r}: discard granularity {custom.discard_granularity} is no multiple of the logical "
            f"block size {custom.logical}",
        )
    else:
        yield from _block_sizes(custom, f"{field}.custom")


def _block_sizes(custom: CustomBlockSize, field: str) -> Iterator[Cause]:
    for kind, size in (("logical", custom.logical), ("physical", custom.physical)):
        if not MIN_BLOCK_SIZE <= size <= MAX_BLOCK_SIZE or size & (size - 1):
            yield invalid(
                f"{field}.{kind}",
                f"block size {size} is no power of two between {MIN_BLOCK_SIZE} and {MAX_BLOCK_SIZE}",
            )


def validate_persistent_reservations(
    spec: VirtualMachineInstanceSpec, path: str, config: Configuration
) -> Iterator[Cause]:
    """A LUN with a reservation needs the helper that the KubeVirt CR switches on (validatePersistentReservation)."""
    if config.persistent_reservation:
        return
    for disk in spec.domain.devices.disks:
        if disk.lun is not None and disk.lun.reservation:
            yield invalid(
                f"{path}.domain.devices.disks.luns.reservation",
                "a LUN with a reservation needs persistentReservationConfiguration.enabled in the KubeVirt CR",
            )
            return


_name = attrgetter("name")
RESERVED_CONTAINER_PATHS = ("/var/run/kubevirt", "/var/run/libvirt")


def validate_disk_volumes(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A volume for every disk, one that suits it, and no boot order twice (validateBootOrder)."""
    devices = spec.domain.devices
    volumes = {volume.name: volume for volume in spec.volumes}
    orphans = {disk.name for disk in devices.disks} - volumes.keys()
    hint = nearest(min(orphans), volumes) if len(orphans) == 1 else ""
    orders: set[int] = set()
    for index, disk in enumerate(devices.disks):
        volume = volumes.get(disk.name)
        if volume is None:
            yield from _no_volume(disk, hint, f"{path}.domain.devices.disks[{index}].name", config)
        elif disk.lun is not None and volume.persistent_volume_claim is None and volume.data_volume is None:
            yield invalid(
                f"{path}.domain.devices.disks[{index}].lun",
                f"disk {disk.name!r}: the volume of a lun is a persistentVolumeClaim or a dataVolume",
            )
        if volume is not None and volume.downward_metrics is not None:
            yield from _downward_metrics(disk, f"{path}.domain.devices.disks[{index}].disk")
        if disk.boot_order is not None:
            if disk.boot_order in orders:
                yield _taken(f"{path}.domain.devices.disks[{index}].bootOrder", disk.boot_order)
            orders.add(disk.boot_order)
    for index, interface in enumerate(devices.interfaces):
        order = interface.boot_order
        if order is None:
            continue
        if order < 1:
            # KubeVirt indexes the spec itself here, not its interfaces.
            field = f"{path}[{index}].bootOrder"
            yield invalid(field, f"interface {interface.name!r}: bootOrder must be 1 or greater")
            continue
        if order in orders:
            yield _taken(f"{path}.domain.devices.interfaces[{index}].bootOrder", order)
        orders.add(order)


def validate_volume_disks(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A disk or a filesystem for every volume: a rule for VMIs alone, a VM's volume may wait for its disk.

    Source: validateVirtualMachineInstanceSpecVolumeDisks.
    """
    devices = spec.domain.devices
    disks, filesystems = set(map(_name, devices.disks)), set(map(_name, devices.filesystems))
    for index, volume in enumerate(spec.volumes):
        if volume.memory_dump is not None:
            continue
        name = volume.name
        if name not in disks and name not in filesystems:
            field = f"{path}.domain.volumes[{index}].name"
            yield invalid(field, f"no disk and no filesystem is named {name!r}")
        if volume.container_path is not None:
            field = f"{path}.domain.volumes[{index}]"
            yield from _container_path(name, volume.container_path.path, field, name in disks, name in filesystems)


def _no_volume(disk: Disk, hint: str, field: str, config: Configuration) -> Iterator[Cause]:
    if disk.cdrom is None:
        yield invalid(field, f"no volume is named {disk.name!r}{hint}")
    elif not config.feature_gate("DeclarativeHotplugVolumes"):
        yield invalid(
            field, f"no volume is named {disk.name!r}: an empty cdrom needs the feature gate DeclarativeHotplugVolumes"
        )


def _downward_metrics(disk: Disk, field: str) -> Iterator[Cause]:
    if disk.disk is None:
        yield required(field, f"disk {disk.name!r}: the target of a downwardMetrics volume is disk")
    elif disk.disk.bus not in ("", "virtio"):
        message = f"disk {disk.name!r}: a downwardMetrics volume is on bus virtio, not {disk.disk.bus}"
        yield invalid(f"{field}.bus", message)


def _taken(field: str, order: int) -> Cause:
    return invalid(field, f"bootOrder {order} belongs to an earlier device")


def _container_path(name: str, source: str, field: str, has_disk: bool, has_filesystem: bool) -> Iterator[Cause]:
    if has_disk:
        yield invalid(field, f"volume {name!r}: a containerPath is mounted as a filesystem, not a disk")
    if not has_filesystem:
        yield invalid(field, f"volume {name!r}: a containerPath needs a filesystem of that name")
    reserved = next((prefix for prefix in RESERVED_CONTAINER_PATHS if source.startswith(prefix)), None)
    if reserved:
        yield invalid(f"{field}.containerPath.path", f"volume {name!r}: {reserved} belongs to KubeVirt")
