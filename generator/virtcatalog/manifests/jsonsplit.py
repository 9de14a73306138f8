"""JSON split into its documents, such as lines, and the items of its lists.

msgspec's `Raw` finds where each value ends, and nothing is made of the value. It has no call for "the value that a
text starts with", but its error says where the rest starts. Each piece is read again by itself: another wording of that
error makes texts indivisible, and never gives other pieces.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from virtcatalog.manifests.pieces import AS_LISTED, NO_VM, VM, Pieces, implied_by, is_vm_kind
from virtcatalog.manifests.places import Mark
from virtcatalog.manifests.spool import Content, IndivisibleError, Window

_RAW: Final = msgspec.json.Decoder(msgspec.Raw)
_MALFORMED: Final = "JSON is malformed"
_REST: Final = re.compile(rf"{_MALFORMED}: trailing characters \(byte (\d+)\)")
"""The number is that of the first character behind the value, counted from 1."""
_ANY: Final = json.JSONDecoder()
_SPACE: Final = b" \t\r\n"
_LARGE: Final = 2**20
"""A document of more bytes is looked into while it is read: it may be a list."""
_SHORT: Final = 2**16
"""So many bytes are looked at again where msgspec refuses a value."""
_CONTROLS: Final = b"\x7f"
"""The only control character that JSON may have and YAML may not."""


class _Head(msgspec.Struct, rename="camel"):
    """What an object says that it is."""

    api_version: Any = msgspec.UNSET
    kind: Any = msgspec.UNSET


_HEAD: Final = msgspec.json.Decoder(_Head)


class BrokenJsonError(Exception):
    """A document from which on a text is not plainly JSON.

    `start` and `mark` are those of the document; `item` has the same of the item of its list that is broken.
    """

    def __init__(self, start: int, mark: Mark, item: tuple[int, Mark] | None) -> None:
        super().__init__()
        self.start, self.mark, self.item = start, mark, item


def split(content: Content, pieces: Pieces) -> None:
    """Add the pieces of JSON text; BrokenJsonError behind those of all documents before the broken one."""
    window = Window(content, _CONTROLS)
    splitter = _Splitter(window, pieces)
    at = splitter.skip(window.start)
    while at < window.size:
        at = splitter.document(at)


class _Splitter:
    """Goes through JSON text. Offsets that are returned are those of characters that are no white space."""

    def __init__(self, window: Window, pieces: Pieces) -> None:
        self._window, self._pieces = window, pieces
        self._item: tuple[int, Mark] | None = None

    def skip(self, at: int) -> int:
        """Return the offset of what comes behind white space."""
        while True:
            text = self._window.cut(at, at + 1024)
            rest = len(text.lstrip(_SPACE))
            at += len(text) - rest
            if rest or not text:
                return at

    def document(self, start: int) -> int:
        """Add the pieces of the document that starts here; return where the next one starts."""
        mark, first = self._window.mark(start), len(self._pieces)
        self._item = None
        try:
            value = self._value(start, _LARGE)
            if value is None:
                return self._members(start, mark)
            text, behind = value
            head = _head(text)
            if isinstance(head.kind, str) and head.kind.endswith("List"):
                return self._members(start, mark)
            self._add(start, text, mark, head, NO_VM)
            self._window.mark(start + len(text))
        except IndivisibleError:
            self._pieces.drop(first)
            raise BrokenJsonError(start, mark, self._item) from None
        return behind

    def _members(self, start: int, mark: Mark) -> int:
        """Add the items of the list that starts here, or the object if it is none; return where the next one starts."""
        first = len(self._pieces)
        members: dict[str, Any] = {}
        at = self._behind(start, b"{")
        while self._byte(at) != b"}":
            text, at = self._text(at)
            key = _decode(text)
            if not isinstance(key, str) or key in members:
                raise IndivisibleError
            at = self._behind(at, b":")
            if key == "items" and self._byte(at) == b"[":
                members[key], at = ..., self._items(at)
            else:
                text, at = self._text(at)
                members[key] = _decode(text) if key in ("apiVersion", "kind") else None
            at = self._next(at, b"}")
        version, kind = members.get("apiVersion"), members.get("kind")
        implied = implied_by(version, kind) if members.get("items") is ... else None
        self._window.mark(at + 1)
        if implied is not None:
            self._pieces.make_items(first, implied)
        else:
            self._pieces.drop(first)
            self._pieces.add(start, at + 1, mark, VM if is_vm_kind(version, kind) else NO_VM)
        return self._behind(at, b"}")

    def _items(self, start: int) -> int:
        """Add the objects of the array that starts here; return the offset of what comes behind it."""
        at = self._behind(start, b"[")
        while (first := self._byte(at)) != b"]":
            mark = self._window.mark(at)  # which looks at the characters of the item before it, too
            self._item = at, mark
            if first != b"{":
                raise IndivisibleError
            text, behind = self._text(at)
            self._add(at, text, mark, _head(text), AS_LISTED)
            at = self._next(behind, b"]")
        self._window.mark(at)
        self._item = None
        return self._behind(at, b"]")

    def _add(self, start: int, text: bytes, mark: Mark, head: _Head, unnamed: int) -> None:
        """Add an object; `unnamed` says whether it is a VM if it names neither version nor kind."""
        is_unnamed = head.kind is msgspec.UNSET and head.api_version is msgspec.UNSET
        is_vm = VM if is_vm_kind(head.api_version, head.kind) else NO_VM
        self._pieces.add(start, start + len(text), mark, unnamed if is_unnamed else is_vm)

    def _text(self, start: int) -> tuple[bytes, int]:
        """Return the value that starts here, and the offset of what comes behind it."""
        value = self._value(start, self._window.size)
        if value is None:
            raise IndivisibleError
        return value

    def _value(self, start: int, most: int) -> tuple[bytes, int] | None:
        """Return the same as `_text`; None for a value that is broken, or has more than `most` bytes."""
        size = 1
        while True:
            view = self._window.view(start, size)
            is_all = start + len(view) == self._window.size
            try:
                _RAW.decode(view)
                if is_all:  # else a number may go on
                    return view.tobytes().rstrip(_SPACE), self._window.size
            except RecursionError:
                return None
            except msgspec.DecodeError as error:
                rest = _REST.fullmatch(str(error))
                if rest is not None:
                    behind = int(rest[1]) - 1
                    return view[:behind].tobytes().rstrip(_SPACE), start + behind
                if is_all or str(error).startswith(_MALFORMED):  # else it is cut off here
                    text = _loose_value(view[:_SHORT].tobytes())
                    if text:
                        return text, self.skip(start + len(text))
            if is_all or len(view) >= most:
                return None
            size = 4 * len(view)

    def _next(self, at: int, closing: bytes) -> int:
        """Return where the next member or item starts, or `closing` is."""
        if self._byte(at) == closing:
            return at
        at = self._behind(at, b",")
        if self._byte(at) == closing:
            raise IndivisibleError
        return at

    def _behind(self, at: int, wanted: bytes) -> int:
        if self._byte(at) != wanted:
            raise IndivisibleError
        return self.skip(at + 1)

    def _byte(self, at: int) -> bytes:
        return self._window.cut(at, at + 1)


def _loose_value(beginning: bytes) -> bytes:
    """Return the value with which a text begins and that msgspec refuses, "" if there is none.

    Half a character and NaN are no JSON. Who reads the value by itself says so of it alone.
    """
    text = beginning.decode("utf-8", "ignore")
    try:
        _, end = _ANY.raw_decode(text)
    except (ValueError, RecursionError):
        return b""
    return text[:end].encode() if end < len(text) else b""


def _head(text: bytes) -> _Head:
    """Return what a value says that it is; a number or a list says nothing."""
    try:
        return _HEAD.decode(text)
    except (ValueError, RecursionError):
        data = _decode(text)
        if not isinstance(data, dict):
            return _Head()
        return _Head(data.get("apiVersion", msgspec.UNSET), data.get("kind", msgspec.UNSET))


def _decode(text: bytes) -> Any:
    try:
        return _ANY.decode(text.decode())
    except (ValueError, RecursionError):
        raise IndivisibleError from None
