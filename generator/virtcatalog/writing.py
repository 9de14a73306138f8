"""Writing on disk: where it may be, files that are replaced as a whole or not at all, the lock for that, and removal.

Every command writes by these functions. None of them writes through a link that a stranger's commit can have brought,
and a WriteError says in which state it leaves what is there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from virtcatalog.checkouts import checkout_of, mode_of, resolved
from virtcatalog.errors import VirtcatalogError

#: How long to wait for another run, in seconds, before that is said, and in all.
QUIET, PATIENCE = 1.0, 60.0
_PIECE: Final = 2**20


class WriteError(VirtcatalogError):
    """Something cannot be written; the message says in which state it is."""


class BusyError(WriteError):
    """Another run holds the lock; nothing was changed."""


def no_message(_message: str) -> None:
    """Tell nobody."""


def real_place(path: str | Path, inside: str = "") -> Path:
    """Return where a path is that a user names for writing, without links; WriteError for a link of somebody else's.

    A user's own links are followed, such as `/tmp` or a home folder may be. A link in a checkout can come with the
    files that are looked at; so can one in what is `inside` the path.
    """
    try:
        place, links = resolved(os.fspath(path))
        foreign = [link for link in links if checkout_of(os.path.dirname(link)) is not None]  # noqa: PTH120
        for part in filter(None, inside.split("/")):
            place = os.path.join(place, part)  # noqa: PTH118
            foreign += [place] if stat.S_ISLNK(mode_of(place) or 0) else []
    except OSError as error:
        raise WriteError(f"{path}: {error.strerror or error}") from error
    if foreign:
        raise WriteError(
            f"{Path(path, inside)}: {os.path.relpath(foreign[0])} is a symbolic link, and nothing is written through "
            "one in a checkout or a catalog; name the place that it leads to"
        )
    return Path(place)


@contextmanager
def locked(folder: Path, say: Callable[[str], object] = no_message, patience: float = PATIENCE) -> Iterator[None]:
    """Let one run at a time write in a folder; BusyError when another does for too long.

    The lock is the system's on the folder itself: no file is left of it, and a run that is killed holds it no longer.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        started, noted = time.monotonic(), False
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
            if waited > QUIET and not noted:
                say(f"{folder}: another virtcatalog is writing here; waiting for it")
                noted = True
            time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


