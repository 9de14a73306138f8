"""`<features>`: what the hypervisor offers the guest besides CPUs."""

from __future__ import annotations

from typing import Protocol

from virtcatalog.api.devices import FeatureState
from virtcatalog.api.domainspec import FeatureHyperv, FeatureKVM, Features
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_tdx
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

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
    enabled: bool | None


def features(vmi: VirtualMachineInstance, context: Context, pinning: Pinning | None) -> Element:
    """`<features>`, empty when the VMI names none; LauncherCrashError for a passthrough that is neither on nor off.

    Source: pkg/virt-launcher/virtwrap/converter/compute/hypervisor_features.go
    (HypervisorFeaturesDomainConfigurator) and vcpu/vcpu.go.
    """
    wanted, cpu = vmi.spec.domain.features, vmi.spec.domain.cpu
    dedicated = pinning is not None and vmi.spec.architecture == "amd64"
    realtime = pinning is not None and cpu is not None and cpu.realtime is not None
    if wanted is None:
        return _features(_NONE, dedicated, realtime, False)
    passthrough = wanted.hyperv_passthrough
    if wanted.hyperv is None and passthrough is not None and passthrough.enabled is None:
        field = "spec.domain.features.hypervPassthrough.enabled"
        raise LauncherCrashError(context.release, field, "it says neither true nor false: set enabled: true")
    return _features(wanted, dedicated, realtime or uses_tdx(vmi), context.architecture.vmport)


def _features(wanted: Features, dedicated: bool, without_pmu: bool, has_vmport: bool) -> Element:
    element = Element("features")
    for name, state in (("acpi", wanted.acpi), ("apic", wanted.apic)):
        if state is not None and state.enabled is not False:
            SubElement(element, name)
    if wanted.hyperv is not None:
        _add_hyperv(element, wanted.hyperv)
    elif wanted.hyperv_passthrough is not None and wanted.hyperv_passthrough.enabled:
        SubElement(element, "hyperv", mode="passthrough")
    if wanted.kvm is not None or dedicated:
        _add_kvm(element, wanted.kvm, dedicated)
    if wanted.pvspinlock is not None:
        SubElement(element, "pvspinlock", state=_on_off(wanted.pvspinlock))
    if without_pmu:
        SubElement(element, "pmu", state="off")
    if has_vmport:
        SubElement(element, "vmport", state="off")
    if wanted.smm is not None and wanted.smm.enabled is not False:
        SubElement(element, "smm")
    return element


def _add_kvm(element: Element, wanted: FeatureKVM | None, dedicated: bool) -> None:
    kvm = SubElement(element, "kvm")
    if wanted is not None:
        SubElement(kvm, "hidden", state="on" if wanted.hidden else "off")
    if dedicated:
        SubElement(kvm, "hint-dedicated", state="on")


def _add_hyperv(element: Element, hyperv: FeatureHyperv) -> None:
    parent = SubElement(element, "hyperv")
    if hyperv.relaxed is not None:
        SubElement(parent, "relaxed", state=_on_off(hyperv.relaxed))
    if hyperv.vapic is not None:
        SubElement(parent, "vapic", state=_on_off(hyperv.vapic))
    if hyperv.spinlocks is not None:
        spinlocks = SubElement(parent, "spinlocks", state=_on_off(hyperv.spinlocks))
        if hyperv.spinlocks.spinlocks is not None:
            spinlocks.set("retries", str(hyperv.spinlocks.spinlocks))
    for name, field in _ENLIGHTENMENTS:
        state = getattr(hyperv, field)
        if state is not None:
            _refine(SubElement(parent, name, state=_on_off(state)), name, hyperv)


def _refine(element: Element, name: str, hyperv: FeatureHyperv) -> None:
    """What three of the enlightenments say besides on and off."""
    if name == "vendor_id" and hyperv.vendorid is not None and hyperv.vendorid.vendorid:
        element.set("value", hyperv.vendorid.vendorid)
    elif name == "stimer" and hyperv.synictimer is not None and hyperv.synictimer.direct is not None:
        SubElement(element, "direct", state=_on_off(hyperv.synictimer.direct))
    elif name == "tlbflush" and hyperv.tlbflush is not None:
        for part, state in (("direct", hyperv.tlbflush.direct), ("extended", hyperv.tlbflush.extended)):
            if state is not None:
                SubElement(element, part, state=_on_off(state))


def _on_off(state: _State) -> str:
    return "off" if state.enabled is False else "on"
