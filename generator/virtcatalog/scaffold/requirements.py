"""The requirements of a new repository: virtcatalog and all that it needs, as they are installed here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from virtcatalog._version import __version__

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_TESTS = ("pytest", "syrupy")


def pinned(package: str = "") -> str:
    """Return the lines of a requirements file; `package` is what virtcatalog itself is installed from."""
    versions: dict[str, str] = {}
    for name in (*_needs("virtcatalog"), *_TESTS):
        _collect(name, versions)
    lines = [f"{name}=={version}" for name, version in sorted(versions.items())]
    lines += (name for name in _TESTS if name not in versions)
    return "\n".join([_of_package(package) if package else _installed(), *lines])


def _of_package(package: str) -> str:
    """The line of the package that the caller names: a URL (`git+https://…`), a file, a folder, or a name."""
    if "://" in package:
        return _of_url(package)
    if Path(package).exists():
        return _of_url(Path(package).resolve().as_uri())
    return re.sub(r"^([A-Za-z0-9._-]+)(?!\[)(?=[^A-Za-z0-9._\-\[]|$)", r"\1[pytest]", package)


def _installed() -> str:
    """The line of the source of this virtcatalog, by its installer's record (PEP 610), else its version in an index."""
    noted = json.loads(distribution("virtcatalog").read_text("direct_url.json") or "{}")
    url, vcs = noted.get("url"), noted.get("vcs_info")
    if not url:
        return f"virtcatalog[pytest]=={__version__}"
    return _of_url(f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url)


def _of_url(url: str) -> str:
    """The line of a URL. pip takes one without a host only alone; what the tests need has its own lines."""
    return url if url.startswith("git+file:///") else f"virtcatalog[pytest] @ {url}"


def _collect(name: str, versions: dict[str, str]) -> None:
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in versions:
        return
    try:
        versions[key] = distribution(name).version
    except PackageNotFoundError:
        # Needed on other systems, or for tests that are not run here: pip chooses.
        return
    for need in _needs(name):
        _collect(need, versions)


def _needs(name: str) -> Iterator[str]:
    """Yield the names of what a package needs, without its extras."""
    for requirement in distribution(name).requires or ():
        match = _NAME.match(requirement)
        if match and not re.search(r"\bextra\s*==", requirement):
            yield match.group()
