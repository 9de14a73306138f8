"""The user's folder for what is kept from one run to the next: where it is, and that nobody else reaches it.

What is in it is believed. So it lies where no checkout reaches: whoever opens a pull request commits files and links.
"""

from __future__ import annotations

import os
import stat

from virtcatalog.checkouts import checkout_of, resolved
from virtcatalog.errors import VirtcatalogError


class CacheError(VirtcatalogError):
    """A folder that is not the user's own to keep anything in."""


def check(folder: str) -> None:
    """CacheError for a folder that somebody else owns, or may write into."""
    status = os.stat(folder)  # noqa: PTH116
    if not stat.S_ISDIR(status.st_mode):
        raise CacheError(f"{folder}: is no folder to keep anything in")
    if status.st_uid != os.geteuid():
        raise CacheError(f"{folder}: belongs to somebody else: nothing is kept there")
    if status.st_mode & 0o022:
        raise CacheError(f"{folder}: can be written by others: nothing is kept there")


def check_outside(folder: str) -> None:
    """CacheError for a folder in a checkout, or to which a link in one leads."""
    try:
        place, links = resolved(folder)
        checkouts = (checkout_of(folder) for folder in (*map(os.path.dirname, links), place))
        checkout = next(filter(None, checkouts), None)
    except OSError as error:
        raise CacheError(f"{folder}: {error.strerror or error}: nothing is kept there") from error
    if checkout:
        raise CacheError(
            f"{folder}: lies in the checkout {checkout}, or a link in it leads there, and anybody may commit to "
            "one: nothing is kept there; name a folder outside of every checkout"
        )


def default_folder() -> str | None:
    """The user's folder for caches; None where no variable or home folder says which that is."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):  # noqa: PTH117 - a path that is not absolute counts for nothing there
        user = os.path.expanduser("~")  # noqa: PTH111
        if not os.path.isabs(user):  # noqa: PTH117
            return None
        home = f"{user}/.cache"
    return f"{home}/virtcatalog"
