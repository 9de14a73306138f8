"""A text that is read from front to back, of which only the part that is looked at is held."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Final

from virtcatalog.limits import SOURCE_FILE_BYTES
from virtcatalog.manifests.document import CONTROLS, find_unwritable, has_unwritable
from virtcatalog.manifests.outline import mark_behind
from virtcatalog.manifests.pieces import Place

_CHUNK: Final = 2**18
KEPT: Final = 128
"""How many bytes before the last place are still there."""
_LONGEST: Final = 3
"""How many bytes of a character may be in one chunk, and its last one in the next."""
_BOM: Final = b"\xef\xbb\xbf"
_OTHER_ENDS: Final = tuple(map(str.encode, "\x85\u2028\u2029"))


class OtherStyleError(Exception):
    """A text that cannot be taken apart: it has to be read as a whole."""


class Window:
    """The part of a text between what is done with and what is not read yet; offsets are those of the whole text.

    `read` returns the next bytes, at most so many, none at the end. OtherStyleError for a character that YAML may not
    hold, once what stands there is wanted, and for a part that is larger than a file may be. One that is opened at an
    offset counts places from there.
    """

    def __init__(self, read: Callable[[int], bytes], base: int = 0) -> None:
        self._read = read
        self._base = base
        self._held = b""
        self._ended = self._spoilt = False
        self._decoder = getincrementaldecoder("utf-8")()
        self._last = b""
        self._line = self._column = 0
        self.controls = CONTROLS
        """The characters of ASCII that are looked for, as they may not be in it; a reader may refuse some itself."""
        self.other_ends = False
        """Whether YAML would see ends of lines that are no line feeds in what was read so far."""
        self.start = self._counted = len(_BOM) if not base and self.cut(0, len(_BOM)) == _BOM else base
        """Where the text starts, behind a byte order mark, or goes on."""

    def more(self) -> bool:
        """Read on; whether there was something."""
        if self._spoilt:
            raise OtherStyleError
        if self._ended:
            return False
        chunk = self._read(_CHUNK)
        if not self._is_sound(chunk):
            self._spoilt = True
            self._held = self._sound(self._held + chunk, len(self._held), final=not chunk)
            return True
        self._ended = not chunk
        self._held += chunk
        if len(self._held) > SOURCE_FILE_BYTES:
            raise OtherStyleError
        return not self._ended

    def cut(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets, as far as they are there, and sound."""
        while self._base + len(self._held) < end and not self._ends_behind(start) and self.more():
            pass
        return self._held[start - self._base : end - self._base]

    def _ends_behind(self, offset: int) -> bool:
        """Whether what is sound ends behind an offset, and all of it is there."""
        return self._spoilt and offset < self._base + len(self._held)

    def find(self, what: bytes, start: int, end: int) -> int:
        """Return where some bytes stand next between two offsets; -1 when they do not, as far as the text is sound."""
        first = start
        while True:
            found = self._held.find(what, start - self._base, end - self._base)
            if found >= 0:
                return self._base + found
            start = max(start, self._base + len(self._held) - len(what) + 1)
            if start >= end or self._ends_behind(first) or not self.more():
                return -1

    def search(self, pattern: re.Pattern[bytes], start: int, longest: int) -> tuple[int, bytes] | None:
        """Return where a pattern, which takes at most `longest` bytes, stands next, and what it takes."""
        while True:
            found = pattern.search(self._held, start - self._base)
            if found and (self._ended or found.start() + longest <= len(self._held)):
                return self._base + found.start(), found[0]
            start = max(start, self._base + (found.start() if found else max(0, len(self._held) - longest)))
            if not self.more() and not found:
                return None

    def end(self) -> int:
        """Return where the text ends."""
        while self.more():
            pass
        return self._base + len(self._held)

    def place(self, offset: int) -> Place:
        """Return how many lines are before an offset, and how many characters in its line.

        Offsets only grow: what lies more than some lines before one is forgotten.
        """
        held, first, last = self._held, self._counted - self._base, offset - self._base
        self._counted = offset
        if self.other_ends:
            lines, rest = mark_behind(held[first:last].decode())
        else:
            lines = held.count(b"\n", first, last)
            rest = len(held[max(first, held.rfind(b"\n", first, last) + 1) : last].decode())
        self._column = rest if lines else self._column + rest
        self._line += lines
        if offset - self._base > max(KEPT, _CHUNK // 2):
            self._held = self._held[offset - KEPT - self._base :]
            self._base = offset - KEPT
        return self._line, self._column

    def skip(self, offset: int, place: Place, seek: Callable[[int], None]) -> None:
        """Go on at an offset whose place is known, as what lies before it was read elsewhere.

        `seek` lets what reads on do so at an offset.
        """
        if offset > self._base + len(self._held):
            seek(offset)
            self._last = b""
            self._decoder.reset()
        self._held = self._held[offset - self._base :]
        self.start = self._counted = self._base = offset
        self._line, self._column = place

    def _is_sound(self, chunk: bytes) -> bool:
        if any(control in chunk for control in self.controls):
            return False
        self.other_ends = self.other_ends or b"\r" in chunk
        if chunk.isascii() and not self._decoder.getstate()[0]:
            self._last = b""
            return True
        try:
            self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            return False
        characters = self._last + chunk
        self._last = characters[-2:]  # a character may go on in the next chunk
        may_end = any(each in characters for each in b"\xc2\xe2")  # many times as fast as to look for all of it
        self.other_ends = self.other_ends or (may_end and any(other_end in characters for other_end in _OTHER_ENDS))
        return not has_unwritable(characters)

    def _sound(self, text: bytes, read: int, *, final: bool) -> bytes:
        """Return a text, of which some was read before, up to the first character that may not be in it."""
        first = max(0, read - _LONGEST)
        while first < read and text[first] & 0xC0 == 0x80:  # within a character
            first += 1
        ends = [len(text), *(found for control in self.controls if (found := text.find(control, first)) >= 0)]
        if (found := find_unwritable(text, first)) >= 0:
            ends.append(found)
        try:
            getincrementaldecoder("utf-8")().decode(text[first:], final=final)
        except UnicodeDecodeError as error:
            ends.append(first + error.start)
        return text[: min(ends)]
