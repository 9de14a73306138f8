"""Amounts as people read them; machines get bytes and quantities."""

from __future__ import annotations

_MIB, _GIB = 2**20, 2**30


def mebibytes(amount: float) -> str:
    """Bytes in mebibytes, to three digits behind the point where they are not whole: `4,531 MiB`, `0.125 MiB`."""
    return f"{count(amount / _MIB)} MiB"


def memory(amount: float) -> str:
    """Bytes in the unit that suits them, to one digit behind the point: `8 GiB`, `4.4 GiB`, `268 MiB`."""
    if abs(amount) >= _GIB:
        return f"{amount / _GIB:,.1f}".removesuffix(".0") + " GiB"
    return f"{amount / _MIB:,.1f}".removesuffix(".0") + " MiB"


def count(amount: float) -> str:
    """CPUs and other counts, to three digits behind the point: `1,200`, `0.1`, `2.333`."""
    return f"{amount:,.3f}".rstrip("0").rstrip(".")
