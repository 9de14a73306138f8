"""Preferred features of the hypervisor.

Source: pkg/instancetype/preference/apply/features.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import DomainSpec, FeatureHyperv, Features
from virtcatalog.api.instancetype import FeaturePreferences


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
