"""Preferred buses and options of disks.

Source: pkg/instancetype/preference/apply/disk.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.devices import Disk, DiskTarget
from virtcatalog.api.instancetype import DevicePreferences


def apply_disks(preference: DevicePreferences, disks: list[Disk]) -> None:
    """Fill in what each disk leaves out; one without a target becomes a `disk`. Options are for `disk` targets only.

    Source: applyDiskPreferences.
    """
    for disk in disks:
        if disk.disk is None and disk.cdrom is None and disk.lun is None:
            disk.disk = DiskTarget()
        if disk.disk is not None:
            _apply_disk(preference, disk, disk.disk)
        elif disk.cdrom is not None:
            disk.cdrom.bus = disk.cdrom.bus or preference.preferred_cdrom_bus
        elif disk.lun is not None:
            disk.lun.bus = disk.lun.bus or preference.preferred_lun_bus


def _apply_disk(preference: DevicePreferences, disk: Disk, target: DiskTarget) -> None:
    if not target.bus:
        target.bus = preference.preferred_disk_bus
    if preference.preferred_disk_block_size is not None and disk.block_size is None:
        disk.block_size = clone(preference.preferred_disk_block_size)
    if preference.preferred_disk_cache and not disk.cache:
        disk.cache = preference.preferred_disk_cache
    if preference.preferred_disk_io and not disk.io:
        disk.io = preference.preferred_disk_io
    dedicated = preference.preferred_disk_dedicated_io_thread
    if dedicated is not None and disk.dedicated_io_thread is None and target.bus == "virtio":
        disk.dedicated_io_thread = dedicated
