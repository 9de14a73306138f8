"""Volumes of a running VMI: those it gets and loses as its VM declares them, and claims replaced by a migration.

Source: pkg/storage/hotplug/hotplug.go, pkg/storage/types/volume.go and pvc.go,
pkg/virt-controller/watch/volume-migration/volume-migration.go, pkg/virt-controller/watch/vm/vm.go
(handleVolumeUpdateRequest).
"""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.causes import invalid, not_supported
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.rollout.running import (
    STORAGE_LIVE_MIGRATABLE,
    VOLUMES_CHANGE,
    MigratedVolume,
    Restart,
    Running,
    SyncError,
)


def volumes_by_name(spec: VirtualMachineInstanceSpec) -> dict[str, Volume]:
    """Return the volumes by name (GetVolumesByName)."""
    return {volume.name: volume for volume in spec.volumes}


def disks_by_name(spec: VirtualMachineInstanceSpec) -> dict[str, Disk]:
    """Return the disks by name (GetDisksByName)."""
    return {disk.name: disk for disk in spec.domain.devices.disks}


def is_plugged_by_declaration(volume: Volume) -> bool:
    """Whether a claim or DataVolume says of itself that it is hotpluggable (IsDeclarativeHotplugVolume)."""
    claim, data_volume = volume.persistent_volume_claim, volume.data_volume
    return bool((claim and claim.hotpluggable) or (data_volume and data_volume.hotpluggable))


def is_hotplugged(volume: Volume) -> bool:
    """Whether a volume, be it for memory dumps, is hotpluggable (IsHotplugVolume)."""
    dump = volume.memory_dump
    return is_plugged_by_declaration(volume) or bool(dump and dump.hotpluggable)


def can_be_hotplugged(volume: Volume) -> bool:
    """Whether a volume is of a kind that a running VMI can get (IsHotpluggableVolumeSource)."""
    return (
        volume.persistent_volume_claim is not None or volume.data_volume is not None or volume.memory_dump is not None
    )


def claim_of(volume: Volume) -> str:
    """Return the name of the claim behind a volume, "" if there is none (PVCNameFromVirtVolume)."""
    if volume.data_volume is not None:
        return volume.data_volume.name
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    return volume.memory_dump.claim_name if volume.memory_dump is not None else ""


MIGRATION, REPLACEMENT = "Migration", "Replacement"
_VOLUMES = "volumes"
_SHARED = frozenset({"ReadOnlyMany", "ReadWriteMany"})


def migrate_volumes(running: Running, wanted: VirtualMachineSpec) -> VirtualMachineInstanceSpec | Restart | None:
    """Return the VMI's spec with the claims that its VM wants, or why they take a restart; None if there are none.

    The first time it notes in `running` which volumes move, and returns nothing: the claims follow the next time.
    """
    assert running.vmi is not None
    spec = running.vmi.spec
    updated = _updated(wanted.template.spec, spec)
    if running.conditions.get(VOLUMES_CHANGE) and any(
        migrated_volume.volume in updated for migrated_volume in running.migrated_volumes
    ):
        message = "while volumes are to be migrated, only the claims of before can be asked for"
        raise SyncError(invalid("spec.template.spec.volumes", message))
    strategy = wanted.update_volumes_strategy
    if strategy is None or strategy == REPLACEMENT:
        return None
    if strategy != MIGRATION:
        message = f"{strategy!r} is no strategy: use {MIGRATION} or {REPLACEMENT}"
        raise SyncError(not_supported("spec.updateVolumesStrategy", message))
    if not updated:
        return None
    problem = _unfit(running, wanted.template.spec, updated)
    if problem:
        return Restart(_VOLUMES, problem)
    running.conditions.pop(VOLUMES_CHANGE, None)
    moved = tuple(
        MigratedVolume(volume.name, updated[volume.name], claim_of(volume))
        for volume in wanted.template.spec.volumes
        if volume.name in updated
    )
    problem = unmovable(running, moved)
    if problem:
        return Restart(_VOLUMES, problem)
    if not running.migrated_volumes:
        running.migrated_volumes = moved
        return None
    return _moved(running, wanted.template.spec)


def unmovable(running: Running, moved: tuple[MigratedVolume, ...]) -> str:
    """Say why volumes cannot move with a migration, "" when they can (ValidateVolumesUpdateMigration)."""
    if not moved:
        return ""
    if running.conditions.get(STORAGE_LIVE_MIGRATABLE) is False:
        return "volumes move with a live migration, which the VM cannot do"
    names = {migrated_volume.volume for migrated_volume in moved}
    for name, attached in running.volumes.items():
        if attached.claim and name not in names and not _SHARED.intersection(attached.access_modes):
            return f"volume {name!r} is of one node alone (ReadWriteOnce) and does not move along"
    return ""


