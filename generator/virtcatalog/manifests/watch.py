"""Notices that what was read has changed, by looking at it again: that works in containers and on network shares, too.

A file counts as changed when the system says so (its time, size or inode), however an editor writes it. Links in what
is watched count themselves, and nobody looks at where they lead: a checkout brings links to anywhere. The library
watchfiles follows them, and hears nothing of a folder that takes the place of a watched one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from virtcatalog.checkouts import mode_of, resolved
from virtcatalog.limits import SOURCE_FILE_BYTES, SOURCE_FILES
from virtcatalog.manifests.folder import Folder, Listing, SourceError, parts_of
from virtcatalog.manifests.layout import CATALOG, VM_TEMPLATE
from virtcatalog.manifests.sources import meant

#: While files go on changing, their changes are returned after so many looks.
PATIENCE = 20
#: Endings of files that a catalog has, or must not have. Editors write other files beside them.
_READ = (".yaml", ".yml", ".json", VM_TEMPLATE, ".lock")

Stamp = tuple[int, ...]


class Changed(NamedTuple):
    """A file, and whether it is there now and was before."""

    path: str
    was: bool
    is_there: bool


class Watch:
    """What a run read: folders and files, each as it was before it was read."""

    def __init__(self, *, leaving_out: str | Path = "") -> None:
        self._out = os.path.realpath(leaving_out) if leaving_out else ""
        self._stamps: dict[str, dict[str, Stamp]] = {}
        self._before: dict[str, dict[str, Stamp]] = {}

    def begin(self, path: str, others: Iterable[str] = ()) -> None:
        """Forget what the last run read, unless this one is `broken`; it reads the catalog at a path, and others."""
        self._stamps, self._before = {}, self._stamps
        self.look_at(os.path.join(self._place(meant(path)), CATALOG))  # noqa: PTH118 - of text
        for other in others:
            self.look_at(self._place(other))

    def broken(self) -> None:
        """Go on watching what the run before read, too: this one has not come to all of it."""
        self._stamps = {**self._before, **self._stamps}

    def over(self, folder: Folder, path: str) -> Folder:
        """Return a folder that a user named: once it is listed, it is watched, and so are those opened from it."""
        root = self._place(meant(path))
        for _ in folder.at:
            root = os.path.dirname(root)  # noqa: PTH120 - of text
        return _Watched(folder, root, self)

    def look_at(self, path: str) -> None:
        """Watch a file or folder from now on, whether it is there or not."""
        self._stamps[path] = stamps(path, self._out)

    def _place(self, path: str) -> str:
        """Return where a path leads that a user named; links on the way are watched, as they may be set anew."""
        try:
            place, links = resolved(path)
        except OSError:
            return os.path.realpath(path)
        for link in links:
            self.look_at(link)
        return place

    def wait(self, pause: Callable[[float], object]) -> list[Changed]:
        """Return what changed, sorted, once there are changes and two looks in a row agree.

        `pause` is called before each look, with the seconds that the last one took.
        """
        before: dict[str, dict[str, Stamp]] | None = None
        late, took = 0, 0.0
        while True:
            pause(took)
            begun = monotonic()
            now = {path: stamps(path, self._out) for path in self._stamps}
            took = monotonic() - begun
            changed = _changed(_all(self._stamps), _all(now))
            late = late + 1 if changed else 0
            if changed and (now == before or late >= PATIENCE):
                self._stamps = now
                return changed
            before = now


def stamps(path: str, out: str = "") -> dict[str, Stamp]:
    """Return what the system says of a file, or of all files of a folder that are read; {} when there is nothing.

    What is in the folder `out` is left out, and so is what is more than can be read.
    """
    by_path: dict[str, Stamp] = {}
    left, seen = [path], 0
    while left and seen <= SOURCE_FILES:
        inside = left.pop()
        try:
            if stat.S_ISLNK(mode_of(inside) or 0):
                raise NotADirectoryError
            with os.scandir(inside) as entries:
                for entry in islice(entries, SOURCE_FILES + 1 - seen):
                    seen += 1
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if entry.path != out:
                            left.append(entry.path)
                    elif entry.name.endswith(_READ):
                        by_path |= _stamp(entry.path)
        except OSError:  # it is a file or a link, or is gone
            by_path |= _stamp(inside)
    return by_path


def _stamp(path: str) -> dict[str, Stamp]:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return {}
    return {path: (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)}


def _all(by_source: dict[str, dict[str, Stamp]]) -> dict[str, Stamp]:
    return {path: stamp for stamps_of_source in by_source.values() for path, stamp in stamps_of_source.items()}


def _changed(old: dict[str, Stamp], new: dict[str, Stamp]) -> list[Changed]:
    paths: Iterable[str] = (path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    return sorted(Changed(path, path in old, path in new) for path in paths)


class _Watched(Folder):
    """A folder that is watched once it is listed."""

    def __init__(self, folder: Folder, root: str, watch: Watch) -> None:
        self._folder, self._root, self._watch = folder, root, watch
        self.at = folder.at

    def listing(self) -> Listing:
        self._watch.look_at(self._path(self.at))
        return self._folder.listing()

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        return self._folder.read(path, most)

    def has(self, path: str) -> bool:
        return self._folder.has(path)

    def folder(self, path: str) -> Folder | None:
        try:
            folder = self._folder.folder(path)
        finally:
            # Where there is no catalog, there may be one later.
            self._wanted(path)
        return _Watched(folder, self._root, self._watch) if folder else None

    def _wanted(self, path: str) -> None:
        try:
            parts = parts_of(path, self.at)
        except SourceError:
            return
        self._watch.look_at(self._path((*parts, CATALOG)))

    def _path(self, parts: Iterable[str]) -> str:
        return os.path.join(self._root, *parts)  # noqa: PTH118 - of text
