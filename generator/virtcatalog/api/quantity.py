"""Kubernetes quantities: exact amounts that keep the notation they were written in.

Source of the rules: vendor/k8s.io/apimachinery/pkg/api/resource: quantity.go (grammar, canonical
form, sums), suffix.go (suffixes), amount.go and scale_int.go (rounding and overflow).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from virtcatalog.api.int64 import MAX_INT64, fits, scaled_decimal, scaled_up
from virtcatalog.limits import QUANTITY_CHARACTERS

Notation = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

NANO = 10**9
MILLI = 10**6

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIX = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY_SUFFIX = {power: suffix for suffix, power in _BINARY.items()}

PATTERN = r"[+-]?[0-9]*\.?[0-9]*([KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)"
"""What Kubernetes takes for a quantity. It wants one character at least, but no digit: `Gi` and `.` are zero."""

_SYNTAX = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?[0-9]+))")
#: What people write for bytes elsewhere: 4GB, 4 GiB, 4gi.
_ALMOST = re.compile(r"([0-9]+(?:[.,][0-9]+)?) *([KMGTPEkmgtpe])[iI]?[bB]?")


class Quantity:
    """An exact amount, immutable. Equality, order and hash go by the amount alone: `1Gi` equals `1024Mi`.

    It is made with `parse` from text and `of` from whole units; the constructor counts in units of 10^-9, the finest
    that there is. `str` gives the canonical form (`0.5Gi` is `512Mi`), but a text that Kubernetes keeps as it was
    written stays so until the amount changes (`1.500`, `+1`).

    Inside it is a whole number and a power of ten, as Kubernetes keeps it: a 64-bit integer, or a decimal of any
    length. The two overflow differently.
    """

    __slots__ = ("_decimal", "_nano", "_notation", "_scale", "_text", "_unscaled", "value")

    value: int
    """Whole units, fractions rounded up away from zero; a 64-bit integer, overflowing as Go's `Value`."""

    def __init__(
        self,
        number: int = 0,
        notation: Notation = "DecimalSI",
        *,
        places: int | None = None,
        text: str = "",
        decimal: bool | None = None,
    ) -> None:
        """Hold `number` units of 10^-9, or of 10^-`places`; as a decimal where it does not fit or that is said."""
        if places is None:
            units, fraction = divmod(number, NANO)
            number, places = (number, 9) if fraction else (units, 0)
        self._unscaled, self._scale = number, places
        self._decimal = not fits(number) if decimal is None else decimal
        self._nano: int = number * 10 ** (9 - places) if places <= 9 else number // 10 ** (places - 9)
        self._notation, self._text = notation, text
        self.value = self._scaled(0)

    @classmethod
    def parse(cls, text: str | float) -> Quantity:
        """Read `1500Mi`, `0.5`, `1e9`, 1024 …; ValueError for anything else."""
        if type(text) is str:
            return _parse(text)
        if type(text) is float:
            # Go's JSON has the fewest digits that mean the number, and zeros behind them.
            return _parse(f"{Decimal(repr(text)):f}" if text.is_integer() and abs(text) < 1e21 else repr(text))
        if type(text) is int:
            # Python refuses to write out a number of very many digits.
            return _parse(
                str(text) if text.bit_length() <= 4 * QUANTITY_CHARACTERS else "9" * (QUANTITY_CHARACTERS + 1)
            )
        raise ValueError(f"{text!r} is not a quantity")

    @classmethod
    def stored(cls, text: str | float) -> Quantity:
        """Read what the API server or a webhook has written again: `1.5Gi` comes back as `1536Mi`."""
        quantity = cls.parse(text)
        return _parse(str(quantity)) if quantity._decimal or quantity._scale > 0 else quantity  # noqa: SLF001

    @classmethod
    def of(cls, units: int, notation: Notation = "BinarySI") -> Quantity:
        """Make a quantity of whole units (bytes, CPUs)."""
        return cls(units, notation, places=0)

    @classmethod
    def total(cls, amounts: Iterable[Quantity]) -> Quantity:
        """Add amounts up, in the notation of the first that is not zero."""
        total = cls()
        for amount in amounts:
            if amount:
                total = total + amount
        return total

    @property
    def notation(self) -> Notation:
        """The family of suffixes it is written with: DecimalSI, BinarySI or DecimalExponent."""
        return self._notation

    @property
    def is_decimal(self) -> bool:
        """Whether Kubernetes keeps it as a decimal of any length, for want of room in 64 bits."""
        return self._decimal

    @property
    def in_thousandths(self) -> Quantity:
        """Rounded up to thousandths, as the API server keeps what Pods ask for (SetDefaults_ResourceList)."""
        count, rest = divmod(self._nano, NANO // 1000)
        return Quantity(count + 1, self._notation, places=3) if rest else self

    def is_written_as(self, other: Quantity) -> bool:
        """Whether Go's `==` holds, which compares what Kubernetes keeps: `1Gi` is not `1024Mi`, no decimal another."""
        return not self._decimal and self._written == other._written

    @property
    def _written(self) -> tuple[object, ...]:
        return self._unscaled, self._scale, self._decimal, self._notation, self._text

    @property
    def milli_value(self) -> int:
        """Thousandths of a unit, rounded and overflowing as Go's `MilliValue`."""
        return self._scaled(3)

    @property
    def kilo_value(self) -> int:
        """Thousands of a unit, rounded and overflowing as Go's `ScaledValue(resource.Kilo)`."""
        return self._scaled(-3)

    @property
    def int64(self) -> int | None:
        """Whole units as Go's `AsInt64` has them: None for what has decimal places or is a decimal."""
        if self._decimal or self._scale > 0:
            return None
        number, is_exact = scaled_up(self._unscaled, -self._scale)
        return number if is_exact else None

    def _scaled(self, places: int) -> int:
        """The amount in units of 10^-`places` (ScaledValue)."""
        power = self._scale - places
        if self._decimal:
            return scaled_decimal(self._unscaled, power)
        if power <= 0:
            return scaled_up(self._unscaled, -power)[0]
        unit: int = 10**power
        count, rest = divmod(abs(self._unscaled), unit)
        count += rest != 0
        return -count if self._unscaled < 0 else count

    def _plus(self, other: Quantity, sign: int) -> Quantity:
        """Add or subtract: in 64 bits where that goes, else as decimals."""
        notation = self._notation if self._nano else other._notation
        number, scale, decimal = sign * other._unscaled, other._scale, self._decimal or other._decimal
        if not decimal and not number:
            number, scale = self._unscaled, self._scale
        elif decimal or self._unscaled:
            common = max(self._scale, scale)
            left, right = self._unscaled * 10 ** (common - self._scale), number * 10 ** (common - scale)
            number, scale = left + right, common
            decimal = decimal or not (fits(left) and fits(right) and fits(number))
        return Quantity(number, notation, places=scale, decimal=decimal)

    def __add__(self, other: Quantity) -> Quantity:
        return self._plus(other, 1)

    def __sub__(self, other: Quantity) -> Quantity:
        return self._plus(other, -1)

    def __mul__(self, factor: int) -> Quantity:
        number, places = self._unscaled * factor, self._scale
        decimal = self._decimal or not fits(number)
        if not decimal and places:
            decimal = number % 10**places != 0 if places > 0 else not fits(number * 10**-places)
        return Quantity(number, self._notation, places=places, decimal=decimal)

    def __neg__(self) -> Quantity:
        return Quantity(-self._unscaled, self._notation, places=self._scale, decimal=self._decimal)

    def __bool__(self) -> bool:
        return self._nano != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self._nano == other._nano

    def __lt__(self, other: Quantity) -> bool:
        return self._nano < other._nano

    def __le__(self, other: Quantity) -> bool:
        return self._nano <= other._nano

    def __hash__(self) -> int:
        return hash(self._nano)

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, memo: object) -> Quantity:
        return self

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __str__(self) -> str:
        return self._text or _canonical(self._nano, self._notation)


