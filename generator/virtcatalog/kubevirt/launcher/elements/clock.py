"""`<clock>`: what time the guest sees, and by which timers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from virtcatalog.api.clock import Clock, Timer
from virtcatalog.api.domainspec import CPU, Features
from virtcatalog.errors import nearest
from virtcatalog.kubevirt.launcher.xml import Element, leaf, shared
from virtcatalog.kubevirt.memo import memo

TICK_POLICIES: Final = ("delay", "catchup", "merge", "discard")
TRACKS: Final = ("boot", "guest", "wall", "realtime")
"""What libvirt takes of a timer; KubeVirt hands on any word (docs/formatdomain.rst, Time keeping)."""


@memo
def clock(wanted: Clock | None, tsc_frequency: int | None) -> Element | None:
    """`<clock>`, absent when neither the VMI asks for one nor its TSC has a fixed frequency (in Hz).

    Source: pkg/virt-launcher/virtwrap/converter/compute/clock.go (ClockDomainConfigurator).
    """
    if wanted is None and not tsc_frequency:
        return None
    timers = [] if wanted is None or wanted.timer is None else _timers(wanted.timer)
    if tsc_frequency:
        timers.append(leaf("timer", name="tsc", frequency=str(tsc_frequency)))
    return shared("clock", *timers, **({} if wanted is None else _offset(wanted)))


def timer_faults(timer: Timer | None) -> Iterator[tuple[str, str]]:
    """Yield the fields below a timer whose word libvirt does not know, and what comes of it: no machine starts."""
    for name in ("hpet", "pit", "rtc"):
        one = getattr(timer, name, None)
        for field, word, allowed in (
            ("tickPolicy", getattr(one, "tick_policy", ""), TICK_POLICIES),
            ("track", getattr(one, "track", ""), TRACKS),
        ):
            if word and word not in allowed:
                message = f"{word!r} is none of {', '.join(allowed)}{nearest(word, allowed)}"
                yield f"{name}.{field}", f"libvirt refuses the domain: {message}"


def needs_tsc_frequency(cpu: CPU | None, features: Features | None) -> bool:
    """Whether the guest's TSC must tick alike on every node: `invtsc`, or Hyper-V's reenlightenment.

    Source: pkg/virt-controller/watch/topology/tsc.go.
    """
    for feature in cpu.features if cpu is not None else ():
        if feature.name == "invtsc" and feature.policy in ("require", "force"):
            return True
    hyperv = features.hyperv if features is not None else None
    return hyperv is not None and hyperv.reenlightenment is not None and hyperv.reenlightenment.enabled is True


def _offset(clock: Clock) -> dict[str, str]:
    if clock.utc is not None:
        seconds = clock.utc.offset_seconds
        return {"offset": "utc", "adjustment": "reset" if seconds is None else str(seconds)}
    if clock.timezone is not None:
        zone = {"timezone": clock.timezone} if clock.timezone else {}
        return {"offset": "timezone", **zone}
    return {}


def _timers(timer: Timer) -> list[Element]:
    timers = []
    if timer.rtc is not None:
        timers.append(_timer("rtc", timer.rtc.present, timer.rtc.tick_policy, timer.rtc.track))
    if timer.pit is not None:
        timers.append(_timer("pit", timer.pit.present, timer.pit.tick_policy))
    if timer.kvm is not None:
        timers.append(_timer("kvmclock", timer.kvm.present))
    if timer.hpet is not None:
        timers.append(_timer("hpet", timer.hpet.present, timer.hpet.tick_policy))
    if timer.hyperv is not None:
        timers.append(_timer("hypervclock", timer.hyperv.present))
    return timers


def _timer(name: str, present: bool | None, policy: str = "", track: str = "") -> Element:
    attributes = {"name": name, "present": "no" if present is False else "yes"}
    if policy:
        attributes["tickpolicy"] = policy
    if track:
        attributes["track"] = track
    return leaf("timer", **attributes)
