"""A new repository on disk: all of its files or none, and never in the place of another file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from virtcatalog.checkouts import mode_of
from virtcatalog.errors import some
from virtcatalog.writing import WriteError, said_nowhere, write_files


def write(folder: Path, files: Mapping[str, str], say: Callable[[str], object] = said_nowhere) -> list[str]:
    """Write the files that `folder` does not have yet, and return their paths.

    A file that is there already must have the same text: WriteError otherwise.
    """
    taken = sorted(path for path, text in files.items() if _taken(folder, path, text))
    if taken:
        raise WriteError(f"{folder} has files of its own in these places: {some(taken, 5)}")
    missing = {path: text for path, text in files.items() if mode_of(folder / path) is None}
    if missing:
        write_files(folder, missing, say)
    return [*missing]


def _taken(folder: Path, path: str, text: str) -> bool:
    """Whether something else is in the place of a file, or of a folder above it."""
    if mode_of(folder) is not None and not folder.is_dir():
        return True
    place = folder / path
    for parent in place.parents[: len(Path(path).parts) - 1]:
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            return True
    if mode_of(place) is None:
        return False
    return place.is_symlink() or not place.is_file() or place.read_bytes() != text.encode()
