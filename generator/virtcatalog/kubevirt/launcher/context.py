"""What virt-launcher knows besides the VMI when it builds the domain."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from virtcatalog.api.configuration import SMBiosConfiguration
from virtcatalog.kubevirt.hosts import BlockLimits, ClaimedDevice, DirectIO, HostPCIDevice, HostTopology, PodLinks
from virtcatalog.kubevirt.launcher.architecture import Architecture
from virtcatalog.releases import Release

HYPERV_DIRECT = "hyperv-direct"


class BackingVolume(msgspec.Struct, frozen=True, kw_only=True):
    """What virt-controller and virt-handler tell about the claim behind a volume.

    `host_disk`: virt-handler hands the claim's image to virt-launcher as a host disk (any Filesystem claim that is a
    disk from the start); `capacity` in bytes, None when the claim does not tell.
    """

    block: bool = False
    hotplug: bool = False
    host_disk: bool = False
    preallocated: bool = False
    has_claim: bool = True
    capacity: int | None = None
    filesystem_overhead: str = ""


class DeviceResource(msgspec.Struct, frozen=True):
    """What the device plugin of a resource gives the pod: devices of one kind (`pci`, `mdev`, `usb`), by address."""

    kind: str
    addresses: tuple[str, ...]


class Context(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """KubeVirt's converter context: what the node, the pod and the cluster's configuration contribute.

    What has a default is what few VMIs ask for.
    Source: pkg/virt-launcher/virtwrap/manager.go and converter/types/converter-context.go.
    """

    architecture: Architecture
    """The guest's architecture."""
    release: Release
    """The KubeVirt release whose behaviour this is."""

    hypervisor: str
    hypervisor_available: bool
    """Whether the node has the hypervisor's device (`/dev/kvm`)."""
    allow_emulation: bool
    host_architecture: str
    """The node's own architecture when cross-architecture emulation is on, else empty: the guest's."""
    launcher_log_verbosity: int
    non_root: bool

    smbios: SMBiosConfiguration
    """The system identity that the cluster's configuration gives every VM."""
    firmware_directory: str
    firmware_files: frozenset[str]
    """Names of the files in `firmware_directory`."""
    firmware_auto_selection: bool

    cpu_set: tuple[int, ...] = ()
    """The host CPUs that the pod owns."""
    topology: HostTopology
    tsc_frequency: int | None = None
    """The lowest TSC frequency of the cluster in Hz, where virt-controller hands one out."""

    pci_numa_aware_topology: bool
    pci_numa_nodes: Mapping[str, int]
    """PCI address (`0000:41:00.0`) to host NUMA node; a device that is missing has no known node."""
    iommufd: bool
    grace_io_virtualization: bool
    grace_host_device_aliases: tuple[str, ...] = ()
    grace_devices: Mapping[str, HostPCIDevice]
    """PCI address to the device of the host, of those that say who made them."""
    grace_initiator_nodes: tuple[int, ...]
    """All Generic Initiator NUMA nodes of the host."""
    smmuv3: bool
    numa_distances: Mapping[int, Mapping[int, int]]

    mem_balloon_stats_period: int
    free_page_reporting: bool
    bochs_for_efi_guests: bool
    serial_console_log: bool

    volumes: Mapping[str, BackingVolume] = {}
    """Volume name to the claim behind it, for volumes that have one."""
    changed_block_tracking: bool = False
    expand_disks: bool
    """Whether disks with a claim say that they grow with it."""
    container_disk_format: str
    filesystem_block_size: int
    block_device: BlockLimits
    """The block size of file systems that hold disk images, and the limits of block devices."""
    direct_io: DirectIO
    """Which file systems take O_DIRECT; block devices do."""
    claims_allocated: bool
    """Whether images of claims hold all their blocks, even where no annotation says so."""
    binding_attachments: Mapping[str, str]
    """Network binding plugin to how it attaches to the domain; plugins that do not say are missing."""
    pod_interface: str
    pod_links: PodLinks
    device_resources: Mapping[str, DeviceResource] = {}
    claimed_devices: Mapping[tuple[str, str], ClaimedDevice] = {}
    """(resource claim of the VMI, request) to what its driver allocated."""
    sriov_addresses: Mapping[str, str | None] = {}
    """SR-IOV interface to the PCI address of its virtual function."""
    vsock_cid: int | None = None

    @property
    def emulates_other_architecture(self) -> bool:
        """Whether the guest's architecture is not the node's, so that QEMU emulates it in software."""
        return self.host_architecture not in ("", self.architecture.name)
