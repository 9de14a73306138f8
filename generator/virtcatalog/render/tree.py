"""The output tree on disk: what differs from the rendered one, and how a new tree takes the old one's place.

Files that virtcatalog does not own are left in place, and never overwritten. A new tree is built beside the old one and
takes its place in one step (on Linux an atomic exchange), so that whatever interrupts the program leaves the old tree
or the new one.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from virtcatalog.checkouts import mode_of
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.textdiff import unified
from virtcatalog.render.ownership import Reader, TreeError, owner_of, with_ownership
from virtcatalog.writing import discard, locked, no_message, real_place, remove, write_new


class Change(msgspec.Struct, frozen=True):
    """One file that differs from what would be rendered: `old` is None for a new file, `new` for a stale one."""

    path: str
    old: str | None
    new: str | None

    def diff(self) -> str:
        """Return the change as a unified diff."""
        names = ("/dev/null" if self.old is None else f"a/{self.path}", f"b/{self.path}" if self.new else "/dev/null")
        return unified(self.old or "", self.new or "", *names)


def compare(folder: Path, tree: Mapping[str, str], owner: str = "") -> list[Change]:
    """Return what replacing `folder` by `tree` would change, by path; raises TreeError where a file is not ours.

    `owner` is the name of the catalog that the tree is of. No link is followed; see `real_place`.
    """
    folder, tree = real_place(folder), with_ownership(tree, owner)
    reader = Reader(folder)
    owned = reader.owned()
    changes = [Change(path, reader.text(path), None) for path in owned - tree.keys() if reader.has(path)]
    foreign = []
    for path, text in tree.items():
        if not reader.has(path):
            changes.append(Change(path, None, text))
            continue
        old = reader.text(path)
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


def replace(
    folder: Path,
    tree: Mapping[str, str],
    owner: str = "",
    *,
    catalog: str = "",
    force: bool = False,
    say: Callable[[str], object] = no_message,
) -> list[Change]:
    """Make `folder` hold `tree` beside what others keep there; returns what changed. Writes only when something did.

    `catalog` is the path of the catalog, which the folder must not be around. A tree of another catalog than `owner` is
    replaced by `force` only. `say` gets a message when it waits for another run, and for what cannot be cleaned up;
    BusyError when the wait takes too long.
    """
    state = "the output folder is as it was"
    try:
        _refuse_place(folder, catalog)
        folder = real_place(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder.parent, say):
            if _put_back(folder):
                state = "the output folder is as it was before the run that was killed"
            for path in (_aside(folder), _staging(folder)):
                remove(path)
            _refuse_owned(folder, owner, force=force)
            changes = compare(folder, tree, owner)
            if changes:
                _refuse_read_only(folder)
                staging = _staging(folder)
                try:
                    _build(staging, folder, with_ownership(tree, owner))
                    old = _exchange(staging, folder)
                except BaseException:
                    discard(staging, say)
                    raise
                discard(old, say)
            return changes
    except OSError as error:
        place = error.filename or folder
        raise TreeError(f"{place}: {error.strerror or error}; {state}") from error


def _refuse_place(folder: Path, catalog: str) -> None:
    """Refuse what is no folder, a link, and places in or around a catalog, which would read the tree as its own."""
    if folder.is_symlink():
        raise TreeError(
            f"{folder}: is a symbolic link, and the tree is not written through one; name the folder itself"
        )
    if folder.exists() and not folder.is_dir():
        raise TreeError(f"{folder}: is not a folder; name another one for the output tree")
    place = Path(os.path.realpath(folder))
    if catalog and Path(os.path.realpath(catalog)).is_relative_to(place):
        raise TreeError(
            f"{folder}: the catalog {catalog} lies in it, and the output tree takes a whole folder; name another"
        )
    if (place / ".git").exists():
        raise TreeError(f"{folder}: is a Git checkout, and the output tree takes a whole folder; name one in it")
    for path in (place, *place.parents):
        if (path / CATALOG).is_file():
            fault = "is a catalog" if path == place else f"lies in the catalog {path}"
            raise TreeError(f"{folder}: {fault}, and an output tree lies outside of one; name another folder")


def _refuse_owned(folder: Path, owner: str, *, force: bool) -> None:
    """Refuse to replace the tree of another catalog."""
    other = owner_of(folder)
    if owner and other not in ("", owner) and not force:
        raise TreeError(
            f"{folder}: is the output tree of the catalog {other!r}, not of {owner!r}; name another folder, or "
            "replace it with --force"
        )


def _build(staging: Path, folder: Path, tree: Mapping[str, str]) -> None:
    """Write the new tree into `staging`, with what others keep in `folder`."""
    staging.mkdir()
    existing = {""}
    for path, text in tree.items():
        parent = path.rpartition("/")[0]
        if parent not in existing:
            (staging / parent).mkdir(parents=True, exist_ok=True)
            existing.add(parent)
        write_new(f"{staging}/{path}", text.encode())
    owned = Reader(folder).owned()
    ours = {parent for path in owned for parent in _parents(path)}
    folders = [folder] if folder.is_dir() else []
    for place in _entries(folder):
        relative = place.relative_to(folder).as_posix()
        if relative in owned or (staging / relative).is_file():
            continue
        target = staging / relative
        if place.is_dir() and not place.is_symlink():
            if relative not in ours:
                target.mkdir(parents=True, exist_ok=True)
            folders.append(place)
            continue
        _keep(place, target)
    for place in reversed(folders):
        target = staging / place.relative_to(folder)
        if target.is_dir():
            shutil.copymode(place, target)


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _keep(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode_of(target) is not None:
        raise TreeError(f"{path}: virtcatalog did not write this and needs its place; move it away")
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, target, follow_symlinks=False)


def _entries(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise error  # a folder that cannot be listed would be missing in the new tree

    for root, folders, files in os.walk(folder, onerror=fail) if folder.is_dir() else ():
        for name in sorted(folders) + sorted(files):
            yield Path(root, name)


def _refuse_read_only(folder: Path) -> None:
    """Refuse a folder without write permission, although its parent's permissions would let it be replaced."""
    if folder.exists() and not folder.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "the folder is read-only", str(folder))


def _exchange(staging: Path, folder: Path) -> Path:
    """Put `staging` in the place of `folder`; return the new place of what was there."""
    if not folder.exists():
        staging.rename(folder)
        return staging
    if _rename_exchange(staging, folder):
        return staging
    aside = _aside(folder)
    folder.rename(aside)
    try:
        staging.rename(folder)
    except BaseException as error:
        try:
            aside.rename(folder)
        except OSError:
            raise TreeError(f"{folder}: {error}; what was there is {aside}, and the next run puts it back") from error
        raise
    return aside


def _rename_exchange(first: Path, second: Path) -> bool:
    """Swap two paths by Linux's renameat2(2); False where the system or the file system cannot."""
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    at_fdcwd, rename_exchange = -100, 2
    return bool(renameat2(at_fdcwd, os.fsencode(first), at_fdcwd, os.fsencode(second), rename_exchange) == 0)


def _put_back(folder: Path) -> bool:
    """Undo a replacement that was killed between its two renames."""
    aside = _aside(folder)
    if mode_of(folder) is not None or not stat.S_ISDIR(mode_of(aside) or 0):
        return False
    aside.rename(folder)
    return True


def _staging(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.virtcatalog-new")


def _aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.virtcatalog-old")
