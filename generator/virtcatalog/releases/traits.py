"""The type of a KubeVirt release: what belongs to one release rather than to its API."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

import msgspec

from virtcatalog.releases.launchers import Launcher


class Stage(Enum):
    """How far a feature gate has come; `feature_gate` of the configuration says what follows from it."""

    ALPHA = "Alpha"
    BETA = "Beta"
    GA = "General Availability"
    DEPRECATED = "Deprecated"
    DISCONTINUED = "Discontinued"


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What KubeVirt does in some releases and not in others, one field a behaviour.

    The default is what the oldest release does that is modelled; a release names the traits in which it differs from
    the one before it. Rules ask for the trait, never for the release.
    """

    beta_gates_are_on: bool = False
    """A Beta feature gate is on unless it is disabled; without this it is on when it is named
    (pkg/virt-config/featuregate/feature-gates.go, IsEnabled)."""

    plain_mac_addresses: bool = False
    """A MAC address may be twelve digits without separators: Go's net.ParseMAC takes that since Go 1.26 (WORKSPACE)."""
    foreign_architecture_needs_gate: bool = True
    """A VM of another architecture than the cluster's needs the gate MultiArchitecture (vmi-create-admitter.go,
    validateArchitecture)."""
    arm64_secure_boot: bool = False
    """An arm64 guest may ask for secure boot, and EFI that says nothing of it boots without; before, only EFI with
    `secureBoot: false` is accepted (webhooks/arm64.go, validateBootOptions; pkg/defaults/arm64.go,
    setDefaultArm64Bootloader)."""
    hugepages_field: str = "hugepages.size"
    """What the webhook calls a bad page size, below `domain` (vmi-create-admitter.go, validateMemoryRequestsAndLimits
    and validateHugepages)."""
    experimental_virtiofs_gate: bool = True
    """The gate ExperimentalVirtiofsSupport stands for both gates of virtiofs, for storage and for configuration
    (vmi-create-admitter.go, validateFilesystemsWithVirtIOFSEnabled)."""
    tdx_embeds_secure_boot: bool = False
    """Secure boot of a TDX guest needs no SMM, and its loader is not marked as secure (vmi-create-admitter.go,
    validateDomainSpec; manager.go, generateConverterContext)."""
    grace_gpus: bool = False
    """NVIDIA Grace GPUs are known and need their own feature gate (grace_io_virtualization.go,
    validateGraceIOVirtualization)."""

    ramfb_is_on_unless_off: bool = False
    """A vGPU's framebuffer without `enabled` counts, for the webhook and for a display on PCI; before, only one that
    says so (vmi-create-admitter.go, countConfiguredMDEVRamFBs; device/hostdevice/hostdev.go, isRamFBSet)."""
    storage_is_validated_apart: bool = False
    """The webhook of VMIs looks at container disks, utility volumes and disks before the rest of the spec, and with it
    once more (pkg/storage/admitters/vmi-storage-admitter.go, Validate)."""

    passt_and_macvtap_gates: bool = True
    """The bindings `passt` and `macvtap` work behind feature gates; later they are discontinued, as `slirp` is
    (pkg/network/admitter/macvtap.go, validateMacvtapBinding; passt.go, validatePasstBinding; discontinued.go,
    validateDiscontinuedBindings)."""
    interface_needs_binding: bool = False
    """An interface has exactly one binding method or plugin; before, none or several methods will do, and only a
    plugin beside a method is refused (pkg/network/admitter/binding.go, validateInterfaceBindingExists)."""
    untyped_network_is_default: bool = True
    """A network that is no secondary Multus network counts as the default one, even without a type
    (pkg/network/vmispec/network.go, LookUpDefaultNetwork)."""
    port_field: str = ""
    """What the webhook adds to the field of a bad port (pkg/network/admitter/netiface.go,
    validateForwardPortNonZero)."""
    highest_port: int = 65536
    """The highest port that is accepted (pkg/network/admitter/netiface.go, validateForwardPortInRange)."""

    host_devices_from_claims: bool = False
    """Host devices, and not only GPUs, are checked for their resource claims, all GPUs come from claims or none, and
    names are required (pkg/dra/admitter/dra_admitter.go, validateDRADevices)."""
    resource_claims_are_checked: bool = False
    """The listed resource claims have valid names and one source each (pkg/dra/admitter/dra_admitter.go,
    validateResourceClaims)."""

    infers_from_snapshots: bool = False
    """Defaults are inferred from a VolumeSnapshot, too (pkg/instancetype/infer/volume.go, fromVolumeSnapshot)."""
    adds_preferred_panic_device: bool = False
    """A preferred panic device model gives a VM its panic device; before, it only completes one that the VM has
    (pkg/instancetype/preference/apply/device.go, applyPanicDevicePreferences)."""
    launch_security_moves_to_preference: bool = False
    """`launchSecurity` of an instance type is deprecated (pkg/instancetype/webhooks/admitter.go,
    checkForDeprecatedFields)."""

    tdx_quotes: bool = False
    """A TDX guest gets the quote generation service's socket (vmi-mutator.go, Mutate;
    converter/compute/launch_security.go, amd64LaunchSecurity)."""
    prefers_secure_boot_code: bool = False
    """Without secure boot a guest still gets the firmware's code that could do it, if it is there; before, the code
    that could not (pkg/virt-launcher/virtwrap/efi/efi.go, DetectEFIEnvironment)."""
    converts_mac_address: bool = False
    """The converter writes the MAC address that an interface asks for; before, only the launcher's network setup does
    (converter/network/configurator.go, configureInterface)."""
    link_state_needs_tap: bool = False
    """A link that is down shows only on an interface with a tap device, as does `<rom>` under launch security
    (converter/network/configurator.go, tapBindingOptions)."""
    reservations_migrate: bool = False
    """A disk's persistent reservation moves along in a migration (converter/converter.go, setReservation)."""
    pools_number_cloud_init_secrets: bool = False
    """A pool that numbers secrets numbers those of cloud-init, too (watch/pool/pool.go, indexVMSpec)."""
    pools_keep_identities: bool = False
    """A pool that updates its VMs leaves them their firmware's uuid and serial (watch/pool/pool.go,
    preserveVMIdentityFields)."""
    expand_disks_gate: bool = True
    """Disks with a claim say that the gate ExpandDisks is on (converter/converter.go, Convert_v1_Disk_To_api_Disk)."""
    s390x_block_size_limit: bool = False
    """Blocks of more than 4096 bytes are refused on s390x (converter/converter.go,
    Convert_v1_BlockSize_To_api_BlockIO)."""
    tracks_hotplugged_disks: bool = False
    """Changed blocks are tracked of hotplugged disks, too, and the block size matched is that of the storage below the
    tracking overlay (converter/converter.go, ConvertHotplugVolumeSourceToDisk, getOptimalBlockIO)."""
    pci_vgpu_display: bool = False
    """A GPU on PCI can be a display (device/hostdevice/hostdev.go, createPCIHostDevice)."""
    judges_images_below_overlays: bool = False
    """Cache and I/O mode of a disk with a tracking overlay are what the image below it can do; before, what the overlay
    can, which is a file without blocks (converter/converter.go, SetDriverCacheMode, SetOptimalIOMode)."""
    crashes_on_unbound_interfaces: bool = True
    """virt-launcher crashes on an interface without a binding, which its webhook admits (pkg/network/setup/podnic.go,
    PlugPhase2)."""
    claimed_devices_keep_order: bool = False
    """Devices of resource claims keep the VMI's order, one with a PCI address and an mdev UUID is a mediated one, and
    on s390x such a host device is of model vfio-ap; before, PCI devices come first and their address wins
    (device/hostdevice/dra)."""
    omits_empty_address_attributes: bool = False
    """An address without a type or bus has no such attribute; before, it is empty (api/schema.go, Address)."""
    root_complex_needs_pcie: bool = False
    """PCI devices are placed on the root complex only where the architecture has PCIe (converter/converter.go,
    Convert_v1_VirtualMachineInstance_To_api_Domain)."""
    strict_pci_numa_placement: bool = False
    """With NUMA passthrough, a host device that cannot be placed near its NUMA node is refused, and one with a guest
    address of its own keeps it (converter/pci-placement.go, addDevices)."""
    pins_supplemental_iothreads_first: bool = False
    """The supplemental pool takes its CPUs from the pod's before the emulator does, and counts for its parity; before,
    it is pinned by numbers behind them (converter/vcpu/vcpu.go, AdjustDomainForTopologyAndCPUSet)."""
    crashes_on_pinned_iothreads: bool = True
    """virt-launcher crashes on IO threads of a VM with dedicated CPUs: it pins them before there are any
    (converter/vcpu/vcpu.go, FormatDomainIOThreadPin)."""
    crashes_on_max_sockets: bool = True
    """virt-launcher crashes on dedicated CPUs with maxSockets where CPUs cannot be plugged in
    (converter/vcpu/vcpu.go, AdjustDomainForTopologyAndCPUSet)."""

    empty_cells_tell_memory: bool = False
    """A NUMA cell of the guest that has no memory says so (api/schema.go, NUMACell)."""
    passes_numa_distances: bool = False
    """NUMA nodes that are passed through keep their distances (converter/vcpu/vcpu.go, numaMapping)."""
    s390x_has_memfd: bool = True
    """Memory is backed with memfd on s390x, too, which has no NUMA cells for it (converter/arch/s390x.go,
    IsMemfdSupported)."""
    numa_field_gets_memfd_cell: bool = True
    """A VMI with `numa` gets the NUMA cell that memfd needs unless the host's nodes are passed through; later `numa`
    alone keeps it away (converter/compute/cpu.go, configureSyntheticNUMA)."""
    hotplug_ports_lose_commandline: bool = True
    """`<qemu:commandline>` is lost where root ports are added (util/libvirt_helper.go, ApplySidecarHooks)."""

    cpu_manager_label: str = "cpumanager"
    """The label of nodes on which a VMI can have CPUs of its own (api/core/v1/types.go, CPUManager)."""
    launcher_is_told_hypervisor: bool = False
    """virt-launcher's command names the hypervisor (services/template.go, renderLaunchManifest)."""
    tool_keeps_attributes: bool = False
    """The tool of container disks is copied with its attributes (services/template.go, renderLaunchManifest)."""
    claims_by_name_alone: bool = True
    """Of several requests to one resource claim the Pod's container makes the first only (services/renderresources.go,
    copyResourceClaims)."""
    crashes_on_claims_in_part: bool = True
    """virt-controller crashes on a GPU that names a claim without a request (services/renderresources.go,
    WithGPUsDRA)."""
    writes_null_timestamps: bool = True
    """The webhook of VMs writes `creationTimestamp: null` into the metadata of their templates (apimachinery's
    ObjectMeta, before `omitzero`)."""
    keeps_empty_claim_names: bool = True
    """An empty claimName or requestName of a device is one; later the VM's webhook drops it (kubevirt.io/api,
    ClaimRequest)."""
    permits_device_by_device: bool = False
    """Only devices of resource claims need no permission where their gate is on; before, the gate for GPUs spares all
    GPUs, and host devices of claims need it (services/renderresources.go, validatePermittedHostDevices)."""
    tdx_device: bool = False
    """The Pod of a TDX guest asks for a device of its own (services/renderresources.go, WithTDX)."""
    sidecar_is_told_plugin: bool = False
    """The sidecar of a network binding plugin learns the plugin's name (services/template.go,
    newSidecarContainerRenderer)."""
    virtiofs_shows_tokens_as_root: bool = False
    """Guests see the token of a service account as root's (services/virtiofs.go, generateContainerFromVolume)."""
    qemu_overhead_mebibytes: int = 30
    """What QEMU takes beside its guest (pkg/hypervisor/kvm/hypervisorbackend.go, QemuOverhead)."""
    launcher_has_arguments: bool = False
    """The flags of virt-launcher, and of the copy of the container disks' tool, are `args`; before, they follow the
    program in `command` (services/template.go, renderLaunchManifest)."""
    launcher_is_told_hooks: bool = True
    """virt-launcher's command names the gate LibvirtHooksServerAndClient (services/template.go,
    renderLaunchManifest)."""
    hugetlbfs_is_of_huge_pages: bool = False
    """libvirt's directory of huge pages is on them, too (services/rendervolumes.go, withHugepages)."""
    digests_can_be_skipped: bool = False
    """An annotation keeps away the init containers that tell digests of images (services/template.go,
    renderLaunchManifest; services/rendervolumes.go, withImageVolumes)."""
    virtiofs_follows_pull_policy: bool = False
    """Virtiofs' containers are pulled as the configuration says (services/virtiofs.go, generateContainerFromVolume)."""
    reservations_keep_apart: bool = False
    """Pods that reserve the same LUN are kept on different nodes (services/template.go,
    setPersistentReservationAntiAffinity)."""

    takes_restart_back: bool = False
    """The condition RestartRequired goes when nothing needs a restart any more (watch/vm/vm.go,
    syncRestartRequired)."""
    pod_network_needs_restart: bool = False
    """A VM that joins the pod network has to restart; before, nothing happens and nothing is said
    (pkg/network/vmliveupdate/restart.go, IsRestartRequired)."""
    networks_change_alone: bool = False
    """Networks of a running VMI are brought into order, or changed, even if no interface changes
    (pkg/network/controllers/vm.go, vmiInterfacesPatch)."""
    networks_follow_migratable_only: bool = False
    """Only a VMI that can be migrated moves to another NetworkAttachmentDefinition while it runs; any other has to
    restart (pkg/network/controllers/vm.go, syncVMIInterfaces; pkg/network/vmliveupdate/restart.go,
    IsRestartRequired)."""
    notes_left_volumes: bool = True
    """A VMI is annotated with the hotplugged volumes that its VM does not have (watch/vmi/storage.go,
    checkEphemeralHotplugVolumes)."""
    deploys_dedicated_series: bool = False
    """The operator deploys the instance types d1.* (virt-operator's common-instancetypes bundles)."""


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """The tip of a branch, ahead of its release: the minor that it leads to, its commit, and that commit's date."""

    minor: tuple[int, int]
    commit: str
    date: str


