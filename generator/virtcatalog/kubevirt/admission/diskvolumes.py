"""How disks, filesystems and volumes pair by name, and the boot order of disks and interfaces.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go (validateBootOrder,
validateVirtualMachineInstanceSpecVolumeDisks).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration

_name = attrgetter("name")
RESERVED_CONTAINER_PATHS = ("/var/run/kubevirt", "/var/run/libvirt")


def validate_disk_volumes(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A volume for every disk, one that suits it, and no boot order twice (validateBootOrder)."""
    devices = spec.domain.devices
    volumes = {volume.name: volume for volume in spec.volumes}
    orders: set[int] = set()
    for index, disk in enumerate(devices.disks):
        volume = volumes.get(disk.name)
        if volume is None:
            yield from _no_volume(disk, f"{path}.domain.devices.disks[{index}].name", config)
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


def _no_volume(disk: Disk, field: str, config: Configuration) -> Iterator[Cause]:
    if disk.cdrom is None:
        yield invalid(field, f"no volume is named {disk.name!r}")
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
