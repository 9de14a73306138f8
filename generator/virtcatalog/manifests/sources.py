"""The one door for reading: files in folders, on disk or held as values, read when they are asked for.

A pull request decides what lies in a folder, so nothing in it is followed out of it: every part of a path is opened
from the folder's own descriptor without following links; a link is resolved here, and its target opened the same way.
Only regular files are read, without waiting for the other end of a FIFO.
"""

from __future__ import annotations

import os
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import (
    SOURCE_BYTES,
    SOURCE_FILE_BYTES,
    SOURCE_FILES,
    SOURCE_FOLDER_LEVELS,
    SOURCE_LINKS,
)
from virtcatalog.manifests.layout import CATALOG, may_hold_manifests
from virtcatalog.manifests.shipped import hint, meant, shipped

LEADS_OUT: Final = "is a symbolic link that leads out of the folder"
NOT_THERE: Final = "there is no such file or folder"
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER: Final = _FILE | os.O_DIRECTORY
_CHUNK: Final = 2**20

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


class Listing(NamedTuple):
    """What is below a folder: the paths of files, and those of what is there and is not read, with the reason."""

    files: tuple[str, ...]
    faults: tuple[tuple[str, str], ...] = ()


class Folder(ABC):
    """Files by their path below a folder, with `/` between its parts. Names that begin with a dot are left out."""

    @property
    @abstractmethod
    def at(self) -> Parts:
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
        return _Changed(self, changes)


def manifest_files(folder: Folder) -> Listing:
    """List what of a folder can hold manifests; faults of other files do not matter."""
    files, faults = folder.listing()
    found = [path for path in files if not path or may_hold_manifests(path)]
    broken = [(path, why) for path, why in faults if not path or may_hold_manifests(path) or _may_be_folder(path)]
    return Listing(tuple(sorted(found, key=lambda path: path.split("/"))), tuple(broken))


def _may_be_folder(path: str) -> bool:
    return "." not in path.rpartition("/")[2]


def is_catalog(path: str) -> bool:
    """Whether a path is the folder of a catalog."""
    return is_file(f"{path}/{CATALOG}")


def is_file(path: str) -> bool:
    """Whether a user's path names a file; false too for what is no path."""
    return os.path.isfile(meant(path))  # noqa: PTH113 - unlike pathlib's, it raises nothing


def size_of(path: str) -> int:
    """Return how many bytes a file has that a user's path names; 0 for whatever else it may name."""
    return os.path.getsize(meant(path)) if is_file(path) else 0  # noqa: PTH202 - of text


def is_folder(path: str) -> bool:
    """Whether a user's path names a folder; false too for what is no path."""
    return os.path.isdir(meant(path))  # noqa: PTH112 - unlike pathlib's, it raises nothing


def exists(path: str) -> bool:
    """Whether a user's path names anything; false too for what is no path."""
    return os.path.exists(meant(path))  # noqa: PTH110 - unlike pathlib's, it raises nothing


def open_shipped(name: str) -> Folder | None:
    """Return the folder of a catalog that comes with the program, None when there is none of that name."""
    folder = shipped().get(name)
    # Its place has two parts, lest it be taken for a folder of that name which a user named.
    if folder is None:
        return None
    root, *at = folder.rsplit(os.sep, 2)
    return _OnDisk(root, tuple(at))


def open_folder(path: str) -> Folder:
    """Return the folder on disk that a user named, whatever links lead to it; raises SourceError."""
    if not is_folder(path):
        raise SourceError("is not a folder" if exists(path) else f"{NOT_THERE}{hint(path)}")
    real = os.path.realpath(meant(path))
    root, name = os.path.split(real)
    return _OnDisk(root, (name,) if name else ())


def held(files: Mapping[str, bytes], name: str = "catalog") -> Folder:
    """Return files that are at hand as a folder of that name; `../other/x.yaml` lies in a folder beside it."""
    return held_at({parts_of(path, (name,)): content for path, content in files.items()}, (name,))


def held_at(files: Mapping[Parts, bytes], at: Parts) -> Folder:
    """Return files that are at hand, by the parts of their paths, as a folder that is somewhere among them."""
    return _Held(files, at)


def alone(content: bytes) -> Folder:
    """Return one file as a folder, in which its path is empty."""
    return _Held({(): content}, ())


def open_source(path: str) -> Folder:
    """Return the folder or, as `alone` does, the file that a user named; raises SourceError."""
    return open_folder(path) if is_folder(path) else alone(read_file(path))


