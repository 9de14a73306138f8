"""Patterns that match whole values, in time that grows with pattern and value alone, as Go's regexp does.

A pattern becomes a nondeterministic automaton (Thompson's construction), so that there is no backtracking. Repetitions
with numbers, flags and named classes of Go's syntax are refused.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Final

from virtcatalog.errors import VirtcatalogError

_LONGEST: Final = 300
_DEEPEST: Final = 20
_PLAIN: Final = frozenset("_./-:,@] ")
_SIGNS: Final = ("*", "+", "?")
_ESCAPED: Final = frozenset(r".*+?()[]{}|^$\/-")

_DIGITS: Final = frozenset(string.digits)
_WORDS: Final = frozenset(string.ascii_letters + string.digits + "_")
_SPACES: Final = frozenset("\t\n\f\r ")
#: Go's classes, of ASCII alone.
_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    **{name: characters.__contains__ for name, characters in zip("dws", (_DIGITS, _WORDS, _SPACES), strict=True)},
    "D": lambda character: character not in _DIGITS,
    "W": lambda character: character not in _WORDS,
    "S": lambda character: character not in _SPACES,
}

#: A test of a character, and the states that follow; without a test they follow at once.
_State = tuple[Callable[[str], bool] | None, list[int]]


_LITERAL: Final = re.compile(r"[\w/-]*")


class PatternError(VirtcatalogError):
    """A pattern that is not supported."""


class Pattern:
    """A parsed pattern; `spend` receives the number of states for every character."""

    def __init__(self, text: str, spend: Callable[[int], object]) -> None:
        self._spend, self._results = spend, dict[str, bool]()
        self._text, self._at, self._depth = text, 0, 0
        self._states: list[_State] = []
        self._edges: dict[int, str] = {}
        if len(text) > _LONGEST:
            raise self._fault(f"is longer than {_LONGEST} characters")
        self._first, last = self._alternatives()
        if self._at < len(text):
            raise self._fault("has a ) without its (")
        self._last = self._state(None)
        self._states[last][1].append(self._last)

    def matches(self, value: str) -> bool:
        """Whether the pattern matches all of a value."""
        if value not in self._results:
            self._results[value] = self._text == value if _LITERAL.fullmatch(self._text) else self._run(value)
        return self._results[value]

    def _run(self, value: str) -> bool:
        states = self._closure([self._first], start=True, end=not value)
        for index, character in enumerate(value, 1):
            self._spend(len(states))
            following = [
                after
                for state in states
                for fits, followers in (self._states[state],)
                if fits is not None and fits(character)
                for after in followers
            ]
            states = self._closure(following, start=False, end=index == len(value))
        return self._last in states

    def _closure(self, states: list[int], *, start: bool, end: bool) -> set[int]:
        """The states, and all that they lead to without a character."""
        closure: set[int] = set()
        pending = states
        while pending:
            state = pending.pop()
            edge = self._edges.get(state)
            if state in closure or (edge == "^" and not start) or (edge == "$" and not end):
                continue
            closure.add(state)
            fits, followers = self._states[state]
            if fits is None:
                pending += followers
        return closure

    def _state(self, fits: Callable[[str], bool] | None, *followers: int) -> int:
        self._states.append((fits, [*followers]))
        return len(self._states) - 1

    def _alternatives(self) -> tuple[int, int]:
        """Read `a|b`; return the state that it begins with, and the one that it ends with."""
        first, last = self._state(None), self._state(None)
        while True:
            begin, end = self._sequence()
            self._states[first][1].append(begin)
            self._states[end][1].append(last)
            if self._next() != "|":
                return first, last
            self._at += 1

    def _sequence(self) -> tuple[int, int]:
        first = last = self._state(None)
        while self._next() not in ("", "|", ")"):
            begin, end = self._repeated()
            self._states[last][1].append(begin)
            last = end
        return first, last

    def _repeated(self) -> tuple[int, int]:
        begin, end = self._atom()
        sign = self._next()
        if sign not in _SIGNS:
            return begin, end
        self._at += 1
        if self._next() == "?":  # lazy or greedy makes no difference where all of a value has to match
            self._at += 1
        if self._next() in _SIGNS:
            raise self._fault("repeats a repetition")
        last = self._state(None)
        first = self._state(None, begin, *([last] if sign != "+" else []))
        self._states[end][1].extend([last] if sign == "?" else [begin, last])
        return first, last

    def _atom(self) -> tuple[int, int]:
        character = self._take()
        if character == "(":
            if self._text.startswith("?:", self._at):
                self._at += 2
            elif self._next() == "?":
                raise self._fault("has (?, which is not supported")
            self._depth += 1
            if self._depth > _DEEPEST:
                raise self._fault(f"has more than {_DEEPEST} parentheses within each other")
            group = self._alternatives()
            self._depth -= 1
            if self._next() != ")":
                raise self._fault("has a ( without its )")
            self._at += 1
            return group
        last = self._state(None)
        if character in ("^", "$"):
            first = self._state(None, last)
            self._edges[first] = character
            return first, last
        return self._state(self._test(character), last), last

    def _test(self, character: str) -> Callable[[str], bool]:
        if character == ".":
            return lambda value: value != "\n"
        if character == "[":
            return self._class()
        if character == "\\":
            character = self._take()
            if character in _CLASSES:
                return _CLASSES[character]
            if character not in _ESCAPED:
                raise self._fault(f"has \\{character}, which is not supported")
        elif not (character.isalnum() or character in _PLAIN):
            raise self._fault(f"has {character}, which is not supported there")
        return character.__eq__

    def _class(self) -> Callable[[str], bool]:
        """Read `[a-z]` behind its bracket."""
        none = self._next() == "^"
        self._at += none
        spans: list[tuple[str, str]] = []
        while not spans or self._next() != "]":
            low = high = self._member()
            if self._next() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]"):
                self._at += 1
                high = self._member()
                if high < low:
                    raise self._fault(f"has the range {low}-{high}")
            spans.append((low, high))
        self._at += 1
        return lambda value: any(low <= value <= high for low, high in spans) != none

    def _member(self) -> str:
        """A character in brackets; a sign may stand behind a backslash there."""
        character, following = self._take(), self._next()
        if (character == "\\" and following not in _ESCAPED) or (character == "[" and following == ":"):
            raise self._fault(f"has {character}{following} in brackets, which is not supported")
        return self._take() if character == "\\" else character

    def _next(self) -> str:
        """The next character, "" at the end."""
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        if self._at == len(self._text):
            raise self._fault("ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _fault(self, message: str) -> PatternError:
        return PatternError(f"the pattern {self._text[:80]!r} {message}")
