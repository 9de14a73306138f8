"""Text of manifests: kubectl, Argo CD and Flux take it apart at lines `---`, and read a document of each part."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.errors import Problem
from virtcatalog.manifests.document import Text

_PART: Final = re.compile(r"^---", re.MULTILINE)
_BEHIND_END: Final = "is behind the end of a document, where kubectl, Argo CD and Flux read nothing: begin it with ---"
_NO_PARTS: Final = (
    (
        re.compile(r"^(?P<at>---)(?![ \t\r]*$|[ \t]+#)", re.MULTILINE),
        "in a line that begins with --- kubectl, Argo CD and Flux take nothing but a comment behind it",
    ),
    (
        re.compile(r"(?:\A|^---.*\n)(?:[ \t]*(?:#.*)?\n)*(?P<at>%)", re.MULTILINE),
        "kubectl, Argo CD and Flux take no directives such as %YAML: leave the line out",
    ),
    (
        re.compile(r"(?<=\n)---.*\n(?:[ \t]*(?:#.*)?\n)*(?P<at>\.\.\.)(?=\s)"),
        "ends a document in which is nothing, which kubectl, Argo CD and Flux refuse: leave the line out",
    ),
)


class ManifestText(Text):
    """A text of manifests.

    To kubectl and Argo CD every line ends, the last one, too: a block of text there has the line feed that it keeps.

    Source: vendor/k8s.io/apimachinery/pkg/util/yaml/decoder.go (YAMLReader); kyaml/kio/byteio_reader.go.
    """

    _ends_lines = True

    def _decode(self, text: str | bytes) -> str:
        decoded = super()._decode(text).replace("\r\n", "\n")
        return decoded if decoded.endswith("\n") or not self._ends_lines else f"{decoded}\n"

    def _read_json(self) -> list[Any] | None:
        """The documents of JSON text; behind a byte order mark kubectl reads YAML, of which this would be one."""
        documents = super()._read_json()
        if documents and len(documents) > 1 and self._is_marked:
            self._starts = []
            return None
        return documents

    def _of_nodes(self) -> Iterator[tuple[int, Any]]:
        for wrong, message in _NO_PARTS:
            if line := wrong.search(self._text):
                self._fault_at(self._text[: line.start("at")], message)
        if not self.problems:
            yield from super()._of_nodes()

    def _compose(self, problems: list[Problem]) -> Iterator[Any]:
        starts, part = [start.start() for start in _PART.finditer(self._text)], -1
        for node in super()._compose(problems):
            mark = node.start_mark
            if node.end_mark.index > mark.index:
                before, part = part, bisect_right(starts, mark.index)
                if part == before:
                    problems.append(Problem(self.file, *self._place(mark), message=_BEHIND_END))
                    return
            yield node
