"""Files that are gone through twice and never held as a whole: pipes and small files are put aside as they are read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import IO, Final

from virtcatalog.limits import SOURCE_FILE_BYTES, STREAM_BYTES
from virtcatalog.manifests.disk import reading
from virtcatalog.manifests.folder import SourceError, too_large
from virtcatalog.manifests.sources import opened, standard_input

_SMALL: Final = 8 * 2**20
_AHEAD: Final = 2**16
"""So much is read again at once: pieces are wanted in their order."""


class Aside:
    """Bytes that are put aside: in memory while they are few, then in a temporary file."""

    def __init__(self) -> None:
        self.size = 0
        self._held = bytearray()
        self._file: IO[bytes] | None = None

    def add(self, chunk: bytes) -> None:
        """Put bytes behind the others."""
        self.size += len(chunk)
        self._held += chunk
        if self.size > _SMALL:
            from tempfile import TemporaryFile  # it takes long to load, and most files are small or read again

            self._file = self._file or TemporaryFile(buffering=0)  # noqa: SIM115 - it stays as long as this does
            self._file.write(self._held)
            self._held.clear()

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets."""
        return bytes(self._held[start:end]) if self._file is None else _read_at(self._file.fileno(), start, end)


class Stored:
    """The bytes of a file: `next` reads on, and `read` returns what was read once."""

    def __init__(self, read: Callable[[int], bytes | None], aside: Aside, descriptor: int = -1) -> None:
        """`read` returns the next bytes, which are put aside unless they can be read again by a descriptor."""
        self._next, self._aside, self._descriptor = read, aside, descriptor
        self._first = self._size = 0
        self._ahead, self._ahead_at = b"", 0

    def next(self, size: int) -> bytes:
        """Return the next bytes, none at the end; raises SourceError."""
        with reading():
            chunk = self._next(size) or b""
        if not self._size:
            self._first = self._aside.size
        self._size += len(chunk)
        if self._size > STREAM_BYTES:
            raise SourceError(too_large(STREAM_BYTES))
        if self._descriptor < 0:
            self._aside.add(chunk)
        return chunk

    @property
    def length(self) -> int | None:
        """How many bytes the file has; None where that is not known, or it cannot be read from any offset on."""
        return os.fstat(self._descriptor).st_size if self._descriptor >= 0 else None

    def reader(self, start: int) -> Callable[[int], bytes]:
        """Return what reads a file on from an offset, whoever else reads it meanwhile."""
        at = start

        def read(size: int) -> bytes:
            nonlocal at
            with reading():
                chunk = os.pread(self._descriptor, size, at)
            at += len(chunk)
            return chunk

        return read

    def seek(self, offset: int) -> None:
        """Let `next` read on from an offset: what lies before it was read elsewhere."""
        self._size = os.lseek(self._descriptor, offset, os.SEEK_SET)

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets; raises SourceError when they are there no more."""
        if self._descriptor < 0:
            return self._aside.read(self._first + start, self._first + end)
        if start < self._ahead_at or end > self._ahead_at + len(self._ahead):
            self._ahead = _read_at(self._descriptor, start, max(end, min(start + _AHEAD, self._size)))
            self._ahead_at = start
        return self._ahead[start - self._ahead_at : end - self._ahead_at]

    def end(self, start: int) -> int:
        """Return where it ends; raises SourceError when what starts there is larger than a file may be that is held."""
        while self.next(2**20):
            pass
        if self._size - start > SOURCE_FILE_BYTES:
            raise SourceError(too_large(SOURCE_FILE_BYTES))
        return self._size


def store(path: str, aside: Aside) -> Stored:
    """Open a file that a user named, or `-`; raises SourceError."""
    if path == "-":
        return Stored(standard_input().read, aside)
    descriptor = opened(path)
    found = os.fstat(descriptor)
    if found.st_size > STREAM_BYTES:
        raise SourceError(too_large(STREAM_BYTES))
    large = stat.S_ISREG(found.st_mode) and found.st_size > _SMALL
    return Stored(partial(os.read, descriptor), aside, descriptor if large else -1)


def stored(content: bytes, aside: Aside) -> Stored:
    """Put the bytes of a file aside."""
    return Stored(BytesIO(content).read, aside)


def _read_at(descriptor: int, start: int, end: int) -> bytes:
    found = b""
    while len(found) < end - start:
        chunk = os.pread(descriptor, end - start - len(found), start + len(found))
        if not chunk:
            raise SourceError("has been changed while it was read")
        found += chunk
    return found
