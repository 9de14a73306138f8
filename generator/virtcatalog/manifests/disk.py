"""Folders on disk: nothing in them is followed out of them.

A pull request decides what lies in a folder, so every part of a path is opened from the folder's own descriptor without
following links; a link is resolved here, and its target opened the same way. Only regular files are read, without
waiting for the other end of a FIFO.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final

from virtcatalog.limits import SOURCE_BYTES, SOURCE_FILE_BYTES, SOURCE_FILES, SOURCE_FOLDER_LEVELS, SOURCE_LINKS
from virtcatalog.manifests.folder import (
    LEADS_TO_FOLDER,
    NO_PATH,
    NOT_THERE,
    SUBMODULE,
    Folder,
    LinkOutError,
    Listing,
    Parts,
    SourceError,
    TooLargeError,
    TooManyError,
    is_text,
    parts_of,
    shown,
)

_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER: Final = _FILE | os.O_DIRECTORY
_CHUNK: Final = 2**20


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


def on_disk(root: str, at: Parts, *, is_checkout: bool = False) -> Folder:
    """Return the folder that is at the end of a path from a root, which is opened as it is.

    Of a checkout's root no repository of its own is read below it: a revision has no files of that.
    """
    return _OnDisk(root, at, is_checkout=is_checkout)


class _OnDisk(Folder):
    """A folder on disk. `root` is opened as it is; from there on no link is followed but by `_open`."""

    def __init__(self, root: str, at: Parts, budget: Budget | None = None, *, is_checkout: bool = False) -> None:
        self._root, self.at, self._is_checkout = root, at, is_checkout
        self._budget = budget or Budget()

    def listing(self) -> Listing:
        files: list[str] = []
        faults: list[tuple[str, str]] = []
        left: list[Parts] = [()]
        while left:
            inside = left.pop()
            try:
                if inside and self._is_submodule((*self.at, *inside)):
                    raise SourceError(SUBMODULE)
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
        return self._budget.take(content_of(self._open(parts_of(path, self.at), self.at), most))

    def has(self, path: str) -> bool:
        parts = parts_of(path, self.at)
        try:
            folder = self._open(parts[:-1], self.at, _FOLDER)
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
            resolved = self._resolved(parts_of(path, self.at), ())
        except LinkOutError:
            raise
        except SourceError:
            return None
        if any(self._is_submodule(resolved[:end]) for end in range(1, len(resolved) + 1)):
            return None
        return _OnDisk(self._root, resolved, self._budget, is_checkout=self._is_checkout)

    def _is_submodule(self, at: Parts) -> bool:
        """Whether a folder below a checkout's root is a repository of its own."""
        if not (self._is_checkout and at):
            return False
        descriptor = self._open(at, (), _FOLDER)
        try:
            os.stat(".git", dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return False
        finally:
            os.close(descriptor)
        return True

    def _names(self, inside: Parts) -> list[tuple[str, int]]:
        """The names in a folder, with the types of what they stand for."""
        descriptor = self._open((*self.at, *inside), self.at, _FOLDER)
        try:
            with reading(), os.scandir(descriptor) as entries:
                names = []
                for entry in entries:
                    if not entry.name.startswith("."):
                        names.append((entry.name, entry.stat(follow_symlinks=False).st_mode))
                    if len(names) > SOURCE_FILES:
                        raise TooManyError
                return sorted(names)
        finally:
            os.close(descriptor)

    def _fault_of_link(self, path: Parts) -> str:
        """Why a link is not read; "" for one to a file of the folder, or to nothing, which reading it tells."""
        try:
            self._resolved((*self.at, *path), self.at)
        except LinkOutError as error:
            return error.message
        except SourceError:
            return ""
        return LEADS_TO_FOLDER

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
        parts = parts_of(target, around)
        if parts[: len(scope)] != scope:
            raise LinkOutError
        return parts


def _link(name: str, folder: int) -> str | None:
    """What a link says, None for what is none."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None


def check_kind(descriptor: int, *, pipe: bool) -> os.stat_result:
    """Return what is known of a regular file, or of a FIFO if that is a `pipe`; raises SourceError for another kind."""
    status = os.fstat(descriptor)
    if pipe and stat.S_ISFIFO(status.st_mode):
        os.set_blocking(descriptor, True)
    elif stat.S_ISDIR(status.st_mode):
        raise SourceError("is a folder")
    elif not stat.S_ISREG(status.st_mode):
        raise SourceError("is no regular file")
    return status


def content_of(descriptor: int, most: int, *, pipe: bool = False) -> bytes:
    """Return the bytes of a regular file, `most` at most, or of a pipe, and close it; raises SourceError."""
    with reading(), ExitStack() as stack:
        stack.callback(os.close, descriptor)
        if check_kind(descriptor, pipe=pipe).st_size > most:
            raise TooLargeError(most)
        return limited(partial(os.read, descriptor), most)


def limited(read: Callable[[int], bytes | None], most: int) -> bytes:
    """Read to the end; a file may be longer than it says."""
    chunks: list[bytes] = []
    length = 0
    while chunk := read(_CHUNK):
        chunks.append(chunk)
        length += len(chunk)
        if length > most:
            raise TooLargeError(most)
    return b"".join(chunks)


@contextmanager
def reading() -> Iterator[None]:
    """Tell what the system says of reading a file as a SourceError."""
    try:
        yield
    except FileNotFoundError:
        raise SourceError(NOT_THERE) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:  # a null character, or half of one
        raise SourceError(NO_PATH) from error
