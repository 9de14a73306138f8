"""YAML's nodes made plain data: tags, anchors, merged maps, keys that repeat."""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

from virtcatalog.limits import YAML_ALIASED_CHARACTERS, YAML_ALIASED_VALUES, YAML_LEVELS
from virtcatalog.manifests.places import is_merge, merge_sources
from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import (
    PLAIN,
    QUOTED,
    TAG,
    MappingNode,
    ScalarNode,
)

_EXPLICIT: Final[dict[str, type | tuple[type, ...]]] = {
    f"{TAG}int": int,
    f"{TAG}float": (int, float),
    f"{TAG}bool": bool,
    f"{TAG}null": type(None),
    f"{TAG}str": str,
}


class Faulty(Protocol):
    """A text, which takes note of what is wrong in it."""

    @property
    def has_aliases(self) -> bool:
        """Whether there may be aliases in it."""

    def fault(self, mark: Any, message: str) -> None:
        """Note what is wrong at a mark."""


class Builder:
    """Makes plain data of one document's nodes."""

    repeats = False  # whether a key may stand twice

    def __init__(self, text: Faulty) -> None:
        self._text = text
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._aliased = self._aliased_text = 0
        self._has_aliases = text.has_aliases

    def build(self, node: Any) -> Any:
        """Return the data of a document's node, None where a fault ended its reading."""
        try:
            return self._value(node, 0, aliased=False)
        except _UnreadableError as error:
            self._text.fault(error.args[0], error.args[1])
            return None

    def _value(self, node: Any, depth: int, *, aliased: bool) -> Any:
        if isinstance(node, ScalarNode):
            if self._has_aliases:
                self._charge(node, aliased=aliased)
            return self._scalar(node)
        key = id(node)
        if key in self._open:
            raise _UnreadableError(node.start_mark, "holds itself through an alias")
        if depth > YAML_LEVELS:
            raise _UnreadableError(node.start_mark, f"is nested more than {YAML_LEVELS} levels deep")
        aliased = aliased or key in self._seen
        if aliased:
            self._count(node)
        self._seen.add(key)
        self._open.add(key)
        if isinstance(node, MappingNode):
            value: Any = self._mapping(node, depth, aliased=aliased)
        else:
            self._check_tag(node, "seq")
            value = [self._value(item, depth + 1, aliased=aliased) for item in node.value]
        self._open.discard(key)
        return value

    def _charge(self, node: Any, *, aliased: bool) -> None:
        if aliased or id(node) in self._seen:
            self._count(node, len(node.value))
        self._seen.add(id(node))

    def _count(self, node: Any, characters: int = 0) -> None:
        """Count a value that stands for an alias."""
        self._aliased += 1
        self._aliased_text += characters
        if self._aliased > YAML_ALIASED_VALUES:
            raise _UnreadableError(node.start_mark, f"aliases stand for more than {YAML_ALIASED_VALUES} values")
        if self._aliased_text > YAML_ALIASED_CHARACTERS:
            raise _UnreadableError(node.start_mark, f"aliases stand for more than {YAML_ALIASED_CHARACTERS} characters")

    def _mapping(self, node: Any, depth: int, *, aliased: bool) -> dict[str, Any]:
        self._check_tag(node, "map")
        mapping: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if is_merge(key_node):
                for source in merge_sources(value_node):
                    for name, value in self._merge(source, depth, aliased=aliased).items():
                        merged.setdefault(name, value)
                continue
            if self._has_aliases:
                self._charge(key_node, aliased=aliased)
            key = self._key(key_node)
            if key in lines:
                self._repeated(key_node, key, lines[key])
            if key is not None and (key not in lines or self.repeats):
                lines[key] = key_node.start_mark.line + 1
                mapping[key] = self._value(value_node, depth + 1, aliased=aliased)
        return {**merged, **mapping} if merged else mapping

    def _repeated(self, node: Any, key: str, first: int) -> None:
        self._text.fault(node.start_mark, f"the key {key!r} is here twice, first in line {first}")

    def _merge(self, node: Any, depth: int, *, aliased: bool) -> dict[str, Any]:
        value = self._value(node, depth + 1, aliased=aliased)
        if isinstance(value, dict):
            return value
        raise _UnreadableError(node.start_mark, "<< merges a map or a list of maps")

    def _key(self, node: Any) -> str | None:
        value = self._scalar(node) if isinstance(node, ScalarNode) else node
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
        wanted = "a key must be a string, not " + ("null" if value is None else "a collection")
        template = "; text with {{ }} needs quotes" if isinstance(node, MappingNode) and node.flow_style else ""
        self._text.fault(node.start_mark, wanted + template)
        return None

    def _scalar(self, node: Any) -> Any:
        tag = node.ctag
        if tag is QUOTED:
            return node.value
        if tag is PLAIN:
            value = resolve(node.value)
        elif (tag := node.tag) == f"{TAG}str":
            return node.value
        elif tag in _EXPLICIT:
            value = resolve(node.value)
            if not isinstance(value, _EXPLICIT[tag]):
                self._text.fault(node.start_mark, f"{node.value!r} is not a YAML {tag.removeprefix(TAG)}")
        else:
            self._text.fault(node.start_mark, f"the tag {tag.replace(TAG, '!!')} is not supported")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._text.fault(
                node.start_mark, f"{node.value} is not a number that JSON can hold; quote it if it is text"
            )
        return value

    def _check_tag(self, node: Any, kind: str) -> None:
        if node.ctag is not QUOTED and node.tag != TAG + kind:
            self._text.fault(node.start_mark, f"the tag {node.tag.replace(TAG, '!!')} is not supported")


class _UnreadableError(Exception):
    """A document that is not read further: mark and message."""
