"""What a VMI is like, as several rules of its Pod ask."""

from __future__ import annotations

from virtcatalog.api.domainspec import KernelBootContainer
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity

_ZERO = Quantity()


def is_pinned(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI has CPUs of its own (IsCPUDedicated) or its Pod wants the quality of service Guaranteed."""
    return has_dedicated_cpus(vmi) or _wants_guarantee(vmi)


def has_dedicated_cpus(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI has CPUs of its own."""
    cpu = vmi.spec.domain.cpu
    return cpu is not None and cpu.dedicated_cpu_placement


def _wants_guarantee(vmi: VirtualMachineInstance) -> bool:
    """Whether limits are requests, of CPU and memory (api/core/v1/types.go, WantsToHaveQOSGuaranteed)."""
    resources = vmi.spec.domain.resources
    requests, limits = resources.requests, resources.limits
    cpu = requests.get("cpu")
    if not cpu or cpu != limits.get("cpu", _ZERO):
        return False
    request, limit = requests.get("memory", _ZERO), limits.get("memory", _ZERO)
    return bool(limit) if not request else request == limit


def has_tpm(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether there is a TPM (pkg/tpm, HasDevice)."""
    tpm = spec.domain.devices.tpm
    return tpm is not None and tpm.enabled is not False


def keeps_tpm(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the TPM keeps its state over restarts (pkg/tpm, HasPersistentDevice)."""
    tpm = spec.domain.devices.tpm
    return tpm is not None and tpm.enabled is not False and tpm.persistent is True


def keeps_efi(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether UEFI keeps its variables over restarts (pkg/storage/backend-storage, HasPersistentEFI)."""
    firmware = spec.domain.firmware
    efi = firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None
    return efi is not None and efi.persistent is True


def kernel_boot(spec: VirtualMachineInstanceSpec) -> KernelBootContainer | None:
    """The image of the kernel that is booted directly (pkg/util, HasKernelBootContainerImage)."""
    firmware = spec.domain.firmware
    return firmware.kernel_boot.container if firmware is not None and firmware.kernel_boot is not None else None


def has_vfio(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the VMI has devices of the host (pkg/vmitrait, HasVFIO)."""
    devices = spec.domain.devices
    return bool(devices.host_devices or devices.gpus) or has_sriov(spec)


def has_sriov(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether there is an SR-IOV interface (pkg/network/vmispec, SRIOVInterfaceExist)."""
    for interface in spec.domain.devices.interfaces:  # noqa: SIM110 - half the time of a generator
        if interface.sriov is not None:
            return True
    return False
