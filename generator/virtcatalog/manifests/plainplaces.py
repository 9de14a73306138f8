"""Where a field stands in JSON, or in YAML of plain block style: found on the way to it, while all else is passed over.

It is the same place as `places` finds among the nodes of the whole text, which take many times as long to make.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import zip_longest
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from virtcatalog.manifests.blocks import ENTRY
from virtcatalog.manifests.places import Entry, Field, after, entry_of, index_of

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_KEY: Final = re.compile(r'"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_BEHIND: Final = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*)?")
_SCAN: Final = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
_ENDS: Final = re.compile("\r\n?|[\n\x85\u2028\u2029]")


class Mark(NamedTuple):
    """A place in a text: lines before it, and characters before it in its own."""

    line: int
    column: int

    def then(self, further: Mark) -> Mark:
        """Return the place that is so far behind this one."""
        return Mark(self.line + further.line, further.column + (0 if further.line else self.column))


class Item(NamedTuple):
    """Where an item of a list, or a document, starts and ends in a text, and the place of its start."""

    start: int
    end: int
    mark: Mark


def mark_behind(before: str) -> Mark:
    """Return the place behind a text."""
    if before.isascii() and "\r" not in before:
        return Mark(before.count("\n"), len(before) - before.rfind("\n") - 1)
    ends = [end.end() for end in _ENDS.finditer(before)]
    return Mark(len(ends), len(before) - (ends[-1] if ends else 0))


def place_in_json(text: str, start: int, field: Field) -> Mark:
    """Return the place of a field in the JSON object that starts there, or of the nearest thing around it."""
    at, mark = start, start
    escaped = text.rfind("\\u") if "\\" in text else -1
    while field and text[at] in "{[":
        found = _in_list(text, at, field) if text[at] == "[" else _in_map(text, at, field, escaped)
        if found is None:
            break
        mark, at, field = found
    return mark_behind(text[:mark])


def items_in_json(text: str, whole: Item, key: str) -> list[Item]:
    """Return the items of the list that an object has under a key, all found on one way through it."""
    at = next((value for name, _, value in _entries(text, whole.start) if name == key), whole.end)
    items: list[Item] = []
    at, before, mark = skip(text, at + 1), whole.start, whole.mark
    while at < whole.end and text[at] != "]":
        end: int = _SCAN(text, at)[1]
        mark = mark.then(mark_behind(text[before:at]))
        items.append(Item(at, end, mark))
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
        found = _KEY.match(text, at)
        if found:
            key, value = found[1], found.end()
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


class _Block(NamedTuple):
    """A map or list whose keys or dashes stand below each other."""

    lines: list[str]
    indent: int
    first: int
    end: int

    def inner(self, indent: int, first: int) -> _Block:
        """A block in it, which ends with it at the latest."""
        return self._replace(indent=indent, first=first)


def place_in_block(text: str, field: Field) -> Mark:
    """Return the place of a field in YAML that `blocks` reads, or of the nearest thing around it."""
    lines = text.split("\n")
    block: _Block | None = _Block(lines, _indent(lines[0]), 0, len(lines))
    mark = Mark(0, _indent(lines[0]))
    while field and block is not None:
        is_list = lines[block.first].startswith("- ", block.indent)
        found = _item(block, field) if is_list else _entry(block, field)
        if found is None:
            break
        mark, block, field = found
    return mark


def items_in_block(text: str, whole: Item, key: str) -> list[Item]:
    """Return the items, each from its dash's line on, of the list that a map has under a key."""
    lines = text[whole.start : whole.end].split("\n")
    if lines[0].lstrip(" ").startswith("- "):  # an item itself
        lines[0] = undashed(lines[0])
    found = _entry(_Block(lines, _indent(lines[0]), 0, len(lines)), (key,))
    inner = found[1] if found is not None else None
    if inner is None:
        return []
    starts: list[tuple[int, Mark]] = []
    at = whole.start + sum(map(len, lines[: inner.first])) + inner.first
    for number in range(inner.first, len(lines)):
        line = lines[number]
        if _ends_list(line, inner.indent):
            break
        if line.startswith("- ", inner.indent):
            starts.append((at, whole.mark.then(Mark(number, 0))))
        at += len(line) + 1
    ends = [*(start - 1 for start, _ in starts[1:]), min(at - 1, whole.end)]
    return [Item(start, end, mark) for (start, mark), end in zip(starts, ends, strict=True)]


def undashed(text: str) -> str:
    """Return the text of an item with a space in place of its dash."""
    return text.replace("- ", "  ", 1)


def _item(block: _Block, field: Field) -> tuple[Mark, _Block | None, Field] | None:
    index, rest = index_of(field)
    for number, (mark, inner) in enumerate(_block_items(block)):
        if number == index:
            return mark, inner, rest
    return None


def _block_items(block: _Block) -> Iterator[tuple[Mark, _Block | None]]:
    """Yield the places of a list's items and the maps that they are; their dashes are spaces then."""
    lines, indent, first, end = block
    for number in range(first, end):
        line = lines[number]
        if _ends_list(line, indent):
            return
        if line.startswith(" " * indent + "- "):
            inner = line[indent + 2 :]
            lines[number] = f"{' ' * (indent + 2)}{inner}"
            yield Mark(number, indent + 2), block.inner(indent + 2, number) if ENTRY.fullmatch(inner) else None


