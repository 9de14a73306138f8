"""Places in a text, found on the way to a field: maps and lists on that way are gone through once, all else never.

They are the same as `places` finds among the nodes of the whole text, which take many times as long to make.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from virtcatalog.manifests.places import Entry, Field, entry_of, index_of

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


class Outline:
    """Places in one text; `_items` and `_entries` tell what is in a list and a map there."""

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
