"""Edits of YAML and JSON text by what its collections should hold: entries and items taken out, a few put in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.emit import dump, flow
from virtcatalog.manifests.places import is_merge
from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import MappingNode, ScalarNode, SequenceNode, compose

_BEFORE = "template"
_WIDEST = 120
_PROPERTIES = re.compile(r"[&!][^\s,\[\]{}]*(?:\s+[&!][^\s,\[\]{}]*)*")
"""A value's anchor and tag."""
_BETWEEN = re.compile(r"(?:\s+|#.*)*")
"""White space and comments."""


class UnwritableError(VirtcatalogError):
    """A text cannot be changed in place: what should go is shared through anchors, aliases or merge keys."""


class Edit(NamedTuple):
    """Text in place of what stands between two places."""

    start: int
    end: int
    text: str


def with_entry(text: str, path: Sequence[str], name: str, value: dict[str, Any]) -> str:
    """Return the text of one YAML document with an entry behind the last one of the map at a path of keys.

    Maps that are not there yet are made; UnwritableError where the text has something else in their place.
    """
    (node,) = compose(text)
    rest = list(path)
    while rest and isinstance(node, MappingNode):
        entry = next((pair for pair in node.value if pair[0].value == rest[0]), None)
        if entry is None:
            break
        key, node_of_value = entry
        if node_of_value.start_mark.index < key.end_mark.index:
            raise UnwritableError(f"{rest[0]} is an alias of what stands elsewhere")
        rest.pop(0)
        if isinstance(node_of_value, ScalarNode) and not node_of_value.value:  # nothing behind the colon
            colon = text.index(":", key.end_mark.index) + 1
            return f"{text[:colon]} {flow(_nested(rest, name, value))}{text[colon:]}"
        node = node_of_value
    if not isinstance(node, MappingNode):
        raise UnwritableError(f"{'.'.join(path)} is no map")
    editor = Editor(text)
    editor.append(node, *_nested(rest, name, value).popitem())
    return editor.apply()


def _nested(path: Sequence[str], name: str, value: dict[str, Any]) -> dict[str, Any]:
    for key in [name, *reversed(path)]:
        value = {key: value}
    return value


