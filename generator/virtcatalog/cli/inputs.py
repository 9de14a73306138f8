"""What `-f` and `--catalog` name: files, folders or standard input, read into manifests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from virtcatalog.errors import ManifestError, Problem

if TYPE_CHECKING:
    from virtcatalog.manifests.read import Manifest

_SUFFIXES = (".yaml", ".yml", ".json")
_NOT_MANIFESTS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


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
        try:
            for name, content in contents(source):
                found, faults = reading.read_apart(content, name)
                manifests += found
                problems += faults
        except OSError as error:
            problems.append(Problem(file=os.fspath(error.filename or source), message=error.strerror or str(error)))
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
    tree = Path(source, "base")
    if Path(source, ".virtcatalog").is_file() and tree.is_dir():
        source = str(tree)
    return [manifest.data for manifest in read([source])]


def is_catalog(path: str) -> bool:
    """Whether a folder is a catalog's."""
    return Path(path, "catalog.yaml").is_file()


def contents(source: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every file that a file, a folder or `-` stands for; OSError when there is none."""
    if source == "-":
        yield "<stdin>", sys.stdin.buffer.read()
        return
    path = Path(source)
    if not path.is_dir():
        yield source, path.read_bytes()
        return
    found = False
    for file in sorted(_files(path)):
        found = True
        yield str(file), file.read_bytes()
    if not found:
        raise FileNotFoundError(2, "no .yaml, .yml or .json file in this folder", source)


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(_SUFFIXES) and not name.startswith(".") and name not in _NOT_MANIFESTS:
                yield Path(root, name)


def _raise(error: OSError) -> None:
    raise error
