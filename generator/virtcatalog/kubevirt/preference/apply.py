"""A preference applied to a VMI: the fields that are no devices.

Source: pkg/instancetype/preference/apply (vmi.go calls a file a field: clock.go, cpu.go, features.go, firmware.go …).
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.clock import Clock
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import BIOS, EFI, Bootloader, DomainSpec, FeatureHyperv, Features, Firmware, Machine
from virtcatalog.api.instancetype import (
    ClockPreferences,
    CPUPreferences,
    FeaturePreferences,
    FirmwarePreferences,
    MachinePreferences,
    VirtualMachinePreferenceSpec,
)
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.preference.devices import apply_devices
from virtcatalog.kubevirt.preference.fill import fill
from virtcatalog.releases import Traits


def apply_preference(
    preference: VirtualMachinePreferenceSpec,
    vmi_spec: VirtualMachineInstanceSpec,
    vmi_metadata: ObjectMeta,
    traits: Traits,
) -> None:
    """Fill in what the VM does not say; ACPI and `disableHotplug` are overwritten, for KubeVirt cannot tell there.

    `volumes` and `requirements` are not applied to a VMI; the CPU topology is applied with the instance type.
    """
    domain = vmi_spec.domain
    if preference.cpu is not None:
        _apply_cpu_features(preference.cpu, domain)
    if preference.devices is not None:
        apply_devices(preference.devices, vmi_spec, traits)
    if preference.features is not None:
        domain.features = preferred_features(preference.features, domain.features)
    if preference.firmware is not None:
        apply_firmware(preference.firmware, domain)
    if preference.machine is not None:
        apply_machine(preference.machine, domain)
    if preference.clock is not None:
        domain.clock = preferred_clock(preference.clock, domain.clock)
    fill(preference, vmi_spec)
    apply_architecture(preference, vmi_spec)
    _apply_annotations(preference, vmi_metadata)


def apply_architecture(preference: VirtualMachinePreferenceSpec, vmi_spec: VirtualMachineInstanceSpec) -> None:
    """Fill in the architecture (ApplyArchitecturePreferences)."""
    if preference.preferred_architecture and not vmi_spec.architecture:
        vmi_spec.architecture = preference.preferred_architecture


def _apply_annotations(preference: VirtualMachinePreferenceSpec, vmi_metadata: ObjectMeta) -> None:
    """Add the annotations that the VM has not (applyPreferenceAnnotations)."""
    for key, value in preference.annotations.items():
        vmi_metadata.annotations.setdefault(key, value)


def apply_machine(machine: MachinePreferences, domain: DomainSpec) -> None:
    """Fill in the machine type (applyMachinePreferences)."""
    if not machine.preferred_machine_type:
        return
    if domain.machine is None:
        domain.machine = Machine()
    if not domain.machine.type:
        domain.machine.type = machine.preferred_machine_type


def _apply_cpu_features(preference: CPUPreferences, domain: DomainSpec) -> None:
    """Add the CPU features that the VM does not name itself; a domain without `cpu` stays without."""
    if not preference.preferred_cpu_features or domain.cpu is None:
        return
    names = {feature.name for feature in domain.cpu.features}
    domain.cpu.features += [clone(f) for f in preference.preferred_cpu_features if f.name not in names]


@memo
def preferred_clock(preference: ClockPreferences, clock: Clock | None) -> Clock:
    """Fill in the offset and the timers, each as a whole or not at all (applyClockPreferences)."""
    clock = clock or Clock()
    utc, timezone, offset = clock.utc, clock.timezone, preference.preferred_clock_offset
    if offset is not None and utc is None and timezone is None:
        utc, timezone = offset.utc, offset.timezone
    return Clock(utc=utc, timezone=timezone, timer=clock.timer or preference.preferred_timer)


@memo
def preferred_features(preference: FeaturePreferences, features: Features | None) -> Features:
    """Fill in the features that the VM leaves out; ACPI is overwritten, its silence cannot be told from `{}`.

    Source: applyFeaturePreferences.
    """
    features = features or Features()
    return replace(
        features,
        acpi=preference.preferred_acpi or features.acpi,
        apic=features.apic or preference.preferred_apic,
        hyperv=_preferred_hyperv(preference.preferred_hyperv, features.hyperv),
        kvm=features.kvm or preference.preferred_kvm,
        pvspinlock=features.pvspinlock or preference.preferred_pvspinlock,
        smm=features.smm or preference.preferred_smm,
    )


def _preferred_hyperv(preferred: FeatureHyperv | None, hyperv: FeatureHyperv | None) -> FeatureHyperv | None:
    """Fill in each enlightenment on its own: a VM that names one still gets the others."""
    if preferred is None or hyperv is None:
        return hyperv or preferred
    names = FeatureHyperv.__struct_fields__
    return FeatureHyperv(**{name: getattr(hyperv, name) or getattr(preferred, name) for name in names})


def apply_firmware(preference: FirmwarePreferences, domain: DomainSpec) -> None:
    """Fill in the bootloader: BIOS before EFI, `preferredEfi` before the fields that it replaces.

    Its details are filled in on a bootloader that the VM chose, too, except where `preferredEfi` was taken.

    Source: applyFirmwarePreferences.
    """
    if domain.firmware is None:
        domain.firmware = Firmware()
    if domain.firmware.bootloader is None:
        domain.firmware.bootloader = Bootloader()
    bootloader = domain.firmware.bootloader
    silent = bootloader.bios is None and bootloader.efi is None
    if silent:
        if preference.preferred_use_bios:
            bootloader.bios = BIOS()
        elif preference.preferred_efi is not None:
            bootloader.efi = clone(preference.preferred_efi)
            return
        elif preference.preferred_use_efi:
            bootloader.efi = EFI()
    bios, efi = bootloader.bios, bootloader.efi
    if preference.preferred_use_bios_serial is not None and bios is not None and bios.use_serial is None:
        bios.use_serial = preference.preferred_use_bios_serial
    if preference.preferred_use_secure_boot is not None and efi is not None and efi.secure_boot is None:
        efi.secure_boot = preference.preferred_use_secure_boot
