"""YAML's nodes made plain data: tags, anchors, merged maps, keys that repeat."""

from __future__ import annotations

import math
import re
from typing import Any, Final, Protocol

from virtcatalog.api.govalues import from_base64, yaml_key
from virtcatalog.limits import YAML_ALIASED_CHARACTERS, YAML_ALIASED_VALUES, YAML_LEVELS
from virtcatalog.manifests.places import is_merge, merge_sources
from virtcatalog.manifests.scalars import json_number, resolved, time_of
from virtcatalog.manifests.syntax import (
    PLAIN,
    QUOTED,
    TAG,
    MappingNode,
    ScalarNode,
)

#: An escaped slash in a quoted text, of which an even number of backslashes before it are none.
_SLASH: Final = re.compile(r"(?s)[^\\]*(?:\\[^/][^\\]*)*\\/")
_LONE_TAG: Final = re.compile(r"(?:&\S+\s+)?!(?:\s|\Z)")
_MOST_OF_KEYS: Final = 2**63 - 1

#: What values of a tag are to Go, which heeds no other tags of scalars than these, `!!binary` and `!!timestamp`.
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{TAG}int": (int,),
    f"{TAG}float": (int, float),
    f"{TAG}bool": (bool,),
    f"{TAG}null": (type(None),),
}


class Faulty(Protocol):
    """A text, which takes note of what is wrong in it."""

    @property
    def has_aliases(self) -> bool:
        """Whether there may be aliases in it."""

    @property
    def has_lone_tags(self) -> bool:
        """Whether there may be a tag `!` in it."""

    @property
    def has_slashes(self) -> bool:
        """Whether there may be an escaped slash in it."""

    def written(self, node: Any) -> str:
        """Return what a node is in the text, with its tag and anchor."""

    def fault(self, mark: Any, message: str) -> None:
        """Note what is wrong at a mark."""

    def repeat(self, mark: Any, message: str) -> None:
        """Note that a key repeats."""


class Builder:
    """Makes plain data of one document's nodes."""

    repeats = False  # whether a key may stand twice

    def __init__(self, text: Faulty) -> None:
        self._text = text
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._aliased = self._aliased_text = 0
        self._has_aliases = text.has_aliases
        self._may_be_tagged = text.has_lone_tags

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
        mapping: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if is_merge(key_node):
                if "<<" in lines:
                    self._repeated(key_node, "<<", lines["<<"])
                lines["<<"] = key_node.start_mark.line + 1
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
        self._text.repeat(node.start_mark, f"the key {key!r} is here twice, first in line {first}")

    def _merge(self, node: Any, depth: int, *, aliased: bool) -> dict[str, Any]:
        value = self._value(node, depth + 1, aliased=aliased)
        if isinstance(value, dict):
            return value
        raise _UnreadableError(node.start_mark, "<< merges a map or a list of maps")

    def _key(self, node: Any) -> str | None:
        value = self._typed(node) if isinstance(node, ScalarNode) else node
        if isinstance(value, str):
            return value
        if isinstance(value, float) or (isinstance(value, int) and value <= _MOST_OF_KEYS):
            return yaml_key(value)
        wanted = "a key must be a string, not " + _kind_of_key(value)
        template = "; text with {{ }} needs quotes" if isinstance(node, MappingNode) and node.flow_style else ""
        self._text.fault(node.start_mark, wanted + template)
        return None

    def _scalar(self, node: Any) -> Any:
        value = self._typed(node)
        if isinstance(value, float) and not math.isfinite(value):
            self._text.fault(
                node.start_mark, f"{node.value} is not a number that JSON can hold; quote it if it is text"
            )
        return json_number(value)

    def _typed(self, node: Any) -> Any:
        """What a scalar stands for; a float stays one though it is whole."""
        if self._text.has_slashes and node.style == '"' and _SLASH.match(self._text.written(node)):
            self._text.fault(node.start_mark, "the escape \\/ is none in YAML to Kubernetes' tools: leave the \\ out")
        if node.ctag is QUOTED:
            return node.value
        if node.ctag is PLAIN:
            written = self._text.written(node) if self._may_be_tagged else ""
            return self._untyped(node) if _LONE_TAG.match(written) else self._plain(node.value)
        if node.tag in _TYPES:
            return self._of_type(node, node.tag)
        if node.tag == f"{TAG}binary":
            return self._binary(node)
        if node.tag == f"{TAG}timestamp":
            return self._timestamp(node)
        return node.value

    def _untyped(self, node: Any) -> Any:
        """What a scalar with the tag `!` stands for, which the parser takes for a bare one."""
        return node.value

    def _plain(self, text: str) -> Any:
        """What a bare scalar stands for; a float stays one though it is whole."""
        return resolved(text)

    def _of_type(self, node: Any, tag: str) -> Any:
        value = self._plain(node.value)
        if type(value) not in _TYPES[tag]:
            self._text.fault(node.start_mark, f"{node.value!r} is not a YAML {tag.removeprefix(TAG)}")
        return float(value) if tag == f"{TAG}float" and type(value) is int else value

    def _binary(self, node: Any) -> str:
        try:
            return from_base64(node.value).decode()
        except ValueError:
            self._text.fault(node.start_mark, "is not base64 of a text, as the tag !!binary says")
            return ""

    def _timestamp(self, node: Any) -> str:
        if time_of(node.value) is None:
            self._text.fault(node.start_mark, f"{node.value!r} is not a YAML timestamp")
        return str(node.value)


def _kind_of_key(value: Any) -> str:
    if value is None:
        return "null"
    return "an integer of 2^63 or more" if isinstance(value, int) else "a collection"


class _UnreadableError(Exception):
    """A document that is not read further: mark and message."""
