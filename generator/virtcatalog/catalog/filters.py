"""The filters and tests that templates have, the bounds on what passes through them, and the charge for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, cast

import jinja2
import msgspec
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.tests import TESTS

from virtcatalog.catalog.amounts import ExpressionError, as_text
from virtcatalog.catalog.work import Work
from virtcatalog.limits import (
    TEMPLATE_ARGUMENT,
    TEMPLATE_INTEGER_BITS,
    TEMPLATE_ITERATIONS,
    TEMPLATE_VALUE_CHARACTERS,
    TEMPLATE_VALUE_ITEMS,
)

#: What a context calls the budget: no name in a template is spelt like this.
WORK_NAME = "%work"
NAMES = (
    *("abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "indent", "int", "items", "join"),
    *("last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round"),
    *("select", "selectattr", "sort", "string", "sum", "title", "tojson", "trim", "unique", "upper"),
)
#: Filters whose other arguments multiply the work.
_MULTIPLYING = ("indent", "round", "trim")
_SORTING = ("dictsort", "sort")
_CALL = 80
ROUNDS_NAME = "%rounds"
_TOO_LARGE = "a value in the expression is too large"


def weigh(value: Any) -> int:
    """Return what it costs to go through a value; ExpressionError when it is too big."""
    if isinstance(value, str):
        if len(value) > TEMPLATE_VALUE_CHARACTERS:
            raise ExpressionError(_TOO_LARGE)
        return 1 + len(value) // 8
    items, text, rest = 0, 0, [value]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            text += len(item)
        elif isinstance(item, bool) or item is None:
            continue
        elif isinstance(item, int):
            if item.bit_length() > TEMPLATE_INTEGER_BITS:
                raise ExpressionError("a number in the expression is too large")
        elif isinstance(item, float):
            if not isfinite(item):
                raise ExpressionError("a number in the expression is not finite")
        elif isinstance(item, Mapping):
            items += len(item)
            rest += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            items += len(item)
            rest += item
        if items > TEMPLATE_VALUE_ITEMS or text > TEMPLATE_VALUE_CHARACTERS:
            raise ExpressionError(_TOO_LARGE)
    return 1 + 6 * items + text // 8


def work_of(context: Context) -> Work:
    """Return the budget of the catalog whose template this is."""
    work: Work = context[WORK_NAME]
    return work


@jinja2.pass_context
def weighed(context: Context, value: Any) -> Any:
    """Return a value as it is, charged by its size."""
    work_of(context).spend(weigh(value))
    return value


@jinja2.pass_context
def counted(context: Context, values: Iterable[Any], cost: int) -> Iterator[Any]:
    """Yield the values of a loop, and charge every round."""
    work, rounds = work_of(context), context[ROUNDS_NAME]
    for value in values:
        work.spend(cost)
        rounds[0] -= 1
        if rounds[0] < 0:
            raise ExpressionError(f"the template loops more than {TEMPLATE_ITERATIONS} times")
        yield value


def printed(value: Any) -> str:
    """Return a value as text; that of a condition without `else` is none."""
    return str(value) if isinstance(value, jinja2.Undefined) else as_text(value)


@jinja2.pass_context
def concatenated(context: Context, values: list[Any]) -> str:
    """Return the text that values make together."""
    weighed(context, values)
    text = "".join(map(printed, values))
    weighed(context, text)
    return text


def as_list(values: Any) -> Any:
    """Return a list in place of a range or generator, and all else as it is."""
    return list(values) if isinstance(values, (range, Iterator)) or hasattr(values, "__next__") else values


def _replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
    text, old, new = printed(value), printed(old), printed(new)
    occurrences = text.count(old)
    if min(occurrences, occurrences if count is None or count < 0 else count) * len(new) > TEMPLATE_VALUE_CHARACTERS:
        raise ExpressionError(_TOO_LARGE)
    return text.replace(old, new, -1 if count is None else count)


def _join(values: Iterable[Any], separator: Any = "") -> str:
    parts, between = [printed(value) for value in as_list(values)], printed(separator)
    if len(parts) * len(between) + sum(map(len, parts)) > TEMPLATE_VALUE_CHARACTERS:
        raise ExpressionError(_TOO_LARGE)
    return between.join(parts)


def _indent(value: Any, width: Any = 4, first: bool = False, blank: bool = False) -> str:
    text = printed(value)
    wide = len(width) if isinstance(width, str) else int(width)
    if (text.count("\n") + 1) * wide > TEMPLATE_VALUE_CHARACTERS:
        raise ExpressionError(_TOO_LARGE)
    return str(FILTERS["indent"](text, width, first, blank))


@jinja2.pass_environment
def _sum(environment: jinja2.Environment, values: Any, attribute: Any = None, start: Any = 0) -> Any:
    if isinstance(start, (list, tuple)):
        raise ExpressionError("sum adds numbers and amounts of memory, not lists")
    return FILTERS["sum"](environment, values, attribute, start)


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=printed, order="sorted").decode()


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that takes and gives bounded values, lists instead of generators, and is charged for them."""
    passed = str(getattr(function, "jinja_pass_arg", "")).rpartition(".")[2]
    factor = 8 if name in _SORTING else 1

    @jinja2.pass_context
    def apply(context: Context, *arguments: Any, **options: Any) -> Any:
        work = work_of(context)
        for argument in (*arguments[1:], *options.values()) if name in _MULTIPLYING else ():
            if (len(argument) if isinstance(argument, str) else abs(argument)) > TEMPLATE_ARGUMENT:
                raise ExpressionError(f"an argument of {name} is larger than {TEMPLATE_ARGUMENT}")
        values = [as_list(argument) for argument in arguments]
        work.spend(_CALL + factor * sum(map(weigh, (*values, *options.values()))))
        leading = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}.get(passed)
        result = as_list(function(*([leading] if passed else []), *values, **options))
        work.spend(weigh(result))
        return result

    return apply


def bounded_range(*bounds: int) -> range:
    """Return a range that is not too long: what templates call `range`."""
    numbers = range(*bounds)
    if len(numbers) > TEMPLATE_ITERATIONS:
        raise ExpressionError(f"range() gives more than {TEMPLATE_ITERATIONS} numbers")
    return numbers


def filters() -> dict[str, Callable[..., Any]]:
    """Return the filters by name."""
    own: dict[str, Callable[..., Any]] = {
        "indent": _indent,
        "join": _join,
        "replace": _replace,
        "string": printed,
        "sum": _sum,
        "tojson": _to_json,
    }
    return {name: _guarded(name, own.get(name, FILTERS[name])) for name in NAMES}


def tests() -> dict[str, Callable[..., Any]]:
    """Return the tests by name: Jinja2's own."""
    return {name: _guarded(name, cast("Callable[..., Any]", function)) for name, function in TESTS.items()}
