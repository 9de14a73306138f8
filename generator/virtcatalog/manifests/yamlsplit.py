"""YAML split into its documents, and into the items of a list whose dashes are below each other, as kubectl has it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from virtcatalog.manifests.document import ALIAS, Text
from virtcatalog.manifests.pieces import AS_LISTED, NO_VM, VM, Implied, Pieces, implied_by, is_vm_kind
from virtcatalog.manifests.spool import Content, IndivisibleError, Window

_LONGEST: Final = 1 << 12
_SEPARATOR: Final = re.compile(rb"---[ \t]*(?:\n|$)")
_ITEMS: Final = re.compile(rb"items:[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- ")
_UNINDENTED: Final = re.compile(rb"\n[^ \n#]")
_ANCHOR: Final = re.compile(r"(?:^|[\s,\[{:?-])&([^\s,\]}]+)")
_OTHER_ENDS: Final = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")
"""What YAML ends lines with, beside line feeds and carriage returns."""


def split(content: Content, pieces: Pieces) -> None:
    """Add the pieces of YAML text; IndivisibleError for text that is not written as kubectl would."""
    window = Window(content)
    at = window.start
    while at < window.size:
        at = _Document(window, pieces, at).split()


class _Document:
    def __init__(self, window: Window, pieces: Pieces, start: int) -> None:
        self._window, self._pieces, self._start = window, pieces, start
        self._mark = window.mark(start)
        self._first = len(pieces)
        self._anchors: set[str] = set()
        self._shares = False
        """Whether an alias in one part of the document refers to another part."""

    def split(self) -> int:
        """Add its pieces; return where the next document starts."""
        window, start = self._window, self._start
        around, rest, behind = b"", start, 0
        at = start if window.cut(start, start + 1) not in (b" ", b"#", b"\n") else self._unindented(start)
        while at < window.size:
            line = window.cut(at, at + _LONGEST)
            if line.startswith(b"---"):
                separator = _SEPARATOR.match(line)
                if separator is None:
                    raise IndivisibleError
                behind = at + separator.end()
                break
            if line.startswith((b"...", b"%")):
                raise IndivisibleError
            items = _ITEMS.match(line) if not around else None
            if items is None:
                at = self._unindented(at)
                continue
            around = self._text(start, at) or b"\n"
            rest = at = self._items(at + items.end() - len(items[1]) - 2, len(items[1]))
        if around:
            self._add_list(at, around + self._text(rest, at))
        elif (text := self._text(start, at)).strip():
            self._pieces.add(start, at, self._mark, _is_vm(text, -1, NO_VM))
        return behind or at

    def _add_list(self, end: int, around: bytes) -> None:
        """Make the pieces items if the document is a list as kubectl prints it; `around` is all but the items."""
        implied = self._implied(around)
        if implied is not None:
            self._pieces.make_items(self._first, implied)
        else:
            self._pieces.drop(self._first)
            self._pieces.add(self._start, end, self._mark)

    def _implied(self, around: bytes) -> Implied | None:
        text = Text(around)
        documents = [data for _, data in text.documents()]
        if text.problems or len(documents) > 1:
            raise IndivisibleError
        data = documents[0] if documents and isinstance(documents[0], dict) else {}
        return None if "items" in data or self._shares else implied_by(data.get("apiVersion"), data.get("kind"))

    def _items(self, start: int, indent: int) -> int:
        """Add the items from the first one's line on; return the offset of the line behind them."""
        window, dash = self._window, b"\n" + b" " * indent + b"- "
        while True:
            match = window.search(_end_of_item(indent), start + indent, len(dash))
            end = match[0] + 1 if match else window.size
            mark = window.mark(start)
            text = self._text(start, end)
            self._pieces.add(start, end, mark, _is_vm(text, indent, AS_LISTED))
            if match is None or match[1] != dash:
                return end
            start = end

    def _text(self, start: int, end: int) -> bytes:
        """Return a part of the document; IndivisibleError for a character that makes it no text of plain lines."""
        text = self._window.cut(start, end)
        self._window.mark(end)
        if b"\r" in text or (not text.isascii() and _OTHER_ENDS.search(text)):
            raise IndivisibleError
        if b"&" in text or b"*" in text:
            characters = text.decode()
            anchors = set(_ANCHOR.findall(characters))
            self._shares |= not self._anchors.isdisjoint(set(ALIAS.findall(characters)) - anchors)
            self._anchors |= anchors
        return text

    def _unindented(self, at: int) -> int:
        """Return the offset of the next line that starts with something."""
        match = self._window.search(_UNINDENTED, at, 2)
        return match[0] + 1 if match else self._window.size


@cache
def _end_of_item(indent: int) -> re.Pattern[bytes]:
    """What is behind an item: another one, or a line of what is around the list."""
    return re.compile(rb"\n(?:%s- |[^ \n#])" % (b" " * indent))


@cache
def _member(key: bytes, indent: int) -> re.Pattern[bytes]:
    """A key of an item whose dash is at an indent, or of a document for -1, with a value that is plainly text."""
    lead = rb"(?:%s- |%s)" % (b" " * indent, b" " * (indent + 2)) if indent >= 0 else b""
    return re.compile(rb"\n%s%s: ([A-Za-z][A-Za-z0-9./]*) *\n" % (lead, key))


def _is_vm(text: bytes, indent: int, unnamed: int) -> int:
    lines = b"\n" + text + b"\n"
    kind = _member(b"kind", indent).search(lines)
    version = _member(b"apiVersion", indent).search(lines)
    if kind is None or version is None:
        # One that is written in another way is seen once it is read.
        has_kind = kind or version or b"kind" in text or b"apiVersion" in text
        return NO_VM if has_kind else unnamed
    return VM if is_vm_kind(version[1].decode(), kind[1].decode()) else NO_VM
