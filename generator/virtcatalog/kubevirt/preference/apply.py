"""A preference applied to a VMI: the fields that are no devices.

Source: pkg/instancetype/preference/apply (vmi.go calls a file a field: clock.go, cpu.go, features.go, firmware.go …).
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import (
    BIOS,
    EFI,
    Bootloader,
    Clock,
    DomainSpec,
    FeatureHyperv,
    Features,
    Firmware,
    Machine,
)
from virtcatalog.api.instancetype import (
    ClockPreferences,
    CPUPreferences,
    FeaturePreferences,
    FirmwarePreferences,
    MachinePreferences,
    VirtualMachinePreferenceSpec,
)
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
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
        apply_features(preference.features, domain)
    if preference.firmware is not None:
        apply_firmware(preference.firmware, domain)
    if preference.machine is not None:
        apply_machine(preference.machine, domain)
    if preference.clock is not None:
        apply_clock(preference.clock, domain)
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


def apply_clock(preference: ClockPreferences, domain: DomainSpec) -> None:
    """Fill in the offset and the timers, each as a whole or not at all (applyClockPreferences)."""
    if domain.clock is None:
        domain.clock = Clock()
    clock, offset = domain.clock, preference.preferred_clock_offset
    if offset is not None and clock.utc is None and clock.timezone is None:
        clock.utc = clone(offset.utc) if offset.utc is not None else None
        clock.timezone = offset.timezone
    if preference.preferred_timer is not None and clock.timer is None:
        clock.timer = clone(preference.preferred_timer)


def apply_features(preference: FeaturePreferences, domain: DomainSpec) -> None:
    """Fill in the features that the VM leaves out; ACPI is overwritten, its silence cannot be told from `{}`.

    Source: applyFeaturePreferences.
    """
    if domain.features is None:
        domain.features = Features()
    features = domain.features
    if preference.preferred_acpi is not None:
        features.acpi = clone(preference.preferred_acpi)
    if preference.preferred_apic is not None and features.apic is None:
        features.apic = clone(preference.preferred_apic)
    if preference.preferred_hyperv is not None:
        _apply_hyperv(preference.preferred_hyperv, features)
    if preference.preferred_kvm is not None and features.kvm is None:
        features.kvm = clone(preference.preferred_kvm)
    if preference.preferred_pvspinlock is not None and features.pvspinlock is None:
        features.pvspinlock = clone(preference.preferred_pvspinlock)
    if preference.preferred_smm is not None and features.smm is None:
        features.smm = clone(preference.preferred_smm)


def _apply_hyperv(preferred: FeatureHyperv, features: Features) -> None:
    """Fill in each enlightenment on its own: a VM that names one still gets the others."""
    copy = clone(preferred)
    hyperv = features.hyperv
    if hyperv is None:
        features.hyperv = copy
        return
    for name in FeatureHyperv.__struct_fields__:
        if getattr(hyperv, name) is None:
            setattr(hyperv, name, getattr(copy, name))


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
