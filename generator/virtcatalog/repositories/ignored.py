"""What Flux leaves out of a repository: `.sourceignore` files, and `ignore` of the GitRepository.

Source: github.com/fluxcd/pkg, sourceignore/sourceignore.go; github.com/go-git/go-git, plumbing/format/gitignore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from virtcatalog.limits import REPOSITORY_FILE_BYTES
from virtcatalog.manifests.folder import Folder, SourceError
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.globs import PATH, Globs
from virtcatalog.repositories.tree import Tree

_FILE: Final = ".sourceignore"


class _Pattern(NamedTuple):
    """A line: `at` is the folder of its file; `names` are globs of the parts of a path, one for a name anywhere."""

    at: tuple[str, ...]
    leaves_out: bool
    folders_only: bool
    anchored: bool
    names: tuple[Callable[[str], bool] | None, ...]

    def matches(self, path: Sequence[str]) -> bool:
        """Whether a file, or a folder that it is in, is meant."""
        if tuple(path[: len(self.at)]) != self.at:
            return False
        parts = path[len(self.at) :]
        ends = range(1, len(parts) if self.folders_only else len(parts) + 1)
        if not self.anchored:
            name = self.names[0]
            return any(name is None or name(parts[end - 1]) for end in ends)
        return any(_match(self.names, parts[:end]) for end in ends)


def _match(names: Sequence[Callable[[str], bool] | None], parts: Sequence[str]) -> bool:
    """Whether globs match the parts of a path; None stands for any number of them."""
    reached = {0}
    for part in parts:
        reached = _further(reached, names)
        reached = {
            step if names[step] is None else step + 1
            for step in reached
            if step < len(names) and ((name := names[step]) is None or name(part))
        }
    return len(names) in _further(reached, names)


def _further(reached: Iterable[int], names: Sequence[object]) -> set[int]:
    """The steps that `**` lets be passed over, too."""
    steps = set(reached)
    for step in sorted(steps):
        while step < len(names) and names[step] is None:
            step += 1
            steps.add(step)
    return steps


def ignored(tree: Tree, manifests: Iterable[Data]) -> list[str]:
    """Return the files of a repository that Flux leaves out; `manifests` are the GitRepositories that stand for it."""
    patterns = list(_patterns(tree, manifests))
    return [path for path in tree.root.listing().files if _is_ignored(path.split("/"), patterns)] if patterns else []


def _is_ignored(path: Sequence[str], patterns: Sequence[_Pattern]) -> bool:
    return next((pattern.leaves_out for pattern in reversed(patterns) if pattern.matches(path)), False)


def _patterns(tree: Tree, manifests: Iterable[Data]) -> Iterator[_Pattern]:
    for at in ("", *tree.every_folder):
        folder = tree.root.folder(at) if at else tree.root
        for line in _lines(folder):
            yield from _pattern(line, tuple(filter(None, at.split("/"))), tree.globs)
    for manifest in manifests:
        for line in str(manifest["spec"].get("ignore") or "").splitlines():
            yield from _pattern(line, (), tree.globs)


def _lines(folder: Folder | None) -> list[str]:
    if folder is None or not folder.has(_FILE):
        return []
    try:
        return folder.read(_FILE, REPOSITORY_FILE_BYTES).decode("utf-8", "replace").splitlines()
    except SourceError:
        return []


def _pattern(line: str, at: tuple[str, ...], globs: Globs) -> Iterator[_Pattern]:
    text = line.rstrip()
    if not text or text.startswith("#"):
        return
    leaves_out = not text.startswith("!")
    text = text.removeprefix("!")
    folders_only, path = text.endswith("/"), text.rstrip("/")
    anchored = "/" in path
    names = [None if part == "**" else globs.glob(part, PATH) for part in path.split("/") if part]
    if names:
        yield _Pattern(at, leaves_out, folders_only, anchored, tuple(names))
