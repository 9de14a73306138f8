"""JSON as kubectl and this program write it, read quickly; and the characters that may not stand in YAML."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any, Final

import msgspec

from virtcatalog.limits import YAML_LEVELS
from virtcatalog.manifests.scalars import number

#: All but what YAML may hold; said the other way round, the pattern takes ten times as long to compile.
UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


CONTROLS: Final = bytes((*range(9), 11, 12, *range(14, 32), 127))
"""Those of them that are ASCII."""


CONTROL_CHARACTERS: Final = tuple(map(chr, CONTROLS))


_UNWRITABLE_UTF8: Final = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")


def plain_json(text: str | bytes) -> Any:
    """The data of JSON as kubectl prints it; None for what may be anything else."""
    if isinstance(text, str):
        if not text.isascii():
            return None
        text = text.encode()
    # Other characters that cannot stand in YAML cannot stand in JSON, either.
    return canonical_json(text) if text.startswith(b"{") and b"\x7f" not in text and not has_unwritable(text) else None


def has_unwritable(text: bytes) -> bool:
    """Whether there is a character beyond ASCII in UTF-8 that may not stand in YAML."""
    return not text.isascii() and _UNWRITABLE_UTF8.search(text) is not None


def canonical_json(text: bytes) -> Any:
    """The data of JSON that is written as this program would: nothing is lost in it, such as a key that repeats."""
    try:
        compact = msgspec.json.format(text, indent=-1)
        data = _PLAIN_JSON.decode(compact)  # in three quarters of the time that the text takes itself
        return data if _encode(data) == compact and not is_too_deep(compact) else None
    except (ValueError, RecursionError, OverflowError):
        return None


def is_too_deep(text: bytes) -> bool:
    """Whether a text that is JSON nests deeper than YAML may, in time and memory that grow with its length alone."""
    if text.count(b"{") + text.count(b"[") <= YAML_LEVELS:
        return False
    return max(accumulate(_STEPS[match[1]] for match in _BRACKET.finditer(text))) > YAML_LEVELS + 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key is here twice")
    return mapping


def refuse_constant(constant: str) -> Any:
    """Raise ValueError for NaN and Infinity, which Python takes for JSON."""
    raise ValueError(f"{constant} is not JSON")


class LargeNumberError(ValueError):
    """A number that no reader of JSON takes: its text."""


def _number(text: str) -> Any:
    value = number(text, text)
    if isinstance(value, str):
        raise LargeNumberError(text)
    return value


JSON_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_number, parse_constant=refuse_constant)


_encode: Final = msgspec.json.Encoder().encode


#: What opens or closes a map or list, or the end, with what is before it.
_BRACKET: Final = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+([{}\[\]]|\Z)', re.DOTALL)
_STEPS: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1, b"": 0}


_PLAIN_JSON: Final = msgspec.json.Decoder(float_hook=lambda text: number(text, text))
