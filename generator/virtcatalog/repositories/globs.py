"""Globs of paths and texts, within a budget: who writes them chooses what they are held against, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import GLOB_WORK
from virtcatalog.repositories.kustomize.pattern import Pattern


class Globs:
    """The globs of a run. Source: github.com/gobwas/glob without separators; Go's path.Match."""

    def __init__(self) -> None:
        self._left = GLOB_WORK

    def glob(self, text: str, *, within: bool = False) -> Callable[[str], bool]:
        """Return what says whether a text matches: `*`, `?`, `[a-z]`, `{a,b}`; with `within`, `*` ends at a slash.

        Raises VirtcatalogError for a glob that is not supported, as matching does when there is too much of it.
        """
        return Pattern("".join(_translated(text, "[^/]" if within else ".")), self._spend).matches

    def _spend(self, states: int) -> None:
        self._left -= states
        if self._left < 0:
            raise VirtcatalogError("the globs of paths ask for more work than one may")


def _translated(text: str, anything: str) -> Iterator[str]:
    depth = index = 0
    while index < len(text):
        character, end = text[index], text.find("]", index + 2)
        index += 1
        if character == "*":
            stars = len(text[index:]) - len(text[index:].lstrip("*"))
            index += stars
            yield ".*" if stars else f"{anything}*"
        elif character == "?":
            yield anything
        elif character == "[" and end > 0:
            yield f"[{'^' if text[index] in '!^' else ''}{text[index:end].lstrip('!^')}]"
            index = end + 1
        elif character == "{" and "}" in text[index:]:
            depth += 1
            yield "("
        elif character == "}" and depth:
            depth -= 1
            yield ")"
        elif character == "," and depth:
            yield "|"
        else:
            yield f"\\{character}" if character in r".*+?()[]{}|^$\/" else character
    yield ")" * depth
