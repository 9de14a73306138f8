"""What an installed guest may not survive: rules over its machine before and after, each with its reason.

Where it depends on the guest, the reason says so. Nothing is a risk of which nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import Disk, Interface
from virtcatalog.api.domainspec import EFI
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import some
from virtcatalog.kubevirt.launcher.launch.places import pci_places
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.instance import volumes_at_start
from virtcatalog.kubevirt.rollout.migratable import obstacles
from virtcatalog.review.machines import firmware_of
from virtcatalog.review.verdict import Risk

_NO_DRIVER = "; Windows has no driver for virtio of its own"
_MOST_DISKS = 5


def risks(old: Result, new: Result) -> tuple[Risk, ...]:
    """Return what a guest that is installed on one machine risks on the other, the gravest first."""
    if old.vmi_object is None or new.vmi_object is None:
        return ()
    before, after = old.vmi_object.spec, new.vmi_object.spec
    return (
        *_firmware(before, after),
        *_machine(before, after),
        *_boot_device(before, after),
        *_disk_names(old, new),
        *_network(before, after),
        *_pci_places(old, new),
        *_tpm(before, after),
        *_clock(before, after),
        *_activation(before, after),
        *_migration(old, new),
    )


def _firmware(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What OVMF and SeaBIOS start: an EFI system partition, or a boot sector. Secure Boot is on unless it is false."""
    before, after = _efi(old), _efi(new)
    if (before is None) != (after is None):
        change = f"{firmware_of(old)} → {firmware_of(new)}"
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
    if _chipset(old) != _chipset(new):
        yield Risk("boot", f"machine {before} → {after}: another chipset, with its disks and NICs at other addresses")
    else:
        yield Risk("activation", f"machine {before} → {after}: Windows may see new hardware")


