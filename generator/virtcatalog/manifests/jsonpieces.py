"""JSON taken apart: documents one after the other, and the items of a list, wherever its lines end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, reduce
from io import BytesIO
from itertools import pairwise, takewhile
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from virtcatalog.manifests.pieces import AS_LISTED, NO_VM, VM, Pieces, Place, Rest, behind, is_single_vm, named_by
from virtcatalog.manifests.window import KEPT, OtherStyleError, Window

_TRIES: Final = 4
_SMALL, _GLANCE, _LARGE = 1 << 12, 1 << 16, 1 << 20
_START: Final = 64
"""How much of an item's start may be the same for all."""
_SPACE: Final = b" \t\r\n"
_ANY: Final = json.JSONDecoder()
_CONTROLS: Final = b"\x7f"
"""The only control character that JSON may have and YAML may not."""


class _Head(msgspec.Struct, rename="camel"):
    """What an object says that it is."""

    api_version: Any = msgspec.UNSET
    kind: Any = msgspec.UNSET


_HEAD: Final = msgspec.json.Decoder(_Head)


class Seam(NamedTuple):
    """What is between two items of a list, or two documents: `text` is that, with what both always end and start with.

    The second one starts `gap` bytes behind the end of the first one.
    """

    text: bytes
    gap: int
    listed: bool


class Stretch(NamedTuple):
    """What was found from an item or a document on, up to where another one starts or the list ends.

    Its places are counted from its start.
    """

    start: int
    end: int
    place: Place
    pieces: Pieces


class Others(Protocol):
    """Others who look through a text, too: for items of lists, or for documents."""

    @property
    def listed(self) -> bool:
        """Whether they look for items."""

    def stretch(self, at: int) -> Stretch | None:
        """Return what they found from an offset on; None where they began elsewhere. Offsets only grow."""

    def seek(self, offset: int) -> None:
        """Let the text be read on from an offset."""


def take_apart(window: Window, pieces: Pieces, others: Others | None = None) -> Rest | None:
    """Find the pieces of JSON text; the document that is not plainly JSON and all behind it are the rest.

    What `others` found from an offset on is taken where a piece is found to start there: then it is what is there.
    """
    window.controls = _CONTROLS
    reader = _Reader(window, pieces, others)
    try:
        reader.documents(reader.skip(window.start))
    except OtherStyleError:
        rest = reader.rest
        pieces.forget(rest.first)
        return rest
    return None


def seam_of(beginning: bytes) -> Seam | None:
    """Return what is between all pieces with which a text begins; None where that says nothing of those behind."""
    try:
        window, pieces = Window(BytesIO(beginning).read), Pieces()
    except OtherStyleError:
        return None
    reader = _Reader(window, pieces)
    with suppress(OtherStyleError):
        reader.documents(reader.skip(window.start))
    pairs = [*pairwise(pieces)][:-1]  # the last one may be cut off
    gaps = {other.start - one.end for one, other in pairs}
    if len(pairs) < _TRIES or len(gaps) > 1:
        return None
    (gap,) = gaps
    text = reduce(_common, (beginning[one.end - 1 : other.start + _START] for one, other in pairs))
    return Seam(text, gap, listed=reader.rest.item is not None) if len(text) > gap + 2 else None


def look_through(part: tuple[int, int], reader: Callable[[int], Callable[[int], bytes]], seam: Seam) -> Stretch | None:
    """Find the pieces that start between two offsets of a text; None where there is no seam, or nothing behind it.

    `reader` returns what reads the text on from an offset.
    """
    first, end = part
    read, some, found = reader(first), b"", -1
    while found < 0 and len(some) < _LARGE and (chunk := read(_GLANCE)):
        some += chunk
        found = some.find(seam.text)
    start = first + found + 1 + seam.gap
    if found < 0 or start >= end:
        return None
    window, pieces = Window(reader(start), start), Pieces()
    window.controls = _CONTROLS
    at, place = _Reader(window, pieces).stretch(start, end, seam)
    return Stretch(start, at, place, pieces) if pieces else None


