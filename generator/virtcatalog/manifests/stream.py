"""The manifests of a text of any length, VM by VM: what else is in it is known before the first one is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from virtcatalog.api.kinds import holds_vm
from virtcatalog.errors import Problem
from virtcatalog.manifests import jsonpieces, yamlpieces
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.jsonpieces import Others
from virtcatalog.manifests.pieces import Piece, Pieces, Rest
from virtcatalog.manifests.read import Manifest, Part, read_part
from virtcatalog.manifests.stored import Stored
from virtcatalog.manifests.window import OtherStyleError, Window

_PEEKED = 1 << 12
_LIST = b'{"items":['


class Stream:
    """A file's manifests.

    `others` are those that hold no VM, unusable ones too, and `problems` are those of the text; `number` is how many
    VMs there are. Memory is taken for the others alone, unless the text cannot be taken apart. SourceError when it
    cannot be read. `others` may have looked through it, if it is JSON.
    """

    def __init__(self, stored: Stored, file: str, others: Others | None = None) -> None:
        self.file = file
        self.others: list[Manifest] = []
        self.problems: list[Problem] = []
        self.number = 0
        self._stored = stored
        self._pieces = Pieces()
        self._kept = bytearray()
        self._is_json = False
        self._take_apart(others)
        if not self._look_through():
            # A quoted text may have what looks like the next item in it: only as a whole it is what it is.
            self._pieces.forget(0)
            self._pieces.add(0, self._stored.end(0), (0, 0))
            self._look_through()
        if not self.number and not self.others and not self.problems:
            self.problems.append(Problem(file=file, line=1, column=1, message="holds no manifest"))

    def vms(self, first: int = 0, end: int | None = None) -> Iterator[Part]:
        """Yield the parts that hold VMs, in the text's order: all, or those among its pieces from `first` to `end`."""
        return map(self._part, self._with_vms(first, end))

    def text(self) -> bytes:
        """Return the whole text; SourceError when it is larger than a file may be that is held."""
        return self._stored.read(0, self._stored.end(0))

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield where the parts of `vms` start and end in the text, in bytes."""
        return ((piece.start, piece.end) for piece in self._with_vms(0, None))

    def _with_vms(self, first: int, end: int | None) -> Iterator[Piece]:
        pieces, kept = self._pieces.between(first, len(self._kept) if end is None else end), self._kept[first:end]
        return (piece for piece, holds in zip(pieces, kept, strict=True) if holds)

    @property
    def pieces(self) -> int:
        """How many pieces the text was taken apart into."""
        return len(self._kept)

    def _look_through(self) -> bool:
        """Read all but the VMs; return False where the text of an item cannot be read by itself."""
        known = list(self.problems)
        self._kept = self._pieces.vms()
        self.others, self.number = [], self._kept.count(True)
        at = self._kept.find(False)
        while at >= 0:
            (piece,) = self._pieces.between(at, at + 1)
            before = len(self.problems)
            self._kept[at] = self._look_into(self._part(piece))
            at = self._kept.find(False, at + 1)
            if piece.named and not self._is_json and len(self.problems) > before and not known:
                self.problems = known
                return False
        return True

    def _take_apart(self, others: Others | None) -> None:
        rest: Rest | None = Rest()
        with suppress(OtherStyleError):
            window = Window(self._stored.next)
            self._is_json = window.cut(window.start, window.start + _PEEKED).lstrip().startswith(b"{")
            if self._is_json:
                rest = jsonpieces.take_apart(window, self._pieces, others)
            else:
                rest = yamlpieces.take_apart(window, self._pieces)
        if rest is None:
            return
        end = self._stored.end(rest.start)
        self.problems += self._broken(*rest.item, end) if rest.item else ()
        if not self.problems:
            self._pieces.add(rest.start, end, rest.place)

    def _broken(self, start: int, place: tuple[int, int], end: int) -> list[Problem]:
        """Return what is wrong with the syntax of a list from an item on: it is not read as a whole to be told that."""
        line, column = place
        text = Text(_LIST + self._stored.read(start, end), self.file, line, column - len(_LIST))
        for _ in text.documents():
            pass
        return text.problems

    def _look_into(self, part: Part) -> bool:
        """Read what may be anything; return whether there are VMs in it."""
        manifests, problems = read_part(part)
        others = [manifest for manifest in manifests if not holds_vm(manifest.data)]
        self.problems += problems
        self.others += others
        self.number += len(manifests) - len(others)
        return len(manifests) > len(others)

    def _part(self, piece: Piece) -> Part:
        start, end, line, column, named, is_vm = piece
        return Part(self._stored.read(start, end), self.file, line, column, named and named.data, is_vm)
