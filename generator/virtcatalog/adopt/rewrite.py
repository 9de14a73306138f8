"""Manifests changed in their own text: what stays keeps its bytes, comments, order, quotes and indentation.

Lines are removed and added in the text; nothing is parsed and dumped again. The result is parsed, and compared with the
manifests that it should have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.edits import Editor, UnwritableError
from virtcatalog.manifests.read import Part, unchecked, vms_of
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.manifests.syntax import MappingNode, SequenceNode, compose


class Changed(Protocol):
    """VMs as they are to be, by their number in a text; the reader takes them once, in the text's order."""

    def __contains__(self, number: object, /) -> bool: ...
    def __getitem__(self, number: int, /) -> dict[str, Any]: ...


def rewrite(text: str, changed: Changed) -> str:
    """Return YAML or JSON text with some of its VirtualMachines changed, by their number in it, counted from 0.

    Fields may go, maps become empty, and fields be added, in a VM's `spec` and where fields go. Raises UnwritableError
    where that cannot be done without touching what should stay.
    """
    content = text.encode()
    stream = Stream(Spool().copy(content), "")
    parts, end, start = [], 0, 0
    for part, span in zip(stream.vms(), stream.spans(), strict=True):
        next_start = start + (1 if part.is_vm else len(vms_of(part, unchecked)[0]))
        own = {number - start: changed[number] for number in range(start, next_start) if number in changed}
        if own:
            parts += [content[end : span[0]], _rewritten(part, own)]
            end = span[1]
        start = next_start
    return b"".join([*parts, content[end:]]).decode()


def _rewritten(part: Part, changed: Mapping[int, dict[str, Any]]) -> bytes:
    """The text of a part with some of its VMs changed."""
    assert isinstance(part.text, bytes)  # that is how a stream has it
    wanted = [manifest.data for manifest in unchecked(part)[0]]
    places = [place for place, data in enumerate(wanted) if holds_vm(data)]
    nodes = list(_machines(part))
    editor = Editor(part.text.decode())
    for number, new in changed.items():
        editor.change(nodes[number], wanted[places[number]], new)
        wanted[places[number]] = new
    rewritten = editor.apply().encode()
    parsed, faults = unchecked(part._replace(text=rewritten))
    if faults or [manifest.data for manifest in parsed] != wanted:
        raise UnwritableError("what must go is shared through YAML anchors, aliases or <<: write it out first")
    return rewritten


def _machines(part: Part) -> Iterator[Any]:
    """The nodes of the VirtualMachines of a part, lists taken apart."""
    assert isinstance(part.text, bytes)
    for node in compose(part.text.decode()):
        is_item = part.named is not None and isinstance(node, SequenceNode)
        yield from _in_list(node.value[0] if is_item else node, part.named or {})


def _in_list(node: Any, implied: dict[str, Any]) -> Iterator[Any]:
    entries = {key.value: value for key, value in node.value} if isinstance(node, MappingNode) else {}
    item_type = implied | {key: entries[key].value for key in ("apiVersion", "kind") if key in entries}
    kind, items = item_type.get("kind"), entries.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, SequenceNode):
        own = {} if kind == "List" else {**item_type, "kind": kind.removesuffix("List")}
        for item in items.value:
            yield from _in_list(item, own)
    elif holds_vm(item_type):
        yield node
