"""Whether a running VMI can be migrated, and what the workload updater does with one that has to be.

Source: pkg/virt-handler/vm.go (calculateLiveMigrationCondition, calculateLiveStorageMigrationCondition),
pkg/network/vmispec/interface.go (VerifyVMIMigratable) and pkg/virt-controller/watch/workload-updater.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.launcher.elements.clock import needs_tsc_frequency
from virtcatalog.kubevirt.rollout.interfaces import interfaces_by_name, pod_network
from virtcatalog.kubevirt.rollout.running import (
    CPU_CHANGE,
    LIVE_MIGRATABLE,
    MEMORY_CHANGE,
    MIGRATION_REQUIRED,
    STORAGE_LIVE_MIGRATABLE,
    VOLUMES_CHANGE,
    AttachedVolume,
    Running,
)
from virtcatalog.kubevirt.rollout.volumes import unmovable

COUNTS_AS = "has no known access modes, and counts as"
"""What is said of a claim of which nothing is known."""
NOT_SHARED = "not shared: a migration needs ReadWriteMany"
_BRIDGE_MIGRATES = "kubevirt.io/allow-pod-bridge-network-live-migration"


def note_migratability(running: Running) -> None:
    """Refresh the conditions LiveMigratable and StorageLiveMigratable; changes `running`."""
    assert running.vmi is not None
    vmi = running.vmi
    machine = not any(_machine_obstacles(vmi, running.cluster))
    reserved = _has_reservation(vmi.spec)
    beside = _obstacles_beside(vmi, running.cluster, running.volumes, _moving(running))
    running.conditions[LIVE_MIGRATABLE] = machine and not any(beside)
    running.conditions[STORAGE_LIVE_MIGRATABLE] = machine and not reserved


def obstacles(
    vmi: VirtualMachineInstance, cluster: Cluster, volumes: Mapping[str, AttachedVolume], moving: Container[str] = ()
) -> tuple[str, ...]:
    """Say what keeps a VMI with these volumes on its node; nothing if it can be migrated.

    `moving` are the names of volumes that are being moved to other claims.
    """
    return (*_machine_obstacles(vmi, cluster), *_obstacles_beside(vmi, cluster, volumes, moving))


def obstacles_now(running: Running) -> tuple[str, ...]:
    """Say what keeps a VMI on its node; nothing if it can be migrated, or if there is none."""
    if running.vmi is None:
        return ()
    return obstacles(running.vmi, running.cluster, running.volumes, _moving(running))


def required(running: Running) -> str:
    """Whether a migration is required: "yes", "pending" or "no" (isOutdated, doesRequireMigration)."""
    conditions = running.conditions
    immediate = (
        running.outdated
        or CPU_CHANGE in conditions
        or any(conditions.get(condition) for condition in (MEMORY_CHANGE, MIGRATION_REQUIRED, VOLUMES_CHANGE))
    )
    if immediate:
        return "yes"
    return "pending" if MIGRATION_REQUIRED in conditions else "no"


def action(running: Running) -> str:
    """What the workload updater does when it may both migrate and evict: "migrate", "evict" or "none"."""
    if required(running) != "yes":
        return "none"
    moves = bool(running.migrated_volumes) and not unmovable(running, running.migrated_volumes)
    return "migrate" if running.migratable or moves else "evict"


def _machine_obstacles(vmi: VirtualMachineInstance, cluster: Cluster) -> Iterator[str]:
    """What but its storage keeps a VMI on its node."""
    spec, config = vmi.spec, cluster.configuration
    features, security = spec.domain.features, spec.domain.launch_security
    passthrough = features.hyperv_passthrough if features is not None else None
    if not _network_migrates(vmi, config):
        yield "the interface of the pod network has a binding that does not migrate"
    if _keeps_devices(spec, config):
        yield "a host device or GPU keeps it on its node"
    if security is not None and (security.sev or security.snp or security.tdx):
        yield "a confidential guest stays on its node"
    if (
        _wants_steady_clock(spec)
        and needs_tsc_frequency(spec.domain.cpu, spec.domain.features)
        and not cluster.host.tsc.frequency
    ):
        yield "the node does not tell its TSC frequency, which the guest depends on"
    if passthrough is not None and passthrough.enabled:
        yield "hypervPassthrough keeps it on its node"


def _obstacles_beside(
    vmi: VirtualMachineInstance, cluster: Cluster, volumes: Mapping[str, AttachedVolume], moving: Container[str]
) -> Iterator[str]:
    """What else keeps a VMI on its node, and yet lets its storage migrate."""
    spec = vmi.spec
    if _has_reservation(spec) and not cluster.release.traits.reservations_migrate:
        yield "a LUN with persistent reservations stays on its node"
    if spec.domain.launch_security is not None and spec.architecture == "s390x":
        yield "a confidential guest stays on its node"
    yield from _volume_obstacles(spec, volumes, moving)


def _network_migrates(vmi: VirtualMachineInstance, config: Configuration) -> bool:
    """Source: VerifyVMIMigratable."""
    interfaces, network = interfaces_by_name(vmi.spec), pod_network(vmi.spec)
    if not interfaces or network is None:
        return True
    primary = interfaces.get(network.name)
    if primary is None:
        return False
    if primary.masquerade is not None or primary.passt_binding is not None:
        return True
    if primary.bridge is not None:
        return _BRIDGE_MIGRATES in vmi.metadata.annotations
    plugin = config.network_bindings.get(primary.binding.name) if primary.binding is not None else None
    return plugin is not None and plugin.migration is not None


def _keeps_devices(spec: VirtualMachineInstanceSpec, config: Configuration) -> bool:
    """Source: vmiContainsNonMigratablePCIHostDevices."""
    devices = spec.domain.devices
    if devices.host_devices or len(devices.gpus) > 1:
        return True
    if not devices.gpus:
        return False
    permitted = config.permitted_host_devices
    mediated = permitted is not None and any(
        mediated_device.resource_name == devices.gpus[0].device_name for mediated_device in permitted.mediated_devices
    )
    return not (mediated and config.feature_gate("VGPULiveMigration"))


def _wants_steady_clock(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the guest's TSC matters for migrations alone; with `invtsc` it does not even boot (tsc.go)."""
    cpu = spec.domain.cpu
    return cpu is None or not any(
        feature.name == "invtsc" and feature.policy in ("require", "force") for feature in cpu.features
    )


def _volume_obstacles(
    spec: VirtualMachineInstanceSpec, volumes: Mapping[str, AttachedVolume], moving: Container[str]
) -> Iterator[str]:
    """Source: checkVolumesForMigration."""
    for volume in spec.volumes:
        attached = volumes.get(volume.name)
        if volume.persistent_volume_claim is not None or volume.data_volume is not None:
            if attached is None or not attached.claim:
                yield f"the claim of volume {volume.name!r} is not known"
            elif "ReadWriteMany" not in attached.access_modes and volume.name not in moving:
                verb = "is" if attached.access_modes else COUNTS_AS
                yield f"volume {volume.name!r}: claim {attached.claim!r} {verb} {NOT_SHARED}"
        elif volume.host_disk is not None and not volume.host_disk.shared:
            yield f"volume {volume.name!r}: the host disk is not shared"


def _moving(running: Running) -> frozenset[str]:
    return frozenset(migrated_volume.volume for migrated_volume in running.migrated_volumes)


def _has_reservation(spec: VirtualMachineInstanceSpec) -> bool:
    return any(disk.lun is not None and disk.lun.reservation for disk in spec.domain.devices.disks)
