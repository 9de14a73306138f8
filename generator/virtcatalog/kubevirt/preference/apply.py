"""All of a preference, applied.

Source: pkg/instancetype/preference/apply/vmi.go and, for the short ones, cpu.go, machine.go,
subdomain.go, termination.go, architecture.go, annotations.go and launchsecurity.go.
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import DomainSpec, Machine
from virtcatalog.api.instancetype import CPUPreferences, MachinePreferences, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.preference.clock import apply_clock
from virtcatalog.kubevirt.preference.devices import apply_devices
from virtcatalog.kubevirt.preference.features import apply_features
from virtcatalog.kubevirt.preference.fill import fill
from virtcatalog.kubevirt.preference.firmware import apply_firmware
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
    named = {feature.name for feature in domain.cpu.features}
    domain.cpu.features += [clone(f) for f in preference.preferred_cpu_features if f.name not in named]
