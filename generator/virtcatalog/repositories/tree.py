"""A repository's files: what is where, and which of them kustomize's files name. A file is read and parsed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from virtcatalog.errors import Problem
from virtcatalog.limits import REPOSITORY_FILE_BYTES, REPOSITORY_KUSTOMIZE_WORK
from virtcatalog.manifests.folder import SUBMODULE, Folder, LinkOutError, SourceError, manifest_files, parts_of
from virtcatalog.manifests.layout import KUSTOMIZATIONS
from virtcatalog.manifests.places import ENDS
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.charts import CHART
from virtcatalog.repositories.documents import Documents, read_file
from virtcatalog.repositories.globs import Globs
from virtcatalog.repositories.kustomize.files import Reading
from virtcatalog.repositories.texts import Texts

_OURS: Final = "kubevirt.io"
_INCLUDES: Final = ("resources", "bases", "components")


class Kustomization(NamedTuple):
    """A kustomization as far as it names others: the folders that it builds upon, and the files that it reads."""

    file: str
    is_component: bool
    folders: frozenset[str]
    files: frozenset[str]


class Tree:
    """The files of a repository, by their paths, of which messages call the root `label`."""

    def __init__(self, folder: Folder, label: str, texts: Texts | None = None) -> None:
        self.root, self.label, self.texts = folder, label, (texts or Texts()).of(self.path_of)
        self._documents: dict[str, Documents] = {}
        self._lines: dict[str, list[str]] = {}
        self.files, faults = manifest_files(folder)
        self.globs = Globs()
        submodules = [self.label_of(path) for path, why in faults if why == SUBMODULE]
        self.reading = Reading(
            REPOSITORY_KUSTOMIZE_WORK, lambda file: self.lines(self.path_of(file)), self.texts, submodules
        )
        self.problems = tuple(Problem(file=self.label_of(path), message=message) for path, message in faults)

    def label_of(self, path: str) -> str:
        """Return what messages call a file: the tree is called by a path, or `revision:path`."""
        revision, colon, at = self.label.rpartition(":")
        return f"{revision}{colon}{PurePosixPath(at, path)}"

    @property
    def is_file(self) -> bool:
        """Whether it is one file, not a folder."""
        return self.files == ("",)

    def path_of(self, file: str) -> str:
        """Return the path of a file that messages name."""
        revision, colon, at = self.label.rpartition(":")
        path = file.removeprefix(f"{revision}{colon}")
        return path.removeprefix(f"{PurePosixPath(at)}/")

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none of one that cannot be read."""
        if path not in self._lines:
            try:
                self._lines[path] = ENDS.split(
                    self.root.read(path, REPOSITORY_FILE_BYTES).decode().removeprefix("\ufeff")
                )
            except (SourceError, UnicodeDecodeError):
                self._lines[path] = []
        return self._lines[path]

    def holds_ours(self, files: Iterable[str]) -> bool:
        """Whether anything of KubeVirt's stands in one of some files."""
        return any(_OURS in line for file in files for line in self.lines(file))

    def documents(self, path: str) -> Documents:
        """Return what a file holds."""
        if path not in self._documents:
            self._documents[path] = read_file(self.root, path, self.label_of(path), self.texts)
        return self._documents[path]

    def folder(self, at: str) -> Folder:
        """Return a folder that is there."""
        folder = self.root.folder(at) if at else self.root
        assert folder is not None
        return folder

    def documents_of(self, path: str) -> tuple[list[Manifest], list[Problem]]:
        """Return a file's documents, whatever they are, and what is wrong with its text. Raises SourceError."""
        return self.texts.unchecked(self.root.read(path, REPOSITORY_FILE_BYTES), self.label_of(path))

    def refused(self, path: str) -> list[Problem]:
        """Return what of a file Go's readers do not take, either. Raises SourceError."""
        return self.texts.parsed(self.root.read(path, REPOSITORY_FILE_BYTES), self.label_of(path)).text.refused

    def first(self, path: str) -> Manifest | None:
        """Return a file's first document, None where it has none or cannot be read."""
        try:
            manifests, _ = self.documents_of(path)
        except SourceError:
            return None
        return manifests[0] if manifests else None

    def is_empty(self, path: str) -> bool:
        """Whether a file can be read, and holds no document."""
        try:
            return self.documents_of(path) == ([], [])
        except SourceError:
            return False

    @cached_property
    def every_folder(self) -> tuple[str, ...]:
        """All folders that have a file in them or below it, but the root."""
        return tuple(sorted({at for path in self.root.listing().files for at in parents(path)} - {""}))

    @cached_property
    def folders(self) -> Mapping[str, tuple[str, ...]]:
        """The files that may hold manifests in each folder that has any in it or below it; the root is ""."""
        folders: dict[str, list[str]] = defaultdict(list)
        for path in self.files:
            at = path.rpartition("/")[0]
            folders[at].append(path)
            while at:
                at = at.rpartition("/")[0]
                folders[at] += ()
        return {at: tuple(files) for at, files in folders.items()}

    def below(self, at: str) -> Iterator[str]:
        """Yield the files in a folder and below it."""
        start = f"{at}/" if at else ""
        yield from (path for path in self.files if path.startswith(start))

    def is_folder(self, at: str) -> bool:
        """Whether there is a folder that has manifests, a kustomization or Jsonnet in it or below it."""
        return at in self.folders or at in self._above_others

    def has(self, path: str | None) -> bool:
        """Whether there is a folder or a file of that path."""
        return path is not None and (path == "" or path in self.every_folder or self.root.has(path))

    @cached_property
    def charts(self) -> frozenset[str]:
        """The folders that are Helm charts."""
        return frozenset(path.rpartition("/")[0] for path in self.files if path.rpartition("/")[2] == CHART)

    def in_chart(self, path: str) -> bool:
        """Whether a file is of a Helm chart."""
        return bool(self.charts) and any(at in self.charts for at in parents(path))

    @cached_property
    def kustomizations(self) -> Mapping[str, Kustomization]:
        """The folders that kustomize builds, with what each of them names; what cannot be read names nothing."""
        listed = self.root.listing().files
        paths = {path for path in listed if path.rpartition("/")[2] in KUSTOMIZATIONS}
        first: dict[str, str] = {}
        for name in reversed(KUSTOMIZATIONS):
            first |= {path.rpartition("/")[0]: path for path in paths if path.rpartition("/")[2] == name}
        return {at: self._kustomization(at, path, frozenset(listed)) for at, path in sorted(first.items())}

    def digest(self, path: str) -> bytes:
        """Return a digest of a file, and of all that it names if it is a kustomization's."""
        digest = blake2b(digest_size=16)
        for file in sorted({path, *self._kustomization_files(path.rpartition("/")[0], path)}):
            with suppress(SourceError):
                digest.update(self.root.read(file, REPOSITORY_FILE_BYTES))
        return digest.digest()

    def _kustomization_files(self, at: str, path: str) -> Iterator[str]:
        """Yield all files that a kustomization builds upon."""
        first = self.kustomizations.get(at)
        for folder in self.built_of([at]) if first is not None and first.file == path else ():
            yield from (self.kustomizations[folder].file, *self.kustomizations[folder].files)

    def built_of(self, folders: Iterable[str]) -> set[str]:
        """Return which of some folders are kustomizations, and those that these build upon."""
        pending, built = [*folders], set[str]()
        while pending:
            at = pending.pop()
            if at in self.kustomizations and at not in built:
                built.add(at)
                pending += self.kustomizations[at].folders
        return built

    @cached_property
    def _above_others(self) -> frozenset[str]:
        jsonnet = {path.rpartition("/")[0] for path in self.root.listing().files if path.endswith(".jsonnet")}
        return frozenset(above for at in {*self.kustomizations, *jsonnet} for above in (at, *parents(at)))

    def _kustomization(self, at: str, path: str, listed: frozenset[str]) -> Kustomization:
        first = self.first(path)
        data = first.data if first is not None and isinstance(first.data, dict) else {}
        included = (entry for key in _INCLUDES for entry in texts_in(data.get(key)))
        folders = (joined(at, entry) for entry in included)
        files = (joined(at, part) for text in texts_in(data) for part in (text, text.partition("=")[2]))
        return Kustomization(
            path,
            is_component=data.get("kind") == "Component",
            folders=frozenset(folder for folder in folders if folder is not None and folder not in listed),
            files=frozenset(file for file in files if file in listed),
        )


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in data, in no order."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            pending += value.values() if isinstance(value, dict) else value


def joined(at: str, path: str) -> str | None:
    """Return the path that another one is from a folder; None when it leads out of the repository."""
    if "\n" in path or "\0" in path:
        return None
    try:
        return "/".join(parts_of(path, tuple(filter(None, at.split("/")))))
    except LinkOutError:
        return None


def parents(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, the nearest first and the root, "", last."""
    while path:
        path = path.rpartition("/")[0]
        yield path
