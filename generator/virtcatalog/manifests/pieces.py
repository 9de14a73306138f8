"""The pieces of a long text: its documents, and the items of the lists that kubectl prints.

Of a piece only its place and its kind are held, so that a text of any size can be read piece by piece.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.identity import listed
from virtcatalog.manifests.places import Mark

_ROW: Final = 6
NO_VM, VM, AS_LISTED = range(3)
"""Whether a piece is one VM by its own apiVersion and kind; an item that has neither is what its list is of."""


class Implied(NamedTuple):
    """What a list says of all its items: API version and kind if it is a list of one kind."""

    data: dict[str, Any]
    is_vm: bool


class Piece(NamedTuple):
    """A document of a text, or an item of a list in it, between two offsets in bytes.

    `mark` is the place of its start, `implied` what the list says of an item, None for a document. `is_vm` says that
    it is one VM by its kind.
    """

    start: int
    end: int
    mark: Mark
    implied: Implied | None
    is_vm: bool


class Pieces:
    """The pieces of one text in its order, in some 50 bytes each."""

    def __init__(self) -> None:
        self._rows = array("Q")
        self._implied: list[Implied | None] = [None]

    def __len__(self) -> int:
        return len(self._rows) // _ROW

    def vms(self) -> bytearray:
        """Return of each piece whether it is one VM by its kind."""
        return bytearray([is_vm == VM for is_vm in self._rows[5::_ROW]])

    def between(self, first: int, end: int) -> Iterator[Piece]:
        """Yield the pieces from number `first` up to, and without, number `end`."""
        for at in range(first * _ROW, min(end, len(self)) * _ROW, _ROW):
            start, stop, line, column, implied, is_vm = self._rows[at : at + _ROW]
            yield Piece(start, stop, Mark(line, column), self._implied[implied], is_vm == VM)

    def add(self, start: int, end: int, mark: Mark, is_vm: int = NO_VM) -> None:
        """Add a document, or what may turn out to be an item of a list."""
        self._rows.extend((start, end, *mark, 0, is_vm))

    def drop(self, first: int) -> None:
        """Remove the piece `first` and all behind it."""
        del self._rows[first * _ROW :]

    def make_items(self, first: int, implied: Implied) -> None:
        """Make the piece `first` and all behind it items of a list."""
        self._implied.append(implied)
        for at in range(first * _ROW, len(self._rows), _ROW):
            self._rows[at + 4] = len(self._implied) - 1
            if self._rows[at + 5] == AS_LISTED:
                self._rows[at + 5] = VM if implied.is_vm else NO_VM


def implied_by(version: Any, kind: Any) -> Implied | None:
    """Return what a list of this version and kind says of its items, None if that is no kind of a list."""
    probe = listed({"apiVersion": version, "kind": kind, "items": [{}]})
    if probe is None:
        return None
    (data,) = probe
    return Implied(data, is_vm_kind(data.get("apiVersion"), data.get("kind")))


def is_vm_kind(version: Any, kind: Any) -> bool:
    """Whether an object of this version and kind is one VM, whatever else it says."""
    return isinstance(kind, str) and _is_vm_kind(version if isinstance(version, str) else None, kind)


@lru_cache(maxsize=64)
def _is_vm_kind(version: str | None, kind: str) -> bool:
    # A VirtualMachineInstance may belong to a VM.
    return kind != "VirtualMachineInstance" and holds_vm({"apiVersion": version, "kind": kind})
