"""What an installed guest may not survive: rules over its machine before and after, each with its reason and source.

Where it depends on the guest, the reason says so. Nothing is a risk of which nothing changes. Sources that begin with a
folder are pages of KubeVirt's user guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.domainspec import EFI
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.instance import volumes_at_start
from virtcatalog.kubevirt.rollout.migratable import obstacles
from virtcatalog.review.devicerisks import chipset, device_risks, machine_type
from virtcatalog.review.machines import firmware_of
from virtcatalog.review.verdict import Risk


def risks(old: Result, new: Result) -> tuple[Risk, ...]:
    """Return what a guest that is installed on one machine risks on the other, the gravest first; both are admitted."""
    assert old.vmi_object is not None
    assert new.vmi_object is not None
    before, after = old.vmi_object.spec, new.vmi_object.spec
    return (
        *_firmware(before, after),
        *_machine(before, after),
        *_kernel(before, after),
        *_acpi(old, new),
        *_confidential(before, after),
        *device_risks(old, new),
        *_tpm(before, after),
        *_clock(before, after),
        *_activation(before, after),
        *_migration(old, new),
    )


def _firmware(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What OVMF and SeaBIOS start: an EFI system partition, or a boot sector. Secure Boot is on unless it is false.

    Source: compute/virtual_hardware.md (BIOS/UEFI) and compute/persistent_tpm_and_uefi_state.md.
    """
    before, after = _efi(old), _efi(new)
    if (before is None) != (after is None):
        change = f"{firmware_of(old)} → {firmware_of(new)}"
        yield Risk(
            "boot", f"{change}: a guest that was installed under {_short(old)} does not boot under {_short(new)}"
        )
    if before is None or after is None:
        return
    secured = before.secure_boot is not False, after.secure_boot is not False
    if secured == (False, True):
        yield Risk("boot", "Secure Boot is on: a guest whose boot loader or drivers are not signed does not boot")
    if secured == (True, False):
        yield Risk("boot", "Secure Boot is off: a disk that is sealed to it (BitLocker) asks for its recovery key")
    if before.persistent and not after.persistent:
        yield Risk(
            "nvram",
            "the variables of its firmware are no longer kept: Secure Boot keys and settings of its own are lost",
        )


def _machine(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """Chipset and version of the machine type.

    Source: compute/virtual_hardware.md (Machine Type); Proxmox VE's qm(1), Machine Version, of Windows, which sees new
    hardware with another version even after a cold boot.
    """
    before, after = machine_type(old), machine_type(new)
    if before == after or not before or not after:
        return
    if chipset(old) != chipset(new):
        yield Risk("boot", f"machine {before} → {after}: another chipset, with its disks and NICs at other addresses")
    else:
        yield Risk("activation", f"machine {before} → {after}: Windows may see new hardware")


def _kernel(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """A kernel that is booted in place of what is installed, or no longer is.

    Source: user_workloads/boot_from_external_source.md.
    """
    before, after = _booted_kernel(old), _booted_kernel(new)
    if before != after:
        yield Risk("boot", f"it boots {after or 'what is on its disk'} instead of {before or 'what is on its disk'}")


def _acpi(old: Result, new: Result) -> Iterator[Risk]:
    """Source: compute/virtual_hardware.md (Features); libvirt's formatdomain (`acpi`), of the shutdown."""
    before, after = (of.domain is None or of.domain.find("features/acpi") is not None for of in (old, new))
    if before and not after:
        yield Risk("boot", "ACPI is off: other guests than Linux may not boot, and none can be asked to shut down")


def _confidential(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """Source: cluster_admin/confidential_computing.md; Linux' arch/x86/amd-memory-encryption.rst, of the kernel."""
    if old.domain.launch_security is None and new.domain.launch_security is not None:
        yield Risk("boot", "its memory is encrypted: a guest whose kernel does not know of that does not boot")


def _tpm(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What a TPM keeps; BitLocker needs a persistent one (compute/persistent_tpm_and_uefi_state.md)."""
    before, after = _has_tpm(old), _has_tpm(new)
    if before and not after:
        yield Risk("tpm", "the TPM is gone: what is sealed to it (BitLocker) is lost")
    elif before == "persistent" and after != "persistent":
        yield Risk("tpm", "the TPM's state is no longer kept: what is sealed to it (BitLocker) is lost")


def _clock(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """Source: compute/virtual_hardware.md (Guest time); libvirt's formatdomain (Time keeping), of what guests want."""
    before, after = _time(old), _time(new)
    if before != after:
        yield Risk("clock", f"the hardware clock shows {before} → {after}: Linux expects UTC there, Windows local time")


def _activation(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What licences take a machine for.

    Source: architecture.md, of the uuid; compute/virtual_hardware.md (SMBIOS Firmware), of both; QEMU's CPU models for
    x86 (ABI compatibility levels); Microsoft's bulletin on product activation for Windows XP (2001), whose hardware
    hash counts the processor's type; of later releases no list is published.
    """
    models = [(spec.domain.cpu.model if spec.domain.cpu else "") or "host-model" for spec in (old, new)]
    if models[0] != models[1]:
        reason = "a guest built for newer CPUs may not run on an older one, and licences may ask for activation"
        yield Risk("activation", f"CPU model {models[0]} → {models[1]}: {reason}")
    for name in ("uuid", "serial"):
        before, after = (getattr(spec.domain.firmware, name, "") for spec in (old, new))
        if before != after:
            yield Risk("activation", f"SMBIOS {name} {before or 'none'} → {after or 'none'}: licences go by it")


def _migration(old: Result, new: Result) -> Iterator[Risk]:
    """What keeps a machine on its node that could leave it: a node that is drained stops it, or waits for it.

    Source: cluster_admin/node_maintenance.md; `obstacles` has KubeVirt's function.
    """
    if not _obstacles(old):
        yield from (Risk("migration", f"it can no longer migrate live: {obstacle}") for obstacle in _obstacles(new))


def _obstacles(machine: Result) -> tuple[str, ...]:
    vmi, cluster = machine.vmi_object, machine.cluster
    assert vmi is not None
    assert cluster is not None
    return obstacles(vmi, cluster, volumes_at_start(vmi, cluster, machine.vm_object))


def _short(spec: VirtualMachineInstanceSpec) -> str:
    return "BIOS" if _efi(spec) is None else "UEFI"


def _efi(spec: VirtualMachineInstanceSpec) -> EFI | None:
    firmware = spec.domain.firmware
    return firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None


def _booted_kernel(spec: VirtualMachineInstanceSpec) -> str:
    """The image and path of a kernel that is booted directly, "" if what is installed is booted."""
    kernel = spec.domain.firmware.kernel_boot if spec.domain.firmware is not None else None
    image = kernel.container if kernel is not None else None
    return f"the kernel {image.kernel_path or image.initrd_path} of an image" if image is not None else ""


def _time(spec: VirtualMachineInstanceSpec) -> str:
    clock = spec.domain.clock
    offset = clock.utc.offset_seconds if clock is not None and clock.utc is not None else 0
    return (clock.timezone if clock is not None else "") or (f"UTC{offset:+d}s" if offset else "UTC")


def _has_tpm(spec: VirtualMachineInstanceSpec) -> str:
    tpm = spec.domain.devices.tpm
    if tpm is None or tpm.enabled is False:
        return ""
    return "persistent" if tpm.persistent else "present"
