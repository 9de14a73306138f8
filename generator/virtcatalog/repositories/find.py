"""What a repository deploys: its environments, in the order in which they are looked for."""

from __future__ import annotations

from pathlib import PurePosixPath

from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.read import read_manifests
from virtcatalog.repositories.model import Environment, Repository, Resource, resource


def find(folder: Folder, label: str) -> Repository:
    """Return what a folder deploys; `label` is what the folder is called in places and problems."""
    files, faults = manifest_files(folder)
    problems = [Problem(file=place_in(label, path), message=message) for path, message in faults]
    plain: dict[str, list[Resource]] = {}
    for path in files:
        name = place_in(label, path)
        try:
            plain.setdefault(path.rpartition("/")[0], []).extend(map(resource, read_manifests(folder.read(path), name)))
        except ManifestError as error:
            problems += error.problems
        except SourceError as error:
            problems.append(Problem(file=name, message=error.message))
    environments = tuple(
        Environment(name=at, kind="folder", folder=at, place=Source(place_in(label, at)), resources=tuple(resources))
        for at, resources in plain.items()
    )
    return Repository(environments=environments, problems=tuple(sorted(problems)))


def place_in(label: str, path: str) -> str:
    """Name a file of a tree that is called `label`: a path, or `revision:path`."""
    revision, colon, at = label.rpartition(":")
    return f"{revision}{colon}{PurePosixPath(at, path)}"
