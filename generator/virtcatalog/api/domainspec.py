"""What a VMI asks of its machine: `spec.domain` without the devices."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api.devices import Devices, FeatureState
from virtcatalog.api.object import Int64, Object, UInt32, since
from virtcatalog.api.quantity import Quantity


class BIOS(Object):
    """`kubevirt.io/v1 BIOS`."""

    use_serial: bool | None = None


class KernelBootContainer(Object):
    """`kubevirt.io/v1 KernelBootContainer`."""

    image: str
    image_pull_secret: str = ""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    kernel_path: str = ""
    initrd_path: str = ""


class HPETTimer(Object):
    """`kubevirt.io/v1 HPETTimer`."""

    tick_policy: str = ""
    present: bool | None = None


class KVMTimer(Object):
    """`kubevirt.io/v1 KVMTimer`."""

    present: bool | None = None


class HypervTimer(Object):
    """`kubevirt.io/v1 HypervTimer`."""

    present: bool | None = None


class PITTimer(Object):
    """`kubevirt.io/v1 PITTimer`."""

    tick_policy: str = ""
    present: bool | None = None


class RTCTimer(Object):
    """`kubevirt.io/v1 RTCTimer`."""

    tick_policy: str = ""
    present: bool | None = None
    track: str = ""


class FeatureSpinlocks(Object):
    """`kubevirt.io/v1 FeatureSpinlocks`."""

    enabled: bool | None = None
    spinlocks: UInt32 | None = None


class FeatureVendorID(Object):
    """`kubevirt.io/v1 FeatureVendorID`."""

    enabled: bool | None = None
    vendorid: str = ""


class SyNICTimer(Object):
    """`kubevirt.io/v1 SyNICTimer`."""

    enabled: bool | None = None
    direct: FeatureState | None = None


class TLBFlush(Object):
    """`kubevirt.io/v1 TLBFlush`."""

    enabled: Annotated[bool | None, since("v1.8")] = None
    direct: Annotated[FeatureState | None, since("v1.8")] = None
    extended: Annotated[FeatureState | None, since("v1.8")] = None


class NUMAGuestMappingPassthrough(Object):
    """`kubevirt.io/v1 NUMAGuestMappingPassthrough`."""


class SEVPolicy(Object):
    """`kubevirt.io/v1 SEVPolicy`."""

    encrypted_state: bool | None = None


class SEVAttestation(Object):
    """`kubevirt.io/v1 SEVAttestation`."""


class EFI(Object):
    """`kubevirt.io/v1 EFI`."""

    secure_boot: bool | None = None
    persistent: Annotated[bool | None, since("v1.1")] = None


class Bootloader(Object):
    """`kubevirt.io/v1 Bootloader`."""

    bios: BIOS | None = None
    efi: EFI | None = None


class ACPI(Object):
    """`kubevirt.io/v1 ACPI`."""

    slic_name_ref: Annotated[str, since("v1.2")] = ""
    msdm_name_ref: Annotated[str, since("v1.6")] = ""


class KernelBoot(Object):
    """`kubevirt.io/v1 KernelBoot`."""

    kernel_args: str = ""
    container: KernelBootContainer | None = None


class ClockOffsetUTC(Object):
    """`kubevirt.io/v1 ClockOffsetUTC`."""

    offset_seconds: Int64 | None = None


class HyperVPassthrough(Object):
    """`kubevirt.io/v1 HyperVPassthrough`."""

    enabled: Annotated[bool | None, since("v1.3")] = None


class ReservedOverhead(Object):
    """`kubevirt.io/v1 ReservedOverhead`."""

    added_overhead: Annotated[Quantity | None, since("v1.8")] = None
    mem_lock: Annotated[str | None, since("v1.8")] = None


class Timer(Object):
    """`kubevirt.io/v1 Timer`."""

    hpet: HPETTimer | None = None
    kvm: KVMTimer | None = None
    pit: PITTimer | None = None
    rtc: RTCTimer | None = None
    hyperv: HypervTimer | None = None


class ClockOffset(Object):
    """`kubevirt.io/v1 ClockOffset`."""

    utc: ClockOffsetUTC | None = None
    timezone: str | None = None


class CPUFeature(Object):
    """`kubevirt.io/v1 CPUFeature`."""

    name: str
    policy: str = ""


class FeatureHyperv(Object):
    """`kubevirt.io/v1 FeatureHyperv`."""

    relaxed: FeatureState | None = None
    vapic: FeatureState | None = None
    spinlocks: FeatureSpinlocks | None = None
    vpindex: FeatureState | None = None
    runtime: FeatureState | None = None
    synic: FeatureState | None = None
    synictimer: SyNICTimer | None = None
    reset: FeatureState | None = None
    vendorid: FeatureVendorID | None = None
    frequencies: FeatureState | None = None
    reenlightenment: FeatureState | None = None
    tlbflush: TLBFlush | None = None
    ipi: FeatureState | None = None
    evmcs: FeatureState | None = None


class FeatureKVM(Object):
    """`kubevirt.io/v1 FeatureKVM`."""

    hidden: bool = False


class FeatureAPIC(Object):
    """`kubevirt.io/v1 FeatureAPIC`."""

    enabled: bool | None = None
    end_of_interrupt: bool = False


class NUMA(Object):
    """`kubevirt.io/v1 NUMA`."""

    guest_mapping_passthrough: NUMAGuestMappingPassthrough | None = None


class Realtime(Object):
    """`kubevirt.io/v1 Realtime`."""

    mask: str = ""


class TDX(Object):
    """`kubevirt.io/v1 TDX`."""


class SEV(Object):
    """`kubevirt.io/v1 SEV`."""

    policy: SEVPolicy | None = None
    attestation: Annotated[SEVAttestation | None, since("v1.1")] = None
    session: Annotated[str, since("v1.1")] = ""
    dh_cert: Annotated[str, since("v1.1")] = ""


class SEVSNP(Object):
    """`kubevirt.io/v1 SEVSNP`."""


class Hugepages(Object):
    """`kubevirt.io/v1 Hugepages`."""

    page_size: str = ""


class Firmware(Object):
    """`kubevirt.io/v1 Firmware`."""

    uuid: str = ""
    bootloader: Bootloader | None = None
    serial: str = ""
    kernel_boot: KernelBoot | None = None
    acpi: Annotated[ACPI | None, since("v1.2")] = None


class Machine(Object):
    """`kubevirt.io/v1 Machine`."""

    type: str = field(default_factory=str)


class CPU(Object):
    """`kubevirt.io/v1 CPU`."""

    cores: UInt32 = 0
    sockets: UInt32 = 0
    max_sockets: UInt32 = 0
    threads: UInt32 = 0
    model: str = ""
    features: list[CPUFeature] = []
    dedicated_cpu_placement: bool = False
    numa: NUMA | None = None
    isolate_emulator_thread: bool = False
    realtime: Realtime | None = None


class ResourceRequirements(Object):
    """`kubevirt.io/v1 ResourceRequirements`."""

    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}
    overcommit_guest_overhead: bool = False


class Chassis(Object):
    """`kubevirt.io/v1 Chassis`."""

    manufacturer: str = ""
    version: str = ""
    serial: str = ""
    asset: str = ""
    sku: str = ""


class Clock(Object):
    """`kubevirt.io/v1 Clock`."""

    utc: ClockOffsetUTC | None = None
    timezone: str | None = None
    timer: Timer | None = None


class Features(Object):
    """`kubevirt.io/v1 Features`."""

    acpi: FeatureState = field(default_factory=FeatureState)
    apic: FeatureAPIC | None = None
    hyperv_passthrough: Annotated[HyperVPassthrough | None, since("v1.3")] = None
    hyperv: FeatureHyperv | None = None
    smm: FeatureState | None = None
    kvm: FeatureKVM | None = None
    pvspinlock: FeatureState | None = None


class Memory(Object):
    """`kubevirt.io/v1 Memory`."""

    hugepages: Hugepages | None = None
    guest: Quantity | None = None
    max_guest: Annotated[Quantity | None, since("v1.1")] = None
    reserved_overhead: Annotated[ReservedOverhead | None, since("v1.8")] = None


class LaunchSecurity(Object):
    """`kubevirt.io/v1 LaunchSecurity`."""

    sev: SEV | None = None
    snp: Annotated[SEVSNP | None, since("v1.7")] = None
    tdx: Annotated[TDX | None, since("v1.7")] = None


class DiskIOThreads(Object):
    """`kubevirt.io/v1 DiskIOThreads`."""

    supplemental_pool_thread_count: Annotated[UInt32 | None, since("v1.5")] = None


class DomainSpec(Object):
    """`kubevirt.io/v1 DomainSpec`."""

    devices: Devices
    resources: ResourceRequirements = field(default_factory=ResourceRequirements)
    cpu: CPU | None = None
    memory: Memory | None = None
    machine: Machine | None = None
    firmware: Firmware | None = None
    clock: Clock | None = None
    features: Features | None = None
    io_threads_policy: str | None = None
    io_threads: Annotated[DiskIOThreads | None, since("v1.5")] = None
    chassis: Chassis | None = None
    launch_security: LaunchSecurity | None = None
    reboot_policy: Annotated[str | None, since("v1.8")] = None
