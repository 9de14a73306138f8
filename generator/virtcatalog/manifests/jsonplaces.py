"""Where a field stands in JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.manifests.places import ENDS, Field, Mark, Outline, after, index_of, mark_behind

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_KEY: Final = re.compile(r'"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_BEHIND: Final = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*)?")
_SCAN: Final = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


_FEW: Final = 8
"""So many places are looked for one by one, which stops where the field is found."""


class _Part(NamedTuple):
    """Where a document, or an item of a list, starts and ends in a text, and the place of its start."""

    start: int
    end: int
    mark: Mark


class JsonPlaces:
    """Places in JSON, whose documents have their `starts`."""

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._text, self._starts = text, starts
        self._items: dict[Path, list[_Part]] = {}
        self._outlines: dict[Path, _Outline | int] = {}
        """Of documents and items, or how many places were asked of them."""

    def place(self, document: int, field: Field, item: Path = ()) -> Mark:
        """Return the place of a field of a document, or of an item in it, or of the nearest thing around it."""
        part, key = self._part(document, item), (document, *item)
        outline = self._outlines.get(key, 0)
        if outline == _FEW:
            outline = self._outlines[key] = _Outline(self._text[part.start : part.end])
        if not isinstance(outline, int):
            return part.mark.then(outline.place(field))
        self._outlines[key] = outline + 1
        return part.mark.then(_place(self._text[part.start : part.end], field))

    def _part(self, document: int, path: Path) -> _Part:
        """Where a document is, or an item in it: those of one list are found together."""
        if not path:
            return self._documents[document]
        above, (key, index) = path[:-2], path[-2:]
        items = self._items.get((document, *path[:-1]))
        if items is None:
            items = self._items[document, *path[:-1]] = _items(self._text, self._part(document, above), str(key))
        return items[int(index)]

    @cached_property
    def _documents(self) -> list[_Part]:
        parts: list[_Part] = []
        before, mark = 0, Mark(0, 0)
        for start, end in pairwise([*self._starts, len(self._text)]):
            mark = mark.then(mark_behind(self._text[before:start]))
            parts.append(_Part(start, end, mark))
            before = start
        return parts


def _place(text: str, field: Field) -> Mark:
    """The place of a field in the JSON object that a text starts with, or of the nearest thing around it."""
    at = mark = 0
    escaped = text.rfind("\\u") if "\\" in text else -1
    while field and text[at] in "{[":
        part = _in_list(text, at, field) if text[at] == "[" else _in_map(text, at, field, escaped)
        if part is None:
            break
        mark, at, field = part
    return mark_behind(text[:mark])


def _items(text: str, container: _Part, key: str) -> list[_Part]:
    """The items of the list that an object has under a key, all found on one way through it."""
    at = next((value for name, _, value in _entries(text, container.start) if name == key), container.end)
    items: list[_Part] = []
    at, before, mark = skip(text, at + 1), container.start, container.mark
    while at < container.end and text[at] != "]":
        end: int = _SCAN(text, at)[1]
        mark = mark.then(mark_behind(text[before:at]))
        items.append(_Part(at, end, mark))
        before = at
        behind = _BEHIND.match(text, end)
        at = behind.end() if behind else end
    return items


def _in_list(text: str, at: int, field: Field) -> tuple[int, int, Field] | None:
    index, rest = index_of(field)
    at = skip(text, at + 1)
    while index > 0 and text[at] != "]":
        at, index = _following(text, at), index - 1
    return (at, at, rest) if index == 0 and text[at] != "]" else None


def _in_map(text: str, at: int, field: Field, escaped: int) -> tuple[int, int, Field] | None:
    """`escaped` is where the last character is that is written as a number, of which a key may have some."""
    best: tuple[int, int, Any] | None = None
    for key, mark, value in _entries(text, at):
        if isinstance(field, tuple):
            if key == str(field[0]):
                return mark, value, field[1:]
            continue
        left = after(field, key)
        if left is not None and (best is None or len(left) < len(best[2])):
            best = mark, value, left
            if not left or (escaped < value and _says_most(text, value, field, key)):
                break
    return best


def _says_most(text: str, at: int, field: str, key: str) -> bool:
    """Whether no key from there on takes more of a field than this one: it would go on with the dot behind it."""
    longer = f'"{key}{field.removeprefix(key)[:1]}'
    return key.isidentifier() and field.startswith(key) and text.find(longer, at) < 0


def _entries(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield the keys of an object with their offsets and those of their values."""
    at = skip(text, at + 1)
    while text[at] != "}":
        match = _KEY.match(text, at)
        if match:
            key, value = match[1], match.end()
        else:
            key, end = scanstring(text, at + 1)
            value = skip(text, skip(text, end) + 1)
        yield key, at, value
        at = _following(text, value)


def _following(text: str, at: int) -> int:
    """Return the offset of what comes behind a value and its comma."""
    end: int = _SCAN(text, at)[1]
    behind = _BEHIND.match(text, end)
    return behind.end() if behind else end


def skip(text: str, at: int) -> int:
    """Return the offset behind JSON's white space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


class _Outline(Outline):
    """Of JSON: for those who ask for many places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._starts = [0, *(end.end() for end in ENDS.finditer(text))]

    def place(self, field: Field) -> Mark:
        """Return what `_place` does."""
        at = mark = 0
        while field and self._text[at] in "{[":
            part = self._step(at, at, field, is_list=self._text[at] == "[")
            if part is None:
                break
            mark, at, field = part
        line = bisect_right(self._starts, mark) - 1
        return Mark(line, mark - self._starts[line])

    def _items(self, at: int) -> Iterator[tuple[int, int]]:
        at = skip(self._text, at + 1)
        while self._text[at] != "]":
            yield at, at
            at = _following(self._text, at)

    def _entries(self, at: int) -> Iterator[tuple[str, int, int]]:
        return _entries(self._text, at)
