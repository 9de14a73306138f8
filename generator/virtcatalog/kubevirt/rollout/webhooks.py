"""What webhooks say to an update: of a VM by its user, of a VMI by virt-controller.

Source: pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go, pkg/instancetype/webhooks/vm/mutator.go,
pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go and vmi-update-admitter.go (admitHotplug), with the
operation UPDATE; pkg/storage/admitters/storagehotplug.go (AdmitHotplugStorage).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.vm import admit_vm
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.webhooks import mutate_updated_vm
from virtcatalog.kubevirt.launcher.elements.iothreads import bus_of
from virtcatalog.kubevirt.matchers import Matcher
from virtcatalog.kubevirt.rollout.running import AttachedVolume
from virtcatalog.kubevirt.rollout.volumes import can_be_hotplugged, disks_by_name, volumes_by_name


def admit_vmi_update(
    new: VirtualMachineInstanceSpec,
    old: VirtualMachineInstanceSpec,
    attached: Mapping[str, AttachedVolume],
    migrated: Set[str],
    config: Configuration,
) -> list[Cause]:
    """Say why a running VMI may not become another one, at fields of the VM; the first problem is the only one.

    `attached` are the volumes in the VMI's status, `migrated` the names of those that move to another claim. What else
    the webhook looks at, limits of CPU and memory hotplug and utility volumes, no change of a VM touches.
    """
    mismatch = _mismatch(new, config)
    if mismatch:
        return [mismatch]
    disks, old_disks = disks_by_name(new), disks_by_name(old)
    volumes, old_volumes = volumes_by_name(new), volumes_by_name(old)
    permanent = {name for name, attached_volume in attached.items() if not attached_volume.hotplugged}
    cause = _permanent(_only(volumes, permanent), _only(old_volumes, permanent), disks, old_disks, migrated)
    if cause is None:
        plugged, old_plugged = _but(volumes, permanent), _but(old_volumes, permanent)
        cause = _hotplugged(plugged, old_plugged, disks, old_disks, migrated)
    return [] if cause is None else [cause]


def _only(volumes: Mapping[str, Volume], names: Set[str]) -> dict[str, Volume]:
    return {name: volume for name, volume in volumes.items() if name in names}


def _but(volumes: Mapping[str, Volume], names: Set[str]) -> dict[str, Volume]:
    return {name: volume for name, volume in volumes.items() if name not in names}


def _mismatch(spec: VirtualMachineInstanceSpec, config: Configuration) -> Cause | None:
    """Every volume is used once, and every disk but an empty CD-ROM drive has one."""
    names = {volume.name for volume in spec.volumes if volume.memory_dump is None}
    empty_drives = config.feature_gate("DeclarativeHotplugVolumes")
    used = len(spec.domain.devices.filesystems) + sum(
        disk.name in names or disk.cdrom is None or not empty_drives for disk in spec.domain.devices.disks
    )
    if used == len(names):
        return None
    return _cause("volumes", f"{len(names)} volumes, and {used} disks and filesystems to use them")


def _permanent(
    new: Mapping[str, Volume],
    old: Mapping[str, Volume],
    disks: Mapping[str, Disk],
    old_disks: Mapping[str, Disk],
    migrated: Set[str],
) -> Cause | None:
    """What the machine started with stays as it is, but for claims that are migrated."""
    if len(new) != len(old):
        return _cause("volumes", "a volume that the machine started with cannot go while it runs")
    for name, volume in new.items():
        if name in migrated:
            continue
        if volume != old[name]:
            return _cause("volumes", f"volume {name!r} is one that the machine started with: it cannot change")
        if disks.get(name) != old_disks.get(name):
            return _cause("domain.devices.disks", f"the disk of volume {name!r} cannot change while the machine runs")
    return None


def _hotplugged(
    new: Mapping[str, Volume],
    old: Mapping[str, Volume],
    disks: Mapping[str, Disk],
    old_disks: Mapping[str, Disk],
    migrated: Set[str],
) -> Cause | None:
    for name, volume in new.items():
        disk = disks.get(name)
        if name in old:
            if volume != old[name] and name not in migrated:
                return _cause("volumes", f"volume {name!r} is plugged in: it cannot change")
            if volume.memory_dump is None and (disk is None or disk != old_disks.get(name)):
                return _cause("domain.devices.disks", f"the disk of volume {name!r} is plugged in: it cannot change")
            continue
        if not can_be_hotplugged(volume):
            return _cause("volumes", f"volume {name!r} is neither a claim nor a DataVolume: it cannot be plugged in")
        if volume.memory_dump is None:
            if disk is None:
                return _cause("domain.devices.disks", f"volume {name!r} has no disk")
            if name not in old_disks and (problem := _unpluggable(disk)):
                return _cause("domain.devices.disks", f"disk {name!r}: {problem}")
    return None


def _unpluggable(disk: Disk) -> str:
    """Why a disk cannot be plugged in, "" if it can (ValidateHotplugDiskConfiguration)."""
    bus = bus_of(disk)
    if disk.disk is not None:
        if bus not in ("scsi", "virtio"):
            return f"bus {bus!r} has no hotplug: use scsi or virtio"
    elif disk.lun is not None:
        if bus != "scsi":
            return f"bus {bus!r} has no hotplug of a LUN: use scsi"
    else:
        return "only a disk or LUN can be plugged in"
    if disk.dedicated_io_thread and bus != "virtio":
        return "an IO thread of its own needs bus virtio"
    if disk.boot_order is not None and disk.boot_order < 1:
        return "bootOrder starts at 1"
    return ""


def _cause(field: str, message: str) -> Cause:
    return invalid(f"spec.template.spec.{field}", message)


def admit_update(vm: VirtualMachine, old: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Give a VM that is updated what its webhook gives it, and say why it is refused; changes `vm`."""
    return mutate_update(vm, old, cluster) or admit_vm(vm, cluster, updated=True)


def mutate_update(vm: VirtualMachine, old: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Give a VM that is updated what its mutating webhook gives it, and say why that refuses it; changes `vm`."""
    return (
        list(_turned(vm.spec.instancetype, old.spec.instancetype, "spec.instancetype"))
        or list(_turned(vm.spec.preference, old.spec.preference, "spec.preference"))
        or mutate_updated_vm(vm, cluster)
    )


def _turned(new: Matcher | None, old: Matcher | None, path: str) -> Iterator[Cause]:
    """A revision belongs to the object that it was made of (validateMatcherUpdate)."""
    if new is None or old is None or not new.revision_name or new.name == old.name:
        return
    if new.revision_name == old.revision_name:
        message = f"is a revision of {old.name!r}: clear it, or name one of {new.name!r}"
        yield invalid(f"{path}.revisionName", f"{new.revision_name!r} {message}")