def write_new(path: str | Path, content: bytes, mode: int = 0o666, *, flush: bool = False) -> None:
    """Write a file where nothing is, with no more calls of the system than that takes: there are many files."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        piece = memoryview(content)
        while piece:
            piece = piece[os.write(descriptor, piece[:_PIECE]) :]
        if flush:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, text: str, say: Callable[[str], object] = no_message, *, inside: str = "") -> None:
    """Make a file hold a text, with the permissions that it had, or 0644; WriteError leaves it as it was.

    The file may be `inside` a folder, the path. What a killed run left is cleaned up first.
    """
    name, place = path / inside, real_place(path, inside)
    staged = place.with_name(f".{place.name}.virtcatalog-new")
    try:
        if place.exists() and not place.is_file():
            raise FileExistsError(errno.EEXIST, "is not a regular file", str(name))
        place.parent.mkdir(exist_ok=True)
        with locked(place.parent, say):
            remove(staged)
            try:
                write_new(staged, text.encode(), 0o600, flush=True)
                _take_after(place, staged)
                staged.replace(place)
            except BaseException:
                discard(staged, say)
                raise
    except OSError as error:
        raise WriteError(f"{name}: {error.strerror or error}; it is as it was") from error


def _take_after(old: Path, new: Path) -> None:
    """Give a new file the owner and the permissions of the old one."""
    try:
        status = old.stat()
    except FileNotFoundError:
        new.chmod(0o644)
        return
    with suppress(PermissionError):
        os.chown(new, status.st_uid, status.st_gid)
    new.chmod(stat.S_IMODE(status.st_mode))


def write_files(
    folder: Path,
    files: Mapping[str, str | None],
    say: Callable[[str], object] = no_message,
    *,
    replaces: bool = False,
) -> None:
    """Make files below a folder hold these texts, None for a file that is to go: all of them, or none.

    What is there already is a fault, unless the new file `replaces` it. WriteError says what is there then.
    """
    folder = real_place(folder)
    places = {path: real_place(folder, path) for path in files}
    staging, steps = folder / ".virtcatalog-new", _Steps()
    try:
        steps.make_folder(folder)
        with locked(folder, say):
            try:
                remove(staging)
                for path, text in files.items():
                    if text is not None:
                        (staging / "new" / path).parent.mkdir(parents=True, exist_ok=True)
                        write_new(staging / "new" / path, text.encode())
                (staging / "old").mkdir(parents=True)
                for index, (path, place) in enumerate(places.items()):
                    new = staging / "new" / path if files[path] is not None else None
                    steps.take(place, new, staging / "old" / str(index), replaces=replaces)
            except BaseException:
                steps.undo()
                discard(staging, say)
                steps.remove_folders()
                raise
            discard(staging, say)
    except OSError as error:
        state = "nothing was written" if steps.undone else "not all that was written is taken back: try again"
        raise WriteError(
            f"{error.filename2 or error.filename or folder}: {error.strerror or error}; {state}"
        ) from error


class _Steps:
    """Files that take their places one after the other, and that can be taken back."""

    def __init__(self) -> None:
        self._files: list[tuple[Path, Path | None]] = []
        self._folders: list[Path] = []
        self.undone = True
        """False once `undo` could not take a file back."""

    def make_folder(self, folder: Path) -> None:
        """Make a folder, and those that it is in."""
        for path in (*reversed(folder.parents), folder):
            if not path.is_dir():
                path.mkdir()
                self._folders.append(path)

    def take(self, place: Path, new: Path | None, old: Path, *, replaces: bool) -> None:
        """Put a new file, or nothing, in a place; what is there is kept as `old`."""
        self.make_folder(place.parent)
        if replaces and mode_of(place) is not None:
            _link(place, old)
            if new is None:
                place.unlink()
            else:
                shutil.copymode(place, new)
                new.replace(place)
            self._files.append((place, old))
        elif new is not None:
            _link(new, place)
            self._files.append((place, None))

    def undo(self) -> None:
        """Take the files back, the last first."""
        while self._files:
            place, old = self._files.pop()
            try:
                if old is not None:
                    old.replace(place)
                else:
                    place.unlink()
            except OSError:
                self.undone = False

    def remove_folders(self) -> None:
        """Remove the folders that were made, as far as nothing is in them."""
        while self._folders:
            with suppress(OSError):
                self._folders.pop().rmdir()


def _link(source: Path, place: Path) -> None:
    """Give a file a second name where there is none, or a copy of it where the file system has no hard links."""
    try:
        os.link(source, place)
    except FileExistsError:
        raise
    except OSError:
        with source.open("rb") as content, place.open("xb") as target:
            try:
                shutil.copyfileobj(content, target)
            except BaseException:
                place.unlink()
                raise


def discard(path: Path, say: Callable[[str], object] = no_message) -> None:
    """Remove what a run leaves beside its results; say so when that cannot be done, as no result depends on it."""
    try:
        remove(path)
    except OSError as error:
        say(f"{path}: is left over and cannot be removed: {error.strerror or error}; the next run tries again")


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it, whatever their permissions; links are not followed."""
    mode = mode_of(path)
    if mode is None:
        return
    if not stat.S_ISDIR(mode):
        path.unlink()
        return
    rest = [str(path)]
    while rest:
        folder = rest.pop()
        mode = stat.S_IMODE(os.lstat(folder).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(folder, mode | stat.S_IRWXU)  # noqa: PTH101
        with os.scandir(folder) as entries:
            rest += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    shutil.rmtree(path)