def read_file(path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
    """Return the bytes of a file that a user named, whatever links lead to it, or `-`; raises SourceError."""
    if path == "-":
        return _limited(sys.stdin.buffer.read, most)
    return _content(_opened(path), most, pipe=_is_pipe(path))


def opened(path: str) -> int:
    """Return the descriptor of a regular file that a user named, or of a pipe of this process; raises SourceError."""
    descriptor = _opened(path)
    try:
        with reading():
            _check_kind(descriptor, pipe=_is_pipe(path))
    except SourceError:
        os.close(descriptor)
        raise
    return descriptor


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        raise SourceError(f"{NOT_THERE}{hint(path)}") from None
    except OSError as error:
        raise SourceError(f"{error.strerror or error}{hint(path)}") from error
    except ValueError as error:
        raise SourceError(f"is no path: {error}") from error


def _is_pipe(path: str) -> bool:
    """Whether it may be a pipe of this process, which has its other end: `<(kubectl get vm -o yaml)` in a shell."""
    return path.startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))


def _check_kind(descriptor: int, *, pipe: bool) -> os.stat_result:
    found = os.fstat(descriptor)
    if pipe and stat.S_ISFIFO(found.st_mode):
        os.set_blocking(descriptor, True)
    elif stat.S_ISDIR(found.st_mode):
        raise SourceError("is a folder")
    elif not stat.S_ISREG(found.st_mode):
        raise SourceError("is no regular file")
    return found


def _content(descriptor: int, most: int, *, pipe: bool = False) -> bytes:
    with reading(), ExitStack() as stack:
        stack.callback(os.close, descriptor)
        if _check_kind(descriptor, pipe=pipe).st_size > most:
            raise SourceError(too_large(most))
        return _limited(partial(os.read, descriptor), most)


def _limited(read: Callable[[int], bytes | None], most: int) -> bytes:
    """Read to the end; a file may be longer than it says."""
    chunks: list[bytes] = []
    length = 0
    while chunk := read(_CHUNK):
        chunks.append(chunk)
        length += len(chunk)
        if length > most:
            raise SourceError(too_large(most))
    return b"".join(chunks)


def too_large(most: int) -> str:
    """Say that something is larger than so many bytes."""
    return f"is larger than {most // 2**20} MiB"


@contextmanager
def reading() -> Iterator[None]:
    """Tell what the system says of reading a file as a SourceError."""
    try:
        yield
    except FileNotFoundError:
        raise SourceError(NOT_THERE) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:  # a path with a null byte
        raise SourceError(f"cannot be read: {error}") from error


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


class Budget:
    """How much of one source has been read: files that are read again count again."""

    def __init__(self) -> None:
        self._bytes = SOURCE_BYTES

    def take(self, content: bytes) -> bytes:
        """Count bytes, and return them; raises SourceError."""
        self._bytes -= len(content)
        if self._bytes < 0:
            raise SourceError(f"together with what was read before is more than {SOURCE_BYTES // 2**20} MiB")
        return content


