"""What a layer of a catalog says, leaf by leaf, and how one layer is laid over another.

A leaf is a value without parts: a scalar, a list, an empty map. Layers merge as JSON merge patches, in which `None`
removes what is below.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

Path = tuple[str, ...]
Facts = dict[Path, Any]
"""The leaves of a tree of maps, by their paths."""


#: No less deep stands what a patch removes: all of `spec` is never meant; nor are all requirements where `arch` is one.
_HIGHEST: Final = 2


class Expression(str):
    """A string that is to be evaluated, unlike all others."""

    __slots__ = ()


class _Absent:
    """Says `null` where nothing is below: a derived label that an object does not have."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


def flatten(tree: Mapping[str, Any], path: Path = ()) -> Facts:
    """Return the leaves of a tree."""
    found: Facts = {}
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            found |= flatten(value, (*path, key))
        else:
            found[*path, key] = value
    return found


def tree(facts: Mapping[Path, Any]) -> dict[str, Any]:
    """Return the tree of some leaves; what is removed or absent is None."""
    made: dict[str, Any] = {}
    for path, value in facts.items():
        inner = made
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        if value == {}:
            inner.setdefault(path[-1], {})  # something may be removed from it
        else:
            inner[path[-1]] = None if value is ABSENT else value
    return made


def laid_over(below: Facts, patch: Mapping[Path, Any]) -> Facts:
    """Return a layer's leaves with a patch applied: `None` takes away what is at its path and under it."""
    made = dict(below)
    for path, value in patch.items():
        if value == {} and any(other[: len(path)] == path and other != path for other in made):
            continue  # an empty map removes nothing
        for other in [other for other in made if other[: len(path)] == path or path[: len(other)] == other]:
            del made[other]
        if value is not None:
            made[path] = value
    return made


def difference(below: Facts, wanted: Facts, around: Iterable[Path] = ()) -> Facts:
    """Return the patch that makes `wanted` of what is below, and touches nothing `around` it."""
    patch: Facts = {}
    kept = [*wanted, *around]
    for path in below:
        if path in wanted or any(path[:depth] in wanted and wanted[path[:depth]] != {} for depth in range(len(path))):
            continue
        if any(each[: len(path)] == path for each in kept):
            continue  # something takes its place
        depth = len(path)
        highest = 3 if path[:2] == ("spec", "requirements") and ("arch",) in kept else _HIGHEST
        while depth > highest and not any(each[: depth - 1] == path[: depth - 1] for each in kept):
            depth -= 1
        patch[path[:depth]] = None
    for path, value in wanted.items():
        if path not in below or not same(below[path], value):
            patch[path] = value
    return patch


def same(one: Any, other: Any) -> bool:
    """Whether two leaves are the same; to Python, True is 1."""
    return key(one) == key(other)


def key(value: Any) -> str:
    """Return a leaf as text that tells it from all others."""
    return f"{type(value).__name__}:{value!r}" if isinstance(value, (_Absent, Expression)) else json.dumps(value)


def signature(facts: Mapping[Path, Any]) -> tuple[tuple[Path, str], ...]:
    """Return facts as something that can be counted."""
    return tuple(sorted((path, key(value)) for path, value in facts.items()))


def cost(patch: Mapping[Path, Any]) -> float:
    """Return what a patch costs its reader: removing is harder to read than saying."""
    return sum(2.5 if value is None else 1 for value in patch.values())


def possible(below: Facts, wanted: Facts) -> bool:
    """Whether a patch makes one of the other: what is absent cannot be made present again, nor an `arch` unsaid."""
    return all((value is not ABSENT and path != ("arch",)) or path in wanted for path, value in below.items())


def common(items: Iterable[Facts]) -> Facts:
    """Return the leaves that all items have."""
    first, *rest = items
    return {
        path: value
        for path, value in first.items()
        if all(path in other and same(other[path], value) for other in rest)
    }
