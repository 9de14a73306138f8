"""Where a field stands, for fields written as the API writes them or as steps: in YAML's nodes, or in an outline.

An outline goes through the maps and lists on the way to a field once, and through all else never: the nodes of the text
take many times as long to make, and the places are the same.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import PLAIN, TAG, MappingNode, ScalarNode, SequenceNode

Field = str | tuple[str | int, ...]

_INDEX: Final = re.compile(r"\[(\d{1,9})\]\.?")


def is_merge(node: Any) -> bool:
    """Whether a key is YAML's merge key."""
    return isinstance(node, ScalarNode) and node.value == "<<" and (node.ctag is PLAIN or node.tag == f"{TAG}merge")


def merge_sources(node: Any) -> list[Any]:
    """Return the nodes that a merge key's value names."""
    return list(node.value) if isinstance(node, SequenceNode) else [node]


class Entry(NamedTuple):
    """An entry of a map: its number there, the place of its key, and what leads on to its value."""

    number: int
    mark: Any
    value: Any


class Index:
    """The entries of maps, each by its key's text: filled as fields are looked for."""

    def __init__(self, resolve: Callable[[str], Any] = resolve) -> None:
        """`resolve` says what a bare scalar stands for."""
        self.resolve = resolve
        self.resolved: dict[int, dict[str, Entry]] = {}
        """By a map's identity; keys are as data has them."""
        self.written: dict[int, dict[str, Entry]] = {}
        """By a map's identity; keys are as they are written."""


def step(node: Any, field: Field, nodes: Index) -> tuple[Any, Any, Field]:
    """Go one step from a node towards a field: the node there, the mark to show, the rest of the way."""
    if isinstance(node, SequenceNode):
        index, rest = index_of(field)
        if 0 <= index < len(node.value):
            return node.value[index], node.value[index].start_mark, rest
    elif isinstance(node, MappingNode):
        return _in_map(node, field, nodes)
    return None, None, ()


def _in_map(node: Any, field: Field, index: Index) -> tuple[Any, Any, Field]:
    in_steps = isinstance(field, tuple)
    maps = index.resolved if in_steps else index.written
    entries = maps.get(id(node))
    if entries is None:
        entries = maps[id(node)] = {}
        for number, (key, value) in enumerate(_entries(node)):
            name = _text(key, index) if in_steps else key.value
            entries.setdefault(name, Entry(number, key.start_mark, value))
    match = entry_of(entries, field)
    return (match[0].value, match[0].mark, match[1]) if match is not None else (None, None, ())


def _text(key: Any, index: Index) -> str:
    """A key as data has it: `y` is true to YAML."""
    value = index.resolve(key.value) if key.ctag is PLAIN else key.value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield a map's own entries, and then those that are merged into it, whose keys it may have itself."""
    merged = [source for key, value in node.value if is_merge(key) for source in merge_sources(value)]
    for mapping in (node, *merged):
        if isinstance(mapping, MappingNode):
            for key, value in mapping.value:
                if isinstance(key, ScalarNode) and not is_merge(key):
                    yield key, value


def index_of(field: Field) -> tuple[int, Field]:
    """Return the index that a field starts with, -1 for none, and what is left of the field."""
    if isinstance(field, tuple):
        return (field[0] if isinstance(field[0], int) else -1), field[1:]
    match = _INDEX.match(field)
    return (int(match[1]), field[match.end() :]) if match else (-1, "")


def after(field: str, key: str) -> str | None:
    """What is left of a path once `key` is taken from its start; None when it does not start so."""
    if field[:1] == "[" and field.startswith(f"[{key}]"):
        return field[len(key) + 2 :].removeprefix(".")
    rest = field[len(key) :]
    if field.startswith(key) and rest[:1] in ("", ".", "["):
        return rest.removeprefix(".")
    return None


def keys_of(field: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the keys that a field may start with (a key can hold dots), with the rest of the field behind the key.

    Keys that leave a rest of one length are in one list; the longest keys come first.
    """
    splits = [
        (field[:end], field[end:].removeprefix("."))
        for end in range(len(field), -1, -1)
        if end == len(field) or field[end] in ".["
    ]
    if field[:1] == "[":
        ends = (end for end, character in enumerate(field) if character == "]")
        splits += [(field[1:end], field[end + 1 :].removeprefix(".")) for end in ends]
        splits.sort(key=lambda split: len(split[1]))
    yield from (list(same) for _, same in groupby(splits, key=lambda split: len(split[1])))


def entry_of(entries: Mapping[str, Entry], field: Field) -> tuple[Entry, Field] | None:
    """Return the entry whose key takes most of a field, the first of several, and what is left of the field."""
    if isinstance(field, tuple):
        entry = entries.get(str(field[0]))
        return (entry, field[1:]) if entry is not None else None
    for keys in keys_of(field):
        matches = [(entries[key], left) for key, left in keys if key in entries]
        if matches:
            return min(matches, key=lambda match: match[0].number)
    return None


ENDS: Final = re.compile("\r\n?|[\n\x85\u2028\u2029]")
"""What YAML ends lines with."""


class Mark(NamedTuple):
    """A place in a text: lines before it, and characters before it in its own."""

    line: int
    column: int

    def then(self, further: Mark) -> Mark:
        """Return the place that is so far behind this one."""
        return Mark(self.line + further.line, further.column + (0 if further.line else self.column))


def mark_behind(before: str) -> Mark:
    """Return the place behind a text."""
    if before.isascii() and "\r" not in before:
        return Mark(before.count("\n"), len(before) - before.rfind("\n") - 1)
    ends = [end.end() for end in ENDS.finditer(before)]
    return Mark(len(ends), len(before) - (ends[-1] if ends else 0))


class Outline(ABC):
    """Places in one text; `_items` and `_entries` tell what is in a list and a map there."""

    def __init__(self) -> None:
        self._maps: dict[Any, dict[str, Entry]] = {}
        self._lists: dict[Any, list[tuple[Any, Any]]] = {}

    def _step(self, at: Any, key: Any, field: Field, *, is_list: bool) -> tuple[Any, Any, Field] | None:
        """Take one step of a field into a map or list: the mark and place of the value, and the rest of the field."""
        if is_list:
            items = self._lists.get(key)
            if items is None:
                items = self._lists[key] = list(self._items(at))
            index, rest = index_of(field)
            return (*items[index], rest) if 0 <= index < len(items) else None
        entries = self._maps.get(key)
        if entries is None:
            entries = self._maps[key] = {}
            for number, (name, mark, value) in enumerate(self._entries(at)):
                entries.setdefault(name, Entry(number, mark, value))
        match = entry_of(entries, field)
        return (match[0].mark, match[0].value, match[1]) if match is not None else None

    @abstractmethod
    def _items(self, at: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the marks and places of a list's items."""

    @abstractmethod
    def _entries(self, at: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield a map's keys, and the marks and places of their values."""
