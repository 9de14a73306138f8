"""Preferred clock.

Source: pkg/instancetype/preference/apply/clock.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import Clock, DomainSpec
from virtcatalog.api.instancetype import ClockPreferences


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
