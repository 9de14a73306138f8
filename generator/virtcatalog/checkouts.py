"""Checkouts: what lies in them, files and links, anybody may have committed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import Final

_LINKS: Final = 40  # on the way to a place, as Linux has it
#: Where GitHub and GitLab say that the checkout is, which may be without git's own files.
_FORGES: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


def checkout_of(folder: str) -> str | None:
    """Return the checkout that a folder is in, whose path has no links; None for a folder that is in none.

    That is a work tree of git, the current folder, unless the user's home is below it, or what the forge calls one.
    """
    checkouts = {os.path.realpath(path) for path in _unmarked()}
    while folder not in checkouts and mode_of(f"{folder}/.git") is None:
        above = os.path.dirname(folder)  # noqa: PTH120 - of text, as all of this
        if above == folder:
            return None
        folder = above
    return folder


def _unmarked() -> Iterator[str]:
    """Yield what is a checkout though git's own files may be missing."""
    here, home = os.path.realpath("."), os.path.expanduser("~")  # noqa: PTH111
    if not os.path.isabs(home) or os.path.commonpath((here, os.path.realpath(home))) != here:  # noqa: PTH117
        yield here
    yield from filter(os.path.isabs, (os.environ.get(name, "") for name in _FORGES))


def mode_of(path: str | os.PathLike[str]) -> int | None:
    """Return what a path is, a link as such, None for nothing; unlike `os.path.lexists`, OSError when nobody knows."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def resolved(path: str) -> tuple[str, list[str]]:
    """Return where a path is, without links, and the links on the way there; OSError when that cannot be told."""
    place, left = "/", os.path.join(os.path.realpath("."), path).split("/")[::-1]  # noqa: PTH118
    links: list[str] = []
    while left:
        part = left.pop()
        if part in ("", ".", ".."):
            place = os.path.dirname(place) if part == ".." else place  # noqa: PTH120
            continue
        entry = os.path.join(place, part)  # noqa: PTH118
        try:
            target = os.readlink(entry)  # noqa: PTH115
        except (FileNotFoundError, NotADirectoryError):
            place = entry
        except OSError as error:
            if error.errno != errno.EINVAL:  # which says that it is no link
                raise
            place = entry
        else:
            links.append(entry)
            if len(links) > _LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            place = "/" if target.startswith("/") else place
            left += target.split("/")[::-1]
    return place, links
