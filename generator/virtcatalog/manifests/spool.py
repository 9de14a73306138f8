"""The bytes of files of any size, never all in memory: read again at any offset, or a block at a time.

A large regular file is read where it is. Standard input, pipes and small files are copied: into memory while all of
them together are small, then into a temporary file.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import IO, Final

from virtcatalog.limits import SOURCE_FILE_BYTES, STREAM_BYTES
from virtcatalog.manifests.disk import reading
from virtcatalog.manifests.folder import SourceError, TooLargeError
from virtcatalog.manifests.places import Mark, mark_behind
from virtcatalog.manifests.plainjson import CONTROLS, has_unwritable
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


_BLOCK: Final = 2**18
BOM: Final = b"\xef\xbb\xbf"
"""A byte order mark."""


class IndivisibleError(Exception):
    """A text that cannot be split: it has to be read as one."""


class Window:
    """Reads a text from front to back; offsets are in bytes, from the start of the text."""

    def __init__(self, content: Content, controls: bytes = CONTROLS) -> None:
        """`controls` are the control characters that must not be in the text."""
        self.size = content.size
        self._content, self._controls = content, controls
        self._block, self._first, self._behind, self._has_controls = b"", 0, 0, False
        self.start = len(BOM) if self.cut(0, len(BOM)) == BOM else 0
        """Where the text starts: behind a byte order mark."""
        self._offset, self._mark = self.start, Mark(0, 0)

    def cut(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets, as far as the text goes; SourceError for more than a file may have."""
        if start < self._first or end > self._behind:
            self._load(start, end)
        return self._block[start - self._first : end - self._first]

    def view(self, start: int, least: int) -> memoryview:
        """Return the bytes from an offset on, as many as are in memory: at least so many, unless the text ends."""
        self._load(start, start + least)
        return memoryview(self._block)[start - self._first :]

    def search(self, pattern: re.Pattern[bytes], start: int, longest: int) -> tuple[int, bytes] | None:
        """Return where a pattern, which matches at most `longest` bytes, is next, and what it matches."""
        while True:
            self._load(start, start + longest)
            match = pattern.search(self._block, start - self._first)
            if match and (self._behind == self.size or match.start() + longest <= len(self._block)):
                return self._first + match.start(), match[0]
            if self._behind == self.size:
                return None
            # A match that starts in the last bytes may be longer than it is seen to be here.
            start = max(start, self._first + match.start() if match else self._behind - longest + 1)

    def _load(self, start: int, end: int) -> None:
        if start < self._first or (end > self._behind and self._behind < self.size):
            self._block, self._first = self._content.read(start, max(end, start + _BLOCK)), start
            self._behind = start + len(self._block)
            self._has_controls = any(control in self._block for control in self._controls)

    def mark(self, offset: int) -> Mark:
        """Return the place of an offset; offsets must not decrease from call to call.

        IndivisibleError when what is before it is no text as YAML has it: no UTF-8, or a control character.
        """
        text = self.cut(self._offset, offset)
        if (self._has_controls and any(control in text for control in self._controls)) or has_unwritable(text):
            raise IndivisibleError
        try:
            self._mark = self._mark.then(mark_behind(text.decode()))
        except UnicodeDecodeError:
            raise IndivisibleError from None
        self._offset = offset
        return self._mark
