"""`${VAR}` in texts, as Flux fills it in after a build.

Source: github.com/fluxcd/pkg, envsubst (parse/parse.go, parse/scan.go, funcs.go).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate
from typing import Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import SUBSTITUTED_CHARACTERS, SUBSTITUTION_LEVELS

_NAME: Final = re.compile(r"\w+")
_OPERATORS: Final = re.compile(r":[=\-?+]|//|/#|/%|/|##|#|%%|%|\^\^|\^|,,|,|=|:")
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")


class SubstitutionError(VirtcatalogError):
    """A text that Flux refuses to fill in."""


def substituted(text: str, values: Mapping[str, str], *, is_open: bool = False) -> str:
    """Return a text with its references filled in.

    With `is_open` those to variables without a value stay as they are: they may have one that is not known.
    """
    return _Reader(text, values, is_open=is_open).read()


class _Reader:
    """Reads a text once, from left to right."""

    def __init__(self, text: str, values: Mapping[str, str], *, is_open: bool) -> None:
        self._text, self._values, self._is_open = text, values, is_open
        self._at = 0

    def read(self) -> str:
        """Return the text, filled in."""
        parts: list[str] = []
        length = 0
        while self._at < len(self._text):
            parts.append(self._piece())
            length += len(parts[-1])
            if length > SUBSTITUTED_CHARACTERS:
                raise SubstitutionError(f"the variables make a text of more than {SUBSTITUTED_CHARACTERS} characters")
        return "".join(parts)

    def _piece(self) -> str:
        """The next reference, filled in, or the text before it. `$$` is a dollar sign."""
        if self._text.startswith("${", self._at):
            return self._reference(0)
        if self._text.startswith("$$", self._at):
            self._at += 2
            return "$"
        start = self._at
        end = self._text.find("$", start + (self._text[start] == "$"))
        self._at = end if end >= 0 else len(self._text)
        return self._text[start : self._at]

    def _reference(self, level: int) -> str:
        if level > SUBSTITUTION_LEVELS:
            raise SubstitutionError(f"references stand in each other more than {SUBSTITUTION_LEVELS} deep")
        start = self._at
        self._at += 2
        if self._text.startswith("#", self._at):
            self._at += 1
            name, operator, arguments = self._name(start), "length", []
        else:
            name = self._name(start)
            match = _OPERATORS.match(self._text, self._at)
            operator = match.group() if match else ""
            self._at += len(operator)
            arguments = self._arguments(operator, start, level)
        if not self._text.startswith("}", self._at):
            raise self._bad(start)
        self._at += 1
        if name not in self._values and self._is_open:
            return self._text[start : self._at]
        return _applied(operator, self._values.get(name, ""), arguments)

    def _name(self, start: int) -> str:
        match = _NAME.match(self._text, self._at)
        if match is None:
            raise SubstitutionError(f"unable to parse variable name: {self._text[start : start + 40]!r}")
        self._at = match.end()
        return match.group()

    def _arguments(self, operator: str, start: int, level: int) -> list[str]:
        """The parts behind an operator; those of defaults are joined."""
        arguments = []
        if operator == ":":
            arguments = [self._argument(":}", start, level)]
            if self._skip(":"):
                arguments.append(self._argument("}", start, level))
        elif operator.startswith(("#", "%")):
            arguments = [self._argument("}", start, level)]
        elif operator.startswith("/"):
            arguments = [self._argument("/", start, level, escapes=True)]
            if not self._skip("/"):
                raise self._bad(start)
            if not self._text.startswith("}", self._at):
                arguments.append(self._argument("}", start, level, escapes=True))
        elif operator.startswith((":", "=")):
            while not self._text.startswith("}", self._at):
                arguments.append(self._argument("}", start, level))
        return arguments

    def _argument(self, ends: str, start: int, level: int, *, escapes: bool = False) -> str:
        """A reference, or a text up to one of some characters or a reference; it is not empty."""
        if self._text.startswith("${", self._at):
            return self._reference(level + 1)
        characters = []
        while self._text[self._at : self._at + 1] not in ("", *ends) and not self._text.startswith("${", self._at):
            if escapes and self._text[self._at : self._at + 2] in ("\\/", "\\\\", "$$"):
                self._at += 1
            characters.append(self._text[self._at])
            self._at += 1
        if not characters:
            raise self._bad(start)
        return "".join(characters)

    def _skip(self, separator: str) -> bool:
        """Pass over a separator, however often it stands there."""
        start = self._at
        while self._text.startswith(separator, self._at):
            self._at += 1
        return self._at > start

    def _bad(self, start: int) -> SubstitutionError:
        return SubstitutionError(f"bad substitution: {self._text[start : start + 40]!r}")


def _applied(operator: str, value: str, arguments: Sequence[str]) -> str:
    """Return what a reference stands for. As in Flux, `:+` and `:?` are defaults, too."""
    match operator:
        case "length":
            return str(len(value.encode()))
        case "^" | ",":
            first = value[:1]
            return (first.upper() if operator == "^" else first.lower()) + value[1:]
        case "^^":
            return value.upper()
        case ",,":
            return value.lower()
        case ":":
            return _slice(value, arguments)
        case "#" | "##" | "%" | "%%":
            return _trimmed(value, arguments[0], operator)
        case "/" | "//":
            old, new = arguments if len(arguments) > 1 else (*arguments, "")
            return value.replace(old, new, 1 if operator == "/" else -1)
        case "/#" if len(arguments) > 1:
            old, new = arguments
            return new + value.removeprefix(old) if value.startswith(old) else value
        case "/%" if len(arguments) > 1:
            old, new = arguments
            return value.removesuffix(old) + new if value.endswith(old) else value
        case "/#" | "/%":
            return value
        case _:
            return value or "".join(arguments)


def _slice(value: str, arguments: Sequence[str]) -> str:
    """`${name:position:length}`, in bytes: what is no number leaves the value as it is."""
    if not all(map(_INTEGER.fullmatch, arguments)):
        return value
    position, *length = map(int, arguments)
    content = value.encode()
    part = content[max(len(content) + position, 0) if position < 0 else position :]
    try:
        return (part[: length[0]] if length else part).decode()
    except UnicodeDecodeError:
        raise SubstitutionError(f"bytes from {position} on of {value!r} are no text") from None


def _trimmed(value: str, pattern: str, operator: str) -> str:
    """The value without what a glob matches at its start (`#`) or end (`%`), the longest where the sign is doubled."""
    matches = re.compile(translate(pattern)).match
    ends = range(1, len(value) + 1) if len(operator) == 1 else range(len(value), 0, -1)
    for length in ends:
        part = value[:length] if operator[0] == "#" else value[-length:]
        if matches(part):
            return value[length:] if operator[0] == "#" else value[:-length]
    return value
