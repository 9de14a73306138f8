"""`<features>`: what the hypervisor offers the guest besides CPUs."""

from __future__ import annotations

from typing import Protocol

from virtcatalog.api.devices import FeatureState
from virtcatalog.api.domainspec import FeatureHyperv, FeatureKVM, Features
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.xml import Element, leaf, shared
from virtcatalog.kubevirt.memo import memo
from virtcatalog.releases import Release

# (element of <hyperv>, field of the VMI) of the enlightenments that are only on or off.
_ENLIGHTENMENTS = (
    ("vpindex", "vpindex"),
    ("runtime", "runtime"),
    ("synic", "synic"),
    ("stimer", "synictimer"),
    ("reset", "reset"),
    ("vendor_id", "vendorid"),
    ("frequencies", "frequencies"),
    ("reenlightenment", "reenlightenment"),
    ("tlbflush", "tlbflush"),
    ("ipi", "ipi"),
    ("evmcs", "evmcs"),
)

_NONE = Features(acpi=FeatureState(enabled=False))


class _State(Protocol):
    @property
    def enabled(self) -> bool | None: ...


def features(
    wanted: Features | None, release: Release, *, dedicated_cpus: bool, realtime: bool, tdx: bool, vmport: bool
) -> Element:
    """`<features>`, empty when the VMI names none; LauncherCrashError for a passthrough that is neither on nor off.

    `vmport`: the machine has one, which is turned off. Source:
    pkg/virt-launcher/virtwrap/converter/compute/hypervisor_features.go (HypervisorFeaturesDomainConfigurator) and
    vcpu/vcpu.go.
    """
    if wanted is None:
        return _features(_NONE, dedicated_cpus, realtime, False)
    passthrough = wanted.hyperv_passthrough
    if wanted.hyperv is None and passthrough is not None and passthrough.enabled is None:
        field = "spec.domain.features.hypervPassthrough.enabled"
        raise LauncherCrashError(release, field, "it says neither true nor false: set enabled: true")
    return _features(wanted, dedicated_cpus, realtime or tdx, vmport)


@memo
def _features(wanted: Features, dedicated_cpus: bool, without_pmu: bool, has_vmport: bool) -> Element:
    parts = [
        leaf(name)
        for name, state in (("acpi", wanted.acpi), ("apic", wanted.apic))
        if state is not None and state.enabled is not False
    ]
    if wanted.hyperv is not None:
        parts.append(shared("hyperv", *_enlightenments(wanted.hyperv)))
    elif wanted.hyperv_passthrough is not None and wanted.hyperv_passthrough.enabled:
        parts.append(leaf("hyperv", mode="passthrough"))
    if wanted.kvm is not None or dedicated_cpus:
        parts.append(shared("kvm", *_kvm(wanted.kvm, dedicated_cpus)))
    if wanted.pvspinlock is not None:
        parts.append(leaf("pvspinlock", state=_on_off(wanted.pvspinlock)))
    if without_pmu:
        parts.append(leaf("pmu", state="off"))
    if has_vmport:
        parts.append(leaf("vmport", state="off"))
    if wanted.smm is not None and wanted.smm.enabled is not False:
        parts.append(leaf("smm"))
    return shared("features", *parts)


def _kvm(wanted: FeatureKVM | None, dedicated_cpus: bool) -> list[Element]:
    hints = [] if wanted is None else [leaf("hidden", state="on" if wanted.hidden else "off")]
    return [*hints, leaf("hint-dedicated", state="on")] if dedicated_cpus else hints


def _enlightenments(hyperv: FeatureHyperv) -> list[Element]:
    elements = []
    if hyperv.relaxed is not None:
        elements.append(leaf("relaxed", state=_on_off(hyperv.relaxed)))
    if hyperv.vapic is not None:
        elements.append(leaf("vapic", state=_on_off(hyperv.vapic)))
    if hyperv.spinlocks is not None:
        count = hyperv.spinlocks.spinlocks
        retries = {} if count is None else {"retries": str(count)}
        elements.append(leaf("spinlocks", state=_on_off(hyperv.spinlocks), **retries))
    for name, field in _ENLIGHTENMENTS:
        state = getattr(hyperv, field)
        if state is not None:
            elements.append(_enlightenment(name, _on_off(state), hyperv))
    return elements


def _enlightenment(name: str, state: str, hyperv: FeatureHyperv) -> Element:
    """One that is on or off; three of them say more than that."""
    if name == "vendor_id" and hyperv.vendorid is not None and hyperv.vendorid.vendorid:
        return leaf(name, state=state, value=hyperv.vendorid.vendorid)
    if name == "stimer" and hyperv.synictimer is not None and hyperv.synictimer.direct is not None:
        return shared(name, leaf("direct", state=_on_off(hyperv.synictimer.direct)), state=state)
    if name == "tlbflush" and hyperv.tlbflush is not None:
        parts = (("direct", hyperv.tlbflush.direct), ("extended", hyperv.tlbflush.extended))
        modes = [leaf(part, state=_on_off(mode)) for part, mode in parts if mode is not None]
        return shared(name, *modes, state=state)
    return leaf(name, state=state)


def _on_off(state: _State) -> str:
    return "off" if state.enabled is False else "on"
