"""Where a VM refers to parameters, the values in their place, and values made of expressions (`vm-[a-z0-9]{5}`).

Source: virt-template-engine, template/template.go (substituteParameters, collectReferencedParameters), visit.go,
template/generator/expressionvalue.go.
"""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from virtcatalog.api.govalues import GoError, as_json
from virtcatalog.api.template import EXPRESSION
from virtcatalog.limits import EXPRESSION_CHARACTERS, EXPRESSIONS, PROCESSED_CHARACTERS, SUBSTITUTION_WORK

REFERENCE: Final = re.compile(r"\$\{([a-zA-Z0-9_]+)\}")
_REFERENCE_ALONE: Final = re.compile(r"\$\{\{([a-zA-Z0-9_]+)\}\}")


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a value, keys of maps too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def references(text: str) -> list[str]:
    """Return the parameters that a text refers to, in their order: as `${NAME}`, or as a whole `${{NAME}}`."""
    match = _REFERENCE_ALONE.fullmatch(text)
    return [match[1]] if match else REFERENCE.findall(text)


class Substitution:
    """Puts values in; one for each template, as it counts the work. ValueError says what cannot be put in."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._characters = self._work = 0

    def in_object(self, value: Any) -> Any:
        """Return a copy of plain data with the values in its texts and keys; what they bring in is not searched."""
        if isinstance(value, str):
            return self._in_value(value)
        if isinstance(value, dict):
            entries = [(self._in_key(key), key, self.in_object(inner)) for key, inner in value.items()]
            # Where keys come to be the same, Go's order of maps decides; here the last one that was changed.
            return {new: inner for new, _, inner in sorted(entries, key=lambda item: item[0] != item[1])}
        return [self.in_object(inner) for inner in value] if isinstance(value, list) else value

    def in_text(self, text: str) -> str:
        """Return a text with the values in it, a whole `${{NAME}}` too."""
        match = _REFERENCE_ALONE.fullmatch(text)
        return self._values[match[1]] if match else self._replaced(text)

    def _in_value(self, text: str) -> Any:
        match = _REFERENCE_ALONE.fullmatch(text)
        if not match:
            return self._replaced(text)
        value = self._values[match[1]]
        self._count(len(value))
        try:
            read = parse_json(value)
        except ValueError:
            return value
        if read is None:
            raise ValueError(f"{text} cannot stand for null: give {match[1]} another value, or none, which is a text")
        return read

    def _in_key(self, text: str) -> str:
        value = self._in_value(text)
        if not isinstance(value, str):
            raise ValueError(f"the key {text} would be {self.in_text(text)[:60]}, and a key is a text: write ${{NAME}}")
        return value

    def _replaced(self, text: str) -> str:
        matches = list(REFERENCE.finditer(text))
        if not matches:
            self._count(len(text))
            return text
        values = {match[0]: self._values[match[1]] for match in matches}
        self._count(len(text) + sum(len(values[match[0]]) for match in matches))
        if text.count("${") == len(matches) and not any("$" in value or "{" in value for value in values.values()):
            return REFERENCE.sub(lambda match: values[match[0]], text)
        for match in matches:  # a value that looks like a reference is taken for one that comes later
            self._work += len(text)
            if self._work > SUBSTITUTION_WORK:
                raise ValueError("the values refer to each other too often: write what they mean instead")
            text = text.replace(match[0], values[match[0]], 1)
        return text

    def _count(self, characters: int) -> None:
        self._characters += characters
        if self._characters > PROCESSED_CHARACTERS:
            raise ValueError(f"with its parameters' values the VM has more than {PROCESSED_CHARACTERS} characters")


def parse_json(text: str) -> Any:
    """Read JSON as Go does without a type; ValueError for what is none, or has more levels than are read."""
    try:
        return as_json(json.loads(text, parse_int=_float, parse_float=_float, parse_constant=_float))
    except (RecursionError, GoError):
        raise ValueError from None


def _float(text: str) -> float:
    value = float(text) if text[-1] in "0123456789" else math.inf
    if math.isinf(value):
        raise ValueError
    return value


_EXPRESSION: Final = re.compile(EXPRESSION)
_RANGE: Final = re.compile(r"\\w|\\d|\\a|\\A|.-.|[a-zA-Z0-9]+")
_SEQUENCE: Final = string.ascii_lowercase + string.ascii_uppercase + string.digits
_CLASSES: Final = {
    r"\w": f"{_SEQUENCE}_",
    r"\d": string.digits,
    r"\a": _SEQUENCE,
    r"\A": string.punctuation,
}
_MOST: Final = 255


def generate(expression: str, chance: Random) -> str:
    """Replace every `[characters]{number}` of a text; ValueError says why one cannot be.

    What was put in is looked at again, as by KubeVirt: symbols may make up an expression.
    """
    for _ in range(EXPRESSIONS):
        match = _EXPRESSION.search(expression)
        if match is None:
            return expression
        length = _length(match[1], match[3])
        alphabet = alphabet_of(match[1])
        value = "".join(chance.choice(alphabet) for _ in range(length))
        expression = expression.replace(match[0], value, 1)
        if len(expression) > EXPRESSION_CHARACTERS:
            break
    raise ValueError(f"it takes more than {EXPRESSIONS} expressions or {EXPRESSION_CHARACTERS} characters to fill it")


def alphabet_of(ranges: str) -> str:
    r"""Return the characters that stand for `a-z0-9`, `\d` and the like, each once (getAlphabetFromRanges).

    Read from left to right, each place as the first that fits: a class, two ends with a dash between them, letters and
    digits. What fits nothing is passed over.
    """
    return "".join(sorted({character for part in _RANGE.findall(ranges) for character in _characters(part)}))


def _length(ranges: str, text: str) -> int:
    if not _RANGE.search(ranges):
        raise ValueError(rf"[{ranges}] names no characters: write ranges such as a-z, or \w, \d, \a, \A")
    digits = text.lstrip("0")
    if not digits.isdigit() or len(digits) > 3 or int(digits) > _MOST:
        raise ValueError(f"{{{text}}} is no number of characters from 1 to {_MOST}")
    return int(digits)


def _characters(part: str) -> str:
    if part in _CLASSES:
        return _CLASSES[part]
    if len(part) != 3 or part[1] != "-":
        return part
    first, last = _SEQUENCE.find(part[0]), _SEQUENCE.find(part[2])
    if -1 in (first, last):
        bad = part[0] if first == -1 else part[2]
        raise ValueError(f"the range {part} has an end that is no letter or digit: {bad}")
    if first > last:
        raise ValueError(f"the range {part} runs backwards: small letters come first, then capitals, then digits")
    return _SEQUENCE[first : last + 1]
