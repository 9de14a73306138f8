"""A VM that runs: the objects that KubeVirt keeps of it, and what its controllers have noted in their statuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from virtcatalog.api.core import ControllerRevision
from virtcatalog.api.decode import clone
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
    VirtualMachineSpec,
)
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause, Refuser, VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster, Instancetype, Preference
from virtcatalog.kubevirt.identity import type_uid

State = tuple[Any, ...]

LIVE_MIGRATABLE = "LiveMigratable"
STORAGE_LIVE_MIGRATABLE = "StorageLiveMigratable"
CPU_CHANGE = "HotVCPUChange"
MEMORY_CHANGE = "HotMemoryChange"
VOLUMES_CHANGE = "VolumesChange"
MIGRATION_REQUIRED = "MigrationRequired"


class SyncError(VirtcatalogError):
    """A controller cannot do what it is to do, and tries again and again.

    `by` is who refuses what it tries: "controller" for itself, else the webhook that says no, with its `causes`.
    """

    def __init__(self, *causes: Cause, by: Refuser = "controller") -> None:
        self.causes, self.by = causes, by
        super().__init__("; ".join(map(str, causes)))


class Restart(msgspec.Struct, frozen=True):
    """Why a VM has the condition RestartRequired.

    `reason` is a code: template, cpu-max, cpu-reduced, cpu-arm, memory-not-migratable, memory-unavailable,
    memory-unsupported, memory-lower, volumes. `message` is ours, `fields` are those of the template that differ.
    """

    reason: str
    message: str
    fields: tuple[str, ...] = ()


class AttachedVolume(msgspec.Struct, frozen=True):
    """A volume in the VMI's status; `claim` is the claim's name, "" for a volume without one."""

    hotplugged: bool
    claim: str = ""
    access_modes: tuple[str, ...] = ()


class PluggedInterface(msgspec.Struct, frozen=True):
    """An interface in the VMI's status; `network` is the NetworkAttachmentDefinition that the pod has, if any."""

    network: str = ""
    in_guest: bool = True


class MigratedVolume(msgspec.Struct, frozen=True):
    """A volume that moves from one claim to another."""

    volume: str
    source: str
    destination: str

    def __str__(self) -> str:
        return f"{self.volume}:{self.source}>{self.destination}"


class Guest(msgspec.Struct, frozen=True):
    """What the guest has: vCPUs, and bytes of memory at boot, asked for and now; None where that is not known."""

    vcpus: int | None = None
    memory_at_boot: Quantity | None = None
    memory: Quantity | None = None


@dataclass
class Running:
    """A VM, its VMI while there is one, and what the controllers know of both."""

    cluster: Cluster
    vm: VirtualMachine
    earlier: Cluster | None = None
    """The cluster in which the objects had their first generation."""
    vmi: VirtualMachineInstance | None = None
    started: VirtualMachineSpec | None = None
    """The VM's spec as it was when the VMI was made, by the revisions of that time."""
    generation_seen: int = 0
    guest: Guest = field(default_factory=Guest)
    conditions: dict[str, bool] = field(default_factory=dict)
    restart: Restart | None = None
    volumes: dict[str, AttachedVolume] = field(default_factory=dict)
    interfaces: dict[str, PluggedInterface] = field(default_factory=dict)
    networks_emptied: bool = False
    migrated_volumes: tuple[MigratedVolume, ...] = ()
    revisions: dict[tuple[str, str], ControllerRevision | None] = field(default_factory=dict)
    error: SyncError | None = None
    stopped: bool = False
    outdated: bool = False
    """The machine runs in a launcher of another release than the cluster's."""

    @property
    def namespace(self) -> str:
        """The namespace of the VM."""
        return self.vm.metadata.namespace

    @property
    def migratable(self) -> bool:
        """Whether the VMI can be migrated live (IsMigratable)."""
        return self.conditions.get(LIVE_MIGRATABLE, False)

    def moved(self, cluster: Cluster) -> None:
        """Have the VM in another cluster from now on: the objects and the configuration change around it."""
        self.earlier, self.outdated = self.cluster, cluster.release != self.cluster.release
        self.cluster = cluster.with_revisions(self.revisions) if self.revisions else cluster

    def keep(self, revisions: Mapping[tuple[str, str], ControllerRevision | None]) -> None:
        """Store ControllerRevisions, or forget those that are None."""
        self.revisions = {**self.revisions, **revisions}
        self.cluster = self.cluster.with_revisions(revisions)

    def identity_of(self, kind: str, obj: Instancetype | Preference) -> tuple[str, int]:
        """The uid and the generation of an object: a manifest that the cluster has not given any gets its own.

        Two manifests of one kind, namespace and name are one object, of the next generation if its spec differs.
        """
        metadata = obj.metadata
        uid = metadata.uid or type_uid(kind, metadata.namespace, metadata.name)
        if metadata.generation or self.earlier is None:
            return uid, metadata.generation or 1
        find = self.earlier.instancetype if "nstancetype" in kind else self.earlier.preference
        former = find(kind, metadata.namespace, metadata.name)
        if former is None:
            return uid, 1
        return uid, (former.metadata.generation or 1) + (former.spec != obj.spec)

    def update_spec(self, spec: VirtualMachineInstanceSpec) -> None:
        """Give the VMI another spec."""
        assert self.vmi is not None
        self.vmi = msgspec.structs.replace(self.vmi, spec=spec)

    def state(self) -> State:
        """A copy of all that a controller could change, to see later whether one did."""
        vmi = None if self.vmi is None else clone(self.vmi)
        noted = dict(self.conditions), dict(self.volumes), dict(self.interfaces), dict(self.revisions)
        rest = self.generation_seen, self.restart, self.migrated_volumes, self.stopped, str(self.error or "")
        return clone(self.vm), vmi, *noted, *rest
