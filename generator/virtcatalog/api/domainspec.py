"""What a VMI asks of its machine: `spec.domain` without the devices."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api.clock import Clock
from virtcatalog.api.devices import Devices, FeatureState
from virtcatalog.api.object import Constant, Object, UInt32, since
from virtcatalog.api.quantity import Quantity


class BIOS(Object):
    """SeaBIOS, with its output on the serial console if wanted."""

    use_serial: bool | None = None


class KernelBootContainer(Object):
    """The image that holds kernel and initrd, and their paths in it."""

    image: str
    image_pull_secret: str = ""
    image_pull_policy: Literal["", "Always", "IfNotPresent", "Never"] = ""
    kernel_path: str = ""
    initrd_path: str = ""


class FeatureSpinlocks(Constant, frozen=True):
    """After how many tries a spinlock tells the hypervisor; 4096 when absent."""

    enabled: bool | None = None
    spinlocks: UInt32 | None = None


class FeatureVendorID(Constant, frozen=True):
    """The hypervisor's vendor that the guest sees, up to 12 characters."""

    enabled: bool | None = None
    vendorid: str = ""


class SyNICTimer(Constant, frozen=True):
    """The synthetic timer, and its direct mode."""

    enabled: bool | None = None
    direct: FeatureState | None = None


class TLBFlush(Constant, frozen=True):
    """Paravirtual TLB flushes, direct and for ranges."""

    enabled: bool | None = None
    direct: Annotated[FeatureState | None, since("v1.8")] = None
    extended: Annotated[FeatureState | None, since("v1.8")] = None


class NUMAGuestMappingPassthrough(Object):
    """The guest has the NUMA topology of the host CPUs that it is pinned to."""


class SEVPolicy(Object):
    """What SEV demands of the platform; `encrypted_state` is SEV-ES."""

    encrypted_state: bool | None = None


class SEVAttestation(Object):
    """The VM starts paused until its owner attests it."""


class EFI(Object):
    """OVMF; secure boot is on when `secure_boot` is absent; `persistent` keeps NVRAM over restarts."""

    secure_boot: bool | None = None
    persistent: Annotated[bool | None, since("v1.1")] = None


class Bootloader(Object):
    """BIOS or EFI, BIOS when absent."""

    bios: BIOS | None = None
    efi: EFI | None = None


class ACPI(Object):
    """ACPI tables from secrets: SLIC and MSDM, which license Windows."""

    slic_name_ref: Annotated[str, since("v1.2")] = ""
    msdm_name_ref: Annotated[str, since("v1.6")] = ""


class KernelBoot(Object):
    """A kernel that is booted directly, with its arguments."""

    kernel_args: str = ""
    container: KernelBootContainer | None = None


class HyperVPassthrough(Constant, frozen=True):
    """Every Hyper-V enlightenment that the host has."""

    enabled: Annotated[bool | None, since("v1.3")] = None


class ReservedOverhead(Object):
    """Memory that the pod has beside the guest's, and whether it can be locked."""

    added_overhead: Annotated[Quantity | None, since("v1.8")] = None
    mem_lock: Annotated[str | None, since("v1.8")] = None


class CPUFeature(Object):
    """A CPU feature and its policy: force, require, optional, disable or forbid; require when absent."""

    name: str
    policy: str = ""


class FeatureHyperv(Constant, frozen=True):
    """Hyper-V enlightenments: what Windows guests use to run well."""

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


class FeatureKVM(Constant, frozen=True):
    """Whether the guest can tell that it runs on KVM."""

    hidden: bool = False


class FeatureAPIC(Constant, frozen=True):
    """The APIC."""

    enabled: bool | None = None
    end_of_interrupt: bool = False


class NUMA(Object):
    """The guest's NUMA topology."""

    guest_mapping_passthrough: NUMAGuestMappingPassthrough | None = None


class Realtime(Object):
    """Real-time scheduling of vCPUs; `mask` picks them, all when it is empty."""

    mask: str = ""


class TDX(Object):
    """Intel TDX."""


class SEV(Object):
    """AMD SEV, with policy and the owner's launch data."""

    policy: SEVPolicy | None = None
    attestation: Annotated[SEVAttestation | None, since("v1.1")] = None
    session: Annotated[str, since("v1.1")] = ""
    dh_cert: Annotated[str, since("v1.1")] = ""


class SEVSNP(Object):
    """AMD SEV-SNP."""


class Hugepages(Object):
    """The machine's memory is of huge pages of `page_size`, 2Mi or 1Gi on x86."""

    page_size: str = ""


class Firmware(Object):
    """Identity and boot of the machine."""

    uuid: str = ""
    bootloader: Bootloader | None = None
    serial: str = ""
    kernel_boot: KernelBoot | None = None
    acpi: Annotated[ACPI | None, since("v1.2")] = None


class Machine(Object):
    """The machine type, as QEMU names it."""

    type: str = field(default_factory=str)


class CPU(Object):
    """The virtual CPUs: topology, model, features, placement. 0 and absent are left for KubeVirt to choose."""

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

    @property
    def vcpus(self) -> int:
        """The vCPUs of the topology: a number that is left out counts once; 0 when all are.

        They are counted in 32 bits, and a product of 0 counts as left out, as that of 2 cores and 2³¹ sockets.
        Source: pkg/util/hardware/hw_utils.go (GetNumberOfVCPUs).
        """
        counted = self.cores
        for number in (self.sockets, self.threads):
            if number:
                counted = counted * number % 2**32 if counted else number
        return counted


class ResourceRequirements(Object):
    """What the machine asks of its node; memory counts as the guest's when that is absent."""

    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}
    overcommit_guest_overhead: bool = False


class Chassis(Object):
    """SMBIOS data of the chassis."""

    manufacturer: str = ""
    version: str = ""
    serial: str = ""
    asset: str = ""
    sku: str = ""


class Features(Constant, frozen=True):
    """Features of the hypervisor that the guest sees."""

    acpi: FeatureState = field(default_factory=FeatureState)
    apic: FeatureAPIC | None = None
    hyperv_passthrough: Annotated[HyperVPassthrough | None, since("v1.3")] = None
    hyperv: FeatureHyperv | None = None
    smm: FeatureState | None = None
    kvm: FeatureKVM | None = None
    pvspinlock: FeatureState | None = None


class Memory(Object):
    """The guest's memory: at start, at most (for hotplug), and what is reserved beside it."""

    hugepages: Hugepages | None = None
    guest: Quantity | None = None
    max_guest: Annotated[Quantity | None, since("v1.1")] = None
    reserved_overhead: Annotated[ReservedOverhead | None, since("v1.8")] = None


class LaunchSecurity(Object):
    """Confidential computing: one of SEV, SEV-SNP and TDX (an empty map on s390x: Secure Execution)."""

    sev: SEV | None = None
    snp: Annotated[SEVSNP | None, since("v1.7")] = None
    tdx: Annotated[TDX | None, since("v1.7")] = None


class DiskIOThreads(Object):
    """The size of the pool of IO threads that disks share."""

    supplemental_pool_thread_count: Annotated[UInt32 | None, since("v1.5")] = None


class DomainSpec(Object):
    """The machine that a VMI asks for."""

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
