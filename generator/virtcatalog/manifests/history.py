"""What git knows of files' past: commits of the main line, the blobs that they changed, tags. It is only read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from virtcatalog.limits import PAST_FILES
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.gitprocess import GitError, NoRepositoryError

#: So many commits are asked for at once that their ids fit into a pipe.
_COMMITS = 300
_BLOBS = 500
_REGULAR = b"100644", b"100755"


class Commit(NamedTuple):
    """A commit, and the one before it that touches the same files, "" when there is none."""

    id: str
    parent: str
    date: str
    subject: str


class Touched(NamedTuple):
    """A file that a commit changed, with its blobs before and after; "" where there is no file."""

    commit: Commit
    path: str
    old: str
    new: str


class History(Repository):
    """The history of a repository's main line, the first parents from HEAD on."""

    def commits(self, paths: Sequence[str], most: int) -> list[Commit]:
        """Return the newest commits that touch paths below the folder, the newest first."""
        output = self._git.output(
            *("rev-list", "--first-parent", "--parents", f"--max-count={most}", "--format=%ct %<(100,trunc)%s"),
            *("HEAD", "--", *paths),
        )
        lines = output.decode(errors="replace").split("\n")
        commits = []
        for head, line in zip(lines[::2], lines[1::2], strict=False):
            _, name, *parents = head.split()
            time, _, subject = line.partition(" ")
            commits.append(Commit(name, parents[0] if parents else "", _date(time), subject.rstrip()))
        return commits

    def touched(self, commits: Sequence[Commit], paths: Sequence[str]) -> Iterator[Touched]:
        """Yield the regular files below the folder that commits changed, commit by commit; GitError for too many."""
        # With the folders among them: a tree of empty ones prints nothing otherwise, and may never end.
        options = ("-r", "-t", "-z", "--raw", "--no-renames", "--root", "--no-ext-diff", "--no-textconv")
        left = PAST_FILES
        for start in range(0, len(commits), _COMMITS):
            some = {commit.id: commit for commit in commits[start : start + _COMMITS]}
            ids = "".join(f"{one.id} {one.parent}".rstrip() + "\n" for one in some.values()).encode()
            commit = None
            records = self._git.records("diff-tree", "--stdin", *options, "--", *paths, stdin=ids)
            for record in records:
                head = record.strip()
                if not head.startswith(b":"):
                    commit = some[head.decode().split()[0]]
                    continue
                assert commit is not None
                left -= 1
                if left < 0:
                    raise GitError(f"the commits that touch {', '.join(paths)} hold more than {PAST_FILES} files")
                old_mode, new_mode, old, new, _ = head[1:].split()
                path = os.fsdecode(next(records)).removeprefix(self.prefix)
                if old_mode not in _REGULAR and new_mode not in _REGULAR:
                    continue
                yield Touched(
                    commit,
                    path,
                    old.decode() if old_mode in _REGULAR else "",
                    new.decode() if new_mode in _REGULAR else "",
                )

    def sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        """Return how many bytes blobs have; those that the clone lacks are left out."""
        ids = "".join(f"{blob}\n" for blob in blobs).encode()
        lines = self._git.output("cat-file", "--batch-check", stdin=ids).decode().splitlines() if blobs else []
        records = (line.split() for line in lines)
        return {record[0]: int(record[2]) for record in records if len(record) == 3 and record[1] == "blob"}

    def blobs(self, names: Sequence[str], most: int) -> Iterator[tuple[str, bytes]]:
        """Yield blobs by name, some at a time; those of more than `most` bytes, and those that lack, are left out."""
        for start in range(0, len(names), _BLOBS):
            sizes = self.sizes(names[start : start + _BLOBS])
            some = [name for name, size in sizes.items() if size <= most]
            for name, content in zip(some, self._git.objects(some), strict=True):
                if content is not None:
                    yield name, content

    def tags(self) -> list[tuple[str, Commit]]:
        """Return the tags of commits that HEAD has in its past, the oldest first."""
        form = "%(refname:strip=2)%09%(objectname) %(*objectname)%09%(creatordate:unix)"
        output = self._git.output("for-each-ref", "--merged=HEAD", f"--format={form}", "refs/tags")
        tags = []
        for line in output.decode(errors="replace").splitlines():
            name, _, rest = line.partition("\t")
            ids, _, time = rest.partition("\t")
            tags.append((int(time or 0), name, Commit(ids.split()[-1], "", _date(time), "")))
        return [(name, commit) for _, name, commit in sorted(tags)]

    def tree_of(self, commit: str, path: str) -> str:
        """Return the id of what a commit has at a path below the folder, "" when that is nothing."""
        return self._object_id(f"{commit}:{self.prefix}{path}")

    def dated(self, commit: str) -> str:
        """Return the day of a commit."""
        return _date(str(self.time_of(commit)))


def _date(time: str) -> str:
    """The day of a time in seconds, in UTC; "" for what is none."""
    try:
        return datetime.fromtimestamp(int(time), tz=UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def history_of(folder: str) -> History | None:
    """Return the history around a folder; None where git is not at hand, or knows of none."""
    try:
        history = History(Path(folder))
    except NoRepositoryError:
        return None
    return history if history.has("HEAD") else None
