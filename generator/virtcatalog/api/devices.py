"""The devices of a domain: `spec.domain.devices` and what it holds."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.object import Int32, Int64, Object, UInt32, since


class DHCPPrivateOptions(Object):
    """`kubevirt.io/v1 DHCPPrivateOptions`."""

    option: Int64
    value: str


class DeprecatedInterfaceMacvtap(Object):
    """`kubevirt.io/v1 DeprecatedInterfaceMacvtap`."""


class InterfaceSRIOV(Object):
    """`kubevirt.io/v1 InterfaceSRIOV`."""


class PortRange(Object):
    """`kubevirt.io/v1 PortRange`."""

    protocol: Annotated[str, since("v1.9")]
    start: Annotated[Int32, since("v1.9")]
    end: Annotated[Int32, since("v1.9")]


class PluginBinding(Object):
    """`kubevirt.io/v1 PluginBinding`."""

    name: Annotated[str, since("v1.1")]


class DeprecatedInterfacePasst(Object):
    """`kubevirt.io/v1 DeprecatedInterfacePasst`."""


class InterfaceBridge(Object):
    """`kubevirt.io/v1 InterfaceBridge`."""


class DeprecatedInterfaceSlirp(Object):
    """`kubevirt.io/v1 DeprecatedInterfaceSlirp`."""


class Port(Object):
    """`kubevirt.io/v1 Port`."""

    port: Int32
    name: str = ""
    protocol: str = ""


class InterfacePasstBinding(Object):
    """`kubevirt.io/v1 InterfacePasstBinding`."""


class DHCPOptions(Object):
    """`kubevirt.io/v1 DHCPOptions`."""

    boot_file_name: str = ""
    tftp_server_name: str = ""
    ntp_servers: list[str] = []
    private_options: list[DHCPPrivateOptions] = []


class FilesystemVirtiofs(Object):
    """`kubevirt.io/v1 FilesystemVirtiofs`."""


class I6300ESBWatchdog(Object):
    """`kubevirt.io/v1 I6300ESBWatchdog`."""

    action: str = ""


class Diag288Watchdog(Object):
    """`kubevirt.io/v1 Diag288Watchdog`."""

    action: Annotated[str, since("v1.6")] = ""


class CDRomTarget(Object):
    """`kubevirt.io/v1 CDRomTarget`."""

    bus: str = ""
    readonly: bool | None = None
    tray: str = ""


class LunTarget(Object):
    """`kubevirt.io/v1 LunTarget`."""

    bus: str = ""
    readonly: bool = False
    reservation: bool = False


class DiskTarget(Object):
    """`kubevirt.io/v1 DiskTarget`."""

    bus: str = ""
    readonly: bool = False
    pci_address: str = ""


class CustomBlockSize(Object):
    """`kubevirt.io/v1 CustomBlockSize`."""

    logical: UInt32 = 0
    physical: UInt32 = 0
    discard_granularity: Annotated[UInt32 | None, since("v1.7")] = None


class FeatureState(Object):
    """`kubevirt.io/v1 FeatureState`."""

    enabled: bool | None = None


class VGPUDisplayOptions(Object):
    """`kubevirt.io/v1 VGPUDisplayOptions`."""

    enabled: bool | None = None
    ram_fb: FeatureState | None = field(name="ramFB", default=None)


class DownwardMetrics(Object):
    """`kubevirt.io/v1 DownwardMetrics`."""


class ClientPassthroughDevices(Object):
    """`kubevirt.io/v1 ClientPassthroughDevices`."""


class VideoDevice(Object):
    """`kubevirt.io/v1 VideoDevice`."""

    type: Annotated[str, since("v1.6")] = ""


class InterfaceMasquerade(Object):
    """`kubevirt.io/v1 InterfaceMasquerade`."""


class Interface(Object):
    """`kubevirt.io/v1 Interface`."""

    name: str
    model: str = ""
    bridge: InterfaceBridge | None = None
    slirp: DeprecatedInterfaceSlirp | None = None
    masquerade: InterfaceMasquerade | None = None
    sriov: InterfaceSRIOV | None = None
    macvtap: DeprecatedInterfaceMacvtap | None = None
    passt: DeprecatedInterfacePasst | None = None
    passt_binding: Annotated[InterfacePasstBinding | None, since("v1.8")] = None
    binding: Annotated[PluginBinding | None, since("v1.1")] = None
    ports: list[Port] = []
    port_ranges: Annotated[list[PortRange], since("v1.9")] = []
    mac_address: str = ""
    boot_order: UInt32 | None = None
    pci_address: str = ""
    dhcp_options: DHCPOptions | None = None
    tag: str = ""
    acpi_index: Int64 = 0
    state: str = ""


class PanicDevice(Object):
    """`kubevirt.io/v1 PanicDevice`."""

    model: Annotated[str | None, since("v1.6")] = None


class SoundDevice(Object):
    """`kubevirt.io/v1 SoundDevice`."""

    name: str
    model: str = ""


class Filesystem(Object):
    """`kubevirt.io/v1 Filesystem`."""

    name: str
    virtiofs: FilesystemVirtiofs


class Watchdog(Object):
    """`kubevirt.io/v1 Watchdog`."""

    name: str
    i6300esb: I6300ESBWatchdog | None = None
    diag288: Annotated[Diag288Watchdog | None, since("v1.6")] = None


class BlockSize(Object):
    """`kubevirt.io/v1 BlockSize`."""

    custom: CustomBlockSize | None = None
    match_volume: FeatureState | None = None


class Disk(Object):
    """`kubevirt.io/v1 Disk`."""

    name: str
    disk: DiskTarget | None = None
    lun: LunTarget | None = None
    cdrom: CDRomTarget | None = None
    boot_order: UInt32 | None = None
    serial: str = ""
    dedicated_io_thread: bool | None = field(name="dedicatedIOThread", default=None)
    cache: str = ""
    io: str = ""
    tag: str = ""
    block_size: BlockSize | None = None
    shareable: bool | None = None
    error_policy: Annotated[str | None, since("v1.1")] = None
    changed_block_tracking: Annotated[bool | None, since("v1.7")] = None


class Input(Object):
    """`kubevirt.io/v1 Input`."""

    type: str
    name: str
    bus: str = ""


class Rng(Object):
    """`kubevirt.io/v1 Rng`."""


class TPMDevice(Object):
    """`kubevirt.io/v1 TPMDevice`."""

    enabled: Annotated[bool | None, since("v1.6")] = None
    persistent: bool | None = None


class VGPUOptions(Object):
    """`kubevirt.io/v1 VGPUOptions`."""

    display: VGPUDisplayOptions | None = None


class GPU(Object):
    """`kubevirt.io/v1 GPU`."""

    name: str
    device_name: str = ""
    claim_name: Annotated[str, since("v1.6")] = ""
    request_name: Annotated[str, since("v1.6")] = ""
    virtual_gpu_options: VGPUOptions | None = field(name="virtualGPUOptions", default=None)
    tag: str = ""


class HostDevice(Object):
    """`kubevirt.io/v1 HostDevice`."""

    name: str
    device_name: str = ""
    claim_name: Annotated[str, since("v1.6")] = ""
    request_name: Annotated[str, since("v1.6")] = ""
    tag: str = ""


class Devices(Object):
    """`kubevirt.io/v1 Devices`."""

    use_virtio_transitional: bool | None = None
    disable_hotplug: bool = False
    disks: list[Disk] = []
    watchdog: Watchdog | None = None
    interfaces: list[Interface] = []
    inputs: list[Input] = []
    autoattach_pod_interface: bool | None = None
    autoattach_graphics_device: bool | None = None
    autoattach_serial_console: bool | None = None
    log_serial_console: Annotated[bool | None, since("v1.1")] = None
    autoattach_mem_balloon: bool | None = None
    autoattach_input_device: bool | None = None
    autoattach_vsock: bool | None = field(name="autoattachVSOCK", default=None)
    rng: Rng | None = None
    block_multi_queue: bool | None = None
    network_interface_multiqueue: bool | None = None
    gpus: list[GPU] = []
    downward_metrics: Annotated[DownwardMetrics | None, since("v1.1")] = None
    panic_devices: Annotated[list[PanicDevice], since("v1.6")] = []
    filesystems: list[Filesystem] = []
    host_devices: list[HostDevice] = []
    client_passthrough: ClientPassthroughDevices | None = None
    sound: SoundDevice | None = None
    tpm: TPMDevice | None = None
    video: Annotated[VideoDevice | None, since("v1.6")] = None


class ClaimRequest(Object):
    """`kubevirt.io/v1 ClaimRequest`."""

    claim_name: Annotated[str, since("v1.9")] = ""
    request_name: Annotated[str, since("v1.9")] = ""
