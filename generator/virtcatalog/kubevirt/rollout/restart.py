"""Whether a change of the VM needs a restart: all that is not updated live is compared with what was started.

Source: pkg/virt-controller/watch/vm/vm.go (syncRestartRequired, validLiveUpdateVolumes, validLiveUpdateDisks).
"""

from __future__ import annotations

from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.domainspec import Firmware, Memory
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.rollout.interfaces import needs_restart
from virtcatalog.kubevirt.rollout.running import Restart
from virtcatalog.kubevirt.rollout.volumes import disks_by_name, is_hotplugged, volumes_by_name
from virtcatalog.manifests.difference import differences

TEMPLATE = "template"


def restart_required(
    started: VirtualMachineSpec,
    current: VirtualMachineSpec,
    vmi: VirtualMachineInstanceSpec,
    config: Configuration,
    *,
    migratable: bool,
) -> Restart | None:
    """Say why a VM has to restart for its template to count; `started` and `current` with their types applied.

    `migratable`: whether its VMI can be migrated.
    """
    before, now = clone(started.template.spec), current.template.spec
    if _volumes_are_live(before, current):
        before.volumes = now.volumes
    if _disks_are_live(started.template.spec, now):
        before.domain.devices.disks = now.domain.devices.disks
    if config.live_update:
        _take_live_fields(before, now)
    if not needs_restart(now, vmi, config, migratable=migratable):
        before.domain.devices.interfaces = now.domain.devices.interfaces
        before.networks = now.networks
    _take_firmware_uuid(before, now, vmi)
    if before == now:
        return None
    changes = differences(to_manifest(before), to_manifest(now), ("spec", "template", "spec"), items=True)
    fields = tuple(dict.fromkeys(difference.field for difference in changes))
    return Restart(TEMPLATE, "a field that only a new machine gets has changed", fields)


def _take_live_fields(before: VirtualMachineInstanceSpec, now: VirtualMachineInstanceSpec) -> None:
    """What the rollout strategy LiveUpdate brings to a running VMI does not count."""
    if before.domain.cpu is not None and now.domain.cpu is not None:
        before.domain.cpu.sockets = now.domain.cpu.sockets
    if now.domain.memory is not None and now.domain.memory.guest is not None:
        if before.domain.memory is None:
            before.domain.memory = Memory()
        before.domain.memory.guest = now.domain.memory.guest
    before.node_selector, before.affinity, before.tolerations = now.node_selector, now.affinity, now.tolerations


def _take_firmware_uuid(
    before: VirtualMachineInstanceSpec, now: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec
) -> None:
    """A uuid that the VM got from its running machine does not count."""
    firmware = now.domain.firmware
    if vmi.domain.firmware is None or firmware is None or vmi.domain.firmware.uuid != firmware.uuid:
        return
    if before.domain.firmware is None:
        before.domain.firmware = Firmware()
    before.domain.firmware.uuid = firmware.uuid


def _volumes_are_live(before: VirtualMachineInstanceSpec, current: VirtualMachineSpec) -> bool:
    """Whether only volumes that can be plugged, or moved by a migration, are new, changed or gone."""
    migrate = current.update_volumes_strategy == "Migration"
    left = volumes_by_name(before)
    for volume in current.template.spec.volumes:
        former = left.get(volume.name)
        moves = migrate and (volume.persistent_volume_claim is not None or volume.data_volume is not None)
        if not is_hotplugged(volume) and (former is None or not (moves or former == volume)):
            return False
        left.pop(volume.name, None)
    return all(is_hotplugged(volume) for volume in left.values())


def _disks_are_live(before: VirtualMachineInstanceSpec, now: VirtualMachineInstanceSpec) -> bool:
    """Whether only disks of volumes that can be plugged are new, changed or gone, and no CD-ROM drive is gone."""
    volumes, former_volumes = volumes_by_name(now), volumes_by_name(before)
    left = disks_by_name(before)
    for disk in now.domain.devices.disks:
        volume, former = volumes.get(disk.name), left.get(disk.name)
        if not (volume is not None and is_hotplugged(volume)) and former != disk:
            return False
        left.pop(disk.name, None)
    disks = disks_by_name(now)
    return all(
        (name not in former_volumes or is_hotplugged(former_volumes[name])) and (disk.cdrom is None or name in disks)
        for name, disk in left.items()
    )
