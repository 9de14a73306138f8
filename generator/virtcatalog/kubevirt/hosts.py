"""Host profiles: everything that a domain takes from outside the manifests, as plain data with a name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

ARCHITECTURES = ("amd64", "arm64", "s390x")
"""The architectures of nodes and guests."""


class HugePages(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The huge pages of one size that a NUMA node has set aside; `size` in bytes."""

    size: int
    count: int


class NUMANode(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A NUMA node of the host.

    `cores` gives the hardware threads of each core as the kernel lists them (`0,64` or `0-1`), `distances` the
    distance to every node in the order of their ids, `memory` is in bytes.
    """

    id: int
    cores: tuple[str, ...] = ()
    memory: int = 0
    huge_pages: tuple[HugePages, ...] = ()
    distances: tuple[int, ...] = ()


class TSC(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The time stamp counter of the cluster's nodes, in Hz; 0 means that no node tells one."""

    frequency: int = 0


class FirmwareDirectory(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """UEFI firmware in the launcher's image: a directory and the names of its files."""

    path: str
    files: tuple[str, ...]


class HostPCIDevice(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What the kernel tells about a PCI device of the host; a device that is not listed has no known node.

    `bar_bytes` and `initiator_nodes` matter for NVIDIA Grace GPUs alone: the sum of the 64-bit prefetchable BARs and
    the NUMA nodes of the device's Generic Initiators (empty: the host does not tell which nodes are whose).
    """

    address: str
    numa_node: int | None = None
    vendor_id: str = ""
    device_id: str = ""
    bar_bytes: int = 0
    initiator_nodes: tuple[int, ...] = ()


class DeviceAddresses(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Where a VM's host devices sit.

    Resources are numbered r = 0, 1, … as the VM first uses them, GPUs before host devices. The i-th device of a
    resource is PCI 0000:{pci_first_bus + r}:00.{i}, or USB bus {usb_first_bus + r}, device {i + 1}; the i-th SR-IOV
    interface is 0000:{sriov_bus}:{sriov_slot}.{i modulo sriov_functions}. A request of a resource claim counts as a
    resource of one device; these are numbered after the others.
    """

    pci_first_bus: int = 0x41
    usb_first_bus: int = 1
    sriov_bus: int = 0x81
    sriov_slot: int = 1
    sriov_functions: int = 8


class ClaimedDevice(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a driver of dynamic resource allocation gives a request of a ResourceClaim or ResourceClaimTemplate.

    `claim` is the name of either; a device with both attributes is a mediated one.
    """

    claim: str
    request: str
    pci_address: str = ""
    mdev_uuid: str = msgspec.field(name="mdevUUID", default="")


class BlockLimits(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What storage says of itself, in bytes: for disks that match their volume's block size."""

    logical: int = 512
    physical: int = 512
    discard_granularity: int = 0


class DirectIO(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Which file systems take O_DIRECT: those of claims, and the node's own.

    The node's own hold container disks, overlays, empty disks, host disks and ISOs.
    """

    claims: bool = True
    node: bool = True


class PodLinks(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The pod's network links: `mtu` of each, and the MAC address {mac_prefix}:{i, two octets} of the i-th network."""

    mac_prefix: str = "02:00:00:00"
    mtu: int = 1500


class Storage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The claims and images that a VM meets.

    A claim that the manifests name and do not hold counts as `missing_claim_size`, ReadWriteOnce, Filesystem.
    `filesystem_block_size` is that of the file systems which hold disk images; `preallocation` says that images of
    claims hold all their blocks, even where no annotation of the claim does.
    """

    missing_claim_size: str = "10Gi"
    filesystem_overhead: str = "0.055"
    container_disk_format: str = "qcow2"
    filesystem_block_size: int = 4096
    block_device: BlockLimits = BlockLimits()
    direct_io: DirectIO = DirectIO()
    preallocation: bool = False


class HostProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A node with its launcher images, storage and network. A frozen value: a change gets a new `version`."""

    name: str
    version: int = 1
    description: str = ""
    architecture: str = ""
    """The node's own, `amd64`, `arm64` or `s390x`; empty: the guest's, whatever that is."""
    hypervisors: tuple[str, ...] = ("kvm",)
    """The hypervisors whose device the node has, as the KubeVirt CR names them."""
    numa_nodes: tuple[NUMANode, ...] = ()
    tsc: TSC = TSC()
    firmware: tuple[FirmwareDirectory, ...] | None = None
    """The firmware of the launcher's image; None is what the KubeVirt release ships."""
    devices: DeviceAddresses = DeviceAddresses()
    claimed_devices: tuple[ClaimedDevice, ...] = ()
    """What requests of resource claims get; one that is not listed gets a PCI device of its own."""
    pci_devices: tuple[HostPCIDevice, ...] = ()
    initiator_nodes: tuple[int, ...] = ()
    """The host's NUMA nodes that hold Generic Initiators only."""
    iommufd: bool = False
    """Whether the device plugin hands a file descriptor for IOMMUFD to the pod that asks for one."""
    smmuv3: bool = False
    storage: Storage = Storage()
    vsock_cid: int = 3
    pod_interface: str = "eth0"
    """The pod's primary network interface."""
    pod_links: PodLinks = PodLinks()

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


def cpu_list(text: str) -> tuple[int, ...]:
    """Read a list of CPUs as the kernel writes it: `0-3,8` is 0, 1, 2, 3, 8."""
    return tuple(cpu for part in cpu_ranges(text) for cpu in part)


def cpu_ranges(text: str) -> list[range]:
    """Read the same, its ranges not written out."""
    bounds = [part.partition("-") for part in text.split(",")]
    return [range(int(first), int(last or first) + 1) for first, _, last in bounds]


def topology(profile: HostProfile) -> HostTopology:
    """The CPUs of a profile as virt-handler reports them: each node's threads in the order of their numbers."""
    cells = []
    for node in profile.numa_nodes:
        cores = [cpu_list(core) for core in node.cores]
        cpus = sorted((HostCPU(cpu, core) for core in cores for cpu in core), key=lambda cpu: cpu.id)
        cells.append(HostCell(node.id, tuple(cpus)))
    return HostTopology(tuple(cells))


_GIB = 2**30


def _reference_node(node: int) -> NUMANode:
    return NUMANode(
        id=node,
        cores=tuple(f"{cpu}-{cpu + 1}" for cpu in range(64 * node, 64 * node + 64, 2)),
        memory=512 * _GIB,
        huge_pages=(HugePages(2 * 2**20, 65536), HugePages(_GIB, 128)),
        distances=(10, 20) if node == 0 else (20, 10),
    )


_REFERENCE = HostProfile(
    name="reference",
    description="two sockets of 32 cores with two threads each, 512 GiB a socket, no special devices",
    numa_nodes=(_reference_node(0), _reference_node(1)),
    tsc=TSC(2_500_000_000),
)

HOSTS: Mapping[str, HostProfile] = MappingProxyType({_REFERENCE.name: _REFERENCE})
"""The host profiles that come with virtcatalog, by name."""


class HostCPU(msgspec.Struct, frozen=True):
    """One hardware thread; `siblings` are the threads of its core, itself included (empty: unknown)."""

    id: int
    siblings: tuple[int, ...] = ()


class HostCell(msgspec.Struct, frozen=True):
    """One NUMA node of the host."""

    id: int
    cpus: tuple[HostCPU, ...] = ()


class HostTopology(msgspec.Struct, frozen=True, cache_hash=True):
    """All NUMA nodes of the host, in the order the host lists them."""

    cells: tuple[HostCell, ...] = ()
