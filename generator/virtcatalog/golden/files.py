"""Golden files on disk. Anybody may have committed them: only plain text files below pytest's root are used."""

from __future__ import annotations

from pathlib import Path

from virtcatalog.limits import GOLDEN_FILE_BYTES
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import open_folder


def fault(root: Path, file: Path) -> str:
    """Return why a golden file is neither read nor written, "" when it is sound or does not exist."""
    if not file.is_relative_to(root) or ".." in file.parts:
        return "lies outside of pytest's root"
    if is_behind_link(root, file):
        return "is a symbolic link, or below one: golden files are not read or written through links"
    if not file.exists():
        return ""
    try:
        open_folder(str(file.parent)).read(file.name, GOLDEN_FILE_BYTES).decode()
    except SourceError as error:
        return error.message
    except UnicodeDecodeError:
        return "is no UTF-8"
    return ""


def is_behind_link(root: Path, path: Path) -> bool:
    """Whether a path below the root is a symbolic link, or leads through one."""
    below = path.relative_to(root).parts
    return any(root.joinpath(*below[:end]).is_symlink() for end in range(1, len(below) + 1))
