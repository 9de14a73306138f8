"""Globs of paths and texts in their three dialects, within a budget: who writes them chooses what they match, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import GLOB_WORK
from virtcatalog.repositories.kustomize.pattern import Pattern

Matches = Callable[[str], bool]


class Dialect(NamedTuple):
    """What `*` and `?` stand for, what turns `[abc]` into its opposite, and whether `{a,b}` is a choice."""

    character: str
    opposite: str
    choices: bool = False


PATH: Final = Dialect("[^/]", "^")
"""Go's path.Match: `*` ends at a slash, `**` too."""
PATHSPEC: Final = Dialect(".", "!^")
"""`git ls-files`: a path without a sign stands for all below it, too. Source: git's wildmatch.c, dir.c."""
TEXT: Final = Dialect(".", "!", choices=True)
"""github.com/gobwas/glob without separators."""

_SIGNS: Final = re.compile(r"[*?\[\\]")
_RANGE: Final = re.compile(r"(.)-(.)\]", re.DOTALL)


class _MalformedError(Exception):
    """A glob that its dialect does not know, and that matches nothing."""


class Globs:
    """The globs of a run."""

    def __init__(self) -> None:
        self._left = GLOB_WORK

    def glob(self, text: str, dialect: Dialect) -> Matches:
        """Return what says whether a text matches; a glob that is written wrong matches none.

        Raises VirtcatalogError for a glob that is too long, or that git refuses, as matching does when there is too
        much of it.
        """
        if dialect is PATHSPEC:
            if text.startswith("/"):
                raise VirtcatalogError(f"{text} is no path within the repository: git refuses it")
            text = text.removeprefix("./")
            if text == ".":
                return lambda _: True
            if not _SIGNS.search(text):
                return lambda path: path == text or path.startswith(f"{text.rstrip('/')}/")
        try:
            pattern = "".join(_translated(text, dialect))
        except _MalformedError:
            return lambda _: False
        return Pattern(pattern, self._spend).matches

    def _spend(self, states: int) -> None:
        self._left -= states
        if self._left < 0:
            raise VirtcatalogError("the globs of paths ask for more work than one may")


def _translated(text: str, dialect: Dialect) -> Iterator[str]:
    """Yield the parts of a regular expression."""
    depth = index = 0
    while index < len(text):
        character = text[index]
        index += 1
        if character == "*":
            if not text.startswith("*", index):
                yield f"{dialect.character}*"
        elif character == "?":
            yield dialect.character
        elif character == "[":
            part, index = _class(text, index, dialect)
            yield part
        elif character == "\\":
            if index == len(text) and not dialect.choices:
                raise _MalformedError
            yield _literal(text[index : index + 1])
            index += 1
        elif character == "{" and dialect.choices:
            depth += 1
            yield "("
        elif character == "}" and depth:
            depth -= 1
            yield ")"
        elif character == "," and depth:
            yield "|"
        else:
            yield _literal(character)
    yield ")" * depth


def _literal(text: str) -> str:
    """A character, or none, as a regular expression."""
    if text in tuple(r".*+?()[]{}|^$\/-"):
        return f"\\{text}"
    return f"[{text}]" if text and not text.isalnum() else text


def _class(text: str, index: int, dialect: Dialect) -> tuple[str, int]:
    """The class behind a bracket, and the place behind it."""
    opposite = text[index : index + 1] in tuple(dialect.opposite)
    index += opposite
    spans, index = _text_class(text, index) if dialect is TEXT else _ranges(text, index, is_path=dialect is PATH)
    if any(high < low for low, high in spans):
        if dialect is not PATHSPEC:
            raise _MalformedError
        spans = [(low, high) for low, high in spans if low <= high]
    if not spans:
        return ("." if opposite else "[^\x00-\U0010ffff]"), index
    return _of_spans(spans, opposite=opposite), index


def _of_spans(spans: list[tuple[str, str]], *, opposite: bool) -> str:
    parts = (f"{_in_class(low)}-{_in_class(high)}" for low, high in spans)
    return f"[{'^' if opposite else ''}{''.join(parts)}]"


def _in_class(character: str) -> str:
    return f"\\{character}" if character in tuple(r"[]^\-") else character


def _text_class(text: str, index: int) -> tuple[list[tuple[str, str]], int]:
    """One range, or characters: a hyphen that comes second is that of a range."""
    if match := _RANGE.match(text, index):
        return [(match[1], match[2])], match.end()
    spans, start = [], index
    while index < len(text) and text[index] != "]":
        index += text[index] == "\\"
        spans += [(character, character) for character in text[index : index + 1]]
        index += 1
    if not spans or index >= len(text) or text[start + 1 : start + 2] == "-":
        raise _MalformedError
    return spans, index + 1


def _ranges(text: str, index: int, *, is_path: bool) -> tuple[list[tuple[str, str]], int]:
    """Ranges and characters. A bracket that comes first, and a hyphen at an end, are themselves but to path.Match."""
    spans: list[tuple[str, str]] = []
    first = index
    while not text.startswith("]", index) or (index == first and not is_path):
        low, index = _character(text, index, is_path=is_path)
        high = low
        if text.startswith("-", index) and (is_path or not text.startswith("]", index + 1)):
            high, index = _character(text, index + 1, is_path=is_path)
        spans.append((low, high))
    if not spans:
        raise _MalformedError
    return spans, index + 1


def _character(text: str, index: int, *, is_path: bool) -> tuple[str, int]:
    if text[index : index + 1] in ("-", "]") and is_path:
        raise _MalformedError
    index += text.startswith("\\", index)
    if index >= len(text):
        raise _MalformedError
    return text[index], index + 1
