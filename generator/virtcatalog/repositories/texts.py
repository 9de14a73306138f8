"""Texts of a run, parsed once each: most files are the same on both sides, and several read one."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec.structs import replace

from virtcatalog.api.findings import Path
from virtcatalog.errors import Problem
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.manifesttext import ManifestText
from virtcatalog.manifests.places import Field
from virtcatalog.manifests.read import PartContents, manifests_in
from virtcatalog.repositories.kustomize.scalars import ObjectText, reads_otherwise


class Parsed(NamedTuple):
    """A text, which has its problems and finds places in it, and the index and data of each document of it."""

    text: Text
    documents: tuple[tuple[int, Any], ...]


class Texts:
    """Parses texts, and remembers them. What they hold is shared by the sides of a run: nobody changes it."""

    def __init__(self, path_of: Callable[[str], str] = str) -> None:
        """`path_of` returns the path of a file as it is on all sides."""
        self._path_of = path_of
        self._parsed: dict[tuple[str, bytes, int, bool], Parsed] = {}

    def of(self, path_of: Callable[[str], str]) -> Texts:
        """Return the same texts for another side."""
        texts = Texts(path_of)
        texts._parsed = self._parsed
        return texts

    def parsed(self, content: bytes, file: str, line: int = 0, *, objects: bool = False) -> Parsed:
        """Return what a text holds, before which its file has so many lines; `objects` as kustomize reads these."""
        otherwise = objects and reads_otherwise(content)
        # With the path: objects of two files are two, however alike they are.
        key = self._path_of(file), blake2b(content).digest(), line, otherwise
        if key not in self._parsed:
            text = (ObjectText if otherwise else ManifestText)(content, file, line)
            self._parsed[key] = Parsed(text, tuple(text.documents()))
        parsed, documents = self._parsed[key]
        return Parsed(parsed if parsed.file == file else _Alike(parsed, file), documents)

    def unchecked(self, content: bytes, file: str) -> PartContents:
        """Return what may be manifests of a file, and the problems of the text."""
        text, documents = self.parsed(content, file)
        return manifests_in(text, documents), list(text.problems)


class _Alike(Text):
    """The text of another file that says the same as one that was parsed: places are found in that one."""

    def __init__(self, parsed: Text, file: str) -> None:
        super().__init__("", file)
        self._parsed, self.size = parsed, parsed.size
        self.is_plain = parsed.is_plain
        self.problems = [replace(problem, file=file) for problem in parsed.problems]

    @property
    def refused(self) -> list[Problem]:
        """What is wrong with it to Go's readers, too."""
        return [replace(problem, file=self.file) for problem in self._parsed.refused]

    def place(self, document: int, field: Field, item: Path = ()) -> tuple[int, int]:
        """Return line and column of a field, as of the parsed text."""
        return self._parsed.place(document, field, item)

    def lines(self, first: int, number: int) -> list[str]:
        """Return lines, as of the parsed text."""
        return self._parsed.lines(first, number)
