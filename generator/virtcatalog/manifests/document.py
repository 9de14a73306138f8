"""YAML and JSON text as plain data, and where in the text a field stands.

The text means what it means to kubectl and the Kubernetes API server (vendor/sigs.k8s.io/yaml and
vendor/go.yaml.in/yaml/v2/resolve.go), which is YAML 1.1 with differences: bare `yes`, `no`, `on`, `off`, `y` and `n`
are booleans, dates and `12:30` stay strings, `0x1f`, `0o17`, `017` and `1_000` are integers, 2.0 is 2, and keys become
strings. Stricter than Go's reader: a key must not repeat, tags other than YAML's own scalars are refused, and so are
NaN and infinity, which JSON cannot say. Keys that `<<` merges in never replace those beside it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import msgspec

from virtcatalog.api.findings import Path, field_path
from virtcatalog.errors import Problem
from virtcatalog.limits import YAML_ALIASED_CHARACTERS, YAML_ALIASED_VALUES, YAML_LEVELS
from virtcatalog.manifests.blocks import BlockPlaces, read_block
from virtcatalog.manifests.jsonplaces import JsonPlaces, skip
from virtcatalog.manifests.places import ENDS, Field, Index, Mark, is_merge, merge_sources, step
from virtcatalog.manifests.scalars import number, resolve
from virtcatalog.manifests.syntax import (
    PLAIN,
    QUOTED,
    TAG,
    MappingNode,
    MarkedYAMLError,
    ScalarNode,
    SyntaxLimitError,
    YAMLError,
    compose,
)

_EXPLICIT: Final[dict[str, type | tuple[type, ...]]] = {
    f"{TAG}int": int,
    f"{TAG}float": (int, float),
    f"{TAG}bool": bool,
    f"{TAG}null": type(None),
    f"{TAG}str": str,
}
#: All but what YAML may hold; said the other way round, the pattern takes ten times as long to compile.
UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
CONTROLS: Final = bytes((*range(9), 11, 12, *range(14, 32), 127))
"""Those of them that are ASCII."""
_CONTROLS: Final = tuple(map(chr, CONTROLS))
_UNWRITABLE_UTF8: Final = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]")
ALIAS: Final = re.compile(r"(?:^|[\s,\[{:?-])\*([^\s,\]}]+)")


class Text:
    """A file's text: its documents, what is wrong with them, and places in it. Unknown places are (0, 0).

    It may be a part of the file, before which there are so many lines, and so many characters in its own first one.
    """

    def __init__(self, text: str | bytes, file: str = "", line: int = 0, column: int = 0) -> None:
        self.file = file
        self.size = len(text)
        """How long it is, in characters or bytes."""
        self._line, self._column = line, column
        self.problems: list[Problem] = []
        self._index = Index()
        self._starts: list[int] = []
        """Where documents start, if they are JSON."""
        self._is_block = False
        self.is_plain = False
        """Whether it is JSON that is written as this program would: whatever it says can be said in JSON again."""
        self._source = text

    def __getstate__(self) -> dict[str, Any]:
        """Nodes are found by what they are in this process: another one reads the text again."""
        derived = ("_nodes", "_plain_places", "_split")
        return {**{key: value for key, value in self.__dict__.items() if key not in derived}, "_index": Index()}

    def documents(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the data of every document that is not empty; `problems` has the others' faults."""
        plain = plain_json(self._source)
        if plain is not None:
            self._starts, self.is_plain = [0], True
            yield 0, plain
            return
        text = self._text
        if self.problems:
            return
        quick = self._read_json()
        if quick is not None:
            yield from enumerate(quick)
            return
        block = read_block(text) if len(text) <= _SHORT else ...
        if block is not ...:
            self._is_block = True
            yield 0, block
            return
        for index, node in enumerate(self._compose(self.problems)):
            before = len(self.problems)
            data = Builder(self).build(node)
            if data is not None and len(self.problems) == before:
                yield index, data

    @cached_property
    def has_aliases(self) -> bool:
        """Whether there may be aliases in it."""
        return ALIAS.search(self._text) is not None

    def place(self, document: int, field: Field, item: Path = ()) -> tuple[int, int]:
        """Return line and column of a field's key or a list's item, or of the nearest thing around it.

        The field may be that of a part of the document: `item` leads there, such as `("items", 3)`.
        """
        is_plain = bool(self._starts or self._is_block)
        if item and not (is_plain and _is_in_lists(item)):
            field = (*item, *field) if isinstance(field, tuple) else f"{field_path(item)}.{field}".rstrip(".")
            item = ()
        if is_plain:
            return self._place(self._plain_places.place(document, field, item))
        if document >= len(self._nodes):
            return (0, 0)
        node = self._nodes[document]
        mark = node.start_mark
        while node is not None and field:
            node, nearest, field = step(node, field, self._index)
            mark = nearest or mark
        return self._place(mark)

    def lines(self, first: int, number: int) -> list[str]:
        """Return lines of the file from its `first` on, counted from 1, as far as they are in this text."""
        start = first - 1 - self._line
        return self._split[start : start + number] if start >= 0 else []

    def fault(self, mark: Any, message: str) -> None:
        """Note what is wrong at a mark."""
        self.problems.append(Problem(self.file, *self._place(mark), message=message))

    def _place(self, mark: Any) -> tuple[int, int]:
        """Return line and column of a mark, from 1, in the whole file."""
        return self._line + mark.line + 1, mark.column + 1 + (0 if mark.line else self._column)

    @cached_property
    def _text(self) -> str:
        source, self._source = self._source, ""  # one of them is enough
        if self.is_plain:
            return source if isinstance(source, str) else source.decode()
        return self._decode(source)

    @cached_property
    def _split(self) -> list[str]:
        return ENDS.split(self._text)

    @cached_property
    def _plain_places(self) -> JsonPlaces | BlockPlaces:
        return JsonPlaces(self._text, self._starts) if self._starts else BlockPlaces(self._text)

    @cached_property
    def _nodes(self) -> list[Any]:
        return list(self._compose([]))

    def _decode(self, text: str | bytes) -> str:
        if isinstance(text, bytes):
            raw = text
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                self._fault_at(raw[: error.start].decode("utf-8", "replace"), "is not UTF-8 text")
                return ""
        text = text.removeprefix("\ufeff")
        is_plain = text.isascii() and not any(control in text for control in _CONTROLS)
        if not is_plain and (bad := UNWRITABLE.search(text)):
            self._fault_at(text[: bad.start()], f"the character U+{ord(bad[0]):04X} cannot stand in YAML")
        return text

    def _fault_at(self, before: str, message: str) -> None:
        mark = Mark(before.count("\n"), len(before) - before.rfind("\n") - 1)
        self.fault(mark, message)

    def _read_json(self) -> list[Any] | None:
        """The documents of JSON text; None when it is not plainly JSON, so that the YAML reader judges it."""
        text = self._text
        position = skip(text, 0)
        if not text.startswith("{", position):
            return None
        if (value := _canonical(text.encode())) is not None:
            self._starts = [position]
            return [value]
        documents, starts = [], []
        try:
            while position < len(text):
                starts.append(position)
                data, position = _JSON.raw_decode(text, position)
                documents.append(data)
                position = skip(text, position)
            if "\\u" in text:
                json.dumps(documents, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return None
        self._starts = starts
        return documents

    def _compose(self, problems: list[Problem]) -> Iterator[Any]:
        """Yield the documents' nodes; a fault of syntax ends the text."""
        try:
            yield from compose(self._text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            message = self._word(error, line, column)
            problems.append(Problem(self.file, *(self._place(mark) if mark else (0, 0)), message=message))
        except SyntaxLimitError as error:
            mark, message = error.args
            problems.append(Problem(self.file, *self._place(mark), message=message))
        except YAMLError as error:
            problems.append(Problem(file=self.file, message=f"cannot be read as YAML: {error}"))

    def _word(self, error: MarkedYAMLError, line: int, column: int) -> str:
        lines = self._text.splitlines()
        if 0 < line <= len(lines) and lines[line - 1][column - 1 : column] == "\t":
            return "a tab cannot indent YAML; use spaces"
        return ": ".join(part for part in ("is not YAML", error.context, error.problem) if part)


class Builder:
    """Makes plain data of one document's nodes."""

    repeats = False  # whether a key may stand twice

    def __init__(self, text: Text) -> None:
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
        self._text.fault(
            node.start_mark, "a key must be a string, not " + ("null" if value is None else "a collection")
        )
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


def _is_in_lists(path: Path) -> bool:
    """Whether a path leads to an item of a list, or of lists in lists, as `("items", 3)` does."""
    return len(path) % 2 == 0 and all(isinstance(step, int) for step in path[1::2])


class _UnreadableError(Exception):
    """A document that is not read further: mark and message."""


def plain_json(text: str | bytes) -> Any:
    """The data of JSON as kubectl prints it; None for what may be anything else."""
    if isinstance(text, str):
        if not text.isascii():
            return None
        text = text.encode()
    # Other characters that cannot stand in YAML cannot stand in JSON, either.
    return _canonical(text) if text.startswith(b"{") and b"\x7f" not in text and not has_unwritable(text) else None


def has_unwritable(text: bytes) -> bool:
    """Whether there is a character beyond ASCII in UTF-8 that may not stand in YAML."""
    may_have = not text.isascii() and any(byte in text for byte in b"\xc2\xef")
    return may_have and find_unwritable(text) >= 0


def find_unwritable(text: bytes, start: int = 0) -> int:
    """Return where the first such character is from an offset on; -1 where there is none."""
    match = _UNWRITABLE_UTF8.search(text, start)
    return match.start() if match else -1


def _canonical(text: bytes) -> Any:
    """The data of JSON that is written as this program would: nothing is lost in it, such as a key that repeats."""
    try:
        compact = msgspec.json.format(text, indent=-1)
        data = _PLAIN_JSON.decode(compact)  # in three quarters of the time that the text takes itself
        return data if _encode(data) == compact else None
    except (ValueError, RecursionError, OverflowError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key is here twice")
    return mapping


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_JSON: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=lambda text: number(text, text), parse_constant=_refuse
)
_encode: Final = msgspec.json.Encoder().encode
_PLAIN_JSON: Final = msgspec.json.Decoder(float_hook=lambda text: number(text, text))
_SHORT: Final = 1 << 20
"""So many characters have no more than so many values."""
