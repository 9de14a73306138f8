"""`<features>`: what the hypervisor offers the guest besides CPUs."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import msgspec

from virtcatalog.api.domainspec import FeatureHyperv, Features, HyperVPassthrough
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_tdx
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf

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

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(FeatureHyperv)


class _State(Protocol):
    enabled: bool | None


def features(vmi: VirtualMachineInstance, context: Context, pinning: Pinning | None) -> Element:
    """`<features>`, empty when the VMI names none; LauncherCrashError for a passthrough that is neither on nor off.

    Source: pkg/virt-launcher/virtwrap/converter/compute/hypervisor_features.go
    (HypervisorFeaturesDomainConfigurator) and vcpu/vcpu.go.
    """
    element = Element("features")
    wanted = vmi.spec.domain.features
    if wanted is not None:
        for name, state in (("acpi", wanted.acpi), ("apic", wanted.apic)):
            if state is not None and state.enabled is not False:
                element.append(leaf(name))
        if wanted.hyperv is not None:
            element.append(_hyperv(_ENCODER.encode(wanted.hyperv)))
        elif wanted.hyperv_passthrough is not None and _is_enabled(wanted.hyperv_passthrough, context):
            element.append(leaf("hyperv", mode="passthrough"))
    _add_kvm(element, vmi, wanted, pinning)
    if wanted is not None and wanted.pvspinlock is not None:
        element.append(leaf("pvspinlock", state=_on_off(wanted.pvspinlock)))
    cpu = vmi.spec.domain.cpu
    realtime = pinning is not None and cpu is not None and cpu.realtime is not None
    if realtime or (wanted is not None and uses_tdx(vmi)):
        element.append(leaf("pmu", state="off"))
    if wanted is not None:
        if context.architecture.vmport:
            element.append(leaf("vmport", state="off"))
        if wanted.smm is not None and wanted.smm.enabled is not False:
            element.append(leaf("smm"))
    return element


def _is_enabled(passthrough: HyperVPassthrough, context: Context) -> bool:
    if passthrough.enabled is None:
        field = "spec.domain.features.hypervPassthrough.enabled"
        raise LauncherCrashError(context.release, field, "it says neither true nor false: set enabled: true")
    return passthrough.enabled


def _add_kvm(element: Element, vmi: VirtualMachineInstance, wanted: Features | None, pinning: Pinning | None) -> None:
    hidden = wanted.kvm if wanted is not None else None
    dedicated = pinning is not None and vmi.spec.architecture == "amd64"
    if hidden is None and not dedicated:
        return
    kvm = SubElement(element, "kvm")
    if hidden is not None:
        SubElement(kvm, "hidden", state="on" if hidden.hidden else "off")
    if dedicated:
        SubElement(kvm, "hint-dedicated", state="on")


@lru_cache(maxsize=256)
def _hyperv(encoded: bytes) -> Element:
    """`<hyperv>` of the enlightenments in MessagePack: most guests of a kind have the same ones."""
    hyperv = _DECODER.decode(encoded)
    parent = Shared("hyperv")
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
    return parent


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
