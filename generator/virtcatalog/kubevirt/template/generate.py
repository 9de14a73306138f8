"""Values made of expressions such as `vm-[a-z0-9]{5}`.

Source: virt-template-engine, template/generator/expressionvalue.go.
"""

from __future__ import annotations

import re
import string
from random import Random
from typing import Final

from virtcatalog.api.template import EXPRESSION
from virtcatalog.limits import EXPRESSION_CHARACTERS, EXPRESSIONS

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
_LONG: Final = 2**63 - 1


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
        made = "".join(chance.choice(alphabet) for _ in range(length))
        expression = expression.replace(match[0], made, 1)
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
    length = int(text) if text.isascii() and text.isdigit() and len(text.lstrip("0")) < 20 else None
    if length is None or length > _LONG:
        raise ValueError(f"{{{text}}} is no number of characters")
    if not 1 <= length <= _MOST:
        raise ValueError(f"{{{text}}}: from 1 to {_MOST} characters can be made")
    return length


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
