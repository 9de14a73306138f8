"""What the VMI's own controller and virt-handler note about a running VMI.

Source: pkg/virt-controller/watch/vmi (updateStatus, updateVolumeStatus, requireVolumesUpdate),
pkg/network/controllers/vmi.go, pkg/network/migration/evaluator.go.
"""

from __future__ import annotations

import json

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Network, Volume
from virtcatalog.kubevirt.claims import Claims
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.launch.network import is_secondary
from virtcatalog.kubevirt.rollout.interfaces import ABSENT, interfaces_by_name, networks_are_live
from virtcatalog.kubevirt.rollout.migratable import note_migratability
from virtcatalog.kubevirt.rollout.running import (
    CPU_CHANGE,
    MEMORY_CHANGE,
    MIGRATION_REQUIRED,
    VOLUMES_CHANGE,
    AttachedVolume,
    Guest,
    PluggedInterface,
    Running,
)
from virtcatalog.kubevirt.rollout.volumes import can_be_hotplugged, claim_of, is_hotplugged, volumes_by_name

_LEFT_VOLUMES_ANNOTATION = "kubevirt.io/ephemeral-hotplug-volumes"
_OVERHEAD_RATIO_LABEL = "kubevirt.io/memory-hotplug-overhead-ratio"


def boot(running: Running) -> None:
    """Note what a VMI has that has just started: all that its spec says is there; changes `running`."""
    assert running.vmi is not None
    spec, status = running.vmi.spec, running.vmi.status
    assert status is not None
    topology, memory = status.current_cpu_topology, status.memory
    running.guest = Guest(
        None if topology is None or spec.domain.cpu is None else spec.domain.cpu.vcpus,
        None if memory is None else memory.guest_at_boot,
        None if memory is None else memory.guest_current,
    )
    running.volumes = volumes_at_start(running.vmi, running.cluster, running.vm)
    # An interface that is absent from the start never comes.
    states = {name: interface.state for name, interface in interfaces_by_name(spec).items()}
    running.interfaces = {
        network.name: PluggedInterface(_definition(running, network))
        for network in spec.networks
        if states.get(network.name) != ABSENT
    }
    note_migratability(running)


def volumes_at_start(
    vmi: VirtualMachineInstance, cluster: Cluster, vm: VirtualMachine | None
) -> dict[str, AttachedVolume]:
    """Return the volumes of a VMI that has just started."""
    claims = Claims(vmi, cluster, vm)
    return {
        volume.name: _attached(claims, volume, hotplugged=is_hotplugged(volume) or volume.memory_dump is not None)
        for volume in vmi.spec.volumes
    }


def note(running: Running) -> None:
    """Note what has come and gone, and whether a migration has to bring more; changes `running`."""
    assert running.vmi is not None
    spec = running.vmi.spec
    _note_volumes(running)
    if _wants_cpus(running, spec):
        running.conditions.setdefault(CPU_CHANGE, True)
    if _wants_memory(running, spec):
        running.conditions.setdefault(MEMORY_CHANGE, True)
        _label_overhead(running)
    if VOLUMES_CHANGE not in running.conditions and _wants_volumes(running, spec):
        running.conditions[VOLUMES_CHANGE] = True
    _note_migration(running, spec)
    if running.cluster.release.traits.notes_left_volumes:
        _note_left_volumes(running)
    note_migratability(running)


def note_unplugged(running: Running) -> None:
    """Note that volumes which a VMI has no more are detached, and the guest lets go of absent interfaces."""
    if running.vmi is None:
        return
    names = volumes_by_name(running.vmi.spec)
    running.volumes = {name: attached for name, attached in running.volumes.items() if name in names}
    for name, interface in interfaces_by_name(running.vmi.spec).items():
        plugged = running.interfaces.get(name)
        if interface.state == ABSENT and plugged is not None:
            running.interfaces[name] = replace(plugged, in_guest=False)


def _note_volumes(running: Running) -> None:
    assert running.vmi is not None
    claims = Claims(running.vmi, running.cluster, running.vm)
    running.volumes = {
        volume.name: _attached(
            claims,
            volume,
            hotplugged=running.volumes[volume.name].hotplugged
            if volume.name in running.volumes
            else can_be_hotplugged(volume),
        )
        for volume in running.vmi.spec.volumes
    }


