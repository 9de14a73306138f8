"""Integers of 64 bits, and what Go makes of those beyond."""

from __future__ import annotations

MAX_INT64 = 2**63 - 1
MIN_INT64 = -(2**63)
_WRAPPING = (1, 2, 3, 6, 9)


def fits(number: float) -> bool:
    """Whether a number is in the range of 64 bits."""
    return MIN_INT64 <= number <= MAX_INT64


def wrapped(number: int, bits: int = 64) -> int:
    """Return a whole number cut to some bits, as Go adds and multiplies."""
    half: int = 2 ** (bits - 1)
    return (number + half) % (2 * half) - half


def scaled_up(number: int, power: int) -> tuple[int, bool]:
    """Return `number` * 10^`power`, and whether it fits: what does not wraps for some powers, and is 0 for others.

    Source: math.go (positiveScaleInt64).
    """
    scaled = number * 10**power
    if fits(scaled):
        return scaled, True
    return (wrapped(scaled) if power in _WRAPPING and number != MIN_INT64 else 0), False


def scaled_decimal(number: int, power: int) -> int:
    """Return `number` / 10^`power`: Go cuts to 64 bits before, then cuts towards zero, then adds one (scaledValue)."""
    if power <= 0:
        return wrapped(wrapped(number) * (10**-power if power > -19 else MIN_INT64))
    unit: int = 10**power
    if number < MAX_INT64:
        cut = wrapped(number)
        count = abs(cut) // unit
        return (-count if cut < 0 else count) + (cut % unit != 0)
    count, rest = divmod(number, unit)
    return wrapped(count + (rest != 0))
