"""Where a field stands in YAML of plain block style, which `blocks` reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.manifests.blocks import ENTRY
from virtcatalog.manifests.outline import Mark, Outline
from virtcatalog.manifests.places import Field


class _Block(NamedTuple):
    """A map or list whose keys or dashes stand below each other."""

    lines: list[str]
    indent: int
    first: int
    end: int

    def inner(self, indent: int, first: int) -> _Block:
        """A block in it, which ends with it at the latest."""
        return self._replace(indent=indent, first=first)


class BlockPlaces(Outline):
    """Places in YAML that `blocks` reads, of one document."""

    def __init__(self, text: str) -> None:
        super().__init__()
        lines = text.split("\n")
        self._root = _Block(lines, _indent(lines[0]), 0, len(lines))

    def place(self, _document: int, field: Field, item: Path = ()) -> Mark:
        """Return the place of a field of the document, or of an item in it, or of the nearest thing around it."""
        mark = Mark(0, self._root.indent)
        block: _Block | None = self._root
        for way in (item, field):
            while way and block is not None:
                key = block.first, block.indent
                is_list = key in self._lists or block.lines[block.first].startswith("- ", block.indent)
                found = self._step(block, key, way, is_list=is_list)
                if found is None:
                    return mark
                mark, block, way = found
        return mark

    def _items(self, at: _Block) -> Iterator[tuple[Mark, _Block | None]]:
        items = list(_block_items(at))
        for (mark, inner), (following, _) in zip_longest(items, items[1:], fillvalue=(Mark(at.end, 0), None)):
            # The next one's dash is there no more.
            yield mark, inner and inner._replace(end=following.line)

    def _entries(self, at: _Block) -> Iterator[tuple[str, Mark, _Block | None]]:
        return _block_entries(at)


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
