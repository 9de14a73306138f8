"""What virtcatalog owns in an output tree on disk: the file OWNED lists every path that it wrote, and the catalog."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from virtcatalog.checkouts import mode_of
from virtcatalog.limits import MIB, OUTPUT_FILE_BYTES
from virtcatalog.manifests.layout import DECLARATIONS, OWNED
from virtcatalog.writing import WriteError

_HEADER = "# Files that virtcatalog wrote in this folder; it replaces and removes these and no others.\n"
_OWNER = "# Of the catalog: "
#: Paths that virtcatalog writes: whatever else the list has is not virtcatalog's, and is not read.
_OURS = re.compile(
    r"README\.md|catalog\.json|kustomization\.yaml|(base|bundles|overlays)/[-+.\w]+(/[-+.\w]+)*"
    r"|[a-z]+\.html|(domains|search)\.js|changes\.atom|deprecated\.ics"  # of the web site, as what follows
    r"|(assets|domains|preferences|templates|types|vms)/[-+.\w]+"
    rf"|{DECLARATIONS}(/[^/\n]+)+",  # of an artifact
    re.ASCII,
)


class TreeError(WriteError):
    """The output folder cannot be read or replaced; unless the message says otherwise, it is unchanged."""


def owner_of(folder: Path) -> str:
    """Return the name of the catalog that a tree is of, "" when unknown."""
    return Reader(folder).owner()


def owner_in(text: str) -> str:
    """Return the name of the catalog that the file OWNED of a tree names, "" when it names none."""
    return next((line.removeprefix(_OWNER) for line in text.splitlines()[:2] if line.startswith(_OWNER)), "")


def is_ours(path: str) -> bool:
    """Whether virtcatalog writes files of that path."""
    return bool(_OURS.fullmatch(path))


def with_ownership(tree: Mapping[str, str], owner: str) -> dict[str, str]:
    """Return the tree with the file that lists it, and that names the catalog it is of."""
    head = _HEADER + (f"{_OWNER}{owner}\n" if owner else "")
    return {**tree, OWNED: head + "".join(f"{path}\n" for path in sorted(tree))}


class Reader:
    """Reads a tree without following a link, below its folder or among the parents of a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folders = {"": True}

    def owned(self) -> set[str]:
        """Return the paths that OWNED lists and virtcatalog writes."""
        text = self.text(OWNED) if self.has(OWNED) else ""
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        for path in lines:
            if path.startswith("/") or ".." in path.split("/"):
                place = self._folder / OWNED
                raise TreeError(f"{place}: {path!r} lies outside the output folder; restore the file from Git")
        return {path for path in lines if _OURS.fullmatch(path)} | ({OWNED} if self.has(OWNED) else set())

    def owner(self) -> str:
        """Return the name of the catalog that the tree is of, "" when unknown."""
        return owner_in(self.text(OWNED) if self.has(OWNED) else "")

    def has(self, path: str) -> bool:
        """Whether there is something at a path; TreeError when a link leads there."""
        parent = path.rpartition("/")[0]
        return self._is_sound(parent) and mode_of(f"{self._folder}/{path}") is not None

    def _is_sound(self, folder: str) -> bool:
        """Whether there is a folder, and no link on the way to it."""
        if folder not in self._folders:
            place = self._folder / folder
            mode = mode_of(place) if self._is_sound(folder.rpartition("/")[0]) else None
            if mode is not None and stat.S_ISLNK(mode):
                raise TreeError(f"{place}: is a symbolic link in the place of a folder; move it away")
            self._folders[folder] = mode is not None and stat.S_ISDIR(mode)
        return self._folders[folder]

    def text(self, path: str) -> str:
        """Return the text of a regular file."""
        place = self._folder / path
        try:
            if place.is_symlink() or not place.is_file():
                raise TreeError(f"{place}: not a regular file; move it away")
            if place.stat().st_size > OUTPUT_FILE_BYTES:
                raise TreeError(
                    f"{place}: has more than {OUTPUT_FILE_BYTES // MIB} MiB; virtcatalog did not write that"
                )
            return place.read_bytes().decode("utf-8", errors="surrogateescape")
        except OSError as error:
            raise TreeError(f"{place}: {error.strerror}") from error
