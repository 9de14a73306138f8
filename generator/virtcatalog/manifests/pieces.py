"""A long text taken apart where it can be: into its documents, and lists as kubectl prints them into their items.

Of a piece nothing is read but what it says that it is, so that a text of any length can be gone through twice: to find
out what is in it, and then piece by piece.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.identity import listed

_ROW: Final = 6
NO_VM, VM, AS_LISTED = range(3)
"""Whether a piece is one VM as far as can be seen without reading it; that may be for its list to say."""


class Named(NamedTuple):
    """What a list says of all its items: API version and kind if it is a list of one kind."""

    data: dict[str, Any]
    is_vm: bool = False


class Piece(NamedTuple):
    """A document of a text, or an item of a list in it, between two offsets in bytes.

    `line` and `column` count the lines before it, and the characters before it in its own. `named` is there for an
    item. `is_vm` says that it looks like one VM, and nothing else.
    """

    start: int
    end: int
    line: int
    column: int
    named: Named | None
    is_vm: bool


Place = tuple[int, int]
"""How many lines are before an offset, and how many characters before it in its own."""


class Rest(NamedTuple):
    """A text from a document on that cannot be taken apart, behind `first` pieces.

    `item` is the offset and the place of the item of a list that was the first not to be understood.
    """

    start: int = 0
    place: Place = (0, 0)
    first: int = 0
    item: tuple[int, Place] | None = None


def behind(start: Place, place: Place) -> Place:
    """Return the place that lies so far behind another one."""
    lines, column = place
    return (start[0] + lines, column) if lines else (start[0], start[1] + column)


class Pieces:
    """The pieces of one text in its order; each takes some 50 bytes."""

    def __init__(self) -> None:
        self._rows = array("Q")
        self._named: list[Named | None] = [None]

    def __len__(self) -> int:
        return len(self._rows) // _ROW

    def __iter__(self) -> Iterator[Piece]:
        return self.between(0, len(self))

    def vms(self) -> bytearray:
        """Return of each piece whether it looks like one VM, and nothing else."""
        return bytearray([is_vm == VM for is_vm in self._rows[5::_ROW]])

    def between(self, first: int, end: int) -> Iterator[Piece]:
        """Yield the pieces from `first` on, as far as before `end`."""
        for at in range(first * _ROW, min(end, len(self)) * _ROW, _ROW):
            start, end, line, column, named, is_vm = self._rows[at : at + _ROW]
            yield Piece(start, end, line, column, self._named[named], is_vm == VM)

    def add(self, start: int, end: int, place: Place, is_vm: int = NO_VM) -> None:
        """Add a document, or what may turn out to be an item of a list."""
        self._rows.extend((start, end, *place, 0, is_vm))

    def adopt(self, others: Pieces, start: Place) -> None:
        """Add pieces of one text whose places are counted from `start`, and which no list has been made of."""
        lines, columns = others._rows[2::_ROW], others._rows[3::_ROW]
        line, column = start
        rows = others._rows[:]
        rows[2::_ROW] = array("Q", [line + each for each in lines])
        rows[3::_ROW] = array(
            "Q", [each if below else column + each for each, below in zip(columns, lines, strict=True)]
        )
        self._rows += rows

    def forget(self, first: int) -> None:
        """Leave out the piece `first` and all after it."""
        del self._rows[first * _ROW :]

    def made_items(self, first: int, named: Named) -> None:
        """Make the piece `first` and all after it the items of a list."""
        self._named.append(named)
        for at in range(first * _ROW, len(self._rows), _ROW):
            self._rows[at + 4] = len(self._named) - 1
            if self._rows[at + 5] == AS_LISTED:
                self._rows[at + 5] = VM if named.is_vm else NO_VM

    def made_document(self, first: int, start: int, end: int, place: Place, is_vm: int = NO_VM) -> None:
        """Make the piece `first` and all after it one document."""
        self.forget(first)
        self.add(start, end, place, is_vm)


def named_by(kind: Any, version: Any) -> Named | None:
    """Return what a list of this kind and version says of its items, None if that is no kind of a list."""
    probe = listed({"apiVersion": version, "kind": kind, "items": [{}]})
    return None if probe is None else Named(probe[0], is_single_vm(probe[0].get("apiVersion"), probe[0].get("kind")))


def is_single_vm(version: Any, kind: Any) -> bool:
    """Whether an object of this kind and version is a VM, whatever else it says."""
    # A VirtualMachineInstance may belong to a VM.
    return kind != "VirtualMachineInstance" and holds_vm({"apiVersion": version, "kind": kind})
