"""Paths inside container images. Source: pkg/storage/admitters/disks.go."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid


def validate_path(path: str, field: str) -> Iterator[Cause]:
    """A file's absolute path, without `.`, `..` or doubled slashes (ValidatePath)."""
    if path == "/":
        yield invalid(field, "'/' is the root, not a file")
    elif posixpath.normpath("/" + path.lstrip("/")) != path.removesuffix("/"):
        yield invalid(field, f"{path!r} is not an absolute path without '.', '..' and '//'")
