"""What each architecture lacks. Source: webhooks/amd64.go, arm64.go, s390x.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import Watchdog
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, nearest
from virtcatalog.kubevirt.causes import invalid, not_supported, required
from virtcatalog.kubevirt.configuration import Configuration

VIDEO_TYPES = {
    "amd64": ("vga", "cirrus", "virtio", "ramfb", "bochs"),
    "arm64": ("virtio", "ramfb"),
    "s390x": ("virtio",),
}


def validate_foreign_architecture(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """Whether nodes of another architecture than the cluster's own may run VMs (vmi-create-admitter.go)."""
    architecture, own = spec.architecture, config.default_architecture
    if architecture in ("", own) or not config.release.traits.foreign_architecture_needs_gate:
        return []
    if config.feature_gate("MultiArchitecture"):
        return []
    message = f"{architecture} on a cluster of {own} needs the feature gate MultiArchitecture, which is off"
    return [required(f"{path}.architecture", message)]


def validate_architecture(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The architecture is known, and its machines can have what the VM asks for. Only the VMI webhook looks.

    Source: ValidateVirtualMachineInstancePerArch.
    """
    architecture = spec.architecture
    if architecture not in VIDEO_TYPES:
        yield invalid(
            f"{path}.architecture",
            f"{architecture!r} is none of {', '.join(VIDEO_TYPES)}{nearest(architecture, VIDEO_TYPES)}",
        )
        return
    if architecture == "arm64":
        yield from _arm64(spec, path, config)
    devices = spec.domain.devices
    if devices.watchdog is not None:
        yield from _watchdog(devices.watchdog, architecture, f"{path}.domain.devices.watchdog")
    if devices.video is not None and devices.video.type not in VIDEO_TYPES[architecture]:
        yield not_supported(
            f"{path}.domain.devices.video.type",
            f"{devices.video.type!r} is no type of {architecture}; types are {', '.join(VIDEO_TYPES[architecture])}",
        )


def _watchdog(watchdog: Watchdog, architecture: str, field: str) -> Iterator[Cause]:
    has = (watchdog.i6300esb is not None, watchdog.diag288 is not None)
    if architecture == "arm64":
        yield not_supported(field, "arm64 has no watchdog")
    elif architecture == "amd64" and has != (True, False):
        yield not_supported(field, "the watchdog of amd64 is i6300esb, and no other")
    elif architecture == "s390x" and has != (False, True):
        yield not_supported(field, "the watchdog of s390x is diag288, and no other")


def _arm64(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    domain = spec.domain
    bootloader = domain.firmware.bootloader if domain.firmware else None
    if bootloader and bootloader.bios is not None:
        yield not_supported(f"{path}.domain.firmware.bootloader.bios", "arm64 boots with UEFI: set efi instead")
    efi = bootloader.efi if bootloader else None
    if efi is not None and efi.secure_boot is not False and not config.release.traits.arm64_secure_boot:
        yield not_supported(
            f"{path}.domain.firmware.bootloader.efi.secureboot",
            f"KubeVirt {config.release} has no secure boot on arm64: set efi.secureBoot to false",
        )
    if domain.cpu and domain.cpu.model not in ("", "host-passthrough"):
        yield not_supported(
            f"{path}.domain.cpu.model", f"the one CPU model of arm64 is host-passthrough, not {domain.cpu.model!r}"
        )
    for index, disk in enumerate(domain.devices.disks):
        for name, target in (("disk", disk.disk), ("cdrom", disk.cdrom), ("lun", disk.lun)):
            if target is not None and target.bus not in ("", "virtio", "scsi"):
                yield not_supported(
                    f"{path}.domain.devices.disks[{index}].{name}.bus",
                    f"the disk buses of arm64 are virtio and scsi, not {target.bus!r}",
                )
    if domain.devices.sound is not None:
        yield not_supported(f"{path}.domain.devices.sound", "arm64 has no sound device")