def _entry(block: _Block, field: Field) -> tuple[Mark, _Block | None, Field] | None:
    best: tuple[Mark, _Block | None, Any] | None = None
    for key, mark, inner in _block_entries(block):
        if isinstance(field, tuple):
            left: Field | None = field[1:] if key == str(field[0]) else None
        else:
            left = after(field, key)
        if left is not None and (best is None or len(left) < len(best[2])):
            best = mark, inner, left
    return best


def _block_entries(block: _Block) -> Iterator[tuple[str, Mark, _Block | None]]:
    """Yield a map's keys with their places, and the maps and lists that they are of."""
    lines, indent, first, end = block
    for number in range(first, end):
        line = lines[number]
        if _ends(line, indent):
            return
        if not line or line[indent] == " " or line.startswith("- ", indent):
            continue
        entry = ENTRY.fullmatch(line[indent:])
        if entry is None:
            return
        key, value = entry.groups()
        yield key, Mark(number, indent), _nested(block, number + 1) if value is None else None


def _nested(block: _Block, number: int) -> _Block | None:
    if number == block.end or not block.lines[number]:
        return None
    inner = _indent(block.lines[number])
    is_list = block.lines[number].startswith("- ", inner)
    return block.inner(inner, number) if inner > block.indent or (inner == block.indent and is_list) else None


def _ends(line: str, indent: int) -> bool:
    """Whether a line belongs to what is around a block."""
    return bool(line) and _indent(line) < indent


def _ends_list(line: str, indent: int) -> bool:
    """Whether a line belongs to what is around a list."""
    return bool(line) and (_indent(line) < indent or (_indent(line) == indent and not line.startswith("- ", indent)))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


class Outline:
    """Places in one text, of which each map and list is gone through once: for those who ask for many."""

    def __init__(self) -> None:
        self._maps: dict[Any, dict[str, Entry]] = {}
        self._lists: dict[Any, list[tuple[Any, Any]]] = {}

    def _step(self, at: Any, key: Any, field: Field, *, is_list: bool) -> tuple[Any, Any, Field] | None:
        """Go on from a map or list, which is found by a key: the mark, what is there, and what is left of a field."""
        if is_list:
            items = self._lists.get(key)
            if items is None:
                items = self._lists[key] = list(self._items(at))
            index, rest = index_of(field)
            return (*items[index], rest) if 0 <= index < len(items) else None
        known = self._maps.get(key)
        if known is None:
            known = self._maps[key] = {}
            for number, (name, mark, value) in enumerate(self._entries(at)):
                known.setdefault(name, Entry(number, mark, value))
        found = entry_of(known, field)
        return (found[0].mark, found[0].value, found[1]) if found is not None else None

    def _items(self, at: Any) -> Iterator[tuple[Any, Any]]:
        raise NotImplementedError

    def _entries(self, at: Any) -> Iterator[tuple[str, Any, Any]]:
        raise NotImplementedError


class JsonOutline(Outline):
    """Of JSON."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._starts = [0, *(end.end() for end in _ENDS.finditer(text))]

    def place(self, field: Field) -> Mark:
        """Return what `place_in_json` does."""
        at = mark = 0
        while field and self._text[at] in "{[":
            found = self._step(at, at, field, is_list=self._text[at] == "[")
            if found is None:
                break
            mark, at, field = found
        line = bisect_right(self._starts, mark) - 1
        return Mark(line, mark - self._starts[line])

    def _items(self, at: int) -> Iterator[tuple[int, int]]:
        at = skip(self._text, at + 1)
        while self._text[at] != "]":
            yield at, at
            at = _following(self._text, at)

    def _entries(self, at: int) -> Iterator[tuple[str, int, int]]:
        return _entries(self._text, at)


class BlockOutline(Outline):
    """Of YAML that `blocks` reads: of a document, or of an item of a list with its dash."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._lines = text.split("\n")

    def place(self, field: Field) -> Mark:
        """Return what `place_in_block` does."""
        mark = Mark(0, _indent(self._lines[0]))
        block: _Block | None = _Block(self._lines, mark.column, 0, len(self._lines))
        while field and block is not None:
            key = block.first, block.indent
            is_list = key in self._lists or self._lines[block.first].startswith("- ", block.indent)
            found = self._step(block, key, field, is_list=is_list)
            if found is None:
                break
            mark, block, field = found
        return mark

    def _items(self, at: _Block) -> Iterator[tuple[Mark, _Block | None]]:
        items = list(_block_items(at))
        for (mark, inner), (following, _) in zip_longest(items, items[1:], fillvalue=(Mark(at.end, 0), None)):
            # The next one's dash is there no more.
            yield mark, inner and inner._replace(end=following.line)

    def _entries(self, at: _Block) -> Iterator[tuple[str, Mark, _Block | None]]:
        return _block_entries(at)