def _updated(wanted: VirtualMachineInstanceSpec, spec: VirtualMachineInstanceSpec) -> dict[str, str]:
    """The volumes whose claims are others, with the claims that they have now (updatedVolumesMapping)."""
    wanted_claims = {volume.name: claim_of(volume) for volume in wanted.volumes}
    updated = {}
    for volume in spec.volumes:
        claim, other = claim_of(volume), wanted_claims.get(volume.name, "")
        if claim and other and claim != other:
            updated[volume.name] = claim
    return updated


def _unfit(running: Running, wanted: VirtualMachineInstanceSpec, updated: dict[str, str]) -> str:
    """Source: ValidateVolumes."""
    assert running.vmi is not None
    spec, volumes = running.vmi.spec, volumes_by_name(wanted)
    disks, filesystems = disks_by_name(spec), {filesystem.name for filesystem in spec.domain.devices.filesystems}
    for name in updated:
        disk, data_volume = disks.get(name), volumes[name].data_volume
        if name in filesystems:
            return f"volume {name!r} is a filesystem, which no migration moves"
        if disk is None:
            continue
        if disk.shareable:
            return f"disk {name!r} is shareable: no migration moves it"
        if disk.lun is not None:
            return f"disk {name!r} is a LUN: no migration moves it"
        if data_volume is not None and not _is_populated(data_volume.name, running.namespace, running.cluster):
            return f"DataVolume {data_volume.name!r} has not succeeded, and no volume populator fills it"
    return ""


def _is_populated(name: str, namespace: str, cluster: Cluster) -> bool:
    """Whether a DataVolume has its data, or gets it by a populator; one that nobody describes has it."""
    data_volume = cluster.data_volume(namespace, name)
    if data_volume is None or data_volume.status is None or data_volume.status.phase in ("", "Succeeded"):
        return True
    claim = cluster.pvc(namespace, name)
    return claim is not None and claim.spec.data_source_ref is not None


def _moved(running: Running, wanted: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec:
    """Source: PatchVMIVolumes."""
    assert running.vmi is not None
    names = {migrated_volume.volume for migrated_volume in running.migrated_volumes}
    spec, wanted_volumes = running.vmi.spec, volumes_by_name(wanted)
    volumes = [wanted_volumes.get(volume.name, volume) if volume.name in names else volume for volume in spec.volumes]
    return replace(spec, volumes=volumes)


def plug_volumes(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec, attached: Container[str]
) -> VirtualMachineInstanceSpec:
    """Return the VMI's spec with the hotpluggable volumes that its VM wants, and their disks (patchHotplugVolumes).

    `attached` are the volumes in the VMI's status: one that changes leaves first, and comes back when it has gone.
    """
    there = volumes_by_name(vmi)
    new = [
        volume
        for volume in wanted.volumes
        if is_plugged_by_declaration(volume) and volume.name not in there and volume.name not in attached
    ]
    volumes = [*_remaining_volumes(wanted, vmi), *new]
    by_name = {volume.name: volume for volume in volumes}
    disks = [*_remaining_disks(wanted, vmi, by_name), *_new_disks(wanted, vmi, by_name)]
    devices = replace(vmi.domain.devices, disks=disks)
    return replace(vmi, volumes=volumes, domain=replace(vmi.domain, devices=devices))


def _remaining_volumes(wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec) -> list[Volume]:
    """All but the plugged ones that the VM has no more, or has otherwise (filterHotplugVMIVolumes)."""
    by_name = volumes_by_name(wanted)
    return [
        volume
        for volume in vmi.volumes
        if not is_plugged_by_declaration(volume)
        or (
            volume.name in by_name
            and (by_name[volume.name] == volume or not is_plugged_by_declaration(by_name[volume.name]))
        )
    ]


def _remaining_disks(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec, volumes: Container[str]
) -> list[Disk]:
    """Disks stay with their volumes, and CD-ROM drives without (filterHotplugVMIDisks)."""
    wanted_disks, wanted_volumes = disks_by_name(wanted), volumes_by_name(wanted)
    disks = []
    for disk in vmi.domain.devices.disks:
        if disk.name not in volumes:
            other = wanted_disks.get(disk.name)
            if other is None:
                continue
            if disk.name in wanted_volumes and (disk.cdrom is None or other.cdrom is None):
                continue
        disks.append(disk)
    return disks


def _new_disks(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec, volumes: dict[str, Volume]
) -> list[Disk]:
    """The disks of plugged volumes that the VMI does not have (getNewHotplugVMDisks)."""
    there = disks_by_name(vmi)
    return [
        disk
        for disk in wanted.domain.devices.disks
        if disk.name not in there and disk.name in volumes and is_plugged_by_declaration(volumes[disk.name])
    ]
