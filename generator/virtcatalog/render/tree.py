"""The output tree on disk: what virtcatalog owns there, what differs, and how a new tree takes the old one's place.

The file OWNED lists every path that virtcatalog wrote. Files that it does not list belong to somebody else: they are
kept, and never overwritten. A new tree is built beside the old one and takes its place in one step (on Linux an atomic
exchange), so that whatever interrupts the program leaves the old tree or the new one.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path

import msgspec

from virtcatalog.errors import VirtcatalogError

OWNED = ".virtcatalog"
_HEADER = "# Files that virtcatalog wrote in this folder; it replaces and removes these and no others.\n"


class TreeError(VirtcatalogError):
    """The output folder cannot be read or replaced; nothing was changed."""


class Change(msgspec.Struct, frozen=True):
    """One file that differs from what would be rendered: `old` is None for a new file, `new` for a stale one."""

    path: str
    old: str | None
    new: str | None

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (text.splitlines(keepends=True) if text else [] for text in (self.old, self.new))
        names = ("/dev/null" if self.old is None else f"a/{self.path}", f"b/{self.path}" if self.new else "/dev/null")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in unified_diff(old, new, *names))


def compare(folder: Path, tree: Mapping[str, str]) -> list[Change]:
    """Return what replacing `folder` by `tree` would change, by path; raises TreeError where a file is not ours."""
    tree = with_ownership(tree)
    owned = _owned(folder)
    changes = [Change(path, _read(folder, path), None) for path in owned - tree.keys() if _present(folder, path)]
    foreign = []
    for path, text in tree.items():
        if not _present(folder, path):
            changes.append(Change(path, None, text))
            continue
        old = _read(folder, path)
        if old != text:
            if path not in owned:
                foreign.append(path)
            changes.append(Change(path, old, text))
    if foreign:
        raise TreeError(
            f"{folder / foreign[0]}: virtcatalog did not write this file and will not replace it"
            + (f" (nor {len(foreign) - 1} more)" if len(foreign) > 1 else "")
            + "; move it away or choose another output folder"
        )
    return sorted(changes, key=lambda change: change.path)


def replace(folder: Path, tree: Mapping[str, str]) -> list[Change]:
    """Make `folder` hold `tree` beside what others keep there; returns what changed. Writes only when something did."""
    folder = Path(os.path.realpath(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent):
            _recover(folder)
            changes = compare(folder, tree)
            if changes:
                _refuse_read_only(folder)
                staging = _staging(folder)
                shutil.rmtree(staging, ignore_errors=True)
                try:
                    _build(staging, folder, tree)
                    _exchange(staging, folder)
                finally:
                    shutil.rmtree(staging, ignore_errors=True)
            return changes
    except OSError as error:
        place = error.filename or folder
        raise TreeError(f"{place}: {error.strerror or error}; the output folder is as it was") from error


def with_ownership(tree: Mapping[str, str]) -> dict[str, str]:
    """Return the tree with the file that lists it."""
    return {**tree, OWNED: _HEADER + "".join(f"{path}\n" for path in sorted(tree))}


def _owned(folder: Path) -> set[str]:
    if not _present(folder, OWNED):
        return set()
    lines = _read(folder, OWNED).splitlines()
    paths = {line for line in lines if line and not line.startswith("#")}
    for path in paths:
        if path.startswith("/") or ".." in path.split("/"):
            raise TreeError(f"{folder / OWNED}: {path!r} lies outside the output folder; restore the file from Git")
    return paths | {OWNED}


def _present(folder: Path, path: str) -> bool:
    return os.path.lexists(folder / path)


def _read(folder: Path, path: str) -> str:
    place = folder / path
    try:
        if place.is_symlink() or not place.is_file():
            raise TreeError(f"{place}: not a regular file; move it away")
        return place.read_bytes().decode("utf-8", errors="surrogateescape")
    except OSError as error:
        raise TreeError(f"{place}: {error.strerror}") from error


def _build(staging: Path, folder: Path, tree: Mapping[str, str]) -> None:
    """Write the new tree into `staging`, with what others keep in `folder`."""
    staging.mkdir()
    made = {staging}
    for path, text in with_ownership(tree).items():
        place = staging / path
        if place.parent not in made:
            place.parent.mkdir(parents=True, exist_ok=True)
            made.add(place.parent)
        place.write_text(text, encoding="utf-8", newline="\n")
    owned = _owned(folder)
    for found in _entries(folder):
        relative = found.relative_to(folder)
        if relative.as_posix() in owned or (staging / relative).is_file():
            continue
        target = staging / relative
        if found.is_dir() and not found.is_symlink():
            if not any(each.startswith(f"{relative.as_posix()}/") for each in owned):
                target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        _keep(found, target)
    if folder.is_dir():
        shutil.copymode(folder, staging)


def _keep(found: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise TreeError(f"{found}: virtcatalog did not write this and needs its place; move it away")
    try:
        os.link(found, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(found, target, follow_symlinks=False)


def _entries(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        for name in sorted(folders) + sorted(files):
            yield Path(root, name)


def _refuse_read_only(folder: Path) -> None:
    """A folder without write permission is left alone, although its parent's permissions would let it be replaced."""
    if folder.exists() and not folder.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "the folder is read-only", str(folder))


def _exchange(staging: Path, folder: Path) -> None:
    """Put `staging` in the place of `folder`; what was there is left at `staging`."""
    if not folder.exists():
        staging.rename(folder)
        return
    if _rename_exchange(staging, folder):
        return
    aside = _aside(folder)
    folder.rename(aside)
    staging.rename(folder)
    aside.rename(staging)


def _rename_exchange(one: Path, other: Path) -> bool:
    """Swap two paths by Linux's renameat2(2); False where the system or the file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    at_fdcwd, rename_exchange = -100, 2
    return bool(renameat2(at_fdcwd, os.fsencode(one), at_fdcwd, os.fsencode(other), rename_exchange) == 0)


def _recover(folder: Path) -> None:
    """Undo a replacement that stopped between its two renames, where the system has no exchange."""
    aside = _aside(folder)
    if not folder.exists() and aside.is_dir():
        aside.rename(folder)


def _staging(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.virtcatalog-new")


def _aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.virtcatalog-old")


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    """Let one run at a time replace trees in a folder."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
