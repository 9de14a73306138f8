"""A long file of JSON that other processes look through before it is read: each does a part, and none waits for us."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.jsonpieces import Seam, Stretch, look_through, seam_of
from virtcatalog.manifests.sources import size_of
from virtcatalog.manifests.stored import Aside, Stored, store
from virtcatalog.pool import Processes

if TYPE_CHECKING:
    from virtcatalog.pool import Executor

_WORTH_IT: Final = 1 << 24
"""From so many bytes on it saves more than the processes cost."""
_PART: Final = 1 << 26
"""How many bytes a process looks through at a time, at most: who gives up waits for that."""
_BEGINNING: Final = 1 << 18


class Ahead:
    """What other processes find in a file; they are at work from here on."""

    def __init__(self, stored: Stored, processes: Processes, seam: Seam) -> None:
        self.stored = stored
        self.listed = seam.listed
        length = stored.length or 0
        number = max(processes.at_once, length // _PART + 1)
        parts = pairwise(length * each // number for each in range(number + 1))
        self._found: Iterator[Stretch | None] = processes.each(look_through, parts, stored.reader, seam)
        self._next: Stretch | None = None

    def stretch(self, at: int) -> Stretch | None:
        """Wait for what was found up to an offset; return what was from there on, None if nobody began there."""
        while self._next is None or self._next.start < at:
            try:
                self._next = next(self._found)
            except StopIteration:
                return None
        return self._next if self._next.start == at else None

    def seek(self, offset: int) -> None:
        """Let the file be read on from an offset."""
        self.stored.seek(offset)


Aheads = dict[str, Ahead]
"""Files that others look through, by their paths."""


def look_ahead(paths: Iterable[str], executor: Executor) -> Aheads:
    """Have the processes of an executor look through the long ones of the files that a user named."""
    found: Aheads = {}
    for path in paths:
        with suppress(SourceError):  # it is told when the file is read
            if ahead := _begun(path, executor):
                found[path] = ahead
    return found


def _begun(path: str, executor: Executor) -> Ahead | None:
    if not isinstance(executor, Processes) or not executor.forks or not executor.worth(size_of(path), _WORTH_IT):
        return None
    stored = store(path, Aside())
    seam = seam_of(stored.read(0, min(_BEGINNING, stored.length or 0)))
    return Ahead(stored, executor, seam) if seam else None
