"""Jinja2 in declarations: `{{ vcpus }}` gives a number, `{{ memory / 2 }}` an amount, all else text.

Most expressions are a name, which is looked up here; Jinja2 is loaded for the others, see `sandbox.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from virtcatalog.api.quantity import NANO, Quantity
from virtcatalog.catalog.names import nearest

_NAME = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}", re.ASCII)
_KEYWORDS = frozenset(("true", "false", "none", "True", "False", "None"))


class ExpressionError(Exception):
    """An expression that has no value; `line` counts from 0 within its text."""

    def __init__(self, message: str, line: int = 0) -> None:
        self.message, self.line = message, line
        super().__init__(message)


class Amount:
    """An amount of memory in an expression: exact arithmetic, printed as Kubernetes prints it."""

    __slots__ = ("_amount",)

    def __init__(self, amount: Quantity) -> None:
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
        if isinstance(other, bool) or not isinstance(other, int) or not other:
            raise ExpressionError(f"memory can be divided by a whole number or an amount of memory, not by {other!r}")
        return self._scaled(1, other)

    def __floordiv__(self, other: object) -> Amount | int:
        if isinstance(other, Amount):
            return int(_ratio(self, other))
        if isinstance(other, bool) or not isinstance(other, int) or not other:
            raise ExpressionError(f"memory can be divided by a whole number or an amount of memory, not by {other!r}")
        return Amount(Quantity(self._amount.value // other * NANO, "BinarySI"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Amount, str)) and self._amount == _amount(other)

    def __lt__(self, other: object) -> bool:
        return self._amount < _amount(other)

    def __gt__(self, other: object) -> bool:
        return _amount(other) < self._amount

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

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


def is_expression(value: object) -> bool:
    """Whether a value has to be evaluated."""
    return type(value) is str and ("{{" in value or "{%" in value or "{#" in value)


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """Return the value of a string: of any type where it is one expression as a whole, else a string.

    Raises ExpressionError.
    """
    whole = _NAME.fullmatch(text)
    if whole and whole[1] not in _KEYWORDS:
        return plain(_look_up(whole[1], names, 0))
    rest = _NAME.sub("", text)
    if "{" not in rest and "}" not in rest and not any(word in _KEYWORDS for word in _NAME.findall(text)):
        return _NAME.sub(lambda match: _text(match, names), text)
    from virtcatalog.catalog.sandbox import evaluate_with_jinja

    return plain(evaluate_with_jinja(text, names))


def plain(value: Any) -> Any:
    """Return an expression's value as a manifest holds it: plain data, or ExpressionError."""
    if isinstance(value, Amount):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise ExpressionError(f"the expression gives no plain value, but a {type(value).__name__}")


def resolve(value: Any, names: Mapping[str, Any], faults: list[tuple[tuple[str | int, ...], ExpressionError]]) -> Any:
    """Return plain data with every expression in it evaluated; what has no value is added to `faults`.

    Like a `null` that is written, one that an expression gives removes its key.
    """
    return _resolve(value, names, faults, ())


def _resolve(
    value: Any,
    names: Mapping[str, Any],
    faults: list[tuple[tuple[str | int, ...], ExpressionError]],
    path: tuple[str | int, ...],
) -> Any:
    if type(value) is str:
        if "{" in value and is_expression(value):
            try:
                return evaluate(value, names)
            except ExpressionError as error:
                faults.append((path, error))
    elif isinstance(value, dict):
        for key, each in tuple(value.items()):
            if type(each) in (str, dict, list):
                value[key] = _resolve(each, names, faults, (*path, key))
                if value[key] is None:
                    del value[key]
    elif isinstance(value, list):
        return [_resolve(each, names, faults, (*path, index)) for index, each in enumerate(value)]
    return value


def _look_up(name: str, names: Mapping[str, Any], line: int) -> Any:
    try:
        return names[name]
    except KeyError:
        raise ExpressionError(unknown(name, names), line) from None


def unknown(name: str, names: Mapping[str, Any]) -> str:
    """Word that an expression uses a name that has no value."""
    return f"the expression uses {name!r}, which is unknown here{nearest(name, names)}"


def _text(match: re.Match[str], names: Mapping[str, Any]) -> str:
    value = _look_up(match[1], names, match.string.count("\n", 0, match.start()))
    return as_text(value)


def as_text(value: Any) -> str:
    """Return a value as text within a string; ExpressionError for lists and maps."""
    if isinstance(value, (list, tuple, Mapping, range)):
        raise ExpressionError("a list or map is no text: use the filter join or tojson")
    return "" if value is None else str(value)