@lru_cache(maxsize=8192)
def _parse(text: str) -> Quantity:
    stripped = text.strip(" ")
    if len(stripped) > QUANTITY_CHARACTERS:
        message = f"it has {len(stripped):,} characters, and {QUANTITY_CHARACTERS} is the most"
        raise ValueError(f"{stripped[:20] + '…'!r} is out of the range of quantities: {message}")
    match = _SYNTAX.fullmatch(stripped)
    if not match or not stripped:
        raise _not_a_quantity(text)
    sign, integer, fraction, binary, suffix, exponent = match.groups(default="")
    if exponent and abs(int(exponent)) > QUANTITY_CHARACTERS:
        raise ValueError(f"{stripped[:40]!r} is out of the range of quantities")
    has_digits = bool(integer or fraction)
    integer, factor = integer.lstrip("0") or "0", -1 if sign == "-" else 1
    notation: Notation = "BinarySI" if binary else "DecimalExponent" if exponent else "DecimalSI"
    digits, places = integer + fraction, len(fraction)
    if binary:
        power = _BINARY[binary]
        number = int(integer) << power
        precise = not fraction and 14 - len(integer) - power * 3 // 10 >= 0 and number <= MAX_INT64
        canonical = int(integer) % 8 != 0
    else:
        number, power = int(digits), int(exponent) if exponent else _DECIMAL[suffix]
        places -= power
        precise = len(digits) <= 18 and places <= 9
        canonical = stripped == "0" or (places % 3 == 0 and digits[0] != "0" and not digits.endswith("000"))
    if precise:
        places = 0 if binary else places
        return Quantity(factor * number, notation, places=places, text=stripped if canonical else "", decimal=False)
    if not has_digits:
        raise _not_a_quantity(text)
    if binary:
        number = int(digits) << power
    if number:
        number, places = _shift_up(number, 9 - places), 9
    if binary and number > MAX_INT64 * NANO:
        number, places = MAX_INT64, 0
    elif binary and 0 < number < NANO:
        notation = "DecimalSI"
    return Quantity(factor * number, notation, places=places, decimal=True)


