"""What belongs to one KubeVirt release rather than to its API: one value a release, `vX_Y.RELEASE`.

A module beside this one named for a minor release is all that a new release needs to be known. What a branch has ahead
of a release is a preview, which counts only where somebody names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final

from virtcatalog.errors import UnsupportedError
from virtcatalog.releases import main, release_1_8
from virtcatalog.releases.launchers import EARLIER, Launcher
from virtcatalog.releases.traits import Release, Stage, Traits

__all__ = [
    "DEFAULT",
    "PREVIEWS",
    "RELEASES",
    "Release",
    "Stage",
    "Traits",
    "check_oldest",
    "find_launcher",
    "find_release",
    "name_minor",
]

_MINORS = (path.stem for path in Path(__path__[0]).iterdir() if path.name.startswith("v"))
_VALUES: list[Release] = [import_module(f"{__name__}.{name}").RELEASE for name in _MINORS]

RELEASES: Final[Mapping[str, Release]] = MappingProxyType(
    {release.name: release for release in sorted(_VALUES, key=lambda release: release.minor)}
)
"""The releases that are modelled, by name, the oldest first."""

PREVIEWS: Final[Mapping[str, Release]] = MappingProxyType(
    {release.name: release for release in (release_1_8.RELEASE, main.RELEASE)}
)
"""What branches have ahead of their releases, by the branch's name, the oldest first. None is ever a default."""

_NUMBER = "[0-9]{1,4}"
_VERSION = re.compile(rf"(?P<v>v?)(?P<major>{_NUMBER})\.(?P<minor>{_NUMBER})(\.(?P<patch>{_NUMBER})([-+].*)?)?")

DEFAULT: Final = RELEASES["v1.9.0"]
"""The release that counts where nobody names one."""


def find_release(name: str) -> Release:
    """Look up a release: a minor (`v1.8`), and a patch release up to the modelled one (`v1.8.2`), is the modelled one.

    A branch's name (`main`) is its preview. UnsupportedError lists the known ones for every other name.
    """
    if name in PREVIEWS:
        return PREVIEWS[name]
    version = _VERSION.fullmatch(name)
    of_minor = {release.minor: release for release in RELEASES.values()}
    match = of_minor.get(_minor(version)) if version else None
    if version and version["v"] and match and int(version["patch"] or 0) <= int(match.name.rpartition(".")[2]):
        return match
    hint = f"; did you mean {match}?" if match else ""
    if not version:
        hint = f"; previews are {', '.join(PREVIEWS)}"
    elif not match:
        ahead = (preview.name for preview in PREVIEWS.values() if preview.minor == _minor(version))
        hint = next((f"; {branch} is a preview of it" for branch in ahead), "")
    raise UnsupportedError("release", f"KubeVirt {name!r} is not modelled; known are {', '.join(RELEASES)}{hint}")


def find_launcher(tag: str) -> Launcher | None:
    """What is in virt-launcher's image of that tag (`v1.8.2`); None for one that KubeVirt did not release, or too old.

    Patch releases have the packages of their minor.
    """
    of_minor = {**EARLIER, **{release.minor: release.launcher for release in RELEASES.values()}}
    matched = _VERSION.fullmatch(tag)
    released = matched is not None and matched["v"] and matched["patch"] and matched[0].count("-") == 0
    return of_minor.get(_minor(matched)) if matched is not None and released else None


def check_oldest(name: str) -> None:
    """Refuse what cannot be the oldest release that objects work with: it is modelled, or older than all that are.

    UnsupportedError lists the known ones.
    """
    version = _VERSION.fullmatch(name)
    if not version or not version["v"] or _minor(version) >= next(iter(RELEASES.values())).minor:
        find_release(name)


def name_minor(minor: tuple[int, ...]) -> str:
    """Name a minor release, `v1.8`; one that is not released yet by its branch, `main`."""
    newest = max(release.minor for release in RELEASES.values())
    branches = (preview.name for preview in PREVIEWS.values() if preview.minor == minor > newest)
    return next(branches, f"v{'.'.join(map(str, minor))}")


def _minor(version: re.Match[str]) -> tuple[int, int]:
    return int(version["major"]), int(version["minor"])
