"""Claims of a running VMI that its VM wants replaced by a migration.

Source: pkg/virt-controller/watch/volume-migration/volume-migration.go and handleVolumeUpdateRequest of
pkg/virt-controller/watch/vm/vm.go.
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.rollout.running import (
    STORAGE_LIVE_MIGRATABLE,
    VOLUMES_CHANGE,
    MigratedVolume,
    Restart,
    Running,
    SyncError,
)
from virtcatalog.kubevirt.rollout.volumes import claim_of, disks_by_name, volumes_by_name

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
        raise SyncError(Cause("FieldValueInvalid", "spec.template.spec.volumes", message))
    strategy = wanted.update_volumes_strategy
    if strategy is None or strategy == REPLACEMENT:
        return None
    if strategy != MIGRATION:
        message = f"{strategy!r} is no strategy: use {MIGRATION} or {REPLACEMENT}"
        raise SyncError(Cause("FieldValueNotSupported", "spec.updateVolumesStrategy", message))
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
    asked = {volume.name: claim_of(volume) for volume in wanted.volumes}
    found = {}
    for volume in spec.volumes:
        claim, other = claim_of(volume), asked.get(volume.name, "")
        if claim and other and claim != other:
            found[volume.name] = claim
    return found


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
    names, asked = {migrated_volume.volume for migrated_volume in running.migrated_volumes}, volumes_by_name(wanted)
    spec = running.vmi.spec
    volumes = [asked.get(volume.name, volume) if volume.name in names else volume for volume in spec.volumes]
    return replace(spec, volumes=volumes)
