"""Instance types and preferences (instancetype.kubevirt.io/v1beta1)."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.clock import ClockOffset, Timer
from virtcatalog.api.core import Resource
from virtcatalog.api.devices import GPU, BlockSize, FeatureState, HostDevice, Rng, TPMDevice, VGPUOptions
from virtcatalog.api.domainspec import (
    EFI,
    NUMA,
    CPUFeature,
    DiskIOThreads,
    FeatureAPIC,
    FeatureHyperv,
    FeatureKVM,
    Hugepages,
    LaunchSecurity,
    Realtime,
)
from virtcatalog.api.interfaces import InterfaceMasquerade
from virtcatalog.api.object import Constant, Int64, Object, UInt32, fills, since
from virtcatalog.api.quantity import Quantity


class MemoryPreferenceRequirement(Object):
    """At least this much memory."""

    guest: Quantity


class CPUPreferenceRequirement(Object):
    """At least this many vCPUs."""

    guest: UInt32


class SpreadOptions(Object):
    """How vCPUs are spread: across which levels, and how many cores a socket (or threads a core)."""

    across: Annotated[str | None, since("v1.3")] = None
    ratio: Annotated[UInt32 | None, since("v1.3")] = None


class ClockPreferences(Constant, frozen=True):
    """The clock, where the VM says nothing."""

    preferred_clock_offset: ClockOffset | None = None
    preferred_timer: Timer | None = None


class PreferenceRequirements(Object):
    """What an instance type or VM must offer a preference."""

    cpu: CPUPreferenceRequirement | None = None
    memory: MemoryPreferenceRequirement | None = None
    architecture: Annotated[str | None, since("v1.7")] = None


class CPUPreferences(Object):
    """How vCPUs are laid out, and CPU features."""

    preferred_cpu_topology: str | None = field(name="preferredCPUTopology", default=None)
    spread_options: Annotated[SpreadOptions | None, since("v1.3")] = None
    preferred_cpu_features: list[CPUFeature] = field(name="preferredCPUFeatures", default_factory=list)


class VolumePreferences(Object):
    """Storage, where the VM says nothing."""

    preferred_storage_class_name: str = ""


class FirmwarePreferences(Object):
    """Boot firmware, where the VM says nothing."""

    preferred_use_bios: bool | None = None
    preferred_use_bios_serial: bool | None = None
    preferred_use_efi: bool | None = None
    preferred_use_secure_boot: bool | None = None
    preferred_efi: Annotated[EFI | None, since("v1.4")] = None


class MachinePreferences(Object):
    """The machine type, where the VM says nothing."""

    preferred_machine_type: str = ""


class FeaturePreferences(Constant, frozen=True):
    """Hypervisor features, where the VM says nothing."""

    preferred_acpi: FeatureState | None = None
    preferred_apic: FeatureAPIC | None = None
    preferred_hyperv: FeatureHyperv | None = None
    preferred_kvm: FeatureKVM | None = None
    preferred_pvspinlock: FeatureState | None = None
    preferred_smm: FeatureState | None = None


class DevicePreferences(Object):
    """Devices and their properties, where the VM says nothing."""

    preferred_autoattach_graphics_device: bool | None = None
    preferred_autoattach_mem_balloon: bool | None = None
    preferred_autoattach_pod_interface: bool | None = None
    preferred_autoattach_serial_console: bool | None = None
    preferred_autoattach_input_device: bool | None = None
    preferred_disable_hotplug: bool | None = None
    preferred_virtual_gpu_options: VGPUOptions | None = field(name="preferredVirtualGPUOptions", default=None)
    preferred_sound_model: str = ""
    preferred_use_virtio_transitional: Annotated[bool | None, fills("domain.devices.useVirtioTransitional")] = None
    preferred_input_bus: str = ""
    preferred_input_type: str = ""
    preferred_disk_bus: str = ""
    preferred_lun_bus: str = ""
    preferred_cdrom_bus: str = ""
    preferred_disk_dedicated_io_thread: bool | None = None
    preferred_disk_cache: str = ""
    preferred_disk_io: str = field(name="preferredDiskIO", default="")
    preferred_disk_block_size: BlockSize | None = None
    preferred_interface_model: str = ""
    preferred_rng: Annotated[Rng | None, fills("domain.devices.rng")] = None
    preferred_block_multi_queue: Annotated[bool | None, fills("domain.devices.blockMultiQueue")] = None
    preferred_network_interface_multi_queue: Annotated[
        bool | None, fills("domain.devices.networkInterfaceMultiqueue")
    ] = None
    preferred_tpm: Annotated[TPMDevice | None, fills("domain.devices.tpm")] = field(name="preferredTPM", default=None)
    preferred_interface_masquerade: InterfaceMasquerade | None = None
    preferred_panic_device_model: Annotated[str | None, since("v1.6")] = None
    preferred_video_type: Annotated[str | None, since("v1.9"), fills("domain.devices.video.type")] = None


class CPUInstancetype(Object):
    """The CPUs of an instance type; `guest` counts vCPUs, `max_sockets` bounds hotplug."""

    guest: UInt32
    model: str | None = None
    dedicated_cpu_placement: bool | None = field(name="dedicatedCPUPlacement", default=None)
    numa: NUMA | None = None
    isolate_emulator_thread: bool | None = None
    realtime: Realtime | None = None
    max_sockets: Annotated[UInt32 | None, since("v1.3")] = None


class MemoryInstancetype(Object):
    """The memory of an instance type; `max_guest` bounds hotplug, `overcommit_percent` lowers what the pod asks for."""

    guest: Quantity
    hugepages: Hugepages | None = None
    overcommit_percent: Int64 = 0
    max_guest: Annotated[Quantity | None, since("v1.3")] = None


class VirtualMachinePreferenceSpec(Object):
    """What a VM gets where it says nothing itself, and what it needs."""

    clock: ClockPreferences | None = None
    cpu: CPUPreferences | None = None
    devices: DevicePreferences | None = None
    features: FeaturePreferences | None = None
    firmware: FirmwarePreferences | None = None
    machine: MachinePreferences | None = None
    volumes: VolumePreferences | None = None
    preferred_subdomain: Annotated[str | None, fills("subdomain")] = None
    preferred_termination_grace_period_seconds: Annotated[Int64 | None, fills("terminationGracePeriodSeconds")] = None
    requirements: PreferenceRequirements | None = None
    annotations: Annotated[dict[str, str], since("v1.1")] = {}
    prefer_spread_socket_to_core_ratio: Annotated[UInt32, since("v1.1")] = 0
    preferred_architecture: Annotated[str | None, since("v1.7")] = None
    preferred_launch_security: Annotated[LaunchSecurity | None, since("v1.9"), fills("domain.launchSecurity")] = None


class VirtualMachineInstancetypeSpec(Object):
    """What a VM gets and cannot change: CPU, memory, devices of the host, placement."""

    cpu: CPUInstancetype
    memory: MemoryInstancetype
    node_selector: Annotated[dict[str, str] | None, since("v1.1")] = None
    scheduler_name: Annotated[str, since("v1.1")] = ""
    gpus: list[GPU] = []
    host_devices: list[HostDevice] = []
    io_threads_policy: str | None = None
    io_threads: Annotated[DiskIOThreads | None, since("v1.7")] = None
    launch_security: LaunchSecurity | None = None
    annotations: Annotated[dict[str, str], since("v1.1")] = {}


class VirtualMachineClusterPreference(Resource, kw_only=True):
    """A preference for every namespace."""

    spec: VirtualMachinePreferenceSpec


class VirtualMachinePreference(Resource, kw_only=True):
    """A preference of one namespace."""

    spec: VirtualMachinePreferenceSpec


class VirtualMachineClusterInstancetype(Resource, kw_only=True):
    """An instance type for every namespace."""

    spec: VirtualMachineInstancetypeSpec


class VirtualMachineInstancetype(Resource, kw_only=True):
    """An instance type of one namespace."""

    spec: VirtualMachineInstancetypeSpec
