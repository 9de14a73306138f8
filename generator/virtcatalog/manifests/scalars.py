"""What bare YAML scalars mean: Go's reading of YAML 1.1.

Source of the rules: vendor/go.yaml.in/yaml/v2/resolve.go.
"""

from __future__ import annotations

import math
import re
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
_INTEGER: Final = re.compile(r"[-+]?(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)


def resolve(plain: str) -> Any:
    """Return what a bare YAML scalar stands for: a boolean, None, a number or the string itself."""
    if plain in _WORDS:
        return _WORDS[plain]
    if plain[0] not in _STARTS_NUMBER or _DATE.fullmatch(plain):
        return plain
    if plain[0] == ".":
        return number(plain, plain)
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
    return number(digits, plain)


def number(digits: str, plain: str) -> Any:
    """Return a float, an integer when it is whole; `plain` when it is no number or too large for one."""
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    if math.isinf(value):
        return plain
    return int(value) if value.is_integer() and abs(value) < 1e21 else value
