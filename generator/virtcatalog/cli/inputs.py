"""What `-f` and `--catalog` name: files, folders or standard input, read into manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.errors import Problem
from virtcatalog.fleet.sources import Placed, built_contents
from virtcatalog.manifests.sources import exists, is_catalog

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.manifests.read import Manifest

#: What may be the name of an environment or a cluster.
_NAME = re.compile(r"[a-z0-9][-a-z0-9.]*")


def placed(source: str) -> Placed:
    """Read what `-f` was given: `FILE`, or `production=FILE`. A file that is called so is meant."""
    where, sign, path = source.partition("=")
    if sign and path and _NAME.fullmatch(where) and not exists(source):
        return Placed(path, where)
    return Placed(source)


def file_paths(sources: Iterable[str], purpose: str) -> list[str]:
    """Return the paths of what `-f` was given; UsageError for standard input, with the purpose that needs files."""
    paths = [placed(source).path for source in sources]
    if "-" in paths:
        raise click.UsageError(f"{purpose}, and -f - is none")
    return paths


def read(sources: Iterable[str]) -> list[Manifest]:
    """Read every manifest of the given files, folders and `-`; ManifestError carries the problems of all of them."""
    from virtcatalog.manifests.read import usable

    return usable(*read_apart(sources))


def read_apart(sources: Iterable[str]) -> tuple[list[Manifest], list[Problem]]:
    """Read them, unusable ones too, which say so in their `problems`; the other problems are those of files."""
    from virtcatalog.manifests import read as reading

    manifests: list[Manifest] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in built_contents(source, problems):
            in_file, faults = reading.read_apart(content, name)
            manifests += in_file
            problems += faults
    return manifests, problems


def load_any(source: str | None, environments: Iterable[str]) -> Catalog | None:
    """Return the catalog at a path, by default `catalog`, None if that is none; it must have the environments."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.environments import check_environments

    path = source or "catalog"
    catalog = load_catalog(path) if is_catalog(path) else None
    check_environments(environments, catalog.overlays if catalog else (), f"in {path}")
    return catalog


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