def _note_left_volumes(running: Running) -> None:
    """Source: checkEphemeralHotplugVolumes."""
    assert running.vmi is not None
    volumes = volumes_by_name(running.vm.spec.template.spec)
    left = [volume.name for volume in running.vmi.spec.volumes if is_hotplugged(volume) and volume.name not in volumes]
    metadata = running.vmi.metadata
    annotations = {key: value for key, value in metadata.annotations.items() if key != _LEFT_VOLUMES_ANNOTATION}
    if left:
        annotations[_LEFT_VOLUMES_ANNOTATION] = json.dumps(left, separators=(",", ":"))
    running.vmi = replace(running.vmi, metadata=replace(metadata, annotations=annotations))


def _attached(claims: Claims, volume: Volume, *, hotplugged: bool) -> AttachedVolume:
    claim = claim_of(volume)
    return AttachedVolume(hotplugged, claim, claims.find(claim).access_modes) if claim else AttachedVolume(hotplugged)


def _qualified(running: Running, network: str) -> str:
    """The name of a NetworkAttachmentDefinition with its namespace."""
    return network if "/" in network else f"{running.namespace}/{network}"


def _definition(running: Running, network: Network) -> str:
    """The NetworkAttachmentDefinition that a secondary network is."""
    if network.multus is None or not is_secondary(network):
        return ""
    return _qualified(running, network.multus.network_name)


def _wants_cpus(running: Running, spec: VirtualMachineInstanceSpec) -> bool:
    """Source: requireCPUHotplug."""
    cpu, vcpus = spec.domain.cpu, running.guest.vcpus
    return cpu is not None and vcpus is not None and bool(cpu.max_sockets) and cpu.vcpus != vcpus


def _wants_memory(running: Running, spec: VirtualMachineInstanceSpec) -> bool:
    """Source: requireMemoryHotplug."""
    memory, current = spec.domain.memory, running.guest.memory
    if memory is None or memory.guest is None or memory.max_guest is None or current is None:
        return False
    return memory.guest.value != current.value


def _label_overhead(running: Running) -> None:
    """Source: syncMemoryHotplug."""
    assert running.vmi is not None
    ratio = running.cluster.configuration.values.additional_guest_memory_overhead_ratio
    if ratio is not None:
        metadata = running.vmi.metadata
        labelled = replace(metadata, labels={**metadata.labels, _OVERHEAD_RATIO_LABEL: ratio})
        running.vmi = replace(running.vmi, metadata=labelled)


def _wants_volumes(running: Running, spec: VirtualMachineInstanceSpec) -> bool:
    """Whether there is a claim beside those that volumes move away from (requireVolumesUpdate)."""
    sources = {migrated_volume.source for migrated_volume in running.migrated_volumes}
    return bool(sources) and any(claim not in sources for claim in map(claim_of, spec.volumes) if claim)


def _note_migration(running: Running, spec: VirtualMachineInstanceSpec) -> None:
    """Source: syncMigrationRequiredCondition."""
    wanted = _network_migration(running, spec)
    if wanted is None:
        running.conditions.pop(MIGRATION_REQUIRED, None)
    elif not running.conditions.get(MIGRATION_REQUIRED):
        running.conditions[MIGRATION_REQUIRED] = wanted


def _network_migration(running: Running, spec: VirtualMachineInstanceSpec) -> bool | None:
    """Whether interfaces come or go by a migration: True at once, False in a while.

    Source: shouldVMIBeMarkedForAutoMigration.
    """
    interfaces = interfaces_by_name(spec)
    for network in spec.networks:
        interface = interfaces.get(network.name)
        definition = _definition(running, network)
        if interface is None or not definition:
            continue
        plugged = running.interfaces.get(network.name)
        if plugged is None:
            if interface.state != ABSENT:
                return interface.sriov is not None
        elif interface.state == ABSENT and not plugged.in_guest:
            return False
        elif definition != plugged.network and networks_are_live(running.cluster.configuration):
            return True
    return None
