"""Values that a text sets at paths, as helm's `--set` and `--set-string` do: `vm.cores=4,disks[0].name=root`.

Source: helm, pkg/strvals/parser.go.
"""

from __future__ import annotations

import re
from typing import Any, Final

from virtcatalog.api.int64 import fits
from virtcatalog.errors import VirtcatalogError

_WORDS: Final = {"true": True, "false": False, "null": None}
_INTEGER: Final = re.compile(r"([+-]?)0*(\d{1,19})", re.ASCII)
_SPECIAL: Final = re.compile(r"[\\,{}\[\]]")
_LEVELS: Final = 30
_ITEMS: Final = 65_536


class SetError(VirtcatalogError):
    """A text that sets no values, or sets them within what is no map or list."""


def set_values(values: dict[str, Any], text: str, *, as_text: bool = False) -> None:
    """Set what a text says in values, in place; each is a text if `as_text`. Raises SetError."""
    setter = _Setter(text, as_text=as_text)
    while setter.key(values, 0):
        pass


def verbatim(text: str) -> str:
    """Return a value for a text that sets values, in which nothing means anything."""
    return _SPECIAL.sub(r"\\\g<0>", text)


class _Setter:
    """Reads a text from its start. Its methods return whether it goes on: it may end within a path, and is no fault."""

    def __init__(self, text: str, *, as_text: bool) -> None:
        self._text, self._at, self._as_text = text, 0, as_text

    def key(self, values: dict[str, Any], level: int) -> bool:
        key, stop = self._until("=[,.")
        match stop:
            case "" if not key:
                return False
            case "=":
                value, goes_on = self._value()
                _put(values, key, value)
                return goes_on
            case "[":
                items, goes_on = self._item(_within(values, key, []), self._index(), level)
                _put(values, key, items)
                return goes_on
            case "." if level < _LEVELS:
                inner = _within(values, key, {})
                goes_on = self.key(inner, level + 1)
                if inner:
                    _put(values, key, inner)
                elif goes_on:
                    raise SetError(f"{key} has no value")
                return goes_on
            case ".":
                raise SetError(f"has a path of more than {_LEVELS} keys")
            case _:
                raise SetError(f"{key} has no value")

    def _item(self, items: list[Any], index: int, level: int) -> tuple[list[Any], bool]:
        """Set an item of a list, and return the list."""
        rest, stop = self._until("[.=")
        if rest:
            raise SetError(f"has {rest!r} behind an index")
        inner: Any = items[index] if index < len(items) else None
        match stop:
            case "=":
                return _with_item(items, index, self._value()[0]), True
            case "[":
                if not isinstance(inner, list | None):
                    raise SetError(f"[{index}] is no list")
                inner, goes_on = self._item(inner or [], self._index(), level)
            case ".":
                if not isinstance(inner, dict):
                    inner = {}
                    if index < len(items):
                        items[index] = inner
                goes_on = self.key(inner, level)
            case _:
                goes_on = False
        return (_with_item(items, index, inner) if goes_on else items), goes_on

    def _index(self) -> int:
        text, stop = self._until("]")
        index = _integer(text) if stop else None
        if index is None or not 0 <= index <= _ITEMS:
            raise SetError(f"[{text}] is no index")
        return index

    def _value(self) -> tuple[Any, bool]:
        if self._at == len(self._text):
            return "", False
        if self._text[self._at] != "{":
            return self._typed(self._until(",")[0]), True
        self._at += 1
        items: list[Any] = []
        while True:
            item, stop = self._until(",}")
            if not stop:
                raise SetError("has a list that does not end with }")
            items.append(self._typed(item))
            if stop == "}":
                self._at += self._text.startswith(",", self._at)
                return items, True

    def _until(self, stops: str) -> tuple[str, str]:
        """Return what is before one of some characters, without backslashes, and that one, "" for the end."""
        characters: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character in stops:
                return "".join(characters), character
            if character == "\\":
                character = self._text[self._at : self._at + 1]
                self._at += 1
            characters.append(character)
        self._at = len(self._text)
        return "".join(characters), ""

    def _typed(self, text: str) -> Any:
        if self._as_text:
            return text
        if (word := text.casefold()) in _WORDS:
            return _WORDS[word]
        number = _integer(text) if text == "0" or not text.startswith("0") else None
        return text if number is None else number


def _integer(text: str) -> int | None:
    """The number of 64 bits that a text is."""
    match = _INTEGER.fullmatch(text)
    number = int("".join(match.groups())) if match else None
    return number if number is not None and fits(number) else None


def _within(values: dict[str, Any], key: str, empty: Any) -> Any:
    """What a key has, which is to hold others: a map or a list, as the empty one is."""
    value = values.get(key, empty)
    if not isinstance(value, type(empty)):
        raise SetError(f"{key} is no {'map' if isinstance(empty, dict) else 'list'}")
    return value


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    if key:
        values[key] = value


def _with_item(items: list[Any], index: int, value: Any) -> list[Any]:
    """The list with an item in it; one that is too short is another then."""
    if index >= len(items):
        items = [*items, *[None] * (index + 1 - len(items))]
    items[index] = value
    return items
