"""Firmware, boot loader and direct kernel boot. Source: vmi-create-admitter.go.

KubeVirt gives the fields of ACPI tables as `acpi` below the spec, and blames the whole domain for secure boot.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.domainspec import Features, KernelBoot
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.admission.paths import validate_path
from virtcatalog.kubevirt.configuration import Configuration


def validate_acpi_tables(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """An ACPI table comes from a secret's volume (validateFirmwareACPI)."""
    firmware = spec.domain.firmware
    if not firmware or firmware.acpi is None:
        return
    slic, msdm = firmware.acpi.slic_name_ref, firmware.acpi.msdm_name_ref
    if not slic and not msdm:
        yield invalid(f"{path}.acpi", "domain.firmware.acpi names no table: set slicNameRef or msdmNameRef")
    for name, volume in (("slicNameRef", slic), ("msdmNameRef", msdm)):
        if volume:
            yield from _acpi_volume(spec, volume, f"{path}.acpi.{name}")


def _acpi_volume(spec: VirtualMachineInstanceSpec, name: str, field: str) -> Iterator[Cause]:
    volume = next((volume for volume in spec.volumes if volume.name == name), None)
    if volume is None:
        yield invalid(field, f"there is no volume {name!r}")
    elif volume.secret is None:
        yield invalid(field, f"the volume {name!r} is not a secret, where an ACPI table has to come from")


def validate_firmware(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """One boot loader, a complete direct kernel boot, and secure boot only with what it needs.

    Source: validateFirmware, validateDomainSpec.
    """
    firmware = spec.domain.firmware
    if not firmware:
        return
    bootloader = firmware.bootloader
    if bootloader and bootloader.efi is not None and bootloader.bios is not None:
        yield invalid(f"{path}.domain.firmware.bootloader", "is either efi or bios, not both")
    if firmware.kernel_boot is not None:
        yield from _kernel_boot(firmware.kernel_boot, f"{path}.domain.firmware.kernelBoot")
    if not bootloader or bootloader.efi is None or bootloader.efi.secure_boot is False:
        return
    security = spec.domain.launch_security
    tdx = security is not None and security.tdx is not None and config.release.traits.tdx_embeds_secure_boot
    if not smm_is_on(spec.domain.features) and not tdx:
        yield invalid(
            f"{path}.domain",
            "EFI secure boot, which is on unless firmware.bootloader.efi.secureBoot is false, "
            "needs features.smm to be enabled",
        )


def smm_is_on(features: Features | None) -> bool:
    """System Management Mode: on when it is mentioned and not disabled (smmFeatureEnabled)."""
    return features is not None and features.smm is not None and features.smm.enabled is not False


def _kernel_boot(kernel_boot: KernelBoot, field: str) -> Iterator[Cause]:
    container = kernel_boot.container
    if container is None:
        if kernel_boot.kernel_args:
            yield invalid(
                f"{field}.kernelArgs", "arguments need a kernel: set container with an image and a kernelPath"
            )
        return
    field = f"{field}.container"
    if not container.image:
        yield required(f"{field}.image", "must name the image that holds the kernel")
    if not container.initrd_path and not container.kernel_path:
        yield required(field, "sets neither kernelPath nor initrdPath")
    if container.kernel_path:
        yield from validate_path(container.kernel_path, f"{field}.kernelPath")
    if container.initrd_path:
        yield from validate_path(container.initrd_path, f"{field}.initrdPath")
