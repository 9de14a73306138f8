"""What users name: files, folders, `-` and catalogs that come with the program, whatever links lead to them."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import BinaryIO

from virtcatalog.checkouts import checkout_of
from virtcatalog.errors import nearest
from virtcatalog.limits import SOURCE_FILE_BYTES
from virtcatalog.manifests.disk import check_kind, content_of, limited, on_disk, reading
from virtcatalog.manifests.folder import NO_PATH, NOT_THERE, Folder, SourceError, alone, parts_of
from virtcatalog.manifests.layout import CATALOG, is_archive


def is_catalog(path: str) -> bool:
    """Whether a path is the folder of a catalog."""
    return is_file(f"{path}/{CATALOG}")


def is_file(path: str) -> bool:
    """Whether a user's path names a file; false too for what is no path."""
    return os.path.isfile(meant(path))  # noqa: PTH113 - unlike pathlib's, it raises nothing


def is_folder(path: str) -> bool:
    """Whether a user's path names a folder; false too for what is no path."""
    return os.path.isdir(meant(path))  # noqa: PTH112 - unlike pathlib's, it raises nothing


def exists(path: str) -> bool:
    """Whether a user's path names anything; false too for what is no path."""
    return os.path.exists(meant(path))  # noqa: PTH110 - unlike pathlib's, it raises nothing


def open_shipped(name: str) -> Folder | None:
    """Return the folder of a catalog that comes with the program, None when there is none of that name."""
    folder = shipped().get(name)
    # Its place has two parts, lest it be taken for a folder of that name which a user named.
    if folder is None:
        return None
    root, *at = folder.rsplit(os.sep, 2)
    return on_disk(root, tuple(at))


def open_folder(path: str) -> Folder:
    """Return the folder on disk that a user named, whatever links lead to it; raises SourceError."""
    if not is_folder(path):
        raise SourceError("is not a folder" if exists(path) else f"{NOT_THERE}{hint(path)}")
    real = os.path.realpath(meant(path))
    root, name = os.path.split(real)
    return on_disk(root, (name,) if name else ())


def open_in_checkout(path: str) -> Folder:
    """Return a folder or file that a user named; a folder of a checkout may refer to all of that, and to no more."""
    if not is_folder(path):
        return open_source(path)
    real = os.path.realpath(meant(path))
    root = checkout_of(real)
    if root is None:
        return open_folder(path)
    return on_disk(root, parts_of(os.path.relpath(real, root)), is_checkout=True)


def open_source(path: str) -> Folder:
    """Return the folder, archive or, as `alone` does, the file that a user named; raises SourceError."""
    if is_folder(path):
        return open_folder(path)
    try:
        content = read_file(path)
    except SourceError as error:
        raise SourceError(error.message, path) from error
    if is_archive(path):
        from virtcatalog.manifests.archive import open_archive

        return open_archive(content)
    return alone(content)


def read_file(path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
    """Return the bytes of a file that a user named, whatever links lead to it, or `-`; raises SourceError."""
    if path == "-":
        return limited(standard_input().read, most)
    return content_of(_opened(path), most, pipe=_is_pipe(path))


def standard_input() -> BinaryIO:
    """Return standard input; SourceError when it is closed."""
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer


def opened(path: str) -> int:
    """Return the descriptor of a regular file that a user named, or of a pipe of this process; raises SourceError."""
    descriptor = _opened(path)
    try:
        with reading():
            check_kind(descriptor, pipe=_is_pipe(path))
    except SourceError:
        os.close(descriptor)
        raise
    return descriptor


def _opened(path: str) -> int:
    if not path:
        raise SourceError("'' is no path: name a file or folder")
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        raise SourceError(f"{NOT_THERE}{hint(path)}") from None
    except OSError as error:
        raise SourceError(f"{error.strerror or error}{hint(path)}") from error
    except ValueError as error:
        raise SourceError(NO_PATH) from error


def _is_pipe(path: str) -> bool:
    """Whether it may be a pipe of this process, which has its other end: `<(kubectl get vm -o yaml)` in a shell."""
    return path.startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))


NAME = "common-instancetypes"
USUAL_CATALOG = "catalog"
"""Where a repository has its catalog."""
#: In an installed package, and in the repository.
_HOMES = (Path(__file__).parents[1] / "shipped", Path(__file__).parents[3] / "examples")


@cache
def shipped() -> dict[str, str]:
    """Return the folders of the catalogs by their names: `common-instancetypes`, `common-instancetypes@v1.7.0`."""
    home = next((home for home in _HOMES if (home / NAME / CATALOG).is_file()), None)
    files = sorted(home.glob(f"{NAME}*/{CATALOG}")) if home else ()
    return {path.parent.name: str(path.parent) for path in files}


def meant(path: str) -> str:
    """Return the path on disk that a user's path means, in a catalog of that name or the path itself."""
    first, slash, rest = path.partition("/")
    if not first.startswith(NAME) or os.path.lexists(first):
        return path
    folder = shipped().get(first)
    return f"{folder}{slash}{rest}" if folder else path


def hint(path: str) -> str:
    """Return what to say of a name that is nearly that of a catalog which comes with the program, or the usual one."""
    names = shipped()
    if path.startswith(NAME) and "/" not in path and names:
        return f"; virtcatalog comes with {', '.join(names)}"
    if path == USUAL_CATALOG:
        return f": name a catalog, such as {NAME}, or make one with virtcatalog init"
    return nearest(path, names) if path.startswith("common") else ""


def not_there(path: str) -> str:
    """Return what is wrong with a user's path that names nothing."""
    return f"{path}: {NOT_THERE}{hint(path)}"
