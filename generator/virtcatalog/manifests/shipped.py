"""Catalogs that come with the program: their names stand for their folders where nothing else is called so."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from virtcatalog.manifests.layout import CATALOG

NAME = "common-instancetypes"
#: In an installed package, and in the repository.
_HOMES = (Path(__file__).parents[1] / "shipped", Path(__file__).parents[3] / "examples")


@cache
def shipped() -> dict[str, str]:
    """Return the folders of the catalogs by their names: `common-instancetypes`, `common-instancetypes@v1.7.0`."""
    home = next((home for home in _HOMES if (home / NAME / CATALOG).is_file()), None)
    found = sorted(home.glob(f"{NAME}*/{CATALOG}")) if home else ()
    return {path.parent.name: str(path.parent) for path in found}


def meant(path: str) -> str:
    """Return the path on disk that a user's path means, in a catalog of that name or the path itself."""
    first, slash, rest = path.partition("/")
    if not first.startswith(NAME) or os.path.lexists(first):
        return path
    folder = shipped().get(first)
    return f"{folder}{slash}{rest}" if folder else path


def hint(path: str) -> str:
    """Return what to say of a name that is no catalog, but nearly."""
    known = ", ".join(shipped())
    return f"; virtcatalog comes with {known}" if path.startswith(NAME) and "/" not in path and known else ""
