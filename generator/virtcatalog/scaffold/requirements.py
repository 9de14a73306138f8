"""The requirements of a new repository: virtcatalog and all that it needs, as they are installed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution

from virtcatalog._version import __version__

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_TESTS = ("pytest", "syrupy")


def pinned() -> str:
    """Return the lines of a requirements file."""
    found: dict[str, str] = {}
    for name in (*_needs("virtcatalog"), *_TESTS):
        _collect(name, found)
    lines = [f"{name}=={version}" for name, version in sorted(found.items())]
    return "\n".join([f"virtcatalog[pytest]=={__version__}", *lines])


def _collect(name: str, found: dict[str, str]) -> None:
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    try:
        found[key] = distribution(name).version
    except PackageNotFoundError:
        # Needed on other systems, or for tests that are not run here: pip chooses.
        return
    for each in _needs(name):
        _collect(each, found)


def _needs(name: str) -> Iterator[str]:
    """Yield the names of what a package needs, without its extras."""
    for requirement in distribution(name).requires or ():
        match = _NAME.match(requirement)
        if match and not re.search(r"\bextra\s*==", requirement):
            yield match.group()
