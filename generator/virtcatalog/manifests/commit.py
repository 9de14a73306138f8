"""Folders of a commit: git lists their files at once, and a file is read when it is asked for."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from virtcatalog.limits import SOURCE_BLOCK_BYTES, SOURCE_FILE_BYTES, SOURCE_LINK_BYTES, SOURCE_LINKS
from virtcatalog.manifests.disk import Budget
from virtcatalog.manifests.folder import (
    LEADS_OUT,
    LEADS_TO_FOLDER,
    NOT_THERE,
    SUBMODULE,
    Folder,
    LinkOutError,
    Listing,
    Parts,
    SourceError,
    TooLargeError,
    is_text,
    parts_of,
    shown,
)

_NOWHERE: Final = "is a symbolic link to nothing"


#: The size of a file whose content the repository lacks: a partial clone has the large ones nowhere.
LACKING: Final = -1
#: That of a submodule, whose files are another repository's.
NO_FILE: Final = -2


#: How much of what was read is kept, beside the last block.
_KEPT_BYTES: Final = 8 * SOURCE_BLOCK_BYTES


class Entry(NamedTuple):
    """A file, link or submodule of a commit, and how many bytes it has."""

    path: Parts
    is_link: bool
    blob: str
    size: int


class Objects(Protocol):
    """What commits and their files are read from."""

    def entries(self, commit: str, at: Parts) -> Iterator[Entry]:
        """Yield every file below a folder of a commit."""
        ...

    def contents(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yield the bytes of files."""
        ...


def in_commit(objects: Objects, commit: str, at: Parts) -> Folder:
    """Return the folder that is somewhere in a commit."""
    return _InCommit(_Tree(objects, commit, at), at)


class _Tree:
    """All that lies below a folder of a commit: it is listed once, and small files are read with their neighbours."""

    def __init__(self, objects: Objects, commit: str, at: Parts) -> None:
        self.objects, self.commit, self.at = objects, commit, at
        self._read: OrderedDict[int, dict[Parts, bytes]] = OrderedDict()
        self._sizes: dict[int, int] = {}

    @cached_property
    def entries(self) -> list[Entry]:
        """Every file, those of a folder one after another."""
        return list(self.objects.entries(self.commit, self.at))

    def below(self, at: Parts) -> list[Entry]:
        """Return the files below a folder."""
        start, end = self._spans.get(at, (0, 0))
        return self.entries[start:end]

    def content(self, entry: Entry) -> bytes:
        """Return the bytes of a file."""
        number, block = self._blocks[entry.path]
        if number not in self._read:
            contents = self.objects.contents(block)
            self._read[number] = dict(zip((member.path for member in block), contents, strict=True))
            self._sizes[number] = sum(member.size for member in block)
            while len(self._read) > 1 and sum(map(self._sizes.__getitem__, self._read)) > _KEPT_BYTES:
                self._read.popitem(last=False)
        return self._read[number][entry.path]

    @cached_property
    def _spans(self) -> dict[Parts, tuple[int, int]]:
        spans: dict[Parts, tuple[int, int]] = {self.at: (0, len(self.entries))}
        for number, entry in enumerate(self.entries):
            for depth in range(len(self.at) + 1, len(entry.path)):
                at = entry.path[:depth]
                spans[at] = spans.get(at, (number, 0))[0], number + 1
        return spans

    @cached_property
    def _blocks(self) -> dict[Parts, tuple[int, list[Entry]]]:
        """By path, what is read together: neighbours that are few bytes, or one file that is more."""
        blocks: dict[Parts, tuple[int, list[Entry]]] = {}
        block: list[Entry] = []
        number = size = 0
        for entry in self.entries:
            if entry.size < 0:
                blocks[entry.path] = -1 - len(blocks), [entry]
                continue
            size += entry.size
            if size > SOURCE_BLOCK_BYTES:
                block, size, number = [], entry.size, number + 1
            block.append(entry)
            blocks[entry.path] = number, block
        return blocks


class _InCommit(Folder):
    """A folder of a commit. What lies below another one that was listed is not listed again."""

    def __init__(self, tree: _Tree, at: Parts, budget: Budget | None = None) -> None:
        self._tree, self.at = tree, at
        self._budget = budget or Budget()

    def listing(self) -> Listing:
        depth = len(self.at)
        files = (path[depth:] for path in self._files)
        faults = {"/".join(path[depth:]): why for path, why in self._faults.items()}
        visible = ("/".join(path) for path in files if not any(part.startswith(".") for part in path))
        return Listing(tuple(sorted(visible)), tuple(sorted(faults.items())))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        parts = parts_of(path, self.at)
        fault = self._faults.get(parts)
        if fault:
            raise SourceError(fault)
        entry = self._files.get(parts)
        if entry is None:
            raise SourceError(NOT_THERE)
        if entry.size > most:
            raise TooLargeError(most)
        return self._budget.take(self._tree.content(entry))

    def has(self, path: str) -> bool:
        parts = parts_of(path, self.at)
        return parts in self._files or parts in self._faults

    def folder(self, path: str) -> Folder | None:
        at, tree = parts_of(path, self.at), self._tree
        if at[: len(tree.at)] != tree.at:
            tree = _Tree(tree.objects, tree.commit, at)
        folder = _InCommit(tree, at, self._budget)
        return folder if folder._files or folder._faults else None

    @property
    def _files(self) -> dict[Parts, Entry]:
        return self._resolved[0]

    @property
    def _faults(self) -> dict[Parts, str]:
        return self._resolved[1]

    @cached_property
    def _resolved(self) -> tuple[dict[Parts, Entry], dict[Parts, str]]:
        """The files, those that links stand for too, and why others are not read."""
        entries = self._tree.below(self.at)
        faults = {entry.path: SUBMODULE for entry in entries if entry.size == NO_FILE}
        files = {entry.path: entry for entry in entries if not entry.is_link and entry.path not in faults}
        faults |= {entry.path: _NOWHERE for entry in entries if entry.is_link and entry.size > SOURCE_LINK_BYTES}
        short = [entry for entry in entries if entry.is_link and entry.path not in faults]
        links = dict(zip((link.path for link in short), self._tree.objects.contents(short), strict=True))
        targets = {}
        for path, target in links.items():
            place = _followed(path, target, links, self.at)
            if place is None:
                faults[path] = LEADS_OUT
            elif place in files:
                targets[path] = files[place]
            else:
                faults[path] = LEADS_TO_FOLDER if self._tree.below(place) else NOT_THERE
        files |= targets
        for path in [path for path in files if not is_text("/".join(path))]:
            faults[(*self.at, shown(path[len(self.at) :]))] = "has a name that is not UTF-8"
            del files[path]
        return files, faults


def _followed(path: Parts, target: bytes, links: Mapping[Parts, bytes], scope: Parts) -> Parts | None:
    """Where a link leads within the folder, None when it leads out of it."""
    for _ in range(SOURCE_LINKS):
        text = os.fsdecode(target)
        try:
            path = parts_of(text, path[:-1])
        except LinkOutError:
            return None
        if text.startswith("/") or path[: len(scope)] != scope:
            return None
        if path not in links:
            return path
        target = links[path]
    return path
