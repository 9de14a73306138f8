"""What a repository deploys: its environments, in the order in which they are looked for."""

from __future__ import annotations

from pathlib import PurePosixPath

from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.read import Manifest, read_manifests
from virtcatalog.repositories.model import Environment, Repository, resource


def find(folder: Folder, label: str) -> Repository:
    """Return what a folder deploys; `label` is what the folder is called in places and problems."""
    files, faults = manifest_files(folder)
    problems = [Problem(file=_named(label, path), message=message) for path, message in faults]
    manifests: list[Manifest] = []
    for path in files:
        name = _named(label, path)
        try:
            manifests += read_manifests(folder.read(path), name)
        except ManifestError as error:
            problems += error.problems
        except SourceError as error:
            problems.append(Problem(file=name, message=error.message))
    plain = Environment(name="", kind="folder", place=Source(label), resources=tuple(map(resource, manifests)))
    return Repository(environments=(plain,) if manifests else (), problems=tuple(sorted(problems)))


def _named(label: str, path: str) -> str:
    return PurePosixPath(label, path).as_posix()
