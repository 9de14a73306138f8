"""What belongs to one KubeVirt release rather than to its API: one value a release, `vX_Y.RELEASE`.

A module beside this one named for a minor release is all that a new release needs to be known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final

from virtcatalog.errors import UnsupportedError
from virtcatalog.releases.traits import Release, Stage, Traits

__all__ = ["DEFAULT", "RELEASES", "Release", "Stage", "Traits", "find_release"]

_MINORS = (path.stem for path in Path(__path__[0]).iterdir() if path.name.startswith("v"))
_VALUES: list[Release] = [import_module(f"{__name__}.{name}").RELEASE for name in _MINORS]

RELEASES: Final[Mapping[str, Release]] = MappingProxyType(
    {release.name: release for release in sorted(_VALUES, key=lambda release: release.minor)}
)
"""The releases that are modelled, by name, the oldest first."""

_VERSION = re.compile(r"(?P<v>v?)(?P<major>\d+)\.(?P<minor>\d+)(\.\d+([-+].*)?)?")

DEFAULT: Final = RELEASES["v1.9.0"]
"""The release that counts where nobody names one."""


def find_release(name: str) -> Release:
    """Look up a release: a minor (`v1.8`) and any of its patch releases (`v1.8.2`) is the one of it that is modelled.

    UnsupportedError lists the known ones for every other name.
    """
    if name in RELEASES:
        return RELEASES[name]
    version = _VERSION.fullmatch(name)
    of_minor = {release.minor: release for release in RELEASES.values()}
    found = of_minor.get((int(version["major"]), int(version["minor"]))) if version else None
    if version and version["v"] and found:
        return found
    hint = f"; did you mean {found}?" if found else ""
    raise UnsupportedError("release", f"KubeVirt {name!r} is not modelled; known are {', '.join(RELEASES)}{hint}")
