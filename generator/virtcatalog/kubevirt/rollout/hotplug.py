"""Volumes that a running VMI gets and loses because its VM declares them so.

Source: pkg/storage/hotplug/hotplug.go.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from virtcatalog.api.devices import Disk
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.rollout.volumes import disks_by_name, is_plugged_by_declaration, volumes_by_name


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
    volumes = [*_kept_volumes(wanted, vmi), *new]
    by_name = {volume.name: volume for volume in volumes}
    disks = [*_kept_disks(wanted, vmi, by_name), *_new_disks(wanted, vmi, by_name)]
    devices = replace(vmi.domain.devices, disks=disks)
    return replace(vmi, volumes=volumes, domain=replace(vmi.domain, devices=devices))


def _kept_volumes(wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec) -> list[Volume]:
    """All but the plugged ones that the VM has no more, or has otherwise (filterHotplugVMIVolumes)."""
    asked = volumes_by_name(wanted)
    return [
        volume
        for volume in vmi.volumes
        if not is_plugged_by_declaration(volume)
        or (
            volume.name in asked and (asked[volume.name] == volume or not is_plugged_by_declaration(asked[volume.name]))
        )
    ]


def _kept_disks(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec, volumes: Container[str]
) -> list[Disk]:
    """Disks stay with their volumes, and CD-ROM drives without (filterHotplugVMIDisks)."""
    asked, asked_volumes = disks_by_name(wanted), volumes_by_name(wanted)
    disks = []
    for disk in vmi.domain.devices.disks:
        if disk.name not in volumes:
            other = asked.get(disk.name)
            if other is None:
                continue
            if disk.name in asked_volumes and (disk.cdrom is None or other.cdrom is None):
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
