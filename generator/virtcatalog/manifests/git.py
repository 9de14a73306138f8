"""Folders as they are in a revision of a git repository, read without touching its checkout, index or references."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import SOURCE_BYTES, SOURCE_FILE_BYTES, SOURCE_FILES, SOURCE_LINKS
from virtcatalog.manifests.disk import Budget
from virtcatalog.manifests.folder import (
    LEADS_OUT,
    Folder,
    LinkOutError,
    Listing,
    Parts,
    SourceError,
    alone,
    held_at,
    is_text,
    parts_of,
    shown,
)

if TYPE_CHECKING:
    import subprocess

#: Where a main branch is looked for, in this order; what the remote calls its own comes before.
MAIN_BRANCHES = ("origin/main", "origin/master", "main", "master")
_REGULAR, _EXECUTABLE, _SYMLINK = "100644", "100755", "120000"
_READ = frozenset({_REGULAR, _EXECUTABLE, _SYMLINK})
_NO_NAMES = frozenset({"", ".", "..", ".git"})
_LONGEST_RECORD = 2**16
_CHUNK = 2**16


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

    def names(self) -> list[str]:
        """Return the names of branches and tags, the remotes' too, each kind with the newest first."""
        kinds = "refs/heads", "refs/tags", "refs/remotes"
        arguments = ("for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=2)")
        return [name for kind in kinds for name in self._line(*arguments, kind).splitlines()]

    def fork_point(self) -> tuple[str, str]:
        """Return the newest commit that HEAD shares with the main branch, and that branch's name."""
        remote = self._run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").stdout.decode().strip()
        for name in (remote, *MAIN_BRANCHES):
            if name and not self._run("rev-parse", "--verify", "--quiet", "--end-of-options", name).returncode:
                break
        else:
            known = ", ".join(MAIN_BRANCHES)
            raise GitError(f"there is no main branch to compare with ({known}): name a BASE")
        return self.merge_base("HEAD", name), name

    def merge_base(self, one: str, other: str) -> str:
        """Return the newest commit that two revisions share; GitError when they share none."""
        done = self._run("merge-base", "--end-of-options", one, other)
        if done.returncode:
            shallow = self._line("rev-parse", "--is-shallow-repository") == "true"
            hint = "the clone is shallow: fetch the whole history (fetch-depth: 0)" if shallow else "name a BASE"
            raise GitError(f"{one} and {other} share no commit; {hint}")
        return done.stdout.decode().split()[0]

    def folder(self, commit: str, path: str) -> Folder | None:
        """Return a folder or file of a commit, named from the folder that git was asked in.

        None when the commit has nothing there. Nothing is written to disk; links are followed within the folder only.
        """
        place = _within(f"{self.prefix}{path}")
        if not place:
            return _InCommit(self, commit, ())
        at = tuple(place.split("/"))
        found = self._output("ls-tree", "--full-tree", "--end-of-options", commit, "--", place).split()
        if found[1:2] == [b"tree"]:
            return _InCommit(self, commit, at)
        entries = list(self.entries(commit, at))
        if any(entry.is_link for entry in entries):
            raise GitError(f"{short(commit)}:{place} is a symbolic link")
        return alone(next(self.contents(entries))) if entries else None

    def entries(self, commit: str, at: Parts) -> Iterator[_Entry]:
        """Yield every file below a folder of a commit; GitError once they are too many or too large."""
        place = "/".join(at)
        arguments = ("ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", commit, "--", place or ".")
        size = 0
        for count, entry in enumerate(self._records(*arguments)):
            head, _, name = entry.partition(b"\t")
            mode, _, blob, length = head.decode().split()
            path = tuple(os.fsdecode(name).split("/"))
            if count >= SOURCE_FILES:
                raise GitError(f"{short(commit)}:{place} holds more than {SOURCE_FILES} files")
            if mode in _READ and _NO_NAMES.isdisjoint(path):
                size += int(length)
                if size > SOURCE_BYTES:
                    raise GitError(f"{short(commit)}:{place} holds more than {SOURCE_BYTES // 2**20} MiB")
                yield _Entry(path, mode == _SYMLINK, blob)

    def contents(self, entries: Sequence[_Entry]) -> Iterator[bytes]:
        """Yield the bytes of files."""
        return self.named([entry.blob for entry in entries], [entry.path for entry in entries])

    def named(self, blobs: Sequence[str], paths: Sequence[Parts] = ()) -> Iterator[bytes]:
        """Yield the bytes of blobs; `paths` are what they are called in errors."""
        if not blobs:
            return
        answer = self._output("cat-file", "--batch", asked="".join(f"{blob}\n" for blob in blobs).encode())
        position = 0
        for index, blob in enumerate(blobs):
            line = answer.index(b"\n", position)
            header = answer[position:line].split()
            if len(header) != 3:
                raise GitError(f"{shown(paths[index]) if paths else 'history'}: git has no blob {blob}")
            end = line + 1 + int(header[2])
            yield answer[line + 1 : end]
            position = end + 1

    def _records(self, *arguments: str, asked: bytes = b"") -> Iterator[bytes]:
        """Yield what git prints, up to each null byte, as it comes: a small repository can list without an end.

        What is asked on standard input has to fit into a pipe.
        """
        with self._started(arguments) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            process.stdin.write(asked)
            process.stdin.close()
            rest = b""
            try:
                while chunk := process.stdout.read(_CHUNK):
                    *records, rest = (rest + chunk).split(b"\0")
                    if len(rest) > _LONGEST_RECORD:
                        raise GitError(f"git {arguments[0]}: a path is longer than {_LONGEST_RECORD} bytes")
                    yield from records
            except BaseException:
                process.kill()
                raise
            said = process.stderr.read() if process.stderr else b""
            if process.wait():
                raise _failed(arguments[0], said)

    def _line(self, *arguments: str) -> str:
        return self._output(*arguments).decode(errors="replace").strip()

    def _output(self, *arguments: str, asked: bytes = b"") -> bytes:
        done = self._run(*arguments, asked=asked)
        if done.returncode:
            raise _failed(arguments[0], done.stderr)
        return done.stdout

    def _run(self, *arguments: str, asked: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        from subprocess import CompletedProcess

        with self._started(arguments) as process:
            out, err = process.communicate(asked)
        return CompletedProcess(arguments, process.returncode, out, err)

    def _started(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        from subprocess import PIPE, Popen

        # Nothing may be written, not even the index that `git status` refreshes, nor a pager, a prompt or a watcher of
        # files be started.
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        options = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-C", str(self._folder))
        command = ["git", *options, *arguments]
        try:
            return Popen(  # noqa: S603 - a list, and revisions stand behind --end-of-options
                command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git cannot be run: {getattr(error, 'strerror', None) or error}") from error


def _failed(command: str, said: bytes) -> GitError:
    text = said.decode(errors="replace").strip().removeprefix("fatal: ")
    return GitError(f"git {command}: {text.splitlines()[0] if text else 'failed'}")


class _Entry(NamedTuple):
    path: Parts
    is_link: bool
    blob: str


class _InCommit(Folder):
    """A folder of a commit, read as a whole when the first of it is asked for."""

    def __init__(self, repository: Repository, commit: str, at: Parts, budget: Budget | None = None) -> None:
        self._repository, self._commit, self._at = repository, commit, at
        self._budget = budget or Budget()

    @property
    def at(self) -> Parts:
        return self._at

    def listing(self) -> Listing:
        faults = {"/".join(path[len(self._at) :]): why for path, why in self._held[1].items()}
        return Listing(self._held[0].listing().files, tuple(sorted(faults.items())))

    def read(self, path: str, most: int = SOURCE_FILE_BYTES) -> bytes:
        fault = self._held[1].get(parts_of(path, self._at))
        if fault:
            raise SourceError(fault)
        return self._budget.take(self._held[0].read(path, most))

    def has(self, path: str) -> bool:
        return self._held[0].has(path) or parts_of(path, self._at) in self._held[1]

    def folder(self, path: str) -> Folder | None:
        found = _InCommit(self._repository, self._commit, parts_of(path, self._at), self._budget)
        files, faults = found.listing()
        return found if files or faults else None

    @cached_property
    def _held(self) -> tuple[Folder, dict[Parts, str]]:
        """The files, those that links stand for too, and why others are not read."""
        entries = list(self._repository.entries(self._commit, self._at))
        contents = dict(zip((entry.path for entry in entries), self._repository.contents(entries), strict=True))
        links = {entry.path: contents.pop(entry.path) for entry in entries if entry.is_link}
        faults: dict[Parts, str] = {}
        for path, target in links.items():
            found = _followed(path, target, links, self._at)
            if found is None:
                faults[path] = LEADS_OUT
            elif found in contents:
                contents[path] = contents[found]
            else:
                faults[path] = "is a symbolic link to a folder or to nothing"
        for path in [path for path in contents if not is_text("/".join(path))]:
            faults[(shown(path),)] = "has a name that is not UTF-8"
            del contents[path]
        return held_at(contents, self._at), faults


def _followed(path: Parts, target: bytes, links: Mapping[Parts, bytes], scope: Parts) -> Parts | None:
    """Where a link leads within the folder, None when it leads out of it."""
    for _ in range(SOURCE_LINKS):
        text = os.fsdecode(target)
        try:
            path = parts_of(text, path[:-1])
        except LinkOutError:
            return None
        if text.startswith("/") or path[: len(scope)] != scope:
            return None
        if path not in links:
            return path
        target = links[path]
    return path


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
