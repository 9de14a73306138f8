"""YAML taken apart: documents, and the items of a list whose dashes stand below each other, as kubectl prints it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from virtcatalog.manifests.document import ALIAS, Text
from virtcatalog.manifests.pieces import AS_LISTED, NO_VM, VM, Pieces, Rest, is_single_vm, named_by
from virtcatalog.manifests.window import OtherStyleError, Window

_LONGEST: Final = 1 << 12
_SEPARATOR: Final = re.compile(rb"---[ \t]*(?:\n|$)")
_ITEMS: Final = re.compile(rb"items:[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- ")
_UNINDENTED: Final = re.compile(rb"\n[^ \n#]")
_ANCHOR: Final = re.compile(r"(?:^|[\s,\[{:?-])&([^\s,\]}]+)")


def take_apart(window: Window, pieces: Pieces) -> Rest | None:
    """Find the pieces of YAML text; all of it is the rest if it is not written as kubectl would."""
    reader = _Reader(window, pieces)
    try:
        at = window.start
        while window.cut(at, at + 1):
            at = reader.document(at)
        if not window.other_ends:
            return None
    except OtherStyleError:
        pass
    pieces.forget(0)
    return Rest()


class _Reader:
    def __init__(self, window: Window, pieces: Pieces) -> None:
        self._window, self._pieces = window, pieces
        self._anchors: set[str] = set()
        self._divisible = True

    def document(self, start: int) -> int:
        """Take a document apart; return where the next one starts."""
        window, pieces = self._window, self._pieces
        self._anchors, self._divisible = set(), True
        place, first, around = window.place(start), len(pieces), b""
        rest = start
        at: int | None = start if window.cut(start, start + 1) not in (b" ", b"#", b"\n") else self._unindented(start)
        following = 0
        while at is not None:
            line = window.cut(at, at + _LONGEST)
            if line.startswith(b"---"):
                separator = _SEPARATOR.match(line)
                if separator is None:
                    raise OtherStyleError
                following = at + separator.end()
                break
            if line.startswith((b"...", b"%")):
                raise OtherStyleError
            items = _ITEMS.match(line) if not around else None
            if items is None:
                at = self._unindented(at)
                continue
            around = window.cut(rest, at) or b"\n"
            self._look_for_anchors(around)
            at = self._items(at + items.end() - len(items[1]) - 2, len(items[1]))
            rest = window.end() if at is None else at
        end = window.end() if at is None else at
        if around:
            self._list(first, start, end, place, around + window.cut(rest, end))
        elif (text := window.cut(start, end)).strip():
            pieces.add(start, end, place, _is_vm(text, -1, NO_VM))
        return following or end

    def _list(self, first: int, start: int, end: int, place: tuple[int, int], around: bytes) -> None:
        """Make a list of the items that were found, if it is one as kubectl prints it: `around` is all but them."""
        text = Text(around)
        documents = [data for _, data in text.documents()]
        if text.problems or len(documents) > 1:
            raise OtherStyleError
        data = documents[0] if documents and isinstance(documents[0], dict) else {}
        named = named_by(data.get("kind"), data.get("apiVersion"))
        if "items" in data or named is None or not self._divisible:
            self._pieces.made_document(first, start, end, place)
        else:
            self._pieces.made_items(first, named)

    def _items(self, start: int, indent: int) -> int | None:
        """Add the items from the first one's line on; return the offset of the line behind them, if there is one."""
        window, dash = self._window, b"\n" + b" " * indent + b"- "
        ends = _ends(indent)
        while True:
            found = window.search(ends, start + indent, len(dash))
            end = found[0] + 1 if found else window.end()
            text = window.cut(start, end)
            self._look_for_anchors(text)
            self._pieces.add(start, end, window.place(start), _is_vm(text, indent, AS_LISTED))
            if found is None or found[1] != dash:
                return found and end
            start = end

    def _look_for_anchors(self, text: bytes) -> None:
        """Find out whether a part needs what another part of the document has named."""
        if b"&" not in text and b"*" not in text:
            return
        characters = text.decode()
        own = set(_ANCHOR.findall(characters))
        if not self._anchors.isdisjoint(set(ALIAS.findall(characters)) - own):
            self._divisible = False
        self._anchors |= own

    def _unindented(self, at: int) -> int | None:
        """Return the offset of the next line that starts with something."""
        found = self._window.search(_UNINDENTED, at, 2)
        return found[0] + 1 if found else None


@cache
def _ends(indent: int) -> re.Pattern[bytes]:
    """What an item ends with: another one, or a line of what is around the list."""
    return re.compile(rb"\n(?:%s- |[^ \n#])" % (b" " * indent))


@cache
def _entry(key: bytes, indent: int) -> re.Pattern[bytes]:
    """A key of an item whose dash is so far in, or of a document for -1, with a value that is plainly text."""
    lead = rb"(?:%s- |%s)" % (b" " * indent, b" " * (indent + 2)) if indent >= 0 else b""
    return re.compile(rb"\n%s%s: ([A-Za-z][A-Za-z0-9./]*) *\n" % (lead, key))


def _is_vm(text: bytes, indent: int, unsaid: int) -> int:
    around = b"\n" + text + b"\n"
    kind = _entry(b"kind", indent).search(around)
    version = _entry(b"apiVersion", indent).search(around)
    if kind is None or version is None:
        # One that is written in another way is found where it is read.
        named = kind or version or b"kind" in text or b"apiVersion" in text
        return NO_VM if named else unsaid
    return VM if is_single_vm(version[1].decode(), kind[1].decode()) else NO_VM
