"""Bare words and numbers that YAML readers disagree on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import PLAIN, compose, scalars

AMBIGUOUS = Rule(
    "ambiguous-scalar",
    "warning",
    "A bare word or number means different things to different YAML readers.",
    "`on`, `yes`, `017`, `1_000`, `12:30` and dates are a boolean, a number, a time or a string, depending on whether "
    "the reader follows YAML 1.1, YAML 1.2 or Go's mixture, which Kubernetes and virtcatalog follow: editors, linters "
    "and templating tools may see something else.",
    "Quote it if it is a string; write `true`, `false` or a plain decimal number if it is not.",
)
RULES = (AMBIGUOUS,)

# YAML 1.2, core schema (chapter 10.3).
_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
# YAML 1.1 only: minutes and seconds, dates and times; numbers only from 1.2 on: octal as 0o17, most exponents.
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([Tt ].*)?", re.ASCII)
_LATER = re.compile(r"0o[0-7]+|[-+]?([0-9]+|[0-9]*\.[0-9]*(?=[eE][0-9]))[eE][-+]?[0-9]+", re.ASCII)
_SUSPECT = re.compile(r"[-+.0-9]|(?:y|n|yes|no|on|off)$", re.ASCII | re.IGNORECASE)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check every text of the catalog."""
    for text, place in inventory.texts:
        for line, column, word in ambiguous(text):
            message = f"YAML readers disagree on {word!r}: quote it, or write it plainly"
            yield AMBIGUOUS.at(place(line, column), message)


def ambiguous(text: str | bytes) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and word of the ambiguous scalars; a date after the key `sunset` is none, by agreement."""
    before = ""
    for document in compose(text if isinstance(text, str) else text.decode()):
        for node in scalars(document):
            word, mark = node.value, node.start_mark
            if node.ctag is PLAIN and _SUSPECT.match(word) and _disagree(word) and before != "sunset":
                yield mark.line + 1, mark.column + 1, word
            before = word


def _disagree(word: str) -> bool:
    if any(form.fullmatch(word) for form in (_SEXAGESIMAL, _DATE, _LATER)):
        return True
    ours, other = resolve(word), _core(word)
    return type(ours) is not type(other) or ours != other


def _core(word: str) -> Any:
    """What YAML 1.2 takes a suspect word for, which is never its null or boolean.

    Whole floats are integers, as JSON has one kind of number.
    """
    if _INTEGER.fullmatch(word):
        return int(word)
    if _HEXADECIMAL.fullmatch(word):
        return int(word, 16)
    if _FLOAT.fullmatch(word):
        value = float(word)
        return int(value) if value.is_integer() and abs(value) < 1e21 else value
    return word
