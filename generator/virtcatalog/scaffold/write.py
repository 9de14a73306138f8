"""A new repository on disk: all of its files or none, and never in the place of another file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from virtcatalog.errors import VirtcatalogError, some


class ScaffoldError(VirtcatalogError):
    """The files cannot be written; nothing was."""


def write(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files that `folder` does not have yet, and return their paths.

    A file that is there already must have the same text: ScaffoldError otherwise.
    """
    taken = sorted(path for path, text in files.items() if _taken(folder, path, text))
    if taken:
        raise ScaffoldError(f"{folder} has files of its own in these places: {some(taken, 5)}")
    missing = [path for path in files if not os.path.lexists(folder / path)]
    try:
        if not missing:
            return []
        near = folder if folder.is_dir() else folder.parent
        near.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=near, prefix=".virtcatalog-init-") as temporary:
            staging = Path(temporary, "new")
            for path in missing:
                place = staging / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(files[path], encoding="utf-8", newline="\n")
            if folder.is_dir():
                _add(staging, folder, missing)
            else:
                staging.rename(folder)
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise ScaffoldError(f"{place}: {error.strerror or error}; nothing was written") from error
    return missing


def _taken(folder: Path, path: str, text: str) -> bool:
    """Whether something else is where a file is to be, or where a folder for it is."""
    if os.path.lexists(folder) and not folder.is_dir():
        return True
    place = folder / path
    for parent in place.parents[: len(Path(path).parts) - 1]:
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            return True
    if not os.path.lexists(place):
        return False
    return place.is_symlink() or not place.is_file() or place.read_bytes() != text.encode()


def _add(staging: Path, folder: Path, paths: list[str]) -> None:
    """Put the staged files into a folder; whatever goes wrong, those that are there already are taken back."""
    made: list[Path] = []
    try:
        for path in paths:
            place = folder / path
            for parent in reversed(place.parents[: len(Path(path).parts) - 1]):
                if not parent.is_dir():
                    parent.mkdir()
                    made.append(parent)
            _place(staging / path, place)
            made.append(place)
    except BaseException:
        for each in reversed(made):
            if each.is_dir():
                each.rmdir()
            else:
                each.unlink()
        raise


def _place(source: Path, place: Path) -> None:
    try:
        os.link(source, place)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        with source.open("rb") as staged, place.open("xb") as made:
            shutil.copyfileobj(staged, made)
