"""Kubernetes quantities: exact amounts that keep the notation they were written in.

Source of the rules: vendor/k8s.io/apimachinery/pkg/api/resource: quantity.go (grammar, canonical
form, sums), suffix.go (suffixes), amount.go and scale_int.go (rounding and overflow).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from virtcatalog.limits import QUANTITY_CHARACTERS

Notation = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

NANO = 10**9
MILLI = 10**6
MAX_INT64 = 2**63 - 1

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIX = {power: suffix for suffix, power in _DECIMAL.items()}

PATTERN = r"[+-]?[0-9]*\.?[0-9]*([KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)"
"""What Kubernetes takes for a quantity. It wants one character at least, but no digit: `Gi` and `.` are zero."""

_SYNTAX = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?[0-9]+))")
#: What people write for bytes elsewhere: 4GB, 4 GiB, 4gi.
_ALMOST = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([KMGTPEkmgtpe])[iI]?[bB]?")


class Quantity:
    """An exact amount, immutable. Equality, order and hash go by the amount alone: `1Gi` equals `1024Mi`.

    It is made with `parse` from text and `of` from whole units; the constructor counts in units of 10^-9, the finest
    that there is. `str` gives the canonical form (`0.5Gi` is `512Mi`), but a text that Kubernetes keeps as it was
    written stays so until the amount changes (`1.500`, `+1`).
    """

    __slots__ = ("_decimal", "_nano", "_notation", "_text", "value")

    value: int
    """Whole units, fractions rounded up away from zero; a 64-bit integer, overflowing as Go's `Value`."""

    def __init__(
        self, nano: int = 0, notation: Notation = "DecimalSI", *, text: str = "", decimal: bool = False
    ) -> None:
        self._nano, self._notation, self._text, self._decimal = nano, notation, text, decimal
        self.value = self._scaled(NANO)

    @classmethod
    def parse(cls, text: str | float) -> Quantity:
        """Read `1500Mi`, `0.5`, `1e9`, 1024 …; ValueError for anything else."""
        if type(text) is str:
            return _parse(text)
        if type(text) is float:
            return _parse(str(int(text)) if text.is_integer() and abs(text) < 1e21 else repr(text))
        if type(text) is int:
            # Python refuses to write out a number of very many digits.
            return _parse(
                str(text) if text.bit_length() <= 4 * QUANTITY_CHARACTERS else "9" * (QUANTITY_CHARACTERS + 1)
            )
        raise ValueError(f"{text!r} is not a quantity")

    @classmethod
    def of(cls, units: int, notation: Notation = "BinarySI") -> Quantity:
        """Make a quantity of whole units (bytes, CPUs)."""
        return cls(units * NANO, notation)

    @classmethod
    def total(cls, amounts: Iterable[Quantity]) -> Quantity:
        """Add amounts up, in the notation of the first that is not zero."""
        nano, notation, decimal = 0, None, False
        for amount in amounts:
            added = amount._nano  # noqa: SLF001 - of its own kind
            if added:
                nano += added
                decimal = decimal or amount._decimal  # noqa: SLF001
                notation = notation or amount._notation  # noqa: SLF001
        return cls(nano, notation or "DecimalSI", decimal=decimal)

    @property
    def notation(self) -> Notation:
        """The family of suffixes it is written with: DecimalSI, BinarySI or DecimalExponent."""
        return self._notation

    @property
    def milli_value(self) -> int:
        """Thousandths of a unit, rounded and overflowing as Go's `MilliValue`."""
        return self._scaled(MILLI)

    @property
    def kilo_value(self) -> int:
        """Thousands of a unit, rounded and overflowing as Go's `ScaledValue(resource.Kilo)`."""
        return self._scaled(1000 * NANO)

    @property
    def int64(self) -> int | None:
        """Whole units as Go's `AsInt64` has them: None for fractions and for what Kubernetes keeps as a decimal."""
        whole, fraction = divmod(self._nano, NANO)
        return None if self._decimal or fraction or abs(whole) > MAX_INT64 else whole

    def _scaled(self, unit: int) -> int:
        count, rest = divmod(self._nano, unit)
        if -MAX_INT64 <= count < MAX_INT64 and (not rest or self._nano > 0):
            return count + 1 if rest else count
        if self._decimal:
            if self._nano < MAX_INT64:  # Go cuts to 64 bits, then cuts towards zero, then adds one
                nano = _int64(self._nano)
                return int(nano / unit) + 1 if nano % unit else nano // unit
            return _int64(count + (rest != 0))
        return count if -MAX_INT64 <= count < MAX_INT64 else 0

    def __add__(self, other: Quantity) -> Quantity:
        notation = self._notation if self._nano else other._notation
        return Quantity(self._nano + other._nano, notation, decimal=self._decimal or other._decimal)

    def __sub__(self, other: Quantity) -> Quantity:
        notation = self._notation if self._nano else other._notation
        return Quantity(self._nano - other._nano, notation, decimal=self._decimal or other._decimal)

    def __mul__(self, factor: int) -> Quantity:
        return Quantity(self._nano * factor, self._notation, decimal=self._decimal)

    def __neg__(self) -> Quantity:
        return Quantity(-self._nano, self._notation, decimal=self._decimal)

    def __bool__(self) -> bool:
        return self._nano != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self._nano == other._nano

    def __lt__(self, other: Quantity) -> bool:
        return self._nano < other._nano

    def __le__(self, other: Quantity) -> bool:
        return self._nano <= other._nano

    def __gt__(self, other: Quantity) -> bool:
        return self._nano > other._nano

    def __ge__(self, other: Quantity) -> bool:
        return self._nano >= other._nano

    def __hash__(self) -> int:
        return hash(self._nano)

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, memo: object) -> Quantity:
        return self

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __str__(self) -> str:
        if not self._text:
            self._text = _canonical(self._nano, self._notation)
        return self._text


