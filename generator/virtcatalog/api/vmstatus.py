"""The whole status of a VirtualMachine: templates may hold one, and KubeVirt reads it strictly.

What decides a domain of it is in `status`, which is all that anybody else reads.
"""

from __future__ import annotations

from msgspec import field

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.object import Int64, Object, Time
from virtcatalog.api.status import InstancetypeStatusRef, PersistentVolumeClaimInfo
from virtcatalog.api.volumes import DataVolumeSource, PersistentVolumeClaimVolumeSource


def _no_time() -> Time:
    """Go's zero time, which it writes as null."""
    return ""


class VirtualMachineCondition(Object):
    """A condition of a VM, as its controller sees it."""

    type: str
    status: str
    last_probe_time: Time = field(default_factory=_no_time)
    last_transition_time: Time = field(default_factory=_no_time)
    reason: str = ""
    message: str = ""


class VirtualMachineStateChangeRequest(Object):
    """A start or stop that was asked for."""

    action: str
    data: dict[str, str] = {}
    uid: str | None = None


class HotplugVolumeSource(Object):
    """What a hotplugged disk shows."""

    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    data_volume: DataVolumeSource | None = None


class AddVolumeOptions(Object):
    """A disk to plug in."""

    name: str
    disk: Disk
    volume_source: HotplugVolumeSource
    dry_run: list[str] = []


class RemoveVolumeOptions(Object):
    """A disk to unplug."""

    name: str
    dry_run: list[str] = []


class VirtualMachineVolumeRequest(Object):
    """A disk to plug in, or one to unplug."""

    add_volume_options: AddVolumeOptions | None = None
    remove_volume_options: RemoveVolumeOptions | None = None


class VolumeSnapshotStatus(Object):
    """Whether snapshots can be taken of a volume."""

    name: str
    enabled: bool
    reason: str = ""


class VirtualMachineStartFailure(Object):
    """How often the VM failed to start, and when it is tried again."""

    consecutive_fail_count: Int64 = 0
    last_failed_vmi_uid: str = field(name="lastFailedVMIUID", default="")
    retry_after_timestamp: Time | None = None


class VirtualMachineMemoryDumpRequest(Object):
    """A dump of the guest's memory into a claim."""

    claim_name: str
    phase: str
    remove: bool = False
    start_timestamp: Time | None = None
    end_timestamp: Time | None = None
    file_name: str | None = None
    message: str = ""


class StorageMigratedVolumeInfo(Object):
    """A volume that moves from one claim to another."""

    volume_name: str
    source_pvc_info: PersistentVolumeClaimInfo | None = field(name="sourcePVCInfo", default=None)
    destination_pvc_info: PersistentVolumeClaimInfo | None = field(name="destinationPVCInfo", default=None)


class VolumeMigrationState(Object):
    """The volumes that move."""

    migrated_volumes: list[StorageMigratedVolumeInfo] = []


class VolumeUpdateState(Object):
    """How volumes are updated."""

    volume_migration_state: VolumeMigrationState | None = None


class BackupVolumeInfo(Object):
    """A volume of a backup."""

    volume_name: str
    disk_target: str
    data_endpoint: str = ""
    map_endpoint: str = ""


class VirtualMachineInstanceBackupStatus(Object):
    """How far a backup has come."""

    backup_name: str = ""
    start_timestamp: Time | None = None
    end_timestamp: Time | None = None
    completed: bool = False
    failed: bool = False
    backup_msg: str | None = None
    checkpoint_name: str | None = None
    volumes: list[BackupVolumeInfo] = []
    quiesce_status: str = ""


class ChangedBlockTrackingStatus(Object):
    """Whether changed blocks are tracked."""

    state: str
    backup_status: VirtualMachineInstanceBackupStatus | None = None


class FullVirtualMachineStatus(Object):
    """The status of a VirtualMachine with every field that its API has."""

    snapshot_in_progress: str | None = None
    restore_in_progress: str | None = None
    created: bool = False
    ready: bool = False
    printable_status: str = ""
    conditions: list[VirtualMachineCondition] = []
    state_change_requests: list[VirtualMachineStateChangeRequest] = []
    volume_requests: list[VirtualMachineVolumeRequest] = []
    volume_snapshot_statuses: list[VolumeSnapshotStatus] = []
    start_failure: VirtualMachineStartFailure | None = None
    memory_dump_request: VirtualMachineMemoryDumpRequest | None = None
    observed_generation: Int64 = 0
    desired_generation: Int64 = 0
    run_strategy: str = ""
    volume_update_state: VolumeUpdateState | None = None
    changed_block_tracking: ChangedBlockTrackingStatus | None = None
    instancetype_ref: InstancetypeStatusRef | None = None
    preference_ref: InstancetypeStatusRef | None = None


class FullVirtualMachine(VirtualMachine, kw_only=True):
    """A VirtualMachine as Go has it: with all of its status, which it always writes."""

    status: FullVirtualMachineStatus = field(default_factory=FullVirtualMachineStatus)  # type: ignore[assignment]
