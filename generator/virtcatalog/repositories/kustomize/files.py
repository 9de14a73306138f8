"""The files of a kustomization: read once, within what kustomize may read, with the place of everything in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from posixpath import join, normpath
from typing import Final

from virtcatalog.errors import ManifestError
from virtcatalog.limits import KUSTOMIZE_WORK
from virtcatalog.manifests.folder import Folder, LinkOutError, SourceError, parts_of
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.origins import Spot
from virtcatalog.repositories.kustomize.resource import shape_fault
from virtcatalog.repositories.texts import Texts

_HEADER_CHARACTERS: Final = 300
"""The end of a line in which a block of text begins, with a comment perhaps: a line may have 100 kB."""
_BLOCK: Final = re.compile(r"\|(?:[+-]?\d?|\d[+-])\s*(?:#.*)?$")


class Reading:
    """What one run reads: the budget, and the documents of texts."""

    def __init__(
        self,
        work: int = KUSTOMIZE_WORK,
        lines: Callable[[str], list[str]] = lambda _: [],
        texts: Texts | None = None,
        submodules: Collection[str] = (),
    ) -> None:
        """`lines` returns those of a file that is called so, of what stands in no kustomization.

        `submodules` are folders that are called so, and whose files are elsewhere.
        """
        self.budget, self.lines = Budget(work), lines
        self._texts, self._submodules = texts or Texts(), submodules
        self._documents: dict[tuple[str, bytes, int, bool], list[Declared]] = {}

    def is_in_submodule(self, name: str) -> bool:
        """Whether what is called so is in a submodule, or one."""
        return any(name == submodule or name.startswith(f"{submodule}/") for submodule in self._submodules)

    def documents(
        self, content: bytes, name: str, line: int = 0, indent: int = 0, *, objects: bool = False
    ) -> list[Declared]:
        """Return the documents of a text; `objects` says how it is read.

        `line` and `indent` say where it stands in another text. Raises ManifestError.
        """
        self.budget.file()
        key = (name, content, line, objects)
        if key in self._documents:
            for document in self._documents[key]:
                self.budget.copy(document.data)
            return self._documents[key]
        text, parsed = self._texts.parsed(content, name, line, objects=objects)
        documents = [Declared(data, Spot(text, index, (), indent)) for index, data in parsed]
        if text.problems:
            raise ManifestError(*text.problems)
        self._documents[key] = documents
        return documents


class Files:
    """The files of one folder that kustomize builds; `name` is what problems call the folder.

    `reads_beside` says that files beside the folder may be read, too.
    """

    def __init__(self, folder: Folder, name: str, reading: Reading, *, reads_beside: bool = False) -> None:
        self.folder, self.name, self._reading, self._reads_beside = folder, name, reading, reads_beside
        self._own_lines: dict[str, list[str]] = {}

    def called(self, path: str) -> str:
        """Return what problems call a file; the folder's name may be one in a `revision:path`."""
        revision, colon, at = self.name.rpartition(":")
        return f"{revision}{colon}{normpath(join(at, path))}"

    def is_file(self, path: str) -> bool:
        """Whether there is a file that kustomize reads."""
        try:
            return not self._leaves(path) and self.folder.has(path)
        except LinkOutError:
            return False

    def content(self, path: str, declared: Declared) -> bytes:
        """Return the bytes of a file that a field names. Raises ManifestError."""
        self._reading.budget.file()
        if is_elsewhere(path):
            raise declared.unrendered(f"{path} is elsewhere, and nothing is fetched")
        if self._leaves(path):
            raise declared.fault(f"{path} is not in the folder, and kustomize does not read it")
        if self._is_above_all(path):
            raise declared.fault(f"{path} leads out of what may be read")
        try:
            return self.folder.read(path)
        except SourceError as error:
            raise declared.fault(f"{path}: {error.message}") from None

    def _leaves(self, path: str) -> bool:
        """Whether a path leads out of the folder to what is not read."""
        path = normpath(path)
        return path.startswith("/") or (path.startswith("..") and not self._reads_beside)

    def _is_above_all(self, path: str) -> bool:
        try:
            parts_of(path, self.folder.at)
        except LinkOutError:
            return True
        return False

    def documents(self, path: str, declared: Declared, *, objects: bool = False) -> list[Declared]:
        """Return the documents of a file that a field names. Raises ManifestError."""
        return self._reading.documents(self.content(path, declared), self.called(path), objects=objects)

    def objects(self, path: str, declared: Declared) -> list[Declared]:
        """Return the objects of a file that a field names. Raises ManifestError."""
        return objects_of(self.documents(path, declared, objects=True))

    def inline(self, declared: Declared, *, objects: bool = False) -> list[Declared]:
        """Return the documents of a text that stands in a field. Raises ManifestError."""
        source = declared.spot.source
        line, lines = source.line, self._lines(source.file)
        content = declared.data.encode(errors="surrogatepass")
        if 0 < line <= len(lines) and _BLOCK.search(lines[line - 1][-_HEADER_CHARACTERS:]):
            first = next((text for text in lines[line:] if text.strip()), "")
            indent = len(first) - len(first.lstrip(" "))
            return self._reading.documents(content, source.file, line, indent, objects=objects)
        try:
            documents = self._reading.documents(content, source.file, objects=objects)
        except ManifestError as error:
            raise declared.fault(error.problems[0].message) from None
        return [Declared(data, declared.spot._replace(content=spot)) for data, spot in documents]

    def _lines(self, file: str) -> list[str]:
        """The lines of a file of this folder, or of one that is elsewhere if these are known."""
        name = file.rpartition("/")[2]
        if file != self.called(name):
            return self._reading.lines(file)
        if name not in self._own_lines:
            try:
                self._own_lines[name] = self.folder.read(name).decode(errors="replace").splitlines()
            except SourceError:
                self._own_lines[name] = []
        return self._own_lines[name]


def objects_of(documents: list[Declared]) -> list[Declared]:
    """Return the objects of documents, with those of lists behind the others.

    Source: RNodesFromBytes in api/resource/factory.go. Raises ManifestError.
    """
    objects: list[Declared] = []
    queue = list(documents)
    for document in queue:
        data = document.data
        if data in ({}, []):
            continue
        if not isinstance(data, dict):
            raise document.fault("holds something that is no object")
        if fault := shape_fault(data):
            raise document.fault(fault)
        if str(data.get("kind") or "").endswith("List") and "items" in data:
            if not isinstance(data["items"], list | None):
                raise document.fault("must be a list", "items")
            queue += document.items("items")
        else:
            objects.append(document)
    return objects


def is_elsewhere(path: str) -> bool:
    """Whether a path is a URL or a repository of somebody else's. Source: api/internal/git/repospec.go."""
    return "://" in path or "?ref=" in path or path.startswith(("git@", "git::", "gh:", "github.com/", "github.com:"))
