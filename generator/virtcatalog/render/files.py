"""Files on disk: one replaced as a whole or not at all, the lock that lets one run write at a time, and removal."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from virtcatalog.errors import VirtcatalogError

#: How long to wait for another run, in seconds, before that is said, and in all.
QUIET, PATIENCE = 1.0, 60.0


class BusyError(VirtcatalogError):
    """Another run holds the lock; nothing was changed."""


def said_nowhere(_message: str) -> None:
    """Tell nobody."""


@contextmanager
def locked(folder: Path, say: Callable[[str], object] = said_nowhere, patience: float = PATIENCE) -> Iterator[None]:
    """Let one run at a time write in a folder; BusyError when another does for too long.

    The lock is the system's on the folder itself: no file is left of it, and a run that is killed holds it no longer.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        started, told = time.monotonic(), False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited = time.monotonic() - started
            if waited > patience:
                raise BusyError(
                    f"{folder}: another virtcatalog has been writing here for {patience:.0f} seconds; "
                    "wait until it has ended, or end it, and try again"
                )
            if waited > QUIET and not told:
                say(f"{folder}: another virtcatalog is writing here; waiting for it")
                told = True
            time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


def replace_file(path: Path, text: str, say: Callable[[str], object] = said_nowhere) -> None:
    """Make a file hold a text, with the permissions that it had, or 0644; OSError leaves it as it was.

    What a killed run left is cleaned up first. A link is followed: whoever names a file means what it stands for.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "is not a regular file", str(path))
    staged = path.with_name(f".{path.name}.virtcatalog-new")
    with locked(path.parent, say):
        remove(staged)
        try:
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                _take_after(path, descriptor)
                os.fsync(descriptor)
            staged.replace(path)
        except BaseException:
            remove(staged)
            raise


def _take_after(path: Path, descriptor: int) -> None:
    try:
        old = path.stat()
    except FileNotFoundError:
        os.fchmod(descriptor, 0o644)
        return
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it, whatever their permissions; links are not followed."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    rest = [str(path)]
    while rest:
        folder = rest.pop()
        mode = stat.S_IMODE(os.lstat(folder).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(folder, mode | stat.S_IRWXU)  # noqa: PTH101
        with os.scandir(folder) as entries:
            rest += [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    shutil.rmtree(path)
