"""Where manifests are read from: files, folders or standard input, and the environment that their VMs are from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from virtcatalog.errors import Problem
from virtcatalog.manifests.folder import SourceError, manifest_files
from virtcatalog.manifests.layout import BASE, OWNED
from virtcatalog.manifests.sources import is_file, is_folder, open_folder, read_file


class Placed(NamedTuple):
    """A file, folder or `-`, and the environment or cluster that its VMs are from, "" where that is not said."""

    path: str
    where: str = ""


def _objects_of_tree(path: str) -> str:
    """Return the folder of an output tree's base; any other path as it is."""
    base = str(Path(path, BASE))
    return base if is_file(f"{path}/{OWNED}") and is_folder(base) else path


def contents(source: str, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every file that a file, a folder or `-` stands for; add what cannot be read.

    Of an output tree these are the files of its base.
    """
    source = _objects_of_tree(source)
    try:
        if not is_folder(source):
            yield "<stdin>" if source == "-" else source, read_file(source)
            return
        folder = open_folder(source)
        files, faults = manifest_files(folder)
    except SourceError as error:
        problems.append(Problem(file=source, message=error.message))
        return
    if not files and not faults:
        problems.append(Problem(file=source, message="no .yaml, .yml or .json file in this folder"))
    problems += [Problem(file=str(Path(source, path)), message=message) for path, message in faults]
    for path in files:
        name = str(Path(source, path))
        try:
            content = folder.read(path)
        except SourceError as error:
            problems.append(Problem(file=name, message=error.message))
        else:
            yield name, content
