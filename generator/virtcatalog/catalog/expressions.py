"""Jinja2 in declarations: `{{ vcpus }}` gives a number, `{{ memory / 2 }}` an amount, all else text.

Most expressions are a name, which is looked up here; Jinja2 is loaded for the others, see `sandbox.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from virtcatalog.catalog.amounts import TOO_MUCH_TEXT, Amount, ExpressionError, as_text, encodable, no_plain, unknown
from virtcatalog.catalog.work import Work, WorkError, size
from virtcatalog.limits import TEMPLATE_OUTPUT_CHARACTERS

_NAME = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}", re.ASCII)
_NAMES = 20  # the work of an expression that is a name alone
_COPIED = 3  # for each unit of its size, where that is a list or map
_KEYWORDS = frozenset(("true", "false", "none", "True", "False", "None"))


def is_expression(value: object) -> bool:
    """Whether a value has to be evaluated."""
    return type(value) is str and ("{{" in value or "{%" in value or "{#" in value)


def evaluate(text: str, names: Mapping[str, Any], work: Work) -> Any:
    """Return the value of a string: of any type where it is one expression as a whole, else a string.

    Raises ExpressionError; WorkError when that is more than the catalog's budget of `work` has left.
    """
    work.spend(_NAMES + len(text) // 8)
    name = _NAME.fullmatch(text)
    if name and name[1] not in _KEYWORDS:
        value = _look_up(name[1], names, 0)
        if isinstance(value, (dict, list)):
            work.spend(_COPIED * size(value))
        return plain(value)
    rest = _NAME.sub("", text)
    if "{" not in rest and "}" not in rest and not any(word in _KEYWORDS for word in _NAME.findall(text)):
        return _filled(text, len(rest), names, work)
    from virtcatalog.catalog.sandbox import evaluate_with_jinja

    return plain(evaluate_with_jinja(text, names, work))


def plain(value: Any) -> Any:
    """Return an expression's value as a manifest holds it: plain data, or ExpressionError."""
    if isinstance(value, Amount):
        return str(value)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ExpressionError(f"the expression gives a map with the key {str(key)[:80]}, and keys are texts")
        return {plain(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, float) and not isfinite(value):
        raise ExpressionError(f"the expression gives {value}, which is no number that a manifest can have")
    if value is None or isinstance(value, (int, float)):
        return value
    raise no_plain(value)


def resolve(
    value: Any,
    names: Mapping[str, Any],
    faults: list[tuple[tuple[str | int, ...], ExpressionError]],
    work: Work,
    path: tuple[str | int, ...] = (),
) -> Any:
    """Return plain data with every expression in it evaluated; what has no value is added to `faults`.

    Like a `null` that is written, one that an expression gives removes its key. WorkError has the path to where the
    budget was spent; `path` leads to the value.
    """
    if type(value) is str:
        if "{" in value and is_expression(value):
            try:
                return evaluate(value, names, work)
            except ExpressionError as error:
                faults.append((path, error))
            except WorkError as error:
                error.path = path
                raise
    elif isinstance(value, dict):
        for key, inner in tuple(value.items()):
            if "{" in inner if type(inner) is str else type(inner) in (dict, list):
                value[key] = resolve(inner, names, faults, work, (*path, key))
                if value[key] is None:
                    del value[key]
    elif isinstance(value, list):
        return [resolve(item, names, faults, work, (*path, index)) for index, item in enumerate(value)]
    return value


def _look_up(name: str, names: Mapping[str, Any], line: int) -> Any:
    try:
        return names[name]
    except KeyError:
        raise unknown(name, names, line) from None


def _filled(text: str, length: int, names: Mapping[str, Any], work: Work) -> str:
    """The text with values in place of the names, beside which it has `length` characters."""

    def value_of(match: re.Match[str]) -> str:
        nonlocal length
        value = as_text(_look_up(match[1], names, text.count("\n", 0, match.start())))
        length += len(value)
        if length > TEMPLATE_OUTPUT_CHARACTERS:
            raise ExpressionError(TOO_MUCH_TEXT)
        return value

    filled = _NAME.sub(value_of, text)
    work.spend(len(filled) // 8)
    return filled
