"""What an installed guest may not survive: rules over its machine before and after, each with its reason.

Where it depends on the guest, the reason says so. Nothing is a risk of which nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import Disk
from virtcatalog.api.domainspec import EFI
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.review.verdict import Risk

_PREFIXES = {"virtio": "vd", "sata": "sd", "scsi": "sd", "usb": "sd"}


def risks(old: VirtualMachineInstance, new: VirtualMachineInstance) -> tuple[Risk, ...]:
    """Return what a guest that is installed on one machine risks on the other, the gravest first."""
    before, after = old.spec, new.spec
    return (
        *_firmware(before, after),
        *_machine(before, after),
        *_boot_disk(before, after),
        *_disks(before, after),
        *_network(before, after),
        *_tpm(before, after),
        *_clock(before, after),
        *_activation(before, after),
    )


def _firmware(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What OVMF and SeaBIOS start: an EFI system partition, or a boot sector. Secure Boot is on unless it is false."""
    before, after = _efi(old), _efi(new)
    if (before is None) != (after is None):
        change = "BIOS → UEFI" if before is None else "UEFI → BIOS"
        yield Risk("boot", f"{change}: a guest boots only by the firmware that it was installed with")
    if before is None or after is None:
        return
    secured = before.secure_boot is not False, after.secure_boot is not False
    if secured == (False, True):
        yield Risk("boot", "Secure Boot is on: a guest whose boot loader or drivers are not signed does not boot")
    if secured == (True, False):
        yield Risk("boot", "Secure Boot is off: a disk that is sealed to it (BitLocker) asks for its recovery key")
    if before.persistent and not after.persistent:
        yield Risk("nvram", "the variables of its firmware are no longer kept: boot entries are lost")


def _machine(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _machine_type(old), _machine_type(new)
    if before == after or not before or not after:
        return
    if ("q35" in before) != ("q35" in after):
        yield Risk("boot", f"machine {before} → {after}: another chipset, with its disks and NICs at other addresses")
    else:
        yield Risk("activation", f"machine {before} → {after}: Windows may see new hardware")


def _boot_disk(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _first(old), _first(new)
    if before is None or after is None:
        return
    if before.name != after.name:
        yield Risk("boot", f"it boots from disk {after.name!r} instead of {before.name!r}")
    elif _bus(before) != _bus(after):
        driver = "; Windows has no driver for virtio of its own" if _bus(after) == "virtio" else ""
        change = f"{_bus(before)} → {_bus(after)}"
        yield Risk("boot", f"boot disk {after.name!r} {change}: a guest needs the driver when it boots{driver}")


def _disks(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """Names in the guest by prefix and number, as KubeVirt gives them in the disks' order (makeDeviceName)."""
    before, after = _device_names(old), _device_names(new)
    moved = [f"{name} {was} → {after[name]}" for name, was in before.items() if after.get(name, was) != was]
    if moved:
        yield Risk("disks", f"{', '.join(moved)}: what names a disk by its device finds another one, or none")


def _network(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before = {interface.name: (at, interface) for at, interface in enumerate(old.domain.devices.interfaces)}
    for at, interface in enumerate(new.domain.devices.interfaces):
        if interface.name not in before:
            continue
        former_at, former = before[interface.name]
        models = former.model or "virtio", interface.model or "virtio"
        if models[0] != models[1]:
            yield Risk("network", f"NIC {interface.name!r} {models[0]} → {models[1]}: a guest needs the driver")
        if former.mac_address != interface.mac_address:
            change = f"{former.mac_address or 'drawn'} → {interface.mac_address or 'drawn'}"
            yield Risk("network", f"NIC {interface.name!r} has another MAC, {change}: leases and udev rules go by it")
        if former.pci_address != interface.pci_address:
            change = f"{former.pci_address or 'chosen'} → {interface.pci_address or 'chosen'}"
            yield Risk("network", f"NIC {interface.name!r} at PCI {change}: its name in the guest goes by it")
        elif former_at != at:
            yield Risk("network", f"NIC {interface.name!r} moves from {former_at + 1} to {at + 1}: its name may change")


def _tpm(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _has_tpm(old), _has_tpm(new)
    if before and not after:
        yield Risk("tpm", "the TPM is gone: what is sealed to it (BitLocker) is lost")
    elif before == "persistent" and after != "persistent":
        yield Risk("tpm", "the TPM's state is no longer kept: what is sealed to it (BitLocker) is lost")


def _clock(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = (spec.domain.clock.timezone if spec.domain.clock else None for spec in (old, new))
    if before != after:
        yield Risk("clock", f"the hardware clock shows {before or 'UTC'} → {after or 'UTC'}")


def _activation(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What Windows and other licences take a machine for."""
    models = [(spec.domain.cpu.model if spec.domain.cpu else "") or "host-model" for spec in (old, new)]
    if models[0] != models[1]:
        yield Risk("activation", f"CPU model {models[0]} → {models[1]}: licences may ask for activation")
    for name in ("uuid", "serial"):
        before, after = (getattr(spec.domain.firmware, name, "") for spec in (old, new))
        if before != after:
            yield Risk("activation", f"SMBIOS {name} {before or 'none'} → {after or 'none'}: licences go by it")
    if old.domain.chassis != new.domain.chassis:
        yield Risk("activation", "the SMBIOS chassis is another one: licences may ask for activation")


def _efi(spec: VirtualMachineInstanceSpec) -> EFI | None:
    firmware = spec.domain.firmware
    return firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None


def _machine_type(spec: VirtualMachineInstanceSpec) -> str:
    return spec.domain.machine.type if spec.domain.machine is not None else ""


def _first(spec: VirtualMachineInstanceSpec) -> Disk | None:
    """The disk that boots: that of the lowest order, else the first one."""
    disks = spec.domain.devices.disks
    ordered = [disk for disk in disks if disk.boot_order]
    return min(ordered, key=lambda disk: disk.boot_order or 0) if ordered else next(iter(disks), None)


def _bus(disk: Disk) -> str:
    target = disk.disk or disk.lun or disk.cdrom
    return target.bus if target is not None else ""


def _device_names(spec: VirtualMachineInstanceSpec) -> dict[str, str]:
    found: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for disk in spec.domain.devices.disks:
        prefix = _PREFIXES.get(_bus(disk), "")
        number = numbers[prefix] = numbers.get(prefix, 0) + 1
        found[disk.name] = f"{prefix}{chr(ord('a') + (number - 1) % 26)}" if prefix else ""
    return found


def _has_tpm(spec: VirtualMachineInstanceSpec) -> str:
    tpm = spec.domain.devices.tpm
    if tpm is None or tpm.enabled is False:
        return ""
    return "persistent" if tpm.persistent else "present"
