"""A text of any size, of which one block is in memory at a time."""

from __future__ import annotations

import re
from typing import Final

from virtcatalog.manifests.document import CONTROLS, has_unwritable
from virtcatalog.manifests.outline import Mark, mark_behind
from virtcatalog.manifests.spool import Content

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
