"""Folders as they are in a revision of a git repository, read without touching its checkout, index or references."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from virtcatalog.limits import SOURCE_BYTES, SOURCE_FILE_BYTES, SOURCE_FILES, SOURCE_FOLDER_LEVELS
from virtcatalog.manifests.commit import LACKING, NO_FILE, Entry, in_commit
from virtcatalog.manifests.folder import Folder, LinkOutError, Parts, TooLargeError, alone, parts_of, shown
from virtcatalog.manifests.gitprocess import Git, GitError

#: Where a main branch is looked for, in this order; what the remote calls its own comes before.
MAIN_BRANCHES: Final = ("origin/main", "origin/master", "main", "master")
#: What to do where a revision is not there.
SHALLOW: Final = "the clone is shallow: fetch the whole history (fetch-depth: 0)"
_REGULAR, _EXECUTABLE, _SYMLINK = "100644", "100755", "120000"
_READ: Final = frozenset({_REGULAR, _EXECUTABLE, _SYMLINK})
_FOLDER: Final = "040000"
_SUBMODULE: Final = "160000"
#: What can be asked of a remote: no option, and nothing that has more than a name in it.
_NAME: Final = re.compile(r"[^-+^:*?\[\\~\s\x00-\x1f\x7f][^:*?\[\\~^\s\x00-\x1f\x7f]*")
_NO_NAMES: Final = frozenset({"", ".", "..", ".git"})


class Repository:
    """The repository around a folder; every command only reads."""

    def __init__(self, folder: Path) -> None:
        self._git = Git(folder)
        self.prefix = self._git.prefix

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names; GitError when it names none."""
        commit = self._object_id(f"{revision}^{{commit}}")
        if not commit:
            raise GitError(f"{revision!r} is no git revision")
        return commit

    def has(self, revision: str) -> bool:
        """Whether a revision names a commit."""
        return bool(self._object_id(f"{revision}^{{commit}}"))

    def time_of(self, commit: str) -> int:
        """Return when a commit was made, in seconds since 1970."""
        return int(self._git.line("rev-list", "--max-count=1", "--timestamp", "--end-of-options", commit).split()[0])

    def remote(self) -> str:
        """Return the URL of the remote `origin`, "" when there is none."""
        return self._git.run("config", "--get", "remote.origin.url").stdout.decode(errors="replace").strip()

    def _object_id(self, name: str) -> str:
        """The id of what a name stands for, "" when that is nothing."""
        if name.startswith(("-", "^")) or "\0" in name:
            return ""
        done = self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return done.stdout.decode().strip() if not done.returncode else ""

    @property
    def shallow(self) -> bool:
        """Whether the clone ends before the history does."""
        return self._git.shallow

    def fetched(self, name: str) -> str:
        """Return the id of the commit that a name stands for, here or else at the remote `origin`."""
        if self.has(name):
            return self.commit(name)
        if not _NAME.fullmatch(name):
            raise GitError(f"{name!r} is no git revision")
        self._git.fetch(name)
        return self.commit(name if self.has(name) else "FETCH_HEAD")

    def names(self) -> list[str]:
        """Return the names of branches and tags, the remotes' too, each kind with the newest first."""
        kinds = "refs/heads", "refs/tags", "refs/remotes"
        name = "%(if)%(symref)%(then)%(else)%(refname:lstrip=2)%(end)"  # origin/HEAD is another name of a branch
        arguments = ("for-each-ref", "--sort=-creatordate", f"--format={name}")
        return [name for kind in kinds for name in self._git.line(*arguments, kind).splitlines() if name]

    def fork_point(self, head: str) -> tuple[str, str]:
        """Return the newest commit that a revision shares with the main branch, and that branch's name."""
        remote = self._git.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").stdout.decode().strip()
        for name in (remote, *MAIN_BRANCHES):
            if name and self.has(name):
                break
        else:
            branches = ", ".join(MAIN_BRANCHES)
            raise GitError(f"there is no main branch to compare with ({branches}): name a BASE")
        return self.merge_base(head, name), name

    def merge_base(self, one: str, other: str) -> str:
        """Return the newest commit that two revisions share; GitError when they share none."""
        done = self._git.run("merge-base", "--end-of-options", one, other)
        if done.returncode:
            hint = SHALLOW if self.shallow else "name a BASE"
            raise GitError(f"{one} and {other} share no commit; {hint}")
        return done.stdout.decode().split()[0]

    def folder(self, commit: str, path: str) -> Folder | None:
        """Return a folder or file of a commit, named from the folder that git was asked in.

        None when the commit has nothing there. Nothing is written to disk; links are followed within the folder only.
        """
        at = self._parts_of(path)
        if not at:
            return in_commit(self, commit, ())
        place = "/".join(at)
        listed = self._git.output("ls-tree", "--full-tree", "--end-of-options", commit, "--", place).split()
        if listed[1:2] == [b"tree"]:
            return in_commit(self, commit, at)
        entries = list(self.entries(commit, at))
        if any(entry.is_link for entry in entries):
            raise GitError(f"{short(commit)}:{place} is a symbolic link")
        if any(entry.size > SOURCE_FILE_BYTES for entry in entries):
            raise TooLargeError(SOURCE_FILE_BYTES, place)
        return alone(next(self.contents(entries))) if entries else None

    def _parts_of(self, path: str) -> Parts:
        """The parts of a path from the repository's root; GitError when it leads out."""
        if path.startswith("/"):
            raise GitError(f"{path} is absolute: in a revision, paths are relative to the repository")
        try:
            return parts_of(f"{self.prefix}{path}")
        except LinkOutError:
            raise GitError(f"{self.prefix}{path} is outside of the repository") from None

    def entries(self, commit: str, at: Parts) -> Iterator[Entry]:
        """Yield every file below a folder of a commit; GitError once they are too many or too large."""
        place = "/".join(at)
        # With the folders among them: a tree of empty ones prints nothing otherwise, and may never end.
        options = "-r", "-t", "-z", "--long", "--full-tree", "--end-of-options"
        size = 0
        for count, entry in enumerate(self._git.records("ls-tree", *options, commit, "--", place or ".")):
            head, _, name = entry.partition(b"\t")
            mode, _, blob, length = head.decode().split()
            path = tuple(os.fsdecode(name).split("/"))
            if count >= SOURCE_FILES:
                raise GitError(f"{short(commit)}:{place} holds more than {SOURCE_FILES} files and folders")
            if mode == _FOLDER and len(path) - len(at) > SOURCE_FOLDER_LEVELS:
                raise GitError(f"{short(commit)}:{place} is more than {SOURCE_FOLDER_LEVELS} folders deep")
            if mode == _SUBMODULE:
                yield Entry(path, False, blob, NO_FILE)
            if mode in _READ and _NO_NAMES.isdisjoint(path):
                bytes_ = int(length) if length.isdecimal() else LACKING
                size += max(bytes_, 0)
                if size > SOURCE_BYTES:
                    raise GitError(f"{short(commit)}:{place} holds more than {SOURCE_BYTES // 2**20} MiB")
                yield Entry(path, mode == _SYMLINK, blob, bytes_)

    def contents(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yield the bytes of files."""
        for entry, content in zip(entries, self._git.objects([entry.blob for entry in entries]), strict=True):
            if content is None:
                raise GitError(
                    f"{shown(entry.path)}: the repository lacks the object {entry.blob}; it is damaged, or a partial "
                    "clone: fetch without a filter"
                )
            yield content


def short(commit: str) -> str:
    """A commit's id as people write it."""
    return commit[:12]
