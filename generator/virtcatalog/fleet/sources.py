"""Where manifests are read from: files, folders or standard input, and the environment that their VMs are from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from virtcatalog.errors import Problem
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import SourceError, manifest_files
from virtcatalog.manifests.layout import BASE, KUSTOMIZATIONS, OWNED
from virtcatalog.manifests.sources import is_file, is_folder, open_folder, open_in_checkout, read_file


class Placed(NamedTuple):
    """A file, folder or `-`, and the environment or cluster that its VMs are from, "" where that is not said."""

    path: str
    where: str = ""


def _objects_of_tree(path: str) -> str:
    """Return the folder of an output tree's base; any other path as it is."""
    base = str(Path(path, BASE))
    return base if is_file(f"{path}/{OWNED}") and is_folder(base) else path


def built_contents(source: str, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """Yield as `contents` does; of a folder that kustomize builds, what it builds: places are lines of that."""
    if not is_built(source):
        yield from contents(source, problems)
        return
    from virtcatalog.repositories.kustomize.build import build

    try:
        built = build(open_in_checkout(source), source)
    except SourceError as error:
        problems.append(Problem(file=source, message=error.message))
        return
    problems += (*built.problems, *built.unrendered)
    yield f"{source} (built)", "---\n".join(dump(resource.data) for resource in built.resources).encode()


def is_built(source: str) -> bool:
    """Whether kustomize builds a folder; an output tree's objects are read from their own files."""
    is_tree = is_file(f"{source}/{OWNED}") or is_file(f"{Path(source).parent}/{OWNED}")
    return not is_tree and any(is_file(f"{source}/{name}") for name in KUSTOMIZATIONS)


def kustomized(source: str) -> list[str]:
    """Return the folders in a folder that kustomize builds; none where it builds that itself, or in an output tree."""
    if not is_folder(source) or is_built(source) or is_file(f"{source}/{OWNED}"):
        return []
    places = (file.rpartition("/") for file in open_folder(source).listing().files)
    return [folder for folder, _, name in places if name in KUSTOMIZATIONS]


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
