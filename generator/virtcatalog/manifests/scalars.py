"""What bare YAML scalars mean: Go's reading of YAML 1.1.

Source of the rules: vendor/go.yaml.in/yaml/v2/resolve.go; time/format.go for times.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from decimal import Decimal
from typing import Any, Final

_WORDS: Final[dict[str, bool | float | None]] = {
    **{form: True for word in ("y", "yes", "true", "on") for form in (word, word.capitalize(), word.upper())},
    **{form: False for word in ("n", "no", "false", "off") for form in (word, word.capitalize(), word.upper())},
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_STARTS_NUMBER: Final = frozenset("0123456789+-.")
_DATE: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?")
_TIME: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:(?:[Tt](?P<zoned>)| )(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?((?(zoned)(?:Z|[+-]\d\d:\d\d))))?",
    re.ASCII,
)
_INTEGER: Final = re.compile(r"[-+]?(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))", re.ASCII)
_SEPARATED: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)


def resolve(plain: str) -> Any:
    """Return what a bare YAML scalar stands for: a boolean, None, a number or the string itself."""
    return json_number(resolved(plain))


def resolved(plain: str) -> Any:
    """Return the same as Go has it before it writes JSON, where a float stays one though it is whole."""
    if plain in _WORDS:
        return _WORDS[plain]
    if plain[0] not in _STARTS_NUMBER or _DATE.fullmatch(plain):
        return plain
    if plain[0] == ".":
        return _float(_SEPARATED.sub("", plain), plain)
    digits = plain.replace("_", "")
    match = _INTEGER.fullmatch(digits)
    if match:
        binary, hexadecimal, octal, decimal = match.groups()
        base = 10 if decimal else 8 if octal else 16 if hexadecimal else 2
        figures = decimal or octal or hexadecimal or binary
        if len(figures) <= 64:
            integer = int(figures, base)
            if integer < 2**64 if plain[0] not in "+-" else integer <= 2**63 - (plain[0] == "+"):
                return -integer if plain[0] == "-" else integer
    return _float(digits, plain)


def json_number(value: Any) -> Any:
    """Return a value as JSON has it: 2.0 is 2, and of a large one so many digits are there as tell it from others."""
    if type(value) is not float or not value.is_integer() or abs(value) >= 1e21:
        return value
    return int(Decimal(repr(value)))


def number(digits: str, plain: str) -> Any:
    """Return a float, an integer when it is whole; `plain` when it is no number or too large for one."""
    return json_number(_float(digits, plain))


def _float(digits: str, plain: str) -> Any:
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    return plain if math.isinf(value) else value


def time_of(text: str) -> str | None:
    """Return a time as JSON has it, RFC 3339, or None for a text that is none to Go."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[group] or 0) for group in (1, 2, 3, 5, 6, 7))
    zone = match[9] or "Z"
    is_date = 1 <= month <= 12 and 1 <= day <= monthrange(year or 4, month)[1]  # the year 0 was a leap year, too
    if not is_date or hour > 23 or minute > 59 or second > 59 or zone[1:] > "23:59":
        return None
    fraction = (match[8] or "")[:9].rstrip("0")
    zone = "Z" if zone[1:] == "00:00" else zone
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}" + (fraction and f".{fraction}") + zone
