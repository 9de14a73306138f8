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

import yaml

from virtcatalog.errors import Problem
from virtcatalog.manifests.places import PLAIN, QUOTED, TAG, Field, Index, is_merge, merge_sources, step
from virtcatalog.manifests.scalars import number, resolve

DEEPEST: Final = 200
MOST_ALIASED: Final = 100_000

_EXPLICIT: Final[dict[str, type | tuple[type, ...]]] = {
    f"{TAG}int": int,
    f"{TAG}float": (int, float),
    f"{TAG}bool": bool,
    f"{TAG}null": type(None),
    f"{TAG}str": str,
}
#: All but what YAML may hold; said the other way round, the pattern takes ten times as long to compile.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_DEEP_BLOCK: Final = re.compile(r"^[ ?:-]{400}", re.MULTILINE)

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """Composes nodes without judging what scalars mean: only whether they stand there bare."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return PLAIN if kind is yaml.ScalarNode and implicit[0] else QUOTED

    def descend_resolver(self, node: Any, index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


class Text:
    """One file's text: its documents, what is wrong with them, and places in it. Unknown places are (0, 0)."""

    def __init__(self, text: str | bytes, file: str = "") -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._index: Index = {}
        self._text = self._decode(text)

    def documents(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the data of every document that is not empty; `problems` has the others' faults."""
        if self.problems:
            return
        quick = self._read_json()
        if quick is not None:
            yield from enumerate(quick)
            return
        for index, node in enumerate(self._compose(self.problems)):
            before = len(self.problems)
            data = _Builder(self).build(node)
            if data is not None and len(self.problems) == before:
                yield index, data

    def place(self, document: int, field: Field) -> tuple[int, int]:
        """Return line and column of a field's key or a list's item, or of the nearest thing around it."""
        if document >= len(self._nodes):
            return (0, 0)
        node = self._nodes[document]
        mark = node.start_mark
        while node is not None and field:
            node, found, field = step(node, field, self._index)
            mark = found or mark
        return mark.line + 1, mark.column + 1

    def fault(self, mark: Any, message: str) -> None:
        """Note what is wrong at a mark."""
        self.problems.append(Problem(file=self.file, line=mark.line + 1, column=mark.column + 1, message=message))

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
        bad = _UNWRITABLE.search(text)
        if bad:
            self._fault_at(text[: bad.start()], f"the character U+{ord(bad[0]):04X} cannot stand in YAML")
        return text

    def _fault_at(self, before: str, message: str) -> None:
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        self.problems.append(Problem(file=self.file, line=line, column=column, message=message))

    def _read_json(self) -> list[Any] | None:
        """The documents of JSON text; None when it is not plainly JSON, so that the YAML reader judges it."""
        text = self._text.strip()
        if not text.startswith("{"):
            return None
        documents = []
        position = 0
        try:
            while position < len(text):
                data, position = _JSON.raw_decode(text, position)
                documents.append(data)
                position += len(text) - position - len(text[position:].lstrip())
            if "\\u" in text:
                json.dumps(documents, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return None
        return documents

    def _compose(self, problems: list[Problem]) -> Iterator[Any]:
        """Yield the documents' nodes; a fault of syntax ends the text."""
        if not self._flat():
            problems.append(Problem(file=self.file, line=1, column=1, message=_TOO_DEEP))
            return
        loader = _Loader(self._text)
        try:
            while loader.check_node():
                yield loader.get_node()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            message = self._word(error, line, column)
            problems.append(Problem(file=self.file, line=line, column=column, message=message))
        except (yaml.YAMLError, RecursionError) as error:
            problems.append(Problem(file=self.file, message=f"cannot be read as YAML: {error}"))
        finally:
            loader.dispose()

    def _flat(self) -> bool:
        """Whether the text is nested so little that libyaml, which recurses without a limit, can compose it."""
        if self._text.count("[") + self._text.count("{") < 1000 and not _DEEP_BLOCK.search(self._text):
            return True
        depth = 0
        try:
            for event in yaml.parse(self._text, Loader=_Base):
                if isinstance(event, yaml.CollectionStartEvent):
                    depth += 1
                elif isinstance(event, yaml.CollectionEndEvent):
                    depth -= 1
                if depth > 2 * DEEPEST:
                    return False
        except yaml.YAMLError:
            return True  # it ends before it gets deep: composing tells what is wrong
        return True

    def _word(self, error: yaml.MarkedYAMLError, line: int, column: int) -> str:
        lines = self._text.splitlines()
        if 0 < line <= len(lines) and lines[line - 1][column - 1 : column] == "\t":
            return "a tab cannot indent YAML; use spaces"
        return ": ".join(part for part in ("is not YAML", error.context, error.problem) if part)


_TOO_DEEP: Final = f"is nested more than {DEEPEST} levels deep"


class _Builder:
    """Makes plain data of one document's nodes."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._aliased = 0

    def build(self, node: Any) -> Any:
        try:
            return self._value(node, 0, aliased=False)
        except _UnreadableError as error:
            self._text.fault(error.args[0], error.args[1])
            return None

    def _value(self, node: Any, depth: int, *, aliased: bool) -> Any:
        if isinstance(node, yaml.ScalarNode):
            self._aliased += aliased
            return self._scalar(node)
        key = id(node)
        if key in self._open:
            raise _UnreadableError(node.start_mark, "holds itself through an alias")
        if depth > DEEPEST:
            raise _UnreadableError(node.start_mark, _TOO_DEEP)
        aliased = aliased or key in self._seen
        self._aliased += aliased
        if self._aliased > MOST_ALIASED:
            raise _UnreadableError(node.start_mark, f"aliases stand for more than {MOST_ALIASED} values")
        self._seen.add(key)
        self._open.add(key)
        if isinstance(node, yaml.MappingNode):
            made: Any = self._mapping(node, depth, aliased=aliased)
        else:
            self._check_tag(node, "seq")
            made = [self._value(item, depth + 1, aliased=aliased) for item in node.value]
        self._open.discard(key)
        return made

    def _mapping(self, node: Any, depth: int, *, aliased: bool) -> dict[str, Any]:
        self._check_tag(node, "map")
        made: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if is_merge(key_node):
                for source in merge_sources(value_node):
                    for name, value in self._merge(source, depth, aliased=aliased).items():
                        merged.setdefault(name, value)
                continue
            key = self._key(key_node)
            if key in lines:
                first = lines[key]
                self._text.fault(key_node.start_mark, f"the key {key!r} is here twice, first in line {first}")
            elif key is not None:
                lines[key] = key_node.start_mark.line + 1
                made[key] = self._value(value_node, depth + 1, aliased=aliased)
        return {**merged, **made} if merged else made

    def _merge(self, node: Any, depth: int, *, aliased: bool) -> dict[str, Any]:
        value = self._value(node, depth + 1, aliased=aliased)
        if isinstance(value, dict):
            return value
        raise _UnreadableError(node.start_mark, "<< merges a map or a list of maps")

    def _key(self, node: Any) -> str | None:
        value = self._scalar(node) if isinstance(node, yaml.ScalarNode) else node
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
        self._text.fault(
            node.start_mark, "a key must be a string, not " + ("null" if value is None else "a collection")
        )
        return None

    def _scalar(self, node: Any) -> Any:
        tag = node.tag
        if tag == QUOTED:
            return node.value
        if tag == PLAIN:
            value = resolve(node.value)
        elif tag == f"{TAG}str":
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
        if node.tag not in (QUOTED, TAG + kind):
            self._text.fault(node.start_mark, f"the tag {node.tag.replace(TAG, '!!')} is not supported")


class _UnreadableError(Exception):
    """A document that is not read further: mark and message."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is here twice")
    return made


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_JSON: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=lambda text: number(text, text), parse_constant=_refuse
)
