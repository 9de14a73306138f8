"""What `-f` and `--catalog` name: files, folders or standard input, read into manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.folder import SourceError, manifest_files
from virtcatalog.manifests.layout import BASE, OWNED
from virtcatalog.manifests.sources import exists, is_catalog, is_file, is_folder, open_folder, read_file

if TYPE_CHECKING:
    from virtcatalog.manifests.read import Manifest

#: What may be the name of an environment or a cluster.
_NAME = re.compile(r"[a-z0-9][-a-z0-9.]*")


class Placed(NamedTuple):
    """A file, folder or `-`, and the environment or cluster that its VMs are from, "" where that is not said."""

    path: str
    where: str = ""


def placed(source: str) -> Placed:
    """Read what `-f` was given: `FILE`, or `production=FILE`. A file that is called so is meant."""
    where, sign, path = source.partition("=")
    if sign and path and _NAME.fullmatch(where) and not exists(source):
        return Placed(path, where)
    return Placed(source)


def read(sources: Iterable[str]) -> list[Manifest]:
    """Read every manifest of the given files, folders and `-`; ManifestError carries the problems of all of them."""
    manifests, problems = read_apart(sources)
    problems += [problem for manifest in manifests for problem in manifest.problems]
    if problems:
        raise ManifestError(*problems)
    return manifests


def read_apart(sources: Iterable[str]) -> tuple[list[Manifest], list[Problem]]:
    """Read them, unusable ones too, which say so in their `problems`; the other problems are those of files."""
    from virtcatalog.manifests import read as reading

    manifests: list[Manifest] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in contents(source, problems):
            found, faults = reading.read_apart(content, name)
            manifests += found
            problems += faults
    return manifests, problems


def catalog_objects(source: str | None) -> list[dict[str, Any]]:
    """Return the objects of a catalog, of an output tree, or of a file or folder of manifests.

    Without a source: those of `catalog` if that is a catalog, else none.
    """
    if source is None:
        return catalog_objects("catalog") if is_catalog("catalog") else []
    if is_catalog(source):
        from virtcatalog.catalog.load import load_catalog

        return load_catalog(source).objects()
    return [manifest.data for manifest in read([source])]


def companions(sources: Iterable[str]) -> list[Manifest]:
    """Read the objects of the cluster that files and folders hold; VMs among them are left out."""
    from virtcatalog.api.kinds import holds_vm

    return [manifest for manifest in read(placed(source).path for source in sources) if not holds_vm(manifest.data)]


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