class _OnDisk(Folder):
    """A folder on disk. `root` is opened as it is; from there on no link is followed but by `_open`."""

    def __init__(self, root: str, at: Parts, budget: Budget | None = None) -> None:
        self._root, self._at = root, at
        self._budget = budget or Budget()

    @property
    def at(self) -> Parts:
        return self._at

    def listing(self) -> Listing:
        files: list[str] = []
        faults: list[tuple[str, str]] = []
        left: list[Parts] = [()]
        while left:
            inside = left.pop()
            try:
                names = self._names(inside)
            except TooManyError:
                raise
            except SourceError as error:
                faults.append((shown(inside), error.message.replace("read", "listed")))
                continue
            for name, mode in names:
                path = (*inside, name)
                if not is_text(name):
                    faults.append((shown(path), "has a name that is not UTF-8"))
                elif stat.S_ISLNK(mode):
                    fault = self._fault_of_link(path)
                    if fault:
                        faults.append((shown(path), fault))
                    else:
                        files.append("/".join(path))
                elif not stat.S_ISDIR(mode):
                    files.append("/".join(path))
                elif len(path) > SOURCE_FOLDER_LEVELS:
                    faults.append((shown(path), f"is more than {SOURCE_FOLDER_LEVELS} folders deep"))
                else:
                    left.append(path)
                if len(files) + len(faults) + len(left) > SOURCE_FILES:
                    raise TooManyError
        return Listing(tuple(sorted(files)), tuple(sorted(faults)))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        return self._budget.take(_content(self._open(parts_of(path, self._at), self._at), most))

    def has(self, path: str) -> bool:
        parts = parts_of(path, self._at)
        try:
            folder = self._open(parts[:-1], self._at, _FOLDER)
        except SourceError:
            return False
        try:
            return not stat.S_ISDIR(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)
        except (OSError, ValueError):
            return False
        finally:
            os.close(folder)

    def folder(self, path: str) -> Folder | None:
        try:
            found = self._resolved(parts_of(path, self._at), ())
        except LinkOutError:
            raise
        except SourceError:
            return None
        return _OnDisk(self._root, found, self._budget)

    def _names(self, inside: Parts) -> list[tuple[str, int]]:
        """The names in a folder, with the types of what they stand for."""
        descriptor = self._open((*self._at, *inside), self._at, _FOLDER)
        try:
            with reading(), os.scandir(descriptor) as entries:
                found = []
                for entry in entries:
                    if not entry.name.startswith("."):
                        found.append((entry.name, entry.stat(follow_symlinks=False).st_mode))
                    if len(found) > SOURCE_FILES:
                        raise TooManyError
                return sorted(found)
        finally:
            os.close(descriptor)

    def _fault_of_link(self, path: Parts) -> str:
        """Why a link is not read; "" for one to a file of the folder, or to nothing, which reading it tells."""
        try:
            self._resolved((*self._at, *path), self._at)
        except LinkOutError as error:
            return error.message
        except SourceError:
            return ""
        return "is a symbolic link to a folder"

    def _resolved(self, parts: Parts, scope: Parts) -> Parts:
        """Return the parts of a folder without links among them; SourceError when it is none."""
        resolved: list[str] = []
        os.close(self._open(parts, scope, _FOLDER, resolved))
        return tuple(resolved)

    def _open(self, parts: Parts, scope: Parts, flags: int = _FILE, resolved: list[str] | None = None) -> int:
        """Open a file or folder, part by part from the root; links must stay below `scope`.

        `resolved` is filled with the parts that were opened. A link starts again from the root, with its target in
        its place: what was opened before may be another folder by now, and `..` must not lead out of it.
        """
        with reading():
            for _ in range(SOURCE_LINKS):
                opened = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                for index, part in enumerate(parts):
                    last = index == len(parts) - 1
                    target = None
                    try:
                        following = os.open(part, flags if last else _FOLDER, dir_fd=opened)
                    except OSError as error:
                        target = _link(part, opened)
                        if target is None:
                            raise error
                    finally:
                        os.close(opened)
                    if target is not None:
                        parts = (*self._target(target, parts[:index], scope), *parts[index + 1 :])
                        break
                    opened = following
                else:
                    if resolved is not None:
                        resolved[:] = parts
                    return opened
        raise SourceError(f"leads through more than {SOURCE_LINKS} symbolic links")

    def _target(self, target: str, around: Parts, scope: Parts) -> Parts:
        if target.startswith("/"):
            inside = os.path.join(self._root, *scope, "")  # noqa: PTH118 - a text's start is compared
            if not target.startswith(inside):
                raise LinkOutError
            target, around = target.removeprefix(inside), scope
        found = parts_of(target, around)
        if found[: len(scope)] != scope:
            raise LinkOutError
        return found


def _link(name: str, folder: int) -> str | None:
    """What a link says, None for what is none."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None


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


class _Held(Folder):
    """Files at hand, by the parts of their paths."""

    def __init__(self, files: Mapping[Parts, bytes], at: Parts) -> None:
        self._files, self._at = files, at

    @property
    def at(self) -> Parts:
        return self._at

    def listing(self) -> Listing:
        depth = len(self._at)
        below = (path[depth:] for path in self._files if path[:depth] == self._at)
        return Listing(tuple(sorted("/".join(path) for path in below if not any(map(_is_hidden, path)))))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        content = self._files.get(parts_of(path, self._at))
        if content is None:
            raise SourceError(NOT_THERE)
        if len(content) > most:
            raise SourceError(too_large(most))
        return content

    def has(self, path: str) -> bool:
        return parts_of(path, self._at) in self._files

    def folder(self, path: str) -> Folder | None:
        at = parts_of(path, self._at)
        there = any(each[: len(at)] == at and len(each) > len(at) for each in self._files)
        return _Held(self._files, at) if there else None


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


class _Changed(Folder):
    def __init__(self, folder: Folder, changes: Mapping[str, bytes | None]) -> None:
        self._folder, self._changes = folder, changes

    @property
    def at(self) -> Parts:
        return self._folder.at

    def listing(self) -> Listing:
        files, faults = self._folder.listing()
        kept = {*files, *self._changes} - {path for path, content in self._changes.items() if content is None}
        return Listing(tuple(sorted(kept)), tuple(fault for fault in faults if fault[0] not in self._changes))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        if path not in self._changes:
            return self._folder.read(path, most)
        content = self._changes[path]
        if content is None:
            raise SourceError(NOT_THERE)
        return content

    def has(self, path: str) -> bool:
        return self._changes[path] is not None if path in self._changes else self._folder.has(path)

    def folder(self, path: str) -> Folder | None:
        return self._folder.folder(path)
