"""Manifests changed in their own text: what stays keeps its bytes, comments, order, quotes and indentation.

Only the lines of what goes are taken out and the few new ones put in; nothing is read and written out again. Whether
the text then says what it should is checked by reading it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from json import JSONDecoder
from typing import Any, Final

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.edits import Editor, UnwritableError
from virtcatalog.manifests.read import read_apart
from virtcatalog.manifests.syntax import MappingNode, SequenceNode, compose

_OPEN: Final = re.compile(r"\s*\{")


def rewrite(text: str, changed: Mapping[int, dict[str, Any]]) -> str:
    """Return YAML or JSON text with some of its VirtualMachines changed, by their number in it, counted from 0.

    Fields may go, maps become empty, and fields be added, in a VM's `spec` and where fields go. Raises UnwritableError
    where that cannot be done without touching what should stay.
    """
    values = _json_values(text)
    if len(values) > 1:
        return "".join(_each(values, changed))
    wanted = [manifest.data for manifest in read_apart(text)[0]]
    places = [place for place, data in enumerate(wanted) if holds_vm(data)]
    nodes = list(_machines(text))
    editor = Editor(text)
    for number, new in changed.items():
        editor.change(nodes[number], wanted[places[number]], new)
        wanted[places[number]] = new
    made = editor.apply()
    read, faults = read_apart(made)
    if faults or [manifest.data for manifest in read] != wanted:
        raise UnwritableError("what must go is shared through YAML anchors, aliases or <<: write it out first")
    return made


def _json_values(text: str) -> list[str]:
    """The JSON values of a text that holds nothing else, such as one a line, each with what is before it."""
    values: list[str] = []
    end, decoder = 0, JSONDecoder()
    try:
        while found := _OPEN.match(text, end):
            _, last = decoder.raw_decode(text, found.end() - 1)
            values.append(text[end:last])
            end = last
    except (ValueError, RecursionError):  # YAML, perhaps
        return []
    rest = text[end:]
    return [*values[:-1], values[-1] + rest] if values and not rest.strip() else []


def _each(values: Iterable[str], changed: Mapping[int, dict[str, Any]]) -> Iterator[str]:
    first = 0
    for value in values:
        number = sum(holds_vm(manifest.data) for manifest in read_apart(value)[0])
        own = {each: changed[first + each] for each in range(number) if first + each in changed}
        yield rewrite(value, own) if own else value
        first += number


def _machines(text: str) -> Iterator[Any]:
    """The nodes of the VirtualMachines of a text, lists taken apart."""
    for node in compose(text):
        yield from _in_list(node, {})


def _in_list(node: Any, implied: dict[str, Any]) -> Iterator[Any]:
    entries = {key.value: value for key, value in node.value} if isinstance(node, MappingNode) else {}
    named = implied | {key: entries[key].value for key in ("apiVersion", "kind") if key in entries}
    kind, items = named.get("kind"), entries.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, SequenceNode):
        own = {} if kind == "List" else {**named, "kind": kind.removesuffix("List")}
        for item in items.value:
            yield from _in_list(item, own)
    elif holds_vm(named):
        yield node