def _boot_device(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _first(old), _first(new)
    if before is None or after is None:
        return
    names = [f"{'NIC' if isinstance(device, Interface) else 'disk'} {device.name!r}" for device in (before, after)]
    if names[0] != names[1]:
        yield Risk("boot", f"it boots from {names[1]} instead of {names[0]}")
    elif isinstance(before, Disk) and isinstance(after, Disk) and _bus(before) != _bus(after):
        driver = _NO_DRIVER if _bus(after) == "virtio" else ""
        change = f"{_bus(before)} → {_bus(after)}"
        yield Risk("boot", f"boot disk {after.name!r} {change}: a guest needs the driver when it boots{driver}")


def _disk_names(old: Result, new: Result) -> Iterator[Risk]:
    """Names by bus and number, as KubeVirt gives them in the disks' order (makeDeviceName)."""
    before, after = _targets(old), _targets(new)
    moved = [f"{name} {target} → {after[name]}" for name, target in before.items() if after.get(name, target) != target]
    if moved:
        shown = some(moved, _MOST_DISKS)
        yield Risk("disks", f"{shown}: what names a disk by its device finds another one, or none")


def _network(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before = {interface.name: interface for interface in old.domain.devices.interfaces}
    for interface in new.domain.devices.interfaces:
        former = before.get(interface.name)
        if former is None:
            continue
        models = former.model or "virtio", interface.model or "virtio"
        if models[0] != models[1]:
            driver = _NO_DRIVER if models[1] == "virtio" else ""
            change = f"{models[0]} → {models[1]}"
            yield Risk("network", f"NIC {interface.name!r} {change}: a guest needs the driver{driver}")
        if former.mac_address != interface.mac_address:
            change = f"{former.mac_address or 'drawn'} → {interface.mac_address or 'drawn'}"
            yield Risk("network", f"NIC {interface.name!r} has another MAC, {change}: leases and udev rules go by it")
        if former.acpi_index != interface.acpi_index:
            change = f"{former.acpi_index or 'none'} → {interface.acpi_index or 'none'}"
            yield Risk("network", f"NIC {interface.name!r} has another ACPI index, {change}: Linux names it by that")


def _pci_places(old: Result, new: Result) -> Iterator[Risk]:
    """What moves on the PCI bus, by an address of its own or since devices before it come or go.

    Linux names NICs by their places (systemd's predictable names). Windows takes a disk that is not its own offline
    where it has not seen it before (SAN policy OfflineShared), as KubeVirt's docs/pci-topology.md tells.
    """
    assert old.vmi_object is not None
    assert new.vmi_object is not None
    if _chipset(old.vmi_object.spec) != _chipset(new.vmi_object.spec):  # which moves everything
        return
    before, after = _places(old), _places(new)
    moved = {name: (place, after[name]) for name, place in before.items() if after.get(name, place) != place}
    spec = new.vmi_object.spec
    boots = _first(spec)
    nics = {interface.name for interface in spec.domain.devices.interfaces}
    for name in [name for name in moved if name in nics]:
        yield Risk("network", f"NIC {name!r} moves on the PCI bus, {_move(*moved[name])}: Linux names it by its place")
    disks = {disk.name for disk in spec.domain.devices.disks if boots is None or disk.name != boots.name}
    others = [f"{name!r}" for name in moved if name in disks]
    if others:
        noun = "disk" if len(others) == 1 else "disks"
        yield Risk("disks", f"{noun} {some(others, _MOST_DISKS)} on another PCI address: Windows may take data offline")
    devices = [f"{name!r}" for name in moved if name not in nics | {disk.name for disk in spec.domain.devices.disks}]
    if devices:
        yield Risk(
            "devices", f"host device {some(devices, _MOST_DISKS)} on another PCI address, which drivers may go by"
        )


def _tpm(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _has_tpm(old), _has_tpm(new)
    if before and not after:
        yield Risk("tpm", "the TPM is gone: what is sealed to it (BitLocker) is lost")
    elif before == "persistent" and after != "persistent":
        yield Risk("tpm", "the TPM's state is no longer kept: what is sealed to it (BitLocker) is lost")


def _clock(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    before, after = _time(old), _time(new)
    if before != after:
        yield Risk("clock", f"the hardware clock shows {before} → {after}")


def _activation(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What Windows and other licences take a machine for."""
    models = [(spec.domain.cpu.model if spec.domain.cpu else "") or "host-model" for spec in (old, new)]
    if models[0] != models[1]:
        reason = "a guest built for newer CPUs may not run on an older one, and licences may ask for activation"
        yield Risk("activation", f"CPU model {models[0]} → {models[1]}: {reason}")
    for name in ("uuid", "serial"):
        before, after = (getattr(spec.domain.firmware, name, "") for spec in (old, new))
        if before != after:
            yield Risk("activation", f"SMBIOS {name} {before or 'none'} → {after or 'none'}: licences go by it")
    if old.domain.chassis != new.domain.chassis:
        yield Risk("activation", "the SMBIOS chassis is another one: licences may ask for activation")


def _migration(old: Result, new: Result) -> Iterator[Risk]:
    """What keeps a machine on its node that could leave it: a node that is drained stops it, or waits for it."""
    if not _obstacles(old):
        yield from (Risk("migration", f"it can no longer migrate live: {obstacle}") for obstacle in _obstacles(new))


def _obstacles(machine: Result) -> tuple[str, ...]:
    vmi, cluster = machine.vmi_object, machine.cluster
    assert vmi is not None
    assert cluster is not None
    return obstacles(vmi, cluster, volumes_at_start(vmi, cluster, machine.vm_object))


def _efi(spec: VirtualMachineInstanceSpec) -> EFI | None:
    firmware = spec.domain.firmware
    return firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None


def _machine_type(spec: VirtualMachineInstanceSpec) -> str:
    return spec.domain.machine.type if spec.domain.machine is not None else ""


def _chipset(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the machine has the chipset q35, of two that are told apart."""
    return "q35" in _machine_type(spec)


def _first(spec: VirtualMachineInstanceSpec) -> Disk | Interface | None:
    """What boots: the disk or NIC of the lowest order, else the first disk."""
    devices = spec.domain.devices
    bootable: tuple[Disk | Interface, ...] = (*devices.disks, *devices.interfaces)
    ordered = [device for device in bootable if device.boot_order]
    return min(ordered, key=lambda device: device.boot_order or 0) if ordered else next(iter(devices.disks), None)


def _bus(disk: Disk) -> str:
    target = disk.disk or disk.lun or disk.cdrom
    return target.bus if target is not None else ""


def _targets(machine: Result) -> dict[str, str]:
    """What disks are called in the guest: name to `vda`."""
    disks = machine.domain.iterfind("devices/disk") if machine.domain is not None else ()
    return {
        (alias.get("name") or "").removeprefix("ua-"): target.get("dev") or ""
        for disk in disks
        if (alias := disk.find("alias")) is not None and (target := disk.find("target")) is not None
    }


def _places(machine: Result) -> dict[str, int | str]:
    devices = machine.domain.find("devices") if machine.domain is not None else None
    return pci_places(devices, machine.vmi_object) if devices is not None and machine.vmi_object is not None else {}


def _move(before: int | str, after: int | str) -> str:
    if isinstance(before, int) and isinstance(after, int):
        return f"from place {before} to {after}"
    old, new = (place if isinstance(place, str) else "a place that libvirt chooses" for place in (before, after))
    return f"from {old} to {new}"


def _time(spec: VirtualMachineInstanceSpec) -> str:
    clock = spec.domain.clock
    offset = clock.utc.offset_seconds if clock is not None and clock.utc is not None else 0
    return (clock.timezone if clock is not None else "") or (f"UTC{offset:+d}s" if offset else "UTC")


def _has_tpm(spec: VirtualMachineInstanceSpec) -> str:
    tpm = spec.domain.devices.tpm
    if tpm is None or tpm.enabled is False:
        return ""
    return "persistent" if tpm.persistent else "present"
