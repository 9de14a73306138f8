"""Values in messages: what one is, why it does not fit a type, and what a misspelt field may stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf, List, Map, Shape, Struct, Version
from virtcatalog.errors import nearest
from virtcatalog.releases import name_minor

NAMES: Final[Mapping[type, str]] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    Struct: "a map",
    Map: "a map",
    List: "a list",
}
#: What makes a string of a bare word or number.
QUOTE: Final = "quote it"
_BITS_SHOWN: Final = 256
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_SQUEEZED: Final = re.compile(r":[{\[]")


def leaf_fault(value: Any, leaf: Leaf, as_text: str) -> str:
    """Say why a value does not fit; "" when it does."""
    if leaf.choices:
        return _choice_fault(value, leaf.choices)
    if leaf.types == (Quantity,):
        return _quantity_fault(value)
    if not _has_type(value, leaf.types):
        return _type_fault(value, leaf, as_text)
    if isinstance(value, str):
        if leaf.shortest is not None and len(value) < leaf.shortest:
            return "must not be empty"
        if leaf.pattern is not None and not re.search(leaf.pattern, value):
            return f"must be a string such as {leaf.examples[0]}, not {value[:60]!r}"
        return ""
    if (leaf.least is not None and value < leaf.least) or (leaf.most is not None and value > leaf.most):
        limits = f"at least {leaf.least}" if leaf.most is None else f"from {leaf.least} to {leaf.most}"
        return f"{_digits(value)} is out of range: it must be {limits}"
    return ""


def _has_type(value: Any, types: tuple[type, ...]) -> bool:
    if isinstance(value, bool):  # to Python, True is a number
        return bool in types
    return isinstance(value, types) or (isinstance(value, int) and float in types)


def _quantity_fault(value: Any) -> str:
    try:
        Quantity.parse(value)
    except ValueError as error:
        return (
            str(error)
            if isinstance(value, str)
            else f"must be a quantity such as 2, 500m or 1Gi, not {describe(value)}"
        )
    return ""


def _choice_fault(value: Any, choices: tuple[str, ...]) -> str:
    words = [choice for choice in choices if choice]
    if not isinstance(value, str):
        return f"must be one of {', '.join(words)}, not {describe(value)}"
    return "" if value in choices else f"{value[:60]!r} is none of {', '.join(words)}{nearest(value, words)}"


def _type_fault(value: Any, leaf: Leaf, as_text: str) -> str:
    types = leaf.types
    if leaf.pattern is not None:
        return f"must be a string such as {leaf.examples[0]}, not {describe(value)}"
    message = f"must be {' or '.join(map(NAMES.__getitem__, types))}, not {describe(value)}"
    if str in types:
        if isinstance(value, bool) and as_text == QUOTE:
            return f"{message}: quote it (YAML reads bare yes, no, on, off, true and false as booleans)"
        if isinstance(value, int | float):
            return f"{message}: {as_text}"
    elif isinstance(value, str):
        words = value.strip().lower()
        if bool in types and words in {"true", "false", "yes", "no", "on", "off"}:
            return f"{message}: leave the quotes out"
        if int in types and words.lstrip("+-").isdecimal():
            return f"{message}: leave the quotes out"
    return message


def structure_fault(value: Any, shape: Shape, key: object) -> str:
    """Say why a value is no map or list, and what was left out or is too much at it or at the key before it."""
    message = f"must be {NAMES[type(shape)]}, not {describe(value)}"
    if isinstance(shape, List):
        return f"{message}: write [{value}]" if isinstance(value, str) and _WORD.fullmatch(value) else message
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return f"{message}: leave out the '-' before each key"
    return f"{message}{_squeezed(key)}"


def _squeezed(key: object) -> str:
    """A hint, to follow a message, where a key took up its value: `small:{vcpus`."""
    name, colon, _ = str(key).partition(":")
    return f"; a space is missing behind '{name[:60]}:'" if colon and name and _SQUEEZED.search(str(key)) else ""


def unknown_field(key: object, names: Any, around: str = "") -> str:
    """Say that a field is unknown, and which known one it may stand for or, if not "", belongs in (`around`)."""
    hint = f"; it belongs in {around!r}" if around else _squeezed(key) or nearest(str(key)[:60], names)
    return f"unknown field {str(key)[:60]!r}{hint}"


def too_new(key: str, since: Version, release: Version) -> str:
    """Say that a field came after the oldest release that an object must work with."""
    return f"{key!r} needs KubeVirt {name_minor(since)}, and the catalog must work with {name_minor(release)}"


def describe(value: Any) -> str:
    """Name a value in a message: its type, and itself when it is short."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f"the string {value[:60]!r}"
    return f"the number {_digits(value)}" if isinstance(value, int | float) else f"a {type(value).__name__}"


def _digits(number: float) -> str:
    """A number as text, as far as anybody wants to read it: Python refuses to write out very long ones."""
    if isinstance(number, int) and number.bit_length() > _BITS_SHOWN:
        return f"of {number.bit_length()} bits"
    return str(number)
