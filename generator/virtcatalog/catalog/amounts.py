"""What expressions compute with: amounts of memory, values as text, and the error of an expression without a value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import total_ordering
from typing import Any, Final

from virtcatalog.api.int64 import MAX_INT64
from virtcatalog.api.quantity import NANO, Quantity
from virtcatalog.errors import nearest

TOO_MUCH_TEXT: Final = "the template gives more than 1 MiB of text"
MOST: Final = Quantity.of(MAX_INT64)
"""The most memory that Kubernetes can count."""
_LEAST: Final = Quantity.of(-MAX_INT64)


class ExpressionError(Exception):
    """An expression that has no value; `line` counts from 0 within its text, `name` is the one that is unknown."""

    def __init__(self, message: str, line: int = 0, name: str = "") -> None:
        self.message, self.line, self.name = message, line, name
        super().__init__(message)


@total_ordering
class Amount:
    """An amount of memory in an expression: exact arithmetic, printed as Kubernetes prints it."""

    __slots__ = ("_amount",)

    def __init__(self, amount: Quantity) -> None:
        """ExpressionError for more bytes than fit into 64 bits, as Kubernetes counts them."""
        if not _LEAST <= amount <= MOST:
            raise ExpressionError("an amount of memory in the expression is too large")
        self._amount = amount

    @property
    def quantity(self) -> Quantity:
        """The amount."""
        return self._amount

    def __add__(self, other: object) -> Amount:
        return Amount(self._amount + _amount(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Amount:
        return Amount(self._amount - _amount(other))

    def __mul__(self, factor: object) -> Amount:
        if isinstance(factor, bool) or not isinstance(factor, (int, float)):
            raise ExpressionError(f"an amount of memory can be multiplied by a number, not by {factor!r}")
        return self._scaled(*float(factor).as_integer_ratio()) if isinstance(factor, float) else self._scaled(factor, 1)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Amount | float:
        if isinstance(other, Amount):
            return _ratio(self, other)
        return self._scaled(1, _divisor(other))

    def __floordiv__(self, other: object) -> Amount | int:
        if isinstance(other, Amount):
            return int(_ratio(self, other))
        return Amount(Quantity(self._amount.value // _divisor(other) * NANO, "BinarySI"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Amount, str)) and self._amount == _amount(other)

    def __lt__(self, other: object) -> bool:
        return self._amount < _amount(other)

    def __hash__(self) -> int:
        return hash(self._amount)

    def __str__(self) -> str:
        return str(self._amount)

    __repr__ = __str__

    def _scaled(self, factor: int, divisor: int) -> Amount:
        nano, rest = divmod(_nano(self._amount) * factor, divisor)
        if rest or nano % NANO:
            raise ExpressionError(f"{self} x {factor}/{divisor} is not a whole number of bytes")
        return Amount(Quantity(nano, "BinarySI"))


def _divisor(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not number:
        raise ExpressionError(f"memory can be divided by a whole number or an amount of memory, not by {number!r}")
    return number


def _ratio(amount: Amount, other: Amount) -> float:
    if not other.quantity:
        raise ExpressionError("division by no memory at all")
    return _nano(amount.quantity) / _nano(other.quantity)


def _nano(amount: Quantity) -> int:
    # Amounts of memory are whole bytes, or the quotient was refused.
    return amount.value * NANO


def _amount(value: object) -> Quantity:
    if isinstance(value, Amount):
        return value.quantity
    if isinstance(value, str):
        try:
            return Quantity.parse(value)
        except ValueError as error:
            raise ExpressionError(str(error)) from None
    raise ExpressionError(f"{value!r} is not an amount of memory such as '512Mi'")


def unknown(name: str, names: Mapping[str, Any], line: int) -> ExpressionError:
    """An expression uses, in a line of its text, a name that has no value."""
    return ExpressionError(f"the expression uses {name!r}, which is unknown here{nearest(name, names)}", line, name)


def as_text(value: Any) -> str:
    """Return a value as text within a string; ExpressionError for lists and maps."""
    if isinstance(value, (list, tuple, Mapping, range)):
        raise ExpressionError("a list or map is no text: use the filter join or tojson")
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, (int, float, Amount)):
        return str(value)
    if value is None:
        return ""
    raise no_plain(value)


def encodable(text: str) -> str:
    """Return the text; ExpressionError when it has a surrogate, which no encoding can write."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = ascii(text[error.start])[1:-1]
            raise ExpressionError(f"the expression gives {half}, which is half a character and no text") from None
    return text


def no_plain(value: object) -> ExpressionError:
    """Word that an expression has a value that no manifest can hold."""
    return ExpressionError(f"the expression gives no plain value, but a {type(value).__name__}")
