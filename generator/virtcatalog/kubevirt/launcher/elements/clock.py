"""`<clock>`: what time the guest sees, and by which timers."""

from __future__ import annotations

from virtcatalog.api.domainspec import Clock, Timer
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def clock(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<clock>`, absent when neither the VMI nor a fixed TSC frequency asks for one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/clock.go (ClockDomainConfigurator).
    """
    wanted = vmi.spec.domain.clock
    frequency = context.tsc_frequency if context.tsc_frequency and needs_tsc_frequency(vmi) else None
    if wanted is None and not frequency:
        return None
    element = Element("clock", {} if wanted is None else _offset(wanted))
    if wanted is not None and wanted.timer is not None:
        _add_timers(element, wanted.timer)
    if frequency:
        SubElement(element, "timer", name="tsc", frequency=str(frequency))
    return element


def needs_tsc_frequency(vmi: VirtualMachineInstance) -> bool:
    """Whether the guest's TSC must tick alike on every node: `invtsc`, or Hyper-V's reenlightenment.

    Source: pkg/virt-controller/watch/topology/tsc.go.
    """
    domain = vmi.spec.domain
    for feature in domain.cpu.features if domain.cpu is not None else ():
        if feature.name == "invtsc" and feature.policy in ("require", "force"):
            return True
    hyperv = domain.features.hyperv if domain.features is not None else None
    return hyperv is not None and hyperv.reenlightenment is not None and hyperv.reenlightenment.enabled is True


def _offset(clock: Clock) -> dict[str, str]:
    if clock.utc is not None:
        seconds = clock.utc.offset_seconds
        return {"offset": "utc", "adjustment": "reset" if seconds is None else str(seconds)}
    if clock.timezone is not None:
        zone = {"timezone": clock.timezone} if clock.timezone else {}
        return {"offset": "timezone", **zone}
    return {}


def _add_timers(parent: Element, timer: Timer) -> None:
    if timer.rtc is not None:
        _add_timer(parent, "rtc", timer.rtc.present, timer.rtc.tick_policy, timer.rtc.track)
    if timer.pit is not None:
        _add_timer(parent, "pit", timer.pit.present, timer.pit.tick_policy)
    if timer.kvm is not None:
        _add_timer(parent, "kvmclock", timer.kvm.present)
    if timer.hpet is not None:
        _add_timer(parent, "hpet", timer.hpet.present, timer.hpet.tick_policy)
    if timer.hyperv is not None:
        _add_timer(parent, "hypervclock", timer.hyperv.present)


def _add_timer(parent: Element, name: str, present: bool | None, policy: str = "", track: str = "") -> None:
    attributes = {"name": name, "present": "no" if present is False else "yes"}
    if policy:
        attributes["tickpolicy"] = policy
    if track:
        attributes["track"] = track
    SubElement(parent, "timer", attributes)