def _int64(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


@lru_cache(maxsize=8192)
def _parse(text: str) -> Quantity:
    stripped = text.strip(" ")
    if len(stripped) > QUANTITY_CHARACTERS:
        message = f"it has {len(stripped):,} characters, and {QUANTITY_CHARACTERS} is the most"
        raise ValueError(f"{stripped[:20] + '…'!r} is out of the range of quantities: {message}")
    match = _SYNTAX.fullmatch(stripped)
    if not match or not stripped:
        meant = _ALMOST.fullmatch(stripped)
        hint = f"; did you mean {meant[1]}{meant[2].upper()}i?" if meant else ""
        raise ValueError(f"{text[:QUANTITY_CHARACTERS]!r} is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9{hint}")
    sign, whole, fraction, binary, decimal, exponent = match.groups(default="")
    if exponent and abs(int(exponent)) > QUANTITY_CHARACTERS:
        raise ValueError(f"{stripped[:40]!r} is out of the range of quantities")
    whole, shift = whole.lstrip("0") or "0", -len(fraction)
    if binary:
        return _parse_binary(stripped, sign, whole, fraction, _BINARY[binary])
    shift += int(exponent) if exponent else _DECIMAL[decimal or ""]
    digits = whole + fraction
    precise = len(digits) <= 18 and shift >= -9
    kept = precise and shift % 3 == 0 and digits[0] != "0" and not digits.endswith("000")
    nano = _shift_up(int(digits), shift + 9)
    notation: Notation = "DecimalExponent" if exponent else "DecimalSI"
    return Quantity(-nano if sign == "-" else nano, notation, text=stripped if kept else "", decimal=not precise)


def _parse_binary(text: str, sign: str, whole: str, fraction: str, exponent: int) -> Quantity:
    number = int(whole)
    precise = not fraction and 14 - len(whole) - exponent * 3 // 10 >= 0 and number << exponent <= MAX_INT64
    nano = min(_shift_up(int(whole + fraction) << exponent, 9 - len(fraction)), MAX_INT64 * NANO)
    notation: Notation = "BinarySI" if precise or not 0 < nano < NANO else "DecimalSI"
    kept = text if precise and number % 8 else ""
    return Quantity(-nano if sign == "-" else nano, notation, text=kept, decimal=not precise)


def _shift_up(number: int, power: int) -> int:
    """`number` * 10^`power` in whole numbers, rounded up."""
    shifted: int = number * 10**power if power >= 0 else -(-number // 10**-power)
    return shifted


@lru_cache(maxsize=1024)
def _canonical(nano: int, notation: Notation) -> str:
    """The shortest text without a fraction: the largest suffix that loses nothing."""
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
    while amount % 1000 == 0:
        amount, power = amount // 1000, power + 3
    if notation == "DecimalExponent":
        return f"{sign}{amount}" + (f"e{power}" if power else "")
    # Go has no suffix for what is beyond exa, and writes none: 1000E is 1.
    return f"{sign}{amount}{_SUFFIX.get(power, '')}"
