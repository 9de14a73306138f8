"""The manifests of a text of any length, VM by VM: what else is in it is known before the first one is read."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kinds import holds_vm
from virtcatalog.errors import Problem
from virtcatalog.manifests import jsonsplit, yamlsplit
from virtcatalog.manifests.manifesttext import ManifestText
from virtcatalog.manifests.pieces import Piece, Pieces
from virtcatalog.manifests.places import Mark
from virtcatalog.manifests.read import Manifest, Part, read_part
from virtcatalog.manifests.spool import BOM, Content, IndivisibleError, Window

_BEGINNING = 1 << 12
_LIST = b'{"items":['


class Stream:
    """A file's manifests.

    `others` are those that hold no VM, unusable ones too, and `problems` are those of the text; `number` is how many
    VMs there are. Memory is taken for the others alone, unless the text cannot be split. SourceError when it cannot be
    read.
    """

    def __init__(self, content: Content, file: str) -> None:
        self.file = file
        self.others: list[Manifest] = []
        self.problems: list[Problem] = []
        self.number = 0
        self._content = content
        self._pieces = Pieces()
        self._with_vms = bytearray()
        self._is_json = False
        self._split()
        if not self._read_others():
            # A quoted text may hold what looks like the next item: then the text is read in one piece.
            self._pieces.drop(0)
            self._pieces.add(0, content.size, Mark(0, 0))
            self._read_others()
        if not self.number and not self.others and not self.problems:
            self.problems.append(Problem(file=file, line=1, column=1, message="holds no manifest"))

    def vms(self, first: int = 0, end: int | None = None) -> Iterator[Part]:
        """Yield the parts that hold VMs, in the text's order: all, or those among its pieces from `first` to `end`."""
        window = Window(self._content)
        return (self._part(piece, window) for piece in self._pieces_with_vms(first, end))

    def text(self) -> bytes:
        """Return all of the text; SourceError when it is too large to be in memory."""
        return self._content.read(0, self._content.size)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield where the parts of `vms` start and end in the text, in bytes."""
        return ((piece.start, piece.end) for piece in self._pieces_with_vms(0, None))

    @property
    def pieces(self) -> int:
        """How many pieces the text was split into."""
        return len(self._pieces)

    def _pieces_with_vms(self, first: int, end: int | None) -> Iterator[Piece]:
        pieces = self._pieces.between(first, self.pieces if end is None else end)
        return (piece for piece, holds in zip(pieces, self._with_vms[first:end], strict=True) if holds)

    def _split(self) -> None:
        """Find the pieces; where the text cannot be split, the rest of it is one."""
        beginning = self._content.read(0, _BEGINNING).removeprefix(BOM)
        self._is_json = beginning.lstrip().startswith(b"{")
        start, mark = 0, Mark(0, 0)
        try:
            if self._is_json:
                jsonsplit.split(self._content, self._pieces)
            else:
                yamlsplit.split(self._content, self._pieces)
        except jsonsplit.BrokenJsonError as broken:
            if broken.item:
                self.problems += self._broken(*broken.item)
            start, mark = broken.start, broken.mark
        except IndivisibleError:
            self._pieces.drop(0)
        else:
            return
        if not self.problems:
            self._pieces.add(start, self._content.size, mark)

    def _broken(self, start: int, mark: Mark) -> list[Problem]:
        """Return what is wrong with the syntax of a list from an item on: what is before it is not read again."""
        rest = self._content.read(start, self._content.size)
        text = ManifestText(_LIST + rest, self.file, mark.line, mark.column - len(_LIST))
        for _ in text.documents():
            pass
        return text.problems

    def _read_others(self) -> bool:
        """Read all but the VMs; return False where the text of an item cannot be read by itself."""
        problems = list(self.problems)
        self._with_vms = self._pieces.vms()
        self.others, self.number = [], self._with_vms.count(True)
        at, window = self._with_vms.find(False), Window(self._content)
        while at >= 0:
            (piece,) = self._pieces.between(at, at + 1)
            before = len(self.problems)
            self._with_vms[at] = self._read_other(self._part(piece, window))
            at = self._with_vms.find(False, at + 1)
            if piece.implied and not self._is_json and len(self.problems) > before and not problems:
                self.problems = problems
                return False
        return True

    def _read_other(self, part: Part) -> bool:
        """Read what may be anything; return whether there are VMs in it."""
        manifests, problems = read_part(part)
        others = [manifest for manifest in manifests if not holds_vm(manifest.data)]
        self.problems += problems
        self.others += others
        self.number += len(manifests) - len(others)
        return len(manifests) > len(others)

    def _part(self, piece: Piece, window: Window) -> Part:
        start, end, mark, implied, is_vm = piece
        return Part(window.cut(start, end), self.file, *mark, implied and implied.data, is_vm)
