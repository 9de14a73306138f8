"""What virt-launcher knows besides the VMI when it builds the domain."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from virtcatalog.domain.architecture import AMD64, Architecture
from virtcatalog.domain.topology import HostTopology


class SMBIOS(msgspec.Struct, frozen=True, kw_only=True):
    """The system identity that the cluster's configuration gives every VM."""

    manufacturer: str = ""
    family: str = ""
    product: str = ""
    sku: str = ""
    version: str = ""


class GraceDevice(msgspec.Struct, frozen=True, kw_only=True):
    """What the host tells about one NVIDIA Grace GPU, known by its PCI address.

    `bar_bytes` is the sum of its 64-bit prefetchable BARs, `initiator_nodes` the NUMA nodes that its Generic
    Initiators take (empty: the host does not tell which nodes belong to which device).
    """

    vendor_id: str
    device_id: str
    bar_bytes: int
    initiator_nodes: tuple[int, ...] = ()


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """KubeVirt's converter context: what the node, the pod and the cluster's configuration contribute.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/manager.go and converter/types/converter-context.go.
    """

    architecture: Architecture = AMD64
    """The guest's architecture."""
    host_profile: str = ""
    """Name and version of the host profile, for the XML's first comment."""
    release: str = "v1.9.0"
    """The KubeVirt release whose behaviour this is."""

    hypervisor: str = "kvm"
    hypervisor_available: bool = True
    """Whether the node has the hypervisor's device (`/dev/kvm`)."""
    allow_emulation: bool = False
    host_architecture: str = ""
    """The node's own architecture when cross-architecture emulation is on, else empty: the guest's."""
    launcher_log_verbosity: int = 2
    non_root: bool = True

    smbios: SMBIOS | None = None
    firmware_directory: str = "/usr/share/edk2/ovmf"
    firmware_files: frozenset[str] = frozenset()
    """Names of the files in `firmware_directory`."""
    firmware_auto_selection: bool = False

    cpu_set: tuple[int, ...] = ()
    """The host CPUs that the pod owns."""
    topology: HostTopology = HostTopology()
    tsc_frequency: int | None = None
    """The lowest TSC frequency of the cluster in Hz, where virt-controller hands one out."""

    pci_numa_aware_topology: bool = False
    pci_numa_nodes: Mapping[str, int] = {}
    """PCI address (`0000:41:00.0`) to host NUMA node; a device that is missing has no known node."""
    iommufd: bool = False
    grace_io_virtualization: bool = False
    grace_host_device_aliases: tuple[str, ...] = ()
    grace_devices: Mapping[str, GraceDevice] = {}
    grace_initiator_nodes: tuple[int, ...] = ()
    """All Generic Initiator NUMA nodes of the host."""
    smmuv3: bool = False
    numa_distances: Mapping[int, Mapping[int, int]] = {}

    mem_balloon_stats_period: int = 10
    free_page_reporting: bool = True
    bochs_for_efi_guests: bool = True
    serial_console_log: bool = True
