"""From bytes to choices: what a fuzzer mutates becomes documents that are almost what they should be."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeVar

T = TypeVar("T")

#: What stands in the wrong place often enough.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 2**128, 10**400, 0.5, 1e308, float("inf"), float("nan")),
    *("", "x", "a" * 300, "ä→\x1b[2J\u202e", "\ud800", "a\nb", "::error::x", "/merge", "../../x", "{{ 1 }}", "{{ x"),
    *("{{ vcpus }}", "{{ [1].count }}", "{{ 1e999 }}", "1Gi", "1e9", "-1", "9" * 300, "0x10", "2027-06-01", "v1.9.0"),
    *("x.y", "A b", "{% for a in range(9) %}{{ a }}{% endfor %}", "null", "~", "amd64", "virtio", "0-3,8", "99999-0"),
    *([], {}, [None], [[]], [{}], {"": None}, {"name": None}, {"name": "x"}, {"a": {"b": {"c": []}}}, ["x", "x"]),
)
KEYS = (
    *("name", "namespace", "labels", "annotations", "spec", "metadata", "kind", "apiVersion", "items", "devices"),
    *("disks", "cpu", "memory", "guest", "sizes", "variants", "vcpus", "a/b", "", "x" * 300, "\x1b", "\ud800", "."),
)


class Choices:
    """Choices made by bytes; when they run out, the first of everything is chosen."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return max(len(self._data) - self._at, 0)

    def number(self, most: int) -> int:
        """A number from 0 to `most`."""
        width = (most.bit_length() + 7) // 8
        taken = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(taken, "big") % (most + 1)

    def one(self, choices: Sequence[T]) -> T:
        return choices[self.number(len(choices) - 1)]

    def rest(self) -> bytes:
        taken = self._data[self._at :]
        self._at = len(self._data)
        return taken

    def text(self) -> str:
        taken = self._data[self._at : self._at + self.number(20)]
        self._at += len(taken)
        return taken.decode("utf-8", "surrogateescape")

    def value(self) -> Any:
        return deepcopy(self.one((*VALUES, self.text())))

    def edited(self, data: Any) -> Any:
        """A copy of a document with some things in it replaced, removed, doubled or added."""
        document = [deepcopy(data)]
        for _ in range(1 + self.number(4)):
            self._edit(document)
        return document[0]

    def _edit(self, document: list[Any]) -> None:
        parent: Any = document
        key: Any = 0
        while isinstance(parent[key], (dict, list)) and parent[key] and self.number(9):
            parent = parent[key]
            key = self.one(list(parent) if isinstance(parent, dict) else range(len(parent)))
        what = self.number(4)
        if what == 0 and isinstance(parent[key], dict):
            parent[key][self.one(KEYS)] = self.value()
        elif what == 0 and isinstance(parent[key], list):
            parent[key].insert(0, self.value())
        elif what == 1 and parent is not document:
            del parent[key]
        elif what == 2 and isinstance(parent, list):
            parent.insert(0, deepcopy(parent[key]))
        else:
            parent[key] = self.value()

    def mangled(self, text: bytes) -> bytes:
        """A text with some of its bytes replaced, removed or repeated."""
        for _ in range(1 + self.number(4)):
            at, length = self.number(max(len(text), 1)), self.number(20)
            middle = (self.text().encode("utf-8", "surrogateescape"), b"", text[at : at + length] * self.number(50))
            text = text[:at] + self.one(middle) + text[at + length :]
        return text
