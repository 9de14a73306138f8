"""The bytes of files of any size, read again at any offset and never all in memory.

A large regular file is read where it is. Standard input, pipes and small files are copied: into memory while all of
them together are small, then into a temporary file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import IO, Final

from virtcatalog.limits import SOURCE_FILE_BYTES, STREAM_BYTES
from virtcatalog.manifests.disk import reading
from virtcatalog.manifests.folder import SourceError, TooLargeError
from virtcatalog.manifests.sources import opened, standard_input

_SMALL: Final = 8 * 2**20
_CHUNK: Final = 2**20


class Content:
    """The bytes of one file; other processes read it at the same time."""

    def __init__(self, read: Callable[[int, int], bytes], size: int, first: int = 0) -> None:
        """`read` returns the bytes between two offsets of what holds them, where this content starts at `first`."""
        self.size = size
        self._read, self._first = read, first

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets; SourceError for too many at once, and when they are there no more."""
        end = min(end, self.size)
        if end - start > SOURCE_FILE_BYTES:
            raise TooLargeError(SOURCE_FILE_BYTES)
        return self._read(self._first + start, self._first + end)


class Spool:
    """Copies of what cannot be read again; one spool serves many files."""

    def __init__(self) -> None:
        self._size = 0
        self._memory = bytearray()
        self._file: IO[bytes] | None = None

    def open(self, path: str) -> Content:
        """Return the content of a file that a user named, or of `-`; raises SourceError."""
        if path == "-":
            return self._copy(standard_input().read)
        descriptor = opened(path)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size > _SMALL:
            if status.st_size > STREAM_BYTES:
                raise TooLargeError(STREAM_BYTES)
            return Content(partial(_read_at, descriptor), status.st_size)
        try:
            return self._copy(partial(os.read, descriptor))
        finally:
            os.close(descriptor)

    def copy(self, content: bytes) -> Content:
        """Return the content of a file that has been read."""
        return self._copy(BytesIO(content).read)

    def _copy(self, read: Callable[[int], bytes]) -> Content:
        first = self._size
        with reading():
            while chunk := read(_CHUNK):
                self._add(chunk)
                if self._size - first > STREAM_BYTES:
                    raise TooLargeError(STREAM_BYTES)
        return Content(self._read, self._size - first, first)

    def _add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._memory += chunk
        if self._size > _SMALL:
            from tempfile import TemporaryFile  # it takes long to load, and most files are small or read again

            self._file = self._file or TemporaryFile(buffering=0)  # noqa: SIM115 - it stays as long as this does
            self._file.write(self._memory)
            self._memory.clear()

    def _read(self, start: int, end: int) -> bytes:
        return bytes(self._memory[start:end]) if self._file is None else _read_at(self._file.fileno(), start, end)


def _read_at(descriptor: int, start: int, end: int) -> bytes:
    with reading():
        content = os.pread(descriptor, end - start, start)
        while len(content) < end - start:
            chunk = os.pread(descriptor, end - start - len(content), start + len(content))
            if not chunk:
                raise SourceError("has been changed while it was read")
            content += chunk
    return content
