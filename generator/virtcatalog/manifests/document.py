"""YAML and JSON text as plain data, and where in the text a field stands.

The text means what it means to kubectl and the Kubernetes API server (vendor/sigs.k8s.io/yaml and
vendor/go.yaml.in/yaml/v2/resolve.go), which is YAML 1.1 with differences: bare `yes`, `no`, `on`, `off`, `y` and `n`
are booleans, dates and `12:30` stay strings, `0x1f`, `0o17`, `017` and `1_000` are integers, 2.0 is 2, and keys become
strings. Tags say what they say to Go: those of YAML's own scalars, `!!binary` and `!!timestamp` count, others make text
of a scalar and nothing of a map or list. Stricter than Go's reader: a key must not repeat, and NaN and infinity are
refused, which JSON cannot say. Keys that `<<` merges in never replace those beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.errors import Problem
from virtcatalog.manifests.blocks import BlockPlaces, Document, read_blocks
from virtcatalog.manifests.builder import Builder
from virtcatalog.manifests.jsonplaces import JsonPlaces, skip
from virtcatalog.manifests.places import ENDS, Field, Index, Mark, step
from virtcatalog.manifests.plainjson import (
    CONTROL_CHARACTERS,
    JSON_DECODER,
    UNWRITABLE,
    LargeNumberError,
    canonical_json,
    is_too_deep,
    plain_json,
)
from virtcatalog.manifests.syntax import (
    MarkedYAMLError,
    ScalarNode,
    SyntaxLimitError,
    compose,
    fault,
)

#: What some editors begin a file with; no part of its text.
BYTE_ORDER_MARK: Final = "\ufeff"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_NO_UTF_8: Final = "is not UTF-8 text"
_LONE_TAG: Final = re.compile(r"(?:^|[\s,\[{:?-])!(?=[\s,\]}]|\Z)", re.MULTILINE)
_QUOTES: Final = ("'", '"', "|", ">")
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
        self._own_problems: list[Problem] = []
        self._index = self._empty_index()
        self._starts: list[int] = []
        """Where documents start, if they are JSON."""
        self._roots: dict[int, tuple[int, int]] = {}
        """Lines and columns where documents start whose nodes were composed, which are not kept."""
        self._blocks: list[Document] = []
        """The documents, if they are YAML in plain block style."""
        self._is_marked = False
        self.is_plain = False
        """Whether it is JSON as this program writes it."""
        self._source = text

    def __getstate__(self) -> dict[str, Any]:
        """Leave out nodes and places, which go by identity: another process reads the text again."""
        derived = ("_nodes", "_plain_places", "_split")
        return {
            **{key: value for key, value in self.__dict__.items() if key not in derived},
            "_index": self._empty_index(),
        }

    @staticmethod
    def _empty_index() -> Index:
        return Index()

    def documents(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the data of every document that is not empty; `problems` has the others' faults."""
        plain = plain_json(self._source)
        if plain is not None:
            self._starts, self.is_plain = [0], True
            yield 0, plain
            return
        text = self._text
        if not self._is_readable():
            return
        quick = self._read_json()
        if quick is not None:
            yield from ((index, data) for index, data in enumerate(quick) if data is not None)
            return
        blocks = read_blocks(text) if len(text) <= _SHORT else None
        if blocks is not None:
            self._blocks = blocks
            yield from ((document.number, document.data) for document in blocks)
            return
        yield from self._of_nodes()

    def _is_readable(self) -> bool:
        """Whether its characters are those of a text."""
        return self._text is not None and not self.problems

    def _new_builder(self) -> Builder:
        return Builder(self)

    def _of_nodes(self) -> Iterator[tuple[int, Any]]:
        for index, node in enumerate(self._compose(self.problems)):
            self._roots[index] = self._place(node.start_mark)
            before = len(self.problems)
            data = self._new_builder().build(node)
            if data is not None and len(self.problems) == before:
                yield index, data

    @cached_property
    def has_aliases(self) -> bool:
        """Whether there may be aliases in it."""
        return ALIAS.search(self._text) is not None

    @cached_property
    def has_lone_tags(self) -> bool:
        """Whether there may be a tag `!` in it."""
        return _LONE_TAG.search(self._text) is not None

    @cached_property
    def has_slashes(self) -> bool:
        """Whether there may be an escaped slash in it."""
        return "\\/" in self._text

    def written(self, node: Any) -> str:
        """Return what a node is in the text, with its tag and anchor."""
        return self._text[node.start_mark.index : node.end_mark.index]

    def problem(self, document: int, path: Path, message: str) -> Problem:
        """Say what is wrong with a field, with its place."""
        line, column = self.place(document, path)
        return Problem(file=self.file, line=line, column=column, field=field_path(path), message=message)

    def place(self, document: int, field: Field, item: Path = ()) -> tuple[int, int]:
        """Return line and column of a field's key or a list's item, or of the nearest thing around it.

        The field may be that of a part of the document: `item` leads there, such as `("items", 3)`.
        """
        is_plain = bool(self._starts or self._blocks)
        if item and not (is_plain and _is_in_lists(item)):
            field = (*item, *field) if isinstance(field, tuple) else f"{field_path(item)}.{field}".rstrip(".")
            item = ()
        if is_plain:
            return self._place(self._plain_places.place(document, field, item))
        if not field and document in self._roots:
            return self._roots[document]
        if document >= len(self._nodes):
            return (0, 0)
        node = self._nodes[document]
        mark = node.start_mark
        while node is not None and field:
            node, nearest, field = step(node, field, self._index)
            mark = nearest or mark
        return self._place(mark)

    def scalar(self, document: int, path: Path) -> tuple[str, bool] | None:
        """Return a scalar's text and whether it stands in quotes or in a block; None where there is no scalar."""
        rest: Field = path
        node = self._nodes[document] if document < len(self._nodes) else None
        while node is not None and rest:
            node, _, rest = step(node, rest, self._index)
        return (node.value, node.style in _QUOTES) if isinstance(node, ScalarNode) else None

    def lines(self, first: int, number: int) -> list[str]:
        """Return lines of the file from its `first` on, counted from 1, as far as they are in this text."""
        start = first - 1 - self._line
        return self._split[start : start + number] if start >= 0 else []

    @property
    def refused(self) -> list[Problem]:
        """What is wrong with it to Go's readers, too: these take a key that repeats."""
        return [problem for problem in self.problems if problem not in self._own_problems]

    def repeat(self, mark: Any, message: str) -> None:
        """Note that a key repeats."""
        self.fault(mark, message)
        self._own_problems.append(self.problems[-1])

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
        return JsonPlaces(self._text, self._starts) if self._starts else BlockPlaces(self._text, self._blocks)

    @cached_property
    def _nodes(self) -> list[Any]:
        return list(self._compose([]))

    def _decode(self, text: str | bytes) -> str:
        if isinstance(text, bytes):
            raw = text
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                message = (
                    "is UTF-16, as Windows writes text: save it as UTF-8" if raw.startswith(_UTF_16) else _NO_UTF_8
                )
                self._fault_at(raw[: error.start].decode("utf-8", "replace"), message)
                return ""
        self._is_marked = text.startswith(BYTE_ORDER_MARK)
        text = text.removeprefix(BYTE_ORDER_MARK)
        is_plain = text.isascii() and not any(control in text for control in CONTROL_CHARACTERS)
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
        if (value := canonical_json(text.encode())) is not None:
            self._starts = [position]
            return [value]
        documents, starts = [], []
        try:
            while position < len(text):
                starts.append(position)
                data, position = JSON_DECODER.raw_decode(text, position)
                documents.append(data)
                if is_too_deep(text[starts[-1] : position].encode()):
                    return None
                position = skip(text, position)
            if "\\u" in text:
                json.dumps(documents, ensure_ascii=False).encode()
        except LargeNumberError as error:
            message = f"the number {error.args[0]} is too large for JSON; quote it if it is text"
            self._fault_at(text[: text.find(error.args[0], position)], message)
            return []
        except (ValueError, RecursionError):
            return None
        self._starts = starts
        return documents

    def _compose(self, problems: list[Problem]) -> Iterator[Any]:
        """Yield the documents' nodes; a fault of syntax ends the text."""
        try:
            yield from compose(self._text)
        except MarkedYAMLError as error:
            mark, message = fault(error, self._split, lambda mark: self._place(mark)[0])
            problems.append(Problem(self.file, *self._place(mark), message=message))
        except SyntaxLimitError as error:
            mark, message = error.args
            problems.append(Problem(self.file, *self._place(mark), message=message))


def _is_in_lists(path: Path) -> bool:
    """Whether a path leads to an item of a list, or of lists in lists, as `("items", 3)` does."""
    return len(path) % 2 == 0 and all(isinstance(step, int) for step in path[1::2])


_SHORT: Final = 1 << 20
"""So many characters have no more than so many values."""