class Editor:
    """Collects the edits that turn the collections of a text into others."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.edits: list[Edit] = []

    def apply(self) -> str:
        """Return the changed text."""
        parts, end = [], 0
        once = dict.fromkeys(self.edits)  # what several aliases stand for
        for edit in sorted(once, key=lambda edit: (edit.start, edit.end)):
            if edit.start < end:
                raise UnwritableError("fields that must go overlap in the text")
            parts += [self.text[end : edit.start], edit.text]
            end = edit.end
        return "".join([*parts, self.text[end:]])

    def append(self, node: Any, name: str, value: dict[str, Any]) -> None:
        """Note the edit that puts an entry behind the last one of a map: on one line, if it has room there."""
        if not node.value or node.flow_style:
            last = self._end(*node.value[-1]) if node.value else int(node.start_mark.index) + 1
            entry = _entry(name, value, node.value[0][0] if node.value else node)
            self.edits.append(Edit(last, last, f", {entry}" if node.value else entry))
            return
        indent = " " * node.start_mark.column
        line = f"{indent}{flow(name)}: {flow(value)}"
        lines = [line] if len(line) <= _WIDEST else [f"{indent}{line}" for line in dump({name: value}).splitlines()]
        self.put_below(self._end(*node.value[-1]), lines)

    def put_below(self, index: int, lines: Iterable[str]) -> None:
        """Note the edit that puts lines below the one that a place is in."""
        place = self._next_line(index)
        start = "" if self.text[:place].endswith("\n") else self.newline
        self.edits.append(Edit(place, place, start + "".join(f"{line}{self.newline}" for line in lines)))

    def change(self, node: Any, old: Any, new: Any) -> None:
        """Note the edits that turn a collection from `old` into `new`."""
        if old == new:
            return
        if isinstance(node, MappingNode) and isinstance(new, dict):
            self._change_map(node, old, new)
        elif isinstance(node, SequenceNode) and isinstance(new, list):
            self._change_list(node, old, new)
        else:
            raise UnwritableError("a value would have to change")

    def _change_map(self, node: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
        entries = [(key.value, key, value) for key, value in node.value]
        added = {key: value for key, value in new.items() if key not in old or old[key] is None}
        gone = [i for i, (name, key, _) in enumerate(entries) if name not in new or name in added if not is_merge(key)]
        for index, (name, key, value) in enumerate(entries):
            if index in gone or old.get(name) == new.get(name):
                continue
            if value.start_mark.index < key.end_mark.index:
                raise UnwritableError(f"{name} is an alias of what stands elsewhere")
            if not new[name] and old[name]:
                self._empty(key, value, "{}" if isinstance(new[name], dict) else "[]")
            else:
                self.change(value, old[name], new[name])
        flow = bool(node.flow_style)
        spans = [(key.start_mark.index, self._end(key, value)) for _, key, value in entries]
        if added and gone and _BEFORE not in new:
            text = ", ".join(_entry(name, value, entries[gone[0]][1]) for name, value in added.items())
            self.edits.append(Edit(*spans[gone.pop(0)], text))
        elif added:
            before = next((entry for entry in entries if entry[0] == _BEFORE), entries[0])
            self._insert(*before[1:], added, flow=flow)
        self._take_out(spans, gone, flow=flow)

    def _change_list(self, node: Any, old: list[Any], new: list[Any]) -> None:
        if len(old) == len(new):
            for item, one, other in zip(node.value, old, new, strict=True):
                self.change(item, one, other)
            return
        gone, left = [], list(new)
        for index, item in enumerate(old):
            if left and left[0] == item:
                left.pop(0)
            else:
                gone.append(index)
        spans = [(item.start_mark.index, self._end(item, item)) for item in node.value]
        if not node.flow_style:
            spans = [(self.text.rindex("-", 0, start), end) for start, end in spans]
        self._take_out(spans, gone, flow=bool(node.flow_style))

    def _take_out(self, spans: list[tuple[int, int]], gone: list[int], *, flow: bool) -> None:
        left = [index for index in range(len(spans)) if index not in gone]
        last = max(left, default=-1)
        moved_up = -1
        for index in gone:
            start, end = spans[index]
            if flow and index < last:
                self.edits.append(Edit(start, spans[index + 1][0], ""))
            elif flow:
                self.edits.append(Edit(spans[index - 1][1], end, ""))
            elif self._indent(start) is not None:
                if index >= moved_up:
                    self.edits.append(Edit(self._line(start), self._next_line(end), ""))
            elif left:
                moved_up = left[0]
                self._move_up(start, spans[moved_up - 1][1], spans[moved_up][0])

    def _move_up(self, start: int, end: int, following: int) -> None:
        """Take out the first entries of a map in a list, which begins behind the dash: the following one goes there.

        Comments of the following entry go above the dash.
        """
        line = self._line(start)
        indent = " " * (len(self.text[line:start]) - len(self.text[line:start].lstrip()))
        comments = [line.strip() for line in self.text[self._next_line(end) : following].splitlines() if line.strip()]
        self.edits.append(Edit(line, line, "".join(f"{indent}{comment}{self.newline}" for comment in comments)))
        self.edits.append(Edit(start, following, ""))

    def _insert(self, key: Any, value: Any, added: dict[str, Any], *, flow: bool) -> None:
        """Put entries before another one, above the comments that stand above it."""
        start = key.start_mark.index
        indent = self._indent(start)
        if flow:
            between = ", " if indent is None else f",{self.newline}{indent}"
            text = "".join(_entry(name, item, key) + between for name, item in added.items())
            self.edits.append(Edit(start, start, text))
            return
        column = key.start_mark.column
        step = max(value.start_mark.column - column, 2) if value.start_mark.line > key.start_mark.line else 2
        lines = []
        for name, item in added.items():
            lines.append(f"{' ' * column}{name}:")
            lines += [f"{' ' * (column + step)}{field}: {_scalar(text)}" for field, text in item.items()]
        place = self._line(start)
        while place and self.text[self._line(place - 1) : place].strip().startswith("#"):
            place = self._line(place - 1)
        self.edits.append(Edit(place, place, "".join(f"{line}{self.newline}" for line in lines)))

    def _empty(self, key: Any, value: Any, text: str) -> None:
        """Leave nothing in a map or list: its lines go, what follows the key on its own line stays."""
        if value.flow_style:
            self.edits.append(Edit(self._start(value), value.end_mark.index, text))
            return
        place = self._place(key, value)
        self.edits.append(Edit(place, place, f" {text}"))
        start = self._line(self._start(value))
        self.edits.append(Edit(start, self._next_line(self._end(key, value)), ""))

    def _place(self, key: Any, value: Any) -> int:
        """Where a value may begin: behind its anchor and tag, or the key's colon."""
        properties = _PROPERTIES.match(self.text, value.start_mark.index)
        return properties.end() if properties else self.text.index(":", key.end_mark.index) + 1

    def _start(self, value: Any) -> int:
        """Where the text of a value begins, behind its anchor and tag."""
        start = int(value.start_mark.index)
        properties = _PROPERTIES.match(self.text, start)
        between = _BETWEEN.match(self.text, properties.end()) if properties else None
        return between.end() if between else start

    def _end(self, key: Any, value: Any) -> int:
        """Where the text of an entry or item ends, comments behind it left out."""
        if value.start_mark.index < key.end_mark.index and value is not key:  # an alias: to the end of its line
            line = self.text[key.start_mark.index : self._next_line(key.end_mark.index)]
            return int(key.start_mark.index) + len(line.split(" #")[0].rstrip())
        if isinstance(value, ScalarNode):
            start, end = value.start_mark.index, value.end_mark.index
            shortest = int(key.end_mark.index) + 1 if value is not key else 0
            return max(int(start) + len(self.text[start:end].rstrip()), shortest)
        if value.flow_style or not value.value:
            return int(value.end_mark.index)
        last = value.value[-1]
        key, value = last if isinstance(value, MappingNode) else (last, last)
        return self._end(key, value)

    def _line(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def _next_line(self, index: int) -> int:
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def _indent(self, index: int) -> str | None:
        """The white space before a place, None when there is more on its line than that."""
        before = self.text[self._line(index) : index]
        return before if not before.strip() else None


def _entry(name: str, value: Any, like: Any) -> str:
    """One entry on one line, with JSON's quotes where the neighbour has them."""
    if getattr(like, "style", None) == '"':
        return f"{json.dumps(name)}: {json.dumps(value)}"
    return f"{name}: {flow(value) if isinstance(value, dict) else _scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and (not isinstance(resolve(value), str) or not value):
        return json.dumps(value)
    return str(value) if isinstance(value, str) else json.dumps(value)
