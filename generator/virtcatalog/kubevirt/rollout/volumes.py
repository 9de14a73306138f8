"""Volumes of a spec by name, and which of them can come and go while the guest runs.

Source: pkg/storage/types/volume.go and pvc.go.
"""

from __future__ import annotations

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume


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
