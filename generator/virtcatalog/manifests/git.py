"""Folders as they are in a revision of a git repository, read without touching its checkout, index or references."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from virtcatalog.errors import VirtcatalogError

#: Where a main branch is looked for, in this order; what the remote calls its own comes before.
MAIN_BRANCHES = ("origin/main", "origin/master", "main", "master")
_REGULAR, _EXECUTABLE, _SYMLINK = "100644", "100755", "120000"
_MOST_BYTES = 512 * 2**20


class GitError(VirtcatalogError):
    """git cannot give what was asked for."""


class Repository:
    """The repository around a folder; every command only reads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.prefix = self._line("rev-parse", "--show-prefix")
        """Where in the repository the folder is: "" or `path/to/`."""

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names; GitError when it names none."""
        if revision.startswith("-") or not revision.strip() or "\0" in revision:
            raise GitError(f"{revision!r} is no git revision")
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode:
            raise GitError(f"{revision!r} is neither a git revision nor a file or folder")
        return done.stdout.decode().strip()

    def fork_point(self) -> tuple[str, str]:
        """Return the newest commit that HEAD shares with the main branch, and that branch's name."""
        remote = self._run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").stdout.decode().strip()
        for name in (remote, *MAIN_BRANCHES):
            if name and not self._run("rev-parse", "--verify", "--quiet", "--end-of-options", name).returncode:
                break
        else:
            known = ", ".join(MAIN_BRANCHES)
            raise GitError(f"there is no main branch to compare with ({known}): name a BASE")
        done = self._run("merge-base", "--end-of-options", "HEAD", name)
        if done.returncode:
            shallow = self._line("rev-parse", "--is-shallow-repository") == "true"
            hint = "the clone is shallow: fetch the whole history (fetch-depth: 0)" if shallow else "name a BASE"
            raise GitError(f"HEAD and {name} share no commit; {hint}")
        return done.stdout.decode().split()[0], name

    @contextmanager
    def folder(self, commit: str, path: str) -> Iterator[Path | None]:
        """Give a temporary copy of a file or folder of a commit, named from the folder that git was asked in.

        None when the commit has nothing there. A symbolic link that leads out of the copy is left dangling.
        """
        place = _within(f"{self.prefix}{path}")
        entries = list(self._entries(commit, place))
        if not entries:
            yield None
            return
        with TemporaryDirectory(prefix="virtcatalog-") as temporary:
            root = Path(temporary).resolve()
            try:
                _unpack(root, self._blobs(entries))
            except OSError as error:
                raise GitError(f"{commit}:{place} cannot be unpacked: {error.strerror or error}") from error
            yield root / place if place else root

    def _entries(self, commit: str, place: str) -> Iterator[tuple[str, str, str]]:
        """Yield path, mode and blob of every file at a place."""
        listed = self._output("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit, "--", place or ".")
        for entry in listed.split(b"\0")[:-1]:
            head, _, name = entry.partition(b"\t")
            mode, _, blob = head.decode().split()
            path = os.fsdecode(name)
            if mode in (_REGULAR, _EXECUTABLE, _SYMLINK) and _is_plain(path):
                yield path, mode, blob

    def _blobs(self, entries: list[tuple[str, str, str]]) -> Iterator[tuple[str, str, bytes]]:
        asked = "".join(f"{blob}\n" for _, _, blob in entries)
        answer = self._output("cat-file", "--batch", asked=asked.encode())
        if len(answer) > _MOST_BYTES:
            raise GitError(f"what is to be compared is larger than {_MOST_BYTES // 2**20} MiB")
        position = 0
        for path, mode, blob in entries:
            line = answer.index(b"\n", position)
            header = answer[position:line].split()
            if len(header) != 3:
                raise GitError(f"{path}: git has no blob {blob}")
            end = line + 1 + int(header[2])
            yield path, mode, answer[line + 1 : end]
            position = end + 1

    def _line(self, *arguments: str) -> str:
        return self._output(*arguments).decode(errors="replace").strip()

    def _output(self, *arguments: str, asked: bytes = b"") -> bytes:
        done = self._run(*arguments, asked=asked)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
            raise GitError(f"git {arguments[0]}: {said.splitlines()[0] if said else 'failed'}")
        return done.stdout

    def _run(self, *arguments: str, asked: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        # Nothing may be written, not even the index that `git status` refreshes, nor a pager or prompt be started.
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        command = ["git", "--no-pager", "--literal-pathspecs", "-C", str(self._folder), *arguments]
        try:
            return subprocess.run(  # noqa: S603 - a list, and revisions stand behind --end-of-options
                command, input=asked, capture_output=True, check=False, env=environment
            )
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror or error}") from error


def short(commit: str) -> str:
    """A commit's id as people write it."""
    return commit[:12]


def _within(path: str) -> str:
    """The path inside the repository, without `.` and `..`; GitError when it leads out."""
    parts: list[str] = []
    for part in PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                raise GitError(f"{path} is outside of the repository")
            parts.pop()
        else:
            parts.append(part)
    if parts[:1] == ["/"]:
        raise GitError(f"{path} is absolute: in a revision, paths are relative to the repository")
    return "/".join(parts)


def _is_plain(path: str) -> bool:
    return not any(part in ("", ".", "..", ".git") for part in path.split("/"))


def _unpack(root: Path, blobs: Iterator[tuple[str, str, bytes]]) -> None:
    links = []
    for name, mode, content in blobs:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == _SYMLINK:
            links.append((target, os.fsdecode(content)))
        else:
            target.write_bytes(content)
    for link, to in links:  # last, so that nothing is written through one
        link.symlink_to(to)
    for link, _ in links:
        if not Path(os.path.realpath(link)).is_relative_to(root):
            link.unlink()
            link.symlink_to(f"{os.devnull}/outside")
