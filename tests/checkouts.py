"""Folders of files, and git in them: what tests compare, commit and clone."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

_IDENTITY = ("user.name=House", "user.email=house@example.org", "commit.gpgsign=false", "init.defaultBranch=main")


def write(folder: Path | str, files: Mapping[str, str]) -> None:
    """Write texts, which may be indented as a whole, to their paths below a folder."""
    for path, text in files.items():
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack a tar file of our own; Python before 3.11.4, as Debian 12 has it, knows no filters."""
    archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def git(folder: Path | str, *arguments: str, stdin: bytes = b"", day: str = "") -> str:
    """Return what a git command prints; what it commits is of a day (2026-01-01) or of now."""
    dates = {name: f"{day}T00:00:00+00:00" for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE") if day}
    done = subprocess.run(
        ["git", *(word for setting in _IDENTITY for word in ("-c", setting)), *arguments],
        cwd=folder,
        env={**os.environ, **dates},
        input=stdin,
        check=True,
        capture_output=True,
    )
    return done.stdout.decode().strip()
