"""Writes a release: the output tree, and the lock that makes it a promise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from virtcatalog.api.names import key_fault, label_fault
from virtcatalog.catalog.lock import LOCK, write_lock
from virtcatalog.catalog.model import Catalog
from virtcatalog.errors import VirtcatalogError
from virtcatalog.publish.promise import sections
from virtcatalog.render import tree
from virtcatalog.render.bundle import version_label
from virtcatalog.render.files import replace_file, said_nowhere
from virtcatalog.render.output import render


class ReleaseError(VirtcatalogError):
    """A release cannot be written."""


def version_fault(catalog: Catalog, version: str) -> str:
    """Say why a version cannot be one, or ""."""
    if not version:
        return "the version must not be empty"
    if version.endswith("-changed"):
        return "a version must not end in -changed: what differs from a release is called so"
    return key_fault(version_label(catalog.name)) or label_fault(f"{version}-changed")


def publish(
    catalog: Catalog,
    version: str,
    output: Path,
    *,
    force: bool = False,
    say: Callable[[str], object] = said_nowhere,
) -> None:
    """Write the catalog's output tree and its lock as `version`; see `tree.replace` for `force` and `say`.

    The lock comes last and in one step: whatever interrupts this, the same command run again completes it. Raises
    ReleaseError or TreeError.
    """
    entries = {section: found for section, found, _ in sections(catalog)}
    text = write_lock(version, entries, catalog.lock)
    place = Path(catalog.path) / LOCK
    if place.is_symlink():
        raise ReleaseError(
            f"{place}: is a symbolic link, and the lock is not written through one; nothing is published"
        )
    tree.replace(
        output, render(replace(catalog, version=version)), catalog.name, catalog=catalog.path, force=force, say=say
    )
    try:
        replace_file(place, text, say)
    except OSError as error:
        raise ReleaseError(f"{error.filename or place}: {error.strerror or error}; nothing is published") from error
