"""The filters that templates have, and bounds on the values that pass through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jinja2
import msgspec
from jinja2.filters import FILTERS

from virtcatalog.catalog.amounts import ExpressionError, as_text

MAX_ITERATIONS = 10_000
MAX_TEXT = 2**16
MAX_ITEMS = 10_000
MAX_INTEGER = 2**128
MAX_ARGUMENT = 256
NAMES = (
    *("abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "indent", "int", "items", "join"),
    *("last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round"),
    *("select", "selectattr", "sort", "string", "sum", "title", "tojson", "trim", "unique", "upper"),
)


def bounded(value: Any) -> Any:
    """Return `value`; ExpressionError when it is too big."""
    items, text, rest = 0, 0, [value]
    while rest:
        each = rest.pop()
        if isinstance(each, str):
            text += len(each)
        elif isinstance(each, bool) or each is None:
            continue
        elif isinstance(each, int):
            if abs(each) >= MAX_INTEGER:
                raise ExpressionError("a number in the expression is too large")
        elif isinstance(each, Mapping):
            items += len(each)
            rest += [*each.keys(), *each.values()]
        elif isinstance(each, (list, tuple)):
            items += len(each)
            rest += each
        if items > MAX_ITEMS or text > MAX_TEXT:
            raise ExpressionError("a value in the expression is too large")
    return value


def concatenated(values: list[Any]) -> Any:
    """Return the text that values make together."""
    bounded(values)
    return bounded("".join(map(as_text, values)))


def _replace(value: Any, old: Any, new: Any) -> str:
    text, old, new = (as_text(bounded(each)) for each in (value, old, new))
    if text.count(old) * len(new) > MAX_TEXT:
        raise ExpressionError("a value in the expression is too large")
    return text.replace(old, new)


def _join(values: Iterable[Any], separator: str = "") -> str:
    parts = [as_text(each) for each in as_list(values)]
    if len(parts) * len(separator) > MAX_TEXT:
        raise ExpressionError("a value in the expression is too large")
    return separator.join(bounded(parts))


def as_list(values: Any) -> Any:
    """Return a list in place of a range or generator, and all else as it is."""
    return bounded(list(values)) if isinstance(values, (range, Iterator)) or hasattr(values, "__next__") else values


def _to_json(value: Any) -> str:
    return msgspec.json.encode(bounded(value), enc_hook=str, order="sorted").decode()


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that takes and gives bounded values, and lists instead of generators."""
    passed = getattr(function, "jinja_pass_arg", None)

    def apply(*arguments: Any, **named: Any) -> Any:
        own = arguments[1:] if passed else arguments
        for each in (*own[1:], *named.values()):
            if isinstance(each, int) and abs(each) > MAX_ARGUMENT:
                raise ExpressionError(f"a filter's argument is larger than {MAX_ARGUMENT}")
        for each in (*own, *named.values()):
            if not isinstance(each, jinja2.Undefined):
                bounded(each)
        result = function(*arguments, **named)
        return result if isinstance(result, jinja2.Undefined) else bounded(as_list(result))

    if passed:
        apply.jinja_pass_arg = passed  # type: ignore[attr-defined]
    return apply


def bounded_range(*bounds: int) -> range:
    """Return a range that is not too long: what templates call `range`."""
    numbers = range(*bounds)
    if len(numbers) > MAX_ITERATIONS:
        raise ExpressionError(f"range() gives more than {MAX_ITERATIONS} numbers")
    return numbers


def filters() -> dict[str, Callable[..., Any]]:
    """Return the filters by name."""
    own: dict[str, Callable[..., Any]] = {"replace": _replace, "join": _join, "tojson": _to_json}
    return {name: _guarded(own.get(name, FILTERS[name])) for name in NAMES}
