"""Objects as kustomize reads them, whose YAML has less words for true and false, and dates.

`yes`, `no`, `on`, `off`, `y` and `n` are texts there, and a date is a time. Kustomizations themselves and JSON patches
are read as kubectl reads manifests. Source: go.yaml.in/yaml/v3/resolve.go, kyaml/kio/byteio_reader.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.errors import Problem
from virtcatalog.manifests.builder import Builder
from virtcatalog.manifests.manifesttext import ManifestText
from virtcatalog.manifests.places import Index
from virtcatalog.manifests.scalars import json_number, time_of
from virtcatalog.manifests.scalars import resolved as typed
from virtcatalog.manifests.syntax import PLAIN, QUOTED, TAG, MappingNode, ScalarNode, nodes, serialize

_WORDS: Final = frozenset(
    form for word in ("y", "yes", "on", "n", "no", "off") for form in (word, word.capitalize(), word.upper())
)
_TIME_END: Final = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\Z", re.ASCII)
_QUOTED_LATER: Final = "later"
"""The style of a bare scalar that kustomize quotes when it writes the object."""
_BASE_60: Final = re.compile(r"[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?", re.ASCII)
#: What kustomize makes something else of when it writes its objects.
_FOLDED_OTHERWISE: Final = re.compile(r"^\t|\n\n\Z", re.MULTILINE)
_LOST: Final = re.compile("[\x7f\x85]")
#: One of these where a bare scalar can stand: behind another one's end, and before its own; a key that may be no text.
_BARE: Final = re.compile(
    rb"(?:^|[\s,\[{:\x80-\xff])"
    rb"(?:(?:[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF"
    rb"|\d{4}-\d{1,2}-\d{1,2}(?:[Tt ][\d:][^\r\n,\]}#\x80-\xff]*)?)"
    rb"[ \t]*(?:[\r\n,\]}:#\x80-\xff]|\Z)"
    rb"|(?:[+.-]?\d[\w.+-]*|[+-]?\.\w+|[tT]rue|TRUE|[fF]alse|FALSE)[ \t]*:(?:\s|\Z)"
    rb"|!|['\"]<<['\"])"
)
#: A map in braces in which a value is left out; what YAML has no word for, or kustomize none.
_OTHERWISE: Final = re.compile(
    rb":[ \t\r\n]*[,\]}]|\{\s*[^\s,{}\"']+\s*[,}]|\{[^{}]*,\s*[^\s,{}\"']+\s*[,}]|\n *\t|>\d?\+"
    rb"|\A\s*\t|\\[/NuUx]|\x7f|\xc2\x85|\A\s*\{[^\0]*\d[eE]"
)


def reads_otherwise(content: bytes) -> bool:
    """Whether a text may hold what kustomize reads otherwise than kubectl."""
    return not content.endswith(b"\n") or _BARE.search(content) is not None or _OTHERWISE.search(content) is not None


def resolved(text: str) -> Any:
    """Return what a bare scalar stands for to kustomize."""
    return json_number(_typed(text))


def _typed(text: str) -> Any:
    if text in _WORDS:
        return text
    return time_of(text) or typed(text)


def is_no_text(value: Any) -> bool:
    """Whether a value that a bare scalar was read as is no text to kustomize; a time looks like one."""
    return not isinstance(value, str) or _TIME_END.search(value) is not None


def needs_quotes(text: str | None) -> bool:
    """Whether kustomize quotes a text where it sets it or merges around it: YAML 1.1 has it for something else."""
    return text is not None and text != "" and "\n" not in text and not isinstance(typed(text), str)


def stands_bare(text: str) -> bool:
    """Whether Go's YAML writes a text as a bare scalar."""
    if "\n" in text or text in _WORDS or _BASE_60.fullmatch(text) or is_no_text(_typed(text)) or time_of(text):
        return False
    return not serialize(ScalarNode(QUOTED, text)).startswith(("'", '"'))


class ObjectText(ManifestText):
    """A text of objects that kustomize reads, and kubectl may read otherwise."""

    _ends_lines = False

    @staticmethod
    def _empty_index() -> Index:
        return Index(resolved)

    def documents(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the data of every document that is not empty; `problems` has the others' faults."""
        if self._is_readable():
            yield from self._of_nodes()

    def _new_builder(self) -> Builder:
        return _Builder(self)

    def _compose(self, problems: list[Problem]) -> Iterator[Any]:
        for document in super()._compose(problems):
            _quote(document)
            yield document


def _quote(document: Any) -> None:
    """Quote what kustomize quotes in brackets when it writes objects: nothing at all, and what holds a colon."""
    for node in nodes(document):
        for child in _children(node) if not isinstance(node, ScalarNode) and node.flow_style else ():
            if isinstance(child, ScalarNode) and not child.style and (_is_left_out(child) or _has_colon(child)):
                child.ctag, child.style = QUOTED, _QUOTED_LATER


def _children(node: Any) -> Iterator[Any]:
    return (child for pair in node.value for child in pair) if isinstance(node, MappingNode) else iter(node.value)


def _is_left_out(scalar: Any) -> bool:
    return not scalar.value and scalar.ctag in (PLAIN, QUOTED)


def _has_colon(scalar: Any) -> bool:
    return scalar.ctag is PLAIN and ":" in scalar.value


class _Builder(Builder):
    def _typed(self, node: Any) -> Any:
        if node.ctag is QUOTED and not node.style:  # the tag `!`, and nothing behind it
            return None
        value = super()._typed(node)
        if isinstance(value, str) and (lost := _LOST.search(value)):
            self._text.fault(node.start_mark, f"kustomize does not keep the character U+{ord(lost[0]):04X}")
        if node.style == ">" and _FOLDED_OTHERWISE.search(node.value):
            message = "kustomize folds lines that begin with a tab, or are empty at the end, otherwise: write | for >"
            self._text.fault(node.start_mark, message)
        if node.style == "|" and node.value.startswith("\t"):
            self._text.fault(node.start_mark, "kustomize fails on a block of text that begins with a tab")
        return value

    def _untyped(self, node: Any) -> Any:
        return node.value if node.style else self._plain(node.value)

    def _plain(self, text: str) -> Any:
        return _typed(text)

    def _timestamp(self, node: Any) -> str:
        super()._timestamp(node)
        return time_of(node.value) or ""

    def _key(self, node: Any) -> str | None:
        if isinstance(node, ScalarNode) and not _is_text(node):
            self._text.fault(node.start_mark, f"kustomize takes no key that is no text: quote {node.value!r}")
            return None
        if isinstance(node, ScalarNode) and node.value == "<<":
            self._text.fault(node.start_mark, "kustomize takes the key << for one that merges, also in quotes")
        return super()._key(node)


def _is_text(node: Any) -> bool:
    """Whether a scalar is text without what its tag makes of it."""
    if node.ctag is not PLAIN:
        return node.ctag is QUOTED or node.tag == f"{TAG}str"
    return bool(node.style) or (isinstance(_typed(node.value), str | None) and time_of(node.value) is None)
