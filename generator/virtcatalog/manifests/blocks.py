"""YAML as kubectl writes it, read quickly, and where a field stands in it.

That is block style, one line a scalar; a dump of a large cluster has a million such lines. Whatever is written in
another way is left to the YAML reader, so that there is one judge of what YAML means: here comes the same or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.manifests.places import Field, Mark, Outline
from virtcatalog.manifests.scalars import resolve

ENTRY = re.compile(r"((?:[A-Za-z]|[1-9][0-9]*[A-DF-Za-df-z])[A-Za-z0-9_./-]*):(?: ([^ ].*))?")
"""A key that can be no number, and what follows it."""
_PLAIN = re.compile(r"(?=[+.-]?[A-Za-z0-9_/])[^ :#\t]+(?:(?::(?! |$)| (?![ #]))[^ :#\t]*)*(?<![ :])")
_BLOCK = frozenset({"|", "|-"})
_COMMENTS = re.compile(r"\A(?: *(?:#.*)?\n)+")
"""What a document may begin with; empty lines count, too."""
_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)
_DEEPEST = 100

Line = tuple[int, str]


class Document(NamedTuple):
    """A document of plain block style: its number in the text, its data, its first line, and the one behind its last.

    All are counted from 0.
    """

    number: int
    data: Any
    first: int
    end: int


def read_blocks(text: str) -> list[Document] | None:
    """Return the documents of a text that are not empty; None when one is written in any other way than `read_block`'s.

    A line `---` begins a document wherever it stands: no scalar goes on at the first column.
    """
    documents: list[Document] = []
    index = line = 0
    for piece in _SEPARATOR.split(text):
        content = _COMMENTS.sub("", piece)
        comments = piece[: len(piece) - len(content)]
        if not comments.replace("\n", "").isprintable():
            return None
        first, end = line + comments.count("\n"), line + piece.count("\n")
        if content:
            data = read_block(content)
            if data is ...:
                return None
            documents.append(Document(index, data, first, end if content.endswith("\n") else end + 1))
        # Comments before the first `---` are no document; behind it, nothing is one that is null.
        index += bool(content) or line > 0
        line = end + 1
    return documents or None


def read_block(text: str) -> Any:
    """Return the data of one document of plain block style, Ellipsis when it is written in any other way."""
    if not text.isprintable() and not text.replace("\n", "").isprintable():
        return ...
    raw = text.rstrip("\n").split("\n")
    try:
        data, end = _Reader(raw, ended=text.endswith("\n")).block(0, 0, 0)
    except _OtherStyleError:
        return ...
    return data if end == len(raw) else ...


class _OtherStyleError(Exception):
    """Something that is left to the YAML reader."""


class _Reader:
    def __init__(self, raw: list[str], *, ended: bool) -> None:
        """`ended` says whether the last line ends with a line feed."""
        self._raw, self._ended = raw, ended
        self._lines: list[Line] = [(len(line) - len(text := line.lstrip(" ")), text) for line in raw]

    def block(self, at: int, indent: int, depth: int) -> tuple[Any, int]:
        """Read what starts at a line; return it and the line behind it."""
        if depth > _DEEPEST:
            raise _OtherStyleError
        is_list = self._lines[at][1].startswith("- ")
        return self._sequence(at, indent, depth) if is_list else self._mapping(at, indent, depth)

    def _mapping(self, at: int, indent: int, depth: int) -> tuple[dict[str, Any], int]:
        mapping: dict[str, Any] = {}
        lines, count, entries = self._lines, len(self._lines), _ENTRIES
        while at < count and lines[at][0] == indent:
            entry = entries[lines[at][1]]
            if entry is None:
                break
            key, rest, value = entry
            if key in mapping:
                raise _OtherStyleError
            at += 1
            if value is not _UNREAD:
                mapping[key] = value
            elif rest is None:
                mapping[key], at = self._nested(at, indent, depth)
            else:
                mapping[key], at = self._scalar(rest, at, indent)
        if at < count and (lines[at][0] > indent or not mapping):
            raise _OtherStyleError
        return mapping, at

    def _nested(self, at: int, indent: int, depth: int) -> tuple[Any, int]:
        if at < len(self._lines):
            inner, text = self._lines[at]
            if inner > indent or (inner == indent and text.startswith("- ")):
                return self.block(at, inner, depth + 1)
        return None, at

    def _sequence(self, at: int, indent: int, depth: int) -> tuple[list[Any], int]:
        items = []
        lines, count = self._lines, len(self._lines)
        while at < count and lines[at][0] == indent and lines[at][1].startswith("- "):
            rest = lines[at][1][2:]
            if not rest or rest.startswith(("- ", " ")):
                raise _OtherStyleError
            if _ENTRIES[rest] is not None:
                lines[at] = (indent + 2, rest)
                item, at = self._mapping(at, indent + 2, depth + 1)
            else:
                item, at = self._scalar(rest, at + 1, indent)
            items.append(item)
        return items, at

    def _scalar(self, text: str, at: int, indent: int) -> tuple[Any, int]:
        if text in _BLOCK:
            return self._literal(text, at, indent)
        if text == "{}":
            return {}, at
        if text == "[]":
            return [], at
        return _read_scalar(text), at

    def _literal(self, style: str, at: int, indent: int) -> tuple[str, int]:
        start, count = at, len(self._raw)
        inner = self._lines[at][0] if at < count else 0
        if inner <= indent or not self._lines[at][1]:
            raise _OtherStyleError
        while at < count and (self._lines[at][0] >= inner or not self._raw[at]):
            at += 1
        if at < count and (self._lines[at][0] > indent or not self._lines[at][1]):
            raise _OtherStyleError
        if at == count and not self._ended:
            raise _OtherStyleError
        taken = [line[inner:] for line in self._raw[start:at]]
        while taken and not taken[-1]:
            taken.pop()
        return "\n".join(taken) + ("" if style == "|-" else "\n"), at


def _read_scalar(text: str) -> Any:
    """What a scalar on one line stands for."""
    quote = text[0]
    if quote == '"' and len(text) > 1 and text[-1] == '"' and "\\" not in text and '"' not in text[1:-1]:
        return text[1:-1]
    if quote == "'" and len(text) > 1 and text[-1] == "'":
        inner = text[1:-1].replace("''", "\0")
        if "'" not in inner:
            return inner.replace("\0", "'")
    if _PLAIN.fullmatch(text):
        value = resolve(text)
        if not isinstance(value, float):
            return value
    raise _OtherStyleError


class _Entries(dict[str, "tuple[str, str | None, Any] | None"]):
    """Lines `key: value`, remembered, since a dump repeats them: key, text of the value, and the value if it is short.

    None for lines that are no entries of a map.
    """

    def __missing__(self, line: str) -> tuple[str, str | None, Any] | None:
        matched = ENTRY.fullmatch(line)
        entry = None
        if matched is not None and isinstance(resolve(matched[1]), str):
            key, rest = matched.groups()
            is_complete = rest is not None and rest not in _BLOCK and rest not in ("{}", "[]")
            entry = intern(key), rest, _read_scalar(rest) if is_complete else _UNREAD
        if len(self) >= _REMEMBERED:
            self.clear()
        self[line] = entry
        return entry


_UNREAD: Any = object()
_REMEMBERED = 1 << 15
_ENTRIES = _Entries()


class _Block(NamedTuple):
    """A map or list whose keys or dashes stand below each other."""

    lines: list[str]
    indent: int
    first: int
    end: int


class BlockPlaces(Outline):
    """Places in YAML that `read_blocks` reads, which has these documents."""

    def __init__(self, text: str, documents: Iterable[Document]) -> None:
        super().__init__()
        lines = text.split("\n")
        self._roots = {document.number: _Block(lines, 0, document.first, document.end) for document in documents}

    def place(self, document: int, field: Field, item: Path = ()) -> Mark:
        """Return the place of a field of a document, or of an item in it, or of the nearest thing around it."""
        block: _Block | None = self._roots[document]
        mark = Mark(self._roots[document].first, 0)
        for way in (item, field):
            while way and block is not None:
                key = block.first, block.indent
                is_list = key in self._lists or block.lines[block.first].startswith("- ", block.indent)
                entry = self._step(block, key, way, is_list=is_list)
                if entry is None:
                    return mark
                mark, block, way = entry
        return mark

    def _items(self, at: _Block) -> Iterator[tuple[Mark, _Block | None]]:
        items = list(_block_items(at))
        ends = [*(mark.line for mark, _ in items[1:]), at.end]
        for (mark, inner), end in zip(items, ends, strict=True):
            # The next one's dash is there no more.
            yield mark, inner and inner._replace(end=end)

    def _entries(self, at: _Block) -> Iterator[tuple[str, Mark, _Block | None]]:
        """Yield a map's keys with their places, and the maps and lists that they are of."""
        lines, indent, first, end = at
        for number in range(first, end):
            line = lines[number]
            if _ends(line, indent):
                return
            if not line or line[indent] == " " or line.startswith("- ", indent):
                continue
            entry = ENTRY.fullmatch(line[indent:])
            assert entry is not None
            key, value = entry.groups()
            yield key, Mark(number, indent), _nested(at, number + 1) if value is None else None


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
            entries = block._replace(indent=indent + 2, first=number) if ENTRY.fullmatch(inner) else None
            yield Mark(number, indent + 2), entries


def _nested(block: _Block, number: int) -> _Block | None:
    if number == block.end or not block.lines[number]:
        return None
    inner = _indent(block.lines[number])
    is_list = block.lines[number].startswith("- ", inner)
    if inner > block.indent or (inner == block.indent and is_list):
        return block._replace(indent=inner, first=number)
    return None


def _ends(line: str, indent: int) -> bool:
    """Whether a line belongs to what is around a block."""
    return bool(line) and _indent(line) < indent


def _ends_list(line: str, indent: int) -> bool:
    """Whether a line belongs to what is around a list."""
    return _ends(line, indent) or (bool(line) and _indent(line) == indent and not line.startswith("- ", indent))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
