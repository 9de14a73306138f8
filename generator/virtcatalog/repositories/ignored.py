"""What Flux leaves out of a repository: `.sourceignore` files, and `ignore` of the GitRepository.

Source: github.com/fluxcd/pkg, sourceignore/sourceignore.go; github.com/go-git/go-git, plumbing/format/gitignore.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from virtcatalog.limits import REPOSITORY_FILE_BYTES
from virtcatalog.manifests.folder import Folder, SourceError
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.globs import PATH, Globs, Matches
from virtcatalog.repositories.tree import Tree

_FILE: Final = ".sourceignore"
_DEFAULTS: Final = (
    *("*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip", "appveyor.yml", "cloudbuild.yaml"),
    *("codeship-services.yml", "codeship-steps.yml"),
)
"""What is left out where nobody says what is; what is hidden besides."""


class _Pattern(NamedTuple):
    """A line: `at` is the folder of its file; `names` are globs of the parts of a path, one for a name anywhere.

    `**`, which is any number of folders, and a part that is empty stand as they are.
    """

    at: tuple[str, ...]
    leaves_out: bool
    folders_only: bool
    anchored: bool
    names: tuple[Matches | str, ...]

    def matches(self, path: Sequence[str]) -> bool:
        """Whether a file, or a folder that it is in, is meant."""
        if tuple(path[: len(self.at)]) != self.at:
            return False
        parts = path[len(self.at) :]
        if self.anchored:
            left = _behind(self.names, parts)
            return left is not None and not (self.folders_only and left == 0)
        name = self.names[0]
        place = next((place for place, part in enumerate(parts, 1) if isinstance(name, str) or name(part)), 0)
        return place > 0 and not (self.folders_only and place == len(parts))


def _behind(names: Sequence[Matches | str], parts: Sequence[str]) -> int | None:
    """How many parts of a path are left behind those that globs match; None when they don't.

    Behind `**` the first part that matches is taken, whatever follows, and `**` at the end needs a name before it.
    """
    at, matched, skips = 0, False, False
    for index, name in enumerate(names):
        if isinstance(name, str):
            if name and index == len(names) - 1:
                break
            skips = bool(name)
        else:
            reach = range(at, len(parts) if skips else min(at + 1, len(parts)))
            place = next((place for place in reach if name(parts[place])), None)
            if place is None:
                return None
            at, matched, skips = place + 1, True, False
    return len(parts) - at if matched else None


def ignored(tree: Tree, manifests: Iterable[Data]) -> list[str]:
    """Return the files of a repository that Flux leaves out; `manifests` are the GitRepositories that stand for it."""
    patterns = [*_patterns(tree, manifests)] or [
        pattern for line in _DEFAULTS for pattern in _pattern(line, (), tree.globs)
    ]
    return [path for path in tree.root.listing().files if _is_ignored(path.split("/"), patterns)]


def _is_ignored(path: Sequence[str], patterns: Sequence[_Pattern]) -> bool:
    return next((pattern.leaves_out for pattern in reversed(patterns) if pattern.matches(path)), False)


def _patterns(tree: Tree, manifests: Iterable[Data]) -> Iterator[_Pattern]:
    for at in ("", *tree.every_folder):
        folder = tree.root.folder(at) if at else tree.root
        for line in _lines(folder):
            yield from _pattern(line, tuple(filter(None, at.split("/"))), tree.globs)
    for manifest in manifests:
        for line in str(manifest["spec"].get("ignore") or "").split("\n"):
            yield from _pattern(line.removesuffix("\r"), (), tree.globs)


def _lines(folder: Folder | None) -> list[str]:
    if folder is None or not folder.has(_FILE):
        return []
    try:
        text = folder.read(_FILE, REPOSITORY_FILE_BYTES).decode("utf-8", "replace")
    except SourceError:
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]


def _pattern(line: str, at: tuple[str, ...], globs: Globs) -> Iterator[_Pattern]:
    if not line.strip() or line.startswith("#"):
        return
    text = line.removeprefix("!")
    text = text if text.endswith("\\ ") else text.rstrip(" ")
    path = text.removesuffix("/")
    anchored = "/" in path
    names = tuple(_name(name, globs, anchored=anchored) for name in path.split("/"))
    yield _Pattern(at, not line.startswith("!"), text != path, anchored, names)


def _name(name: str, globs: Globs, *, anchored: bool) -> Matches | str:
    if name == "**" or (anchored and not name):
        return name
    if anchored and "**" in name:
        return lambda _: False
    return globs.glob(name, PATH)
