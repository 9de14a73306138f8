"""The devices of a domain: `spec.domain.devices` and what it holds."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.interfaces import Interface
from virtcatalog.api.object import Constant, Object, UInt32, since


class FilesystemVirtiofs(Object):
    """The filesystem is shared by virtiofs."""


class I6300ESBWatchdog(Object):
    """The PCI watchdog of x86; `action` is poweroff, reset or shutdown."""

    action: str = ""


class Diag288Watchdog(Object):
    """The watchdog of s390x; `action` is poweroff, reset or shutdown."""

    action: Annotated[str, since("v1.6")] = ""


class CDRomTarget(Object):
    """The disk is a CD-ROM drive; `bus` is sata, scsi or virtio, `tray` open or closed."""

    bus: str = ""
    readonly: bool | None = None
    tray: str = ""


class LunTarget(Object):
    """The disk is a LUN, with SCSI commands passed through; `reservation` also passes persistent reservations."""

    bus: str = ""
    readonly: bool = False
    reservation: bool = False


class DiskTarget(Object):
    """The disk is a disk; `bus` is virtio, sata, scsi or usb."""

    bus: str = ""
    readonly: bool = False
    pci_address: str = ""


class CustomBlockSize(Object):
    """Block sizes in bytes."""

    logical: UInt32 = 0
    physical: UInt32 = 0
    discard_granularity: Annotated[UInt32 | None, since("v1.7")] = None


class FeatureState(Constant, frozen=True):
    """Something that is on or off; on when `enabled` is absent."""

    enabled: bool | None = None


class VGPUDisplayOptions(Object):
    """Whether a vGPU shows a display, and one before its driver is up."""

    enabled: bool | None = None
    ram_fb: FeatureState | None = field(name="ramFB", default=None)


class DownwardMetrics(Object):
    """A virtio-serial channel that gives the guest metrics of its host."""


class ClientPassthroughDevices(Object):
    """Slots for USB devices that a client redirects into the guest."""


class VideoDevice(Object):
    """The graphics card; `type` is vga, bochs, virtio, ramfb or another that QEMU has."""

    type: Annotated[str, since("v1.6")] = ""


class PanicDevice(Object):
    """A device by which the guest reports a panic; `model` is isa, hyperv or pvpanic."""

    model: Annotated[str | None, since("v1.6")] = None


class SoundDevice(Object):
    """A sound card; `model` is ich9 or ac97."""

    name: str
    model: str = ""


class Filesystem(Object):
    """A volume shared with the guest as a filesystem."""

    name: str
    virtiofs: FilesystemVirtiofs


class Watchdog(Object):
    """A watchdog that acts on a guest that hangs."""

    name: str
    i6300esb: I6300ESBWatchdog | None = None
    diag288: Annotated[Diag288Watchdog | None, since("v1.6")] = None


class BlockSize(Object):
    """The block sizes that the guest sees: given ones, or those of the volume."""

    custom: CustomBlockSize | None = None
    match_volume: FeatureState | None = None


class Disk(Object):
    """A disk and how the guest sees it; its volume has the same name. One of `disk`, `lun` and `cdrom`, `disk` if
    none.
    """

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
    """An input device; `type` is tablet, `bus` usb or virtio."""

    type: str
    name: str
    bus: str = ""


class Rng(Object):
    """A random number generator fed by the host."""


class TPMDevice(Object):
    """A TPM; a persistent one keeps its state over restarts."""

    enabled: Annotated[bool | None, since("v1.6")] = None
    persistent: bool | None = None


class VGPUOptions(Object):
    """Options of a vGPU."""

    display: VGPUDisplayOptions | None = None


class GPU(Object):
    """A GPU or vGPU of the host: a permitted device by name, or one of a resource claim."""

    name: str
    device_name: str = ""
    claim_name: Annotated[str | None, since("v1.6")] = None
    request_name: Annotated[str | None, since("v1.6")] = None
    virtual_gpu_options: VGPUOptions | None = field(name="virtualGPUOptions", default=None)
    tag: str = ""


class HostDevice(Object):
    """A device of the host: a permitted device by name, or one of a resource claim."""

    name: str
    device_name: str = ""
    claim_name: Annotated[str | None, since("v1.6")] = None
    request_name: Annotated[str | None, since("v1.6")] = None
    tag: str = ""


class Devices(Object):
    """The devices of a machine."""

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
    """A device of a resource claim: the claim and the request in it."""

    claim_name: Annotated[str, since("v1.9")] = ""
    request_name: Annotated[str, since("v1.9")] = ""
