"""YAML and JSON text made to say something else: what stays keeps its bytes, comments, order and quotes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.difference import alike
from virtcatalog.manifests.document import BYTE_ORDER_MARK, Text
from virtcatalog.manifests.edits import Edit, Editor, UnwritableError
from virtcatalog.manifests.emit import dump, flow
from virtcatalog.manifests.places import is_merge
from virtcatalog.manifests.syntax import MappingNode, ScalarNode, SequenceNode, compose

_END = "\n"


def rewritten(text: str, documents: Mapping[int, list[Any]], renames: Mapping[str, str]) -> str:
    """Return a text with some of its documents, by their index, as others; the first takes over what stays.

    Further ones follow as documents of their own. A key that goes where the one comes that it is renamed to keeps its
    entry. Raises UnwritableError where that cannot be done without touching what should stay.
    """
    if text.startswith(BYTE_ORDER_MARK):
        return BYTE_ORDER_MARK + rewritten(text[1:], documents, renames)
    source = Text(text)
    data = dict(source.documents())
    if source.problems:
        raise VirtcatalogError(str(source.problems[0]))
    writer = _Rewriter(text, renames)
    for index, node in enumerate(compose(text)):
        if index in documents:
            writer.document(node, data[index], documents[index])
    result = writer.apply()
    wanted = [manifest for index in data for manifest in documents.get(index, [data[index]])]
    read = Text(result)
    if [manifest for _, manifest in read.documents()] != wanted or read.problems:
        raise UnwritableError("what must change is shared through YAML anchors, aliases or <<: write it out first")
    return result


class _Rewriter(Editor):
    """An editor that changes values, too, renames keys, and puts any entries and items in."""

    def __init__(self, text: str, renames: Mapping[str, str]) -> None:
        super().__init__(text)
        self._renames = renames
        self._json = text.lstrip().startswith("{")

    def document(self, node: Any, old: Any, new: list[Any]) -> None:
        """Note the edits that turn a document into one or more others."""
        self.change(node, old, new[0])
        if len(new) == 1:
            return
        if self._json:
            added = [json.dumps(manifest, indent=2, ensure_ascii=False) for manifest in new[1:]]
        else:
            added = [f"---\n{dump(manifest).removesuffix(_END)}" for manifest in new[1:]]
        self.put_below(self._end(node, node), (line for text in added for line in text.split(_END)))

    def change(self, node: Any, old: Any, new: Any) -> None:
        if isinstance(node, MappingNode) and isinstance(old, dict) and isinstance(new, dict) and old and new:
            self._map(node, old, new)
        elif isinstance(node, SequenceNode) and isinstance(new, list) and old and len(new) >= len(old):
            self._list(node, old, new)
        elif old != new:
            raise UnwritableError("a document would become something else")

    def _map(self, node: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
        entries = {key.value: (key, value) for key, value in node.value if not is_merge(key)}
        renamed = {
            key: self._renames[key] for key in old if key not in new and self._renames.get(key) in new.keys() - old
        }
        gone = [key for key in old if key not in new and key not in renamed]
        for name, value in old.items():
            if name in gone or name not in entries:  # what << brings is changed where it stands
                continue
            key, held = entries[name]
            to = renamed.get(name, name)
            if to != name:
                self.edits.append(Edit(key.start_mark.index, key.end_mark.index, self._key(to)))
            if not alike(value, new[to]):
                self._value(key, held, value, new[to])
        flow = bool(node.flow_style)
        added = {key: value for key, value in new.items() if key not in old and key not in renamed.values()}
        spans = [(key.start_mark.index, self._end(key, value)) for key, value in node.value]
        taken = [at for at, (key, _) in enumerate(node.value) if key.value in gone]
        if flow and len(taken) == len(spans):  # no entry stays that others could stand behind
            self.edits.append(Edit(spans[0][0], spans[-1][1], self._entries(added)))
            return
        if added:
            self._add(node, spans[-1][1], added, flow=flow)
        self._take_out(spans, taken, flow=flow)

    def _list(self, node: Any, old: list[Any], new: list[Any]) -> None:
        for item, one, other in zip(node.value, old, new, strict=False):
            if alike(one, other):
                continue
            if isinstance(item, ScalarNode) or not isinstance(other, (dict, list)):
                raise UnwritableError("an item of a list would become something else")
            if other:
                self.change(item, one, other)
            else:
                self.edits.append(Edit(self._start(item), self._end(item, item), self._flow(other)))
        if len(new) > len(old):
            last = node.value[-1]
            self._append(node, self._end(last, last), new[len(old) :])

    def _value(self, key: Any, value: Any, old: Any, new: Any) -> None:
        """Give an entry another value; that of an alias is changed where its anchor is, which has to fit both."""
        if value.start_mark.index < key.end_mark.index:
            return
        nested = isinstance(new, dict | list) and isinstance(old, type(new)) and old and new
        if nested and not (isinstance(new, list) and len(new) < len(old)):
            self.change(value, old, new)
            return
        end = self._end(key, value)
        is_short = isinstance(value, ScalarNode) or value.flow_style
        if new in ({}, []) and not is_short:
            self._empty(key, value, self._flow(new))
        elif is_short and (not isinstance(new, dict | list) or not new or self._in_flow(key, value)):
            start = self._start(value)
            if start >= end:  # nothing but perhaps an anchor
                self.edits.append(Edit(self._place(key, value), self._place(key, value), f" {self._flow(new)}"))
            else:
                self.edits.append(Edit(start, end, self._like(self.text[start], new)))
        else:
            colon = self.text.index(":", key.end_mark.index) + 1
            lines = dump({key.value: new}).splitlines()[1:]
            indent = " " * key.start_mark.column
            self.edits.append(Edit(colon, end, "".join(f"{self.newline}{indent}{line}" for line in lines)))

    def _like(self, quote: str, value: Any) -> str:
        """A value on one line, in the quotes that stand there."""
        if isinstance(value, str) and quote == '"':
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and quote == "'" and value.isprintable():
            return "'" + value.replace("'", "''") + "'"
        return self._flow(value)

    def _in_flow(self, key: Any, value: Any) -> bool:
        return self._json or bool(getattr(value, "flow_style", False)) or self._indent(key.start_mark.index) is None

    def _add(self, node: Any, end: int, added: dict[str, Any], *, flow: bool) -> None:
        """Put entries behind the last one."""
        if flow:
            self.edits.append(Edit(end, end, f", {self._entries(added)}"))
            return
        column = node.value[0][0].start_mark.column
        self.put_below(end, [f"{' ' * column}{line}" for line in dump(added).splitlines()])

    def _entries(self, added: dict[str, Any]) -> str:
        """Entries on one line."""
        return ", ".join(f"{self._key(name)}: {self._flow(value)}" for name, value in added.items())

    def _append(self, node: Any, end: int, items: list[Any]) -> None:
        if node.flow_style:
            self.edits.append(Edit(end, end, "".join(f", {self._flow(item)}" for item in items)))
            return
        first = node.value[0].start_mark.index
        dash = self.text.rindex("-", 0, first)
        indent = " " * (dash - self._line(dash))
        self.put_below(end, [f"{indent}{line}" for line in dump(items).splitlines()])

    def _key(self, name: str) -> str:
        return json.dumps(name) if self._json else name

    def _flow(self, value: Any) -> str:
        """A value on one line."""
        if self._json:
            return json.dumps(value, ensure_ascii=False)
        return flow(value)
