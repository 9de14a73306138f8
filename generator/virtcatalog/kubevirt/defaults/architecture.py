"""Defaults that differ between architectures: disk buses, watchdogs, firmware, CPU model, ACPI.

Source: pkg/defaults/amd64.go, arm64.go and s390x.go.
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.devices import Devices, Diag288Watchdog, FeatureState, I6300ESBWatchdog
from virtcatalog.api.domainspec import EFI, Bootloader, Features
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.configuration import Configuration

_WATCHDOG_ACTION = "reset"


def set_architecture_features(spec: VirtualMachineInstanceSpec) -> None:
    """Turn ACPI off where the architecture has none (setDefaultFeatures)."""
    if spec.architecture != "s390x":
        return
    features = spec.domain.features or Features()
    if features.acpi.enabled is None:
        features = replace(features, acpi=FeatureState(enabled=False))
    spec.domain.features = features


def set_architecture_defaults(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    """Set the architecture's own defaults; one that KubeVirt does not know counts as amd64
    (SetAmd64Defaults, SetArm64Defaults, SetS390xDefaults)."""
    devices = spec.domain.devices
    if spec.architecture == "arm64":
        _set_arm64_cpu_model(spec)
        _set_arm64_bootloader(spec, config)
        _set_disk_buses(devices, "virtio")
    elif spec.architecture == "s390x":
        _set_disk_buses(devices, "virtio")
        _set_diag288_action(devices)
    else:
        _set_disk_buses(devices, "sata")
        _set_i6300esb_action(devices)


def _set_disk_buses(devices: Devices, bus: str) -> None:
    for disk in devices.disks:
        if disk.disk is not None and not disk.disk.bus:
            disk.disk.bus = bus
        if disk.cdrom is not None and not disk.cdrom.bus:
            disk.cdrom.bus = bus
        if disk.lun is not None and not disk.lun.bus:
            disk.lun.bus = bus


def _set_i6300esb_action(devices: Devices) -> None:
    if devices.watchdog is None:
        return
    if devices.watchdog.i6300esb is None:
        devices.watchdog.i6300esb = I6300ESBWatchdog()
    if not devices.watchdog.i6300esb.action:
        devices.watchdog.i6300esb.action = _WATCHDOG_ACTION


def _set_diag288_action(devices: Devices) -> None:
    if devices.watchdog is None:
        return
    if devices.watchdog.diag288 is None:
        devices.watchdog.diag288 = Diag288Watchdog()
    if not devices.watchdog.diag288.action:
        devices.watchdog.diag288.action = _WATCHDOG_ACTION


def _set_arm64_cpu_model(spec: VirtualMachineInstanceSpec) -> None:
    cpu = spec.domain.cpu
    assert cpu is not None  # it has its topology by now
    if not cpu.model:
        cpu.model = "host-passthrough"


def _set_arm64_bootloader(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    firmware = spec.domain.firmware
    assert firmware is not None  # it has its UUID by now
    if firmware.bootloader is None:
        firmware.bootloader = Bootloader(efi=EFI(secure_boot=False))
    efi = firmware.bootloader.efi
    if efi is not None and efi.secure_boot is None and config.release.traits.arm64_secure_boot:
        efi.secure_boot = False