class Release(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One KubeVirt release, or what a branch has ahead of one.

    `feature_gates` gives every registered gate its stage (pkg/virt-config/featuregate); `configuration` is the KubeVirt
    CR's `spec.configuration` as it is while nobody sets anything, without what only migrations and clients of the API
    server read (pkg/virt-config/configuration.go); `firmware` are the files of the launcher's image by directory;
    `pci_topology_version` is what new machines are annotated with (vmi-mutator.go). `common_instancetypes` is the
    catalog that comes with virtcatalog of what the operator deploys (virt-operator's common-instancetypes bundles).
    `launcher` is what is in virt-launcher's image. `branch` is None for what was released.
    """

    name: str
    branch: Branch | None = None
    launcher: Launcher
    feature_gates: Mapping[str, Stage]
    configuration: Mapping[str, Any]
    firmware: Mapping[str, tuple[str, ...]]
    pci_topology_version: str
    common_instancetypes: str
    traits: Traits = Traits()

    @cached_property
    def minor(self) -> tuple[int, int]:
        """The release without its patch number: `(1, 9)`; of a preview, the one that its branch leads to."""
        if self.branch is not None:
            return self.branch.minor
        major, minor, _ = self.name.removeprefix("v").split(".")
        return int(major), int(minor)

    @property
    def preview(self) -> str:
        """A sentence that says what is not released yet; "" for a release."""
        if self.branch is None:
            return ""
        tip = f"its branch as of {self.branch.date}, {self.branch.commit}"
        return f"KubeVirt {self.name} is a preview: {tip}, which may change until it is released"

    def __str__(self) -> str:
        return f"{self.name} (preview)" if self.branch is not None else self.name


def gates(before: Mapping[str, Stage] = MappingProxyType({}), **stages: str) -> Mapping[str, Stage]:
    """Return the gates of the release before with the stages that are new, `ALPHA="OneGate AnotherGate"`."""
    changed = {gate: Stage[stage] for stage, names in stages.items() for gate in names.split()}
    return MappingProxyType({**before, **changed})