def _not_a_quantity(text: str) -> ValueError:
    meant = _ALMOST.fullmatch(text.strip(" "))
    hint = f"; did you mean {meant[1].replace(',', '.')}{meant[2].upper()}i?" if meant else ""
    return ValueError(f"{text[:QUANTITY_CHARACTERS]!r} is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9{hint}")


def _shift_up(number: int, power: int) -> int:
    """`number` * 10^`power` in whole numbers, rounded up."""
    shifted: int = number * 10**power if power >= 0 else -(-number // 10**-power)
    return shifted


@lru_cache(maxsize=1024)
def _canonical(nano: int, notation: Notation) -> str:
    """The shortest text without a fraction: the largest suffix that loses nothing.

    Go has no suffix for what is beyond exa, and writes none: 1000E is 1, and so is 1024Ei.
    """
    if nano == 0:
        return "0"
    sign, amount = ("-", -nano) if nano < 0 else ("", nano)
    if notation == "BinarySI" and amount >= 1024 * NANO and amount % NANO == 0:
        amount, power = amount // NANO, 0
        while amount % 1024 == 0:
            amount, power = amount // 1024, power + 10
        return f"{sign}{amount}{_BINARY_SUFFIX.get(power, '')}"
    power = -9
    while amount % 1000 == 0:
        amount, power = amount // 1000, power + 3
    if notation == "DecimalExponent":
        return f"{sign}{amount}" + (f"e{power}" if power else "")
    return f"{sign}{amount}{_SUFFIX.get(power, '')}"
