"""The guest's clock and timers: `clock` of a domain."""

from __future__ import annotations

from virtcatalog.api.object import Constant, Int64


class HPETTimer(Constant, frozen=True):
    """The High Precision Event Timer."""

    tick_policy: str = ""
    present: bool | None = None


class KVMTimer(Constant, frozen=True):
    """KVM's clock."""

    present: bool | None = None


class HypervTimer(Constant, frozen=True):
    """Hyper-V's reference clock."""

    present: bool | None = None


class PITTimer(Constant, frozen=True):
    """The Programmable Interval Timer."""

    tick_policy: str = ""
    present: bool | None = None


class RTCTimer(Constant, frozen=True):
    """The real-time clock; `track` is guest or wall."""

    tick_policy: str = ""
    present: bool | None = None
    track: str = ""


class ClockOffsetUTC(Constant, frozen=True):
    """The clock starts at UTC plus `offset_seconds`, which keeps adjustments over restarts when absent."""

    offset_seconds: Int64 | None = None


class Timer(Constant, frozen=True):
    """The timers of a machine."""

    hpet: HPETTimer | None = None
    kvm: KVMTimer | None = None
    pit: PITTimer | None = None
    rtc: RTCTimer | None = None
    hyperv: HypervTimer | None = None


class ClockOffset(Constant, frozen=True):
    """UTC or a time zone that the clock starts at."""

    utc: ClockOffsetUTC | None = None
    timezone: str | None = None


class Clock(Constant, frozen=True):
    """The guest's clock and its timers."""

    utc: ClockOffsetUTC | None = None
    timezone: str | None = None
    timer: Timer | None = None