class _Reader:
    def __init__(self, window: Window, pieces: Pieces, others: Others | None = None) -> None:
        self._window, self._pieces, self._others = window, pieces, others
        self._between = b""
        self._gap = 0
        """How many bytes there are between the braces of two items."""
        self._document = Rest()
        self._item: tuple[int, Place] | None = None

    @property
    def rest(self) -> Rest:
        """What is being read: a document or an item."""
        return self._document._replace(item=self._item)

    def skip(self, at: int) -> int:
        """Return the offset of what comes after white space."""
        while True:
            some = self._window.cut(at, at + _SMALL)
            left = len(some.lstrip(_SPACE))
            at += len(some) - left
            if left or not some:
                return at

    def documents(self, at: int) -> None:
        """Take apart all objects from here on."""
        while self._byte(at):
            end = self._taken(at, listed=False)
            if end is None:
                place = self._window.place(at)
                self._document = Rest(at, place, len(self._pieces))
                end = self._small(at, place) or self._top(at, place)
            self._document = Rest(end, self._window.place(end), len(self._pieces))
            at = self.skip(end)

    def stretch(self, at: int, end: int, seam: Seam) -> tuple[int, Place]:
        """Take apart what starts before `end`; return the offset and the place of what comes next, or is other."""
        self._between, self._gap = seam.text, seam.gap
        try:
            while at < end and self._byte(at) not in (b"]", b""):
                if seam.listed:
                    at = self._next_item(at)
                elif found := self._small(at, self._window.place(at)):
                    at = found
                    at = self.skip(at)
                else:
                    break
        except OtherStyleError:
            pass
        return at, self._window.place(at)

    def _taken(self, at: int, *, listed: bool) -> int | None:
        """Take what others found from here on; return where that ends."""
        others = self._others
        stretch = others.stretch(at) if others and others.listed == listed else None
        if others is None or stretch is None:
            return None
        place = self._window.place(at)
        self._pieces.adopt(stretch.pieces, place)
        self._window.skip(stretch.end, behind(place, stretch.place), others.seek)
        return stretch.end

    def _small(self, start: int, place: Place) -> int | None:
        """Add the object that starts here; return its end. None for one that is large, or a list."""
        found = self._by_lines(start) or self._on_a_line(start)
        if found is None:
            return None
        end, head = found
        if isinstance(head.kind, str) and head.kind.endswith("List"):
            return None
        self._pieces.add(start, end, place, _is_vm(head, NO_VM))
        return end

    def _top(self, start: int, place: Place) -> int:
        """Go through the keys of an object that is large, or a list."""
        first = len(self._pieces)
        said: dict[str, Any] = {}
        at = self._after(start, b"{")
        while self._byte(at) != b"}":
            key, at = self._value(at)
            if not isinstance(key, str) or key in said:
                raise OtherStyleError
            at = self._after(self.skip(at), b":")
            if key == "items" and self._byte(at) == b"[":
                said[key], at = ..., self._items(at)
            else:
                said[key], at = self._value(at)
            at = self._next(at, b"}")
        end = at + 1
        named = named_by(said.get("kind"), said.get("apiVersion")) if said.get("items") is ... else None
        if named is None:
            is_vm = is_single_vm(said.get("apiVersion"), said.get("kind"))
            self._pieces.made_document(first, start, end, place, VM if is_vm else NO_VM)
        else:
            self._pieces.made_items(first, named)
        return end

    def _items(self, at: int) -> int:
        at = self._after(at, b"[")
        while self._byte(at) != b"]":
            taken = self._taken(at, listed=True)
            at = self._next_item(at) if taken is None else taken
        self._item = None
        return at + 1

    def _next_item(self, at: int) -> int:
        """Add the item that starts here; return where the next one starts, or the bracket behind them."""
        place = self._window.place(at)
        self._item = at, place
        if self._byte(at) != b"{":
            raise OtherStyleError
        found = self._as_before(at)
        if found:
            end, head = found
            following = end + self._gap
        else:
            end, head = self._by_lines(at) or self._slowly(at)
            following = self._next(end, b"]")
            if self._byte(following) != b"]":
                self._learn(end, following)
        self._pieces.add(at, end, place, _is_vm(head, AS_LISTED))
        return following

    def _as_before(self, start: int) -> tuple[int, _Head] | None:
        """Return the end of an item, and what it says that it is, where another follows it as one did before."""
        at = start
        for _ in range(_TRIES if self._between else 0):
            at = self._window.find(self._between, at + 1, start + _LARGE)
            if at < 0:
                break
            if verified := self._verified(start, at + 1):
                return verified
        return None

    def _learn(self, end: int, following: int) -> None:
        """Note what an item's last brace and the start of the next one look like, as far as that is always the same."""
        between = self._window.cut(end - 1, following + _START)
        common = _common(self._between or between, between)
        self._gap = following - end
        self._between = common if len(common) > self._gap + 1 else between

    def _by_lines(self, start: int) -> tuple[int, _Head] | None:
        """Return the end of an object and what it says that it is, if its last line is indented as its first one."""
        window = self._window
        if window.cut(start, start + KEPT).partition(b"\n")[0].rstrip(_SPACE) != b"{":
            return None
        indent = window.cut(max(start - KEPT, window.start), start).rpartition(b"\n")[2]
        wanted = b"\n" + indent + b"}"
        found = window.find(wanted, start, start + _LARGE)
        return self._verified(start, found + len(wanted)) if found >= 0 and not indent.strip(_SPACE) else None

    def _on_a_line(self, start: int) -> tuple[int, _Head] | None:
        """Return the end of an object and what it says that it is, if it ends with its line."""
        line = self._window.find(b"\n", start, start + _LARGE)
        return self._verified(start, line if line >= 0 else start + _LARGE)

    def _verified(self, start: int, end: int) -> tuple[int, _Head] | None:
        text = self._window.cut(start, end).rstrip(_SPACE)
        try:
            return start + len(text), _HEAD.decode(text)
        except (ValueError, RecursionError):  # no JSON, or not all of it
            return None

    def _slowly(self, start: int) -> tuple[int, _Head]:
        """Return the end of any object, and what it says that it is."""
        value, end = self._value(start)
        return end, _Head(value.get("apiVersion", msgspec.UNSET), value.get("kind", msgspec.UNSET))

    def _value(self, start: int) -> tuple[Any, int]:
        """Return any value that something follows, and its end."""
        size = _SMALL
        while True:
            some = self._window.cut(start, start + size)
            text = some.decode("utf-8", "ignore")
            try:
                value, end = _ANY.raw_decode(text)
            except (ValueError, RecursionError):  # or it is longer
                end = len(text)
            if end < len(text):
                return value, start + len(text[:end].encode())
            if len(some) < size:
                raise OtherStyleError
            size *= 4

    def _next(self, at: int, closing: bytes) -> int:
        """Return the offset behind the comma after a value, or of the bracket that ends it all."""
        at = self.skip(at)
        if self._byte(at) == closing:
            return at
        at = self._after(at, b",")
        if self._byte(at) == closing:
            raise OtherStyleError
        return at

    def _after(self, at: int, wanted: bytes) -> int:
        if self._byte(at) != wanted:
            raise OtherStyleError
        return self.skip(at + 1)

    def _byte(self, at: int) -> bytes:
        return self._window.cut(at, at + 1)


def _common(one: bytes, other: bytes) -> bytes:
    """Return what two texts start with."""
    return bytes(each for each, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _is_vm(head: _Head, unsaid: int) -> int:
    kind, version = head.kind, head.api_version
    if kind is msgspec.UNSET and version is msgspec.UNSET:
        return unsaid
    if isinstance(kind, str) and isinstance(version, str):
        return _is_kind_of_vm(version, kind)
    return VM if is_single_vm(version, kind) else NO_VM


@lru_cache(maxsize=64)
def _is_kind_of_vm(version: str, kind: str) -> int:
    return VM if is_single_vm(version, kind) else NO_VM
