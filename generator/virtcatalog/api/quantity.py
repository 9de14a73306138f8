"""Kubernetes quantities: exact values with a canonical spelling."""

from __future__ import annotations

import re
from functools import lru_cache, total_ordering

NANO = 10**9
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SYNTAX = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))", re.ASCII)


@total_ordering
class Quantity:
    """An exact amount in units of 10^-9 with the notation it was written in. Immutable; compares by amount.

    Source of the rules: apimachinery, pkg/api/resource.
    """

    __slots__ = ("_format", "_nano", "_text")

    def __init__(self, nano: int = 0, notation: str = "DecimalSI") -> None:
        self._nano, self._format, self._text = nano, notation, ""

    @classmethod
    def parse(cls, text: str | int | float) -> Quantity:
        """Read `1500Mi`, `0.5`, `1e9`, 1024 …; ValueError for anything else."""
        return _parse(str(text).strip())

    @property
    def value(self) -> int:
        """The amount in whole units, rounded up (away from zero)."""
        return -((-self._nano) // NANO) if self._nano >= 0 else self._nano // NANO

    @property
    def milli_value(self) -> int:
        """The amount in thousandths, rounded up (away from zero)."""
        return -((-self._nano) // 10**6) if self._nano >= 0 else self._nano // 10**6

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self._nano + other._nano, self._format)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self._nano - other._nano, self._format)

    def __mul__(self, factor: int) -> Quantity:
        return Quantity(self._nano * factor, self._format)

    def __bool__(self) -> bool:
        return self._nano != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self._nano == other._nano

    def __lt__(self, other: Quantity) -> bool:
        return self._nano < other._nano

    def __hash__(self) -> int:
        return hash(self._nano)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __str__(self) -> str:
        if not self._text:
            self._text = _canonical(self._nano, self._format)
        return self._text


@lru_cache(maxsize=4096)
def _parse(text: str) -> Quantity:
    match = _SYNTAX.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9")
    sign, number, binary, decimal, exponent = match.groups()
    whole, _, fraction = number.partition(".")
    digits, power = int(whole + fraction or "0"), -len(fraction)
    factor, notation = 1, "DecimalSI"
    if binary:
        factor, notation = _BINARY[binary], "BinarySI"
    elif exponent is not None:
        power, notation = power + int(exponent), "DecimalExponent"
    else:
        power += _DECIMAL[decimal or ""]
    power += 9
    amount = digits * factor
    nano = amount * 10**power if power >= 0 else -(-amount // 10**-power)
    return Quantity(-nano if sign == "-" else nano, notation)


def _canonical(nano: int, notation: str) -> str:
    if nano == 0:
        return "0"
    sign, amount = ("-", -nano) if nano < 0 else ("", nano)
    if notation == "BinarySI" and amount >= 1024 * NANO and amount % NANO == 0:
        amount //= NANO
        suffix = ""
        for name in _BINARY:
            if amount % 1024:
                break
            amount, suffix = amount // 1024, name
        return f"{sign}{amount}{suffix}"
    power = -9
    while amount % 1000 == 0 and power < 18:
        amount, power = amount // 1000, power + 3
    if notation == "DecimalExponent":
        return f"{sign}{amount}" + (f"e{power}" if power else "")
    return f"{sign}{amount}" + next(name for name, value in _DECIMAL.items() if value == power)
