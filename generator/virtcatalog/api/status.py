"""The statuses of VirtualMachines and VirtualMachineInstances, as far as they decide what a domain becomes."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.domainspec import Machine
from virtcatalog.api.object import Int32, Int64, Status, UInt32, since
from virtcatalog.api.quantity import Quantity


class ControllerRevisionRef(Status):
    """The ControllerRevision that keeps an instance type or preference as it was when the VM took it."""

    name: Annotated[str, since("v1.5")] = ""


class InstancetypeStatusRef(Status):
    """The instance type or preference that virt-controller found for a VM."""

    name: Annotated[str, since("v1.5")] = ""
    kind: Annotated[str, since("v1.5")] = ""
    controller_revision_ref: Annotated[ControllerRevisionRef | None, since("v1.5")] = None
    infer_from_volume: Annotated[str, since("v1.5")] = ""
    infer_from_volume_failure_policy: Annotated[str | None, since("v1.5")] = None


class VirtualMachineStatus(Status):
    """The status of a VirtualMachine."""

    instancetype_ref: Annotated[InstancetypeStatusRef | None, since("v1.5")] = None
    preference_ref: Annotated[InstancetypeStatusRef | None, since("v1.5")] = None


class PersistentVolumeClaimInfo(Status):
    """What virt-controller knows of the claim behind a volume; `filesystem_overhead` is a fraction as text, `0.055`."""

    claim_name: Annotated[str, since("v1.3")] = ""
    access_modes: list[str] = []
    volume_mode: str | None = None
    capacity: dict[str, Quantity] = {}
    requests: dict[str, Quantity] = {}
    preallocated: bool = False
    filesystem_overhead: str | None = None


class HotplugVolumeStatus(Status):
    """The pod that attaches a hotplugged volume."""

    attach_pod_name: str = ""
    attach_pod_uid: str = field(name="attachPodUID", default="")


class ContainerDiskInfo(Status):
    """The checksum of a container disk."""

    checksum: Annotated[UInt32, since("v1.2")] = 0


class VolumeStatus(Status):
    """The state of one volume; `size` in bytes."""

    name: str
    target: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    persistent_volume_claim_info: PersistentVolumeClaimInfo | None = None
    hotplug_volume: HotplugVolumeStatus | None = None
    size: Int64 = 0
    container_disk_volume: Annotated[ContainerDiskInfo | None, since("v1.2")] = None


class TopologyHints(Status):
    """What the scheduler promises of the node; `tsc_frequency` in Hz."""

    tsc_frequency: Int64 | None = None


class MemoryStatus(Status):
    """The guest's memory: at boot, asked for and now."""

    guest_at_boot: Annotated[Quantity | None, since("v1.1")] = None
    guest_requested: Annotated[Quantity | None, since("v1.1")] = None
    guest_current: Annotated[Quantity | None, since("v1.1")] = None
    memory_overhead: Annotated[Quantity | None, since("v1.8")] = None


class CPUTopology(Status):
    """The vCPU topology that the guest has now."""

    cores: UInt32 = 0
    sockets: UInt32 = 0
    threads: UInt32 = 0


class VirtualMachineInstanceNetworkInterface(Status):
    """The state of one network interface."""

    name: str = ""
    mac: str = ""
    pod_interface_name: Annotated[str, since("v1.4")] = ""
    info_source: str = ""
    queue_count: Int32 = 0


class VirtualMachineInstanceStatus(Status):
    """The status of a VirtualMachineInstance; `runtime_user` is the uid that QEMU runs as, 0 being root."""

    phase: str = ""
    node_name: str = ""
    selinux_context: str = ""
    runtime_user: Int64 = 0
    vsock_cid: UInt32 | None = field(name="VSOCKCID", default=None)
    volume_status: list[VolumeStatus] = []
    interfaces: list[VirtualMachineInstanceNetworkInterface] = []
    topology_hints: TopologyHints | None = None
    machine: Machine | None = None
    memory: Annotated[MemoryStatus | None, since("v1.1")] = None
    current_cpu_topology: CPUTopology | None = field(name="currentCPUTopology", default=None)
