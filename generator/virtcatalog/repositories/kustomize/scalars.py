"""Objects as kustomize reads them, whose YAML has less words for true and false, and dates.

`yes`, `no`, `on`, `off`, `y` and `n` are texts there, and a date is a time. Kustomizations themselves and JSON patches
are read as kubectl reads manifests. Source: go.yaml.in/yaml/v3/resolve.go, kyaml/kio/byteio_reader.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.manifests.builder import Builder
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.places import Index
from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import PLAIN

_WORDS: Final = frozenset(
    form for word in ("y", "yes", "on", "n", "no", "off") for form in (word, word.capitalize(), word.upper())
)
_DATE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_MIDNIGHT: Final = "T00:00:00Z"
#: One of these where a bare scalar can stand: behind another one's end, and before its own.
_BARE: Final = re.compile(
    rb"(?:^|[\s,\[{:\x80-\xff])"
    rb"(?:[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|\d{4}-\d{1,2}-\d{1,2})"
    rb"[ \t]*(?:[\r\n,\]}:#\x80-\xff]|\Z)"
)


def reads_otherwise(content: bytes) -> bool:
    """Whether a text may hold what kustomize reads otherwise than kubectl."""
    return _BARE.search(content) is not None


def resolved(text: str) -> Any:
    """Return what a bare scalar stands for to kustomize."""
    if text in _WORDS:
        return text
    match = _DATE.fullmatch(text)
    return _time(match) if match else resolve(text)


def is_no_text(value: Any) -> bool:
    """Whether a value that a bare scalar was read as is no text to kustomize; a time looks like one."""
    return not isinstance(value, str) or value.endswith(_MIDNIGHT)


def _time(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    return f"{year}-{int(month):02}-{int(day):02}{_MIDNIGHT}"


class ObjectText(Text):
    """A text of objects that kustomize reads, and kubectl may read otherwise."""

    @staticmethod
    def _empty_index() -> Index:
        return Index(resolved)

    def documents(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the data of every document that is not empty; `problems` has the others' faults."""
        if self._read_json() is not None:
            yield from super().documents()
            return
        for index, node in enumerate(self._compose(self.problems)):
            before = len(self.problems)
            data = _Builder(self).build(node)
            if data is not None and len(self.problems) == before:
                yield index, data


class _Builder(Builder):
    def _scalar(self, node: Any) -> Any:
        if node.ctag is PLAIN and (node.value in _WORDS or _DATE.fullmatch(node.value)):
            return resolved(node.value)
        return super()._scalar(node)
