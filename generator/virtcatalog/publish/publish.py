"""Writes a release: the output tree, and the lock that makes it a promise."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from virtcatalog.api.names import key_fault, label_fault
from virtcatalog.catalog.lock import LOCK, write_lock
from virtcatalog.catalog.model import Catalog
from virtcatalog.render import tree
from virtcatalog.render.kustomize import version_label
from virtcatalog.render.output import render
from virtcatalog.writing import WriteError, no_message, real_place, replace_file

#: As https://semver.org has it, with or without a `v`; labels cannot hold a build's `+`.
_VERSION = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?")


def version_fault(catalog: Catalog, version: str) -> str:
    """Say why a version cannot be the next one, or ""."""
    if version.endswith("-changed"):
        return "a version must not end in -changed: what differs from a release is called so"
    if not _VERSION.fullmatch(version):
        return f"{version!r} is no version such as v1.2.0, or v1.2.0-rc.1 of what comes before that"
    before = catalog.lock.version if catalog.lock else ""
    # A lock from before versions had a form has none that can be compared.
    if _VERSION.fullmatch(before) and _precedence(version) < _precedence(before):
        return f"{version} comes before {before}, which is published already; choose a later version"
    return key_fault(version_label(catalog.name)) or label_fault(f"{version}-changed")


def _precedence(version: str) -> tuple[object, ...]:
    """The sort key of a version: its numbers, pre-releases before the release, then the parts of the pre-release."""
    match = _VERSION.fullmatch(version)
    assert match is not None
    parts = (match[4] or "").split(".") if match[4] else []
    marks = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
    return (*map(int, match.group(1, 2, 3)), not parts, marks)


def publish(
    catalog: Catalog,
    version: str,
    output: Path,
    *,
    force: bool = False,
    say: Callable[[str], object] = no_message,
) -> None:
    """Write the catalog's output tree and its lock as `version`; see `tree.replace` for `force` and `say`.

    The lock comes last and in one step: whatever interrupts this, the same command run again completes it. Raises
    WriteError, which says how far it came.
    """
    text = write_lock(version, catalog)
    try:
        real_place(catalog.path, LOCK)
    except WriteError as error:
        raise WriteError(f"{error}; nothing is published") from error
    tree.replace(
        output, render(replace(catalog, version=version)), catalog.name, catalog=catalog.path, force=force, say=say
    )
    try:
        replace_file(Path(catalog.path), text, say, inside=LOCK)
    except WriteError as error:
        raise WriteError(
            f"{error}; {output} is the tree of {version}, which is published once the same command completes"
        ) from error
