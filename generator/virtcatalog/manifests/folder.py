"""Folders: files read by their paths, from disk, a commit, an archive or memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import SOURCE_FILE_BYTES, SOURCE_FILES
from virtcatalog.manifests.layout import may_hold_manifests

LEADS_OUT: Final = "is a symbolic link that leads out of the folder"
LEADS_TO_FOLDER: Final = "is a symbolic link to a folder"
SUBMODULE: Final = "is a submodule, a repository of its own"
NOT_THERE: Final = "there is no such file or folder"
NO_PATH: Final = "is no path: it has a character that no path has"

Parts = tuple[str, ...]


class SourceError(VirtcatalogError):
    """A file or folder that cannot be read; `path` says which, "" the one that was asked for."""

    def __init__(self, message: str, path: str = "") -> None:
        self.message, self.path = message, path
        super().__init__(f"{path}: {message}" if path else message)


class LinkOutError(SourceError):
    """A symbolic link leads out of the folder that it is in."""

    def __init__(self, path: str = "") -> None:
        super().__init__(LEADS_OUT, path)


class TooManyError(SourceError):
    """There are more files than are read."""

    def __init__(self) -> None:
        super().__init__(f"holds more than {SOURCE_FILES} files")


class TooLargeError(SourceError):
    """A file is larger than what is read of one."""

    def __init__(self, most: int, path: str = "") -> None:
        super().__init__(f"is larger than {most // 2**20} MiB", path)


class Listing(NamedTuple):
    """What is below a folder: the paths of files, and those of what is there and is not read, with the reason."""

    files: tuple[str, ...]
    faults: tuple[tuple[str, str], ...] = ()


class Folder(ABC):
    """Files by their path below a folder, with `/` between its parts. Names that begin with a dot are left out."""

    at: Parts
    """Where it is, from the root that nothing leads out of."""

    @abstractmethod
    def listing(self) -> Listing:
        """List it, sorted."""

    @abstractmethod
    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        """Return a file's bytes, `most` at most; raises SourceError."""

    @abstractmethod
    def has(self, path: str) -> bool:
        """Whether there is something of that path other than a folder."""

    @abstractmethod
    def folder(self, path: str) -> Folder | None:
        """Return the folder of a path, which may be beside this one; None when there is none; raises LinkOutError."""

    def changed(self, changes: Mapping[str, bytes | None]) -> Folder:
        """Return it with the bytes of some files replaced, or the files left out."""
        return _Changed(self, {parts_of(path, self.at): content for path, content in changes.items()})


def manifest_files(folder: Folder) -> Listing:
    """List what of a folder can hold manifests; faults of other files do not matter."""
    files, faults = folder.listing()
    paths = [path for path in files if not path or may_hold_manifests(path)]
    broken = [
        (path, why)
        for path, why in faults
        if not path or may_hold_manifests(path) or why == SUBMODULE or (_may_be_folder(path) and why != NOT_THERE)
    ]
    return Listing(tuple(sorted(paths, key=lambda path: path.split("/"))), tuple(broken))


def _may_be_folder(path: str) -> bool:
    return "." not in path.rpartition("/")[2]


def parts_of(path: str, at: Parts = ()) -> Parts:
    """Return the parts of a path that starts at a folder; LinkOutError when it leaves the root."""
    parts = list(at)
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise LinkOutError
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def is_text(name: str) -> bool:
    """Whether a file's name is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(path: Iterable[str]) -> str:
    """Return the parts of a path as text, whatever bytes they are."""
    return "/".join(path).encode(errors="surrogateescape").decode(errors="backslashreplace")


def held(files: Mapping[str, bytes], name: str = "catalog") -> Folder:
    """Return files that are at hand as a folder of that name; `../other/x.yaml` lies in a folder beside it."""
    return held_at({parts_of(path, (name,)): content for path, content in files.items()}, (name,))


def held_at(files: Mapping[Parts, bytes], at: Parts) -> Folder:
    """Return files that are at hand, by the parts of their paths, as a folder that is somewhere among them."""
    return _Held(files, at)


def alone(content: bytes) -> Folder:
    """Return one file as a folder, in which its path is empty."""
    return _Held({(): content}, ())


class _Held(Folder):
    """Files at hand, by the parts of their paths."""

    def __init__(self, files: Mapping[Parts, bytes], at: Parts) -> None:
        self._files, self.at = files, at

    def listing(self) -> Listing:
        depth = len(self.at)
        below = (path[depth:] for path in self._files if path[:depth] == self.at)
        return Listing(tuple(sorted("/".join(path) for path in below if not any(map(_is_hidden, path)))))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        content = self._files.get(parts_of(path, self.at))
        if content is None:
            raise SourceError(NOT_THERE)
        if len(content) > most:
            raise TooLargeError(most)
        return content

    def has(self, path: str) -> bool:
        return parts_of(path, self.at) in self._files

    def folder(self, path: str) -> Folder | None:
        at = parts_of(path, self.at)
        there = any(file[: len(at)] == at and len(file) > len(at) for file in self._files)
        return _Held(self._files, at) if there else None


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


class _Changed(Folder):
    """`changes` are by the whole paths of files, as `at` has them: folders within it are changed, too."""

    def __init__(self, folder: Folder, changes: Mapping[Parts, bytes | None]) -> None:
        self._folder, self._changes, self.at = folder, changes, folder.at

    def listing(self) -> Listing:
        files, faults = self._folder.listing()
        depth = len(self.at)
        own = {"/".join(path[depth:]): content for path, content in self._changes.items() if path[:depth] == self.at}
        remaining = {*files, *own} - {path for path, content in own.items() if content is None}
        return Listing(tuple(sorted(remaining)), tuple(fault for fault in faults if fault[0] not in own))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        parts = parts_of(path, self.at)
        if parts not in self._changes:
            return self._folder.read(path, most)
        content = self._changes[parts]
        if content is None:
            raise SourceError(NOT_THERE)
        return content

    def has(self, path: str) -> bool:
        parts = parts_of(path, self.at)
        return self._changes[parts] is not None if parts in self._changes else self._folder.has(path)

    def folder(self, path: str) -> Folder | None:
        folder = self._folder.folder(path)
        return _Changed(folder, self._changes) if folder is not None else None


class Recorded(Folder):
    """A folder that remembers what is read of it and of folders beside it, by the whole paths of files."""

    def __init__(self, folder: Folder, contents: dict[Parts, bytes] | None = None) -> None:
        self._folder, self.at = folder, folder.at
        self.contents: dict[Parts, bytes] = {} if contents is None else contents

    def listing(self) -> Listing:
        """List it."""
        return self._folder.listing()

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        """Return a file's bytes, and remember them."""
        content = self.contents[parts_of(path, self.at)] = self._folder.read(path, most)
        return content

    def has(self, path: str) -> bool:
        """Whether there is something of that path other than a folder."""
        return self._folder.has(path)

    def folder(self, path: str) -> Folder | None:
        """Return the folder of a path, of which the same is remembered."""
        folder = self._folder.folder(path)
        return None if folder is None else Recorded(folder, self.contents)
