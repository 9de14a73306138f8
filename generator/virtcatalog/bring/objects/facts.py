"""The leaves of a layer of a catalog, and how layers are laid over each other.

A leaf is a scalar, a list or an empty map. Layers merge as JSON merge patches, in which `None` removes what is below.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

Path = tuple[str, ...]
Facts = dict[Path, Any]
"""The leaves of a tree of maps, by their paths."""


#: A patch removes no path shorter than this: never all of `spec`; nor all requirements, where `arch` is one of them.
_HIGHEST: Final = 2


class Expression(str):
    """A string that the catalog evaluates; other strings are literal."""

    __slots__ = ()


class _Absent:
    """A `null` without a value below: a derived label that an object does not have."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


def flatten(tree: Mapping[str, Any], path: Path = ()) -> Facts:
    """Return the leaves of a tree."""
    facts: Facts = {}
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            facts |= flatten(value, (*path, key))
        else:
            facts[*path, key] = value
    return facts


def tree(facts: Mapping[Path, Any]) -> dict[str, Any]:
    """Return the tree of some leaves; removed and absent ones are None."""
    data: dict[str, Any] = {}
    for path, value in facts.items():
        inner = data
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        if value == {}:
            inner.setdefault(path[-1], {})  # other leaves may be removed from it
        else:
            inner[path[-1]] = None if value is ABSENT else value
    return data


def laid_over(below: Facts, patch: Mapping[Path, Any]) -> Facts:
    """Return a layer's leaves with a patch applied: `None` removes its path and everything under it."""
    facts = dict(below)
    for path, value in patch.items():
        if value == {} and any(other[: len(path)] == path and other != path for other in facts):
            continue  # an empty map removes nothing
        for other in [other for other in facts if other[: len(path)] == path or path[: len(other)] == other]:
            del facts[other]
        if value is not None:
            facts[path] = value
    return facts


def difference(below: Facts, target: Facts, other_paths: Iterable[Path] = ()) -> Facts:
    """Return the patch that turns `below` into `target`, without removing any path in `other_paths`."""
    patch: Facts = {}
    staying = [*target, *other_paths]
    for path in below:
        if path in target or any(path[:depth] in target and target[path[:depth]] != {} for depth in range(len(path))):
            continue
        if any(staying_path[: len(path)] == path for staying_path in staying):
            continue  # a map replaces it
        depth = len(path)
        highest = 3 if path[:2] == ("spec", "requirements") and ("arch",) in staying else _HIGHEST
        while depth > highest and not any(staying_path[: depth - 1] == path[: depth - 1] for staying_path in staying):
            depth -= 1
        patch[path[:depth]] = None
    for path, value in target.items():
        if path not in below or not same(below[path], value):
            patch[path] = value
    return patch


def same(leaf: Any, other_leaf: Any) -> bool:
    """Whether two leaves are the same; in Python, True == 1."""
    return key(leaf) == key(other_leaf)


def key(value: Any) -> str:
    """Return a leaf as text, different for different leaves."""
    return f"{type(value).__name__}:{value!r}" if isinstance(value, (_Absent, Expression)) else json.dumps(value)


def signature(facts: Mapping[Path, Any]) -> tuple[tuple[Path, str], ...]:
    """Return facts as a hashable value."""
    return tuple(sorted((path, key(value)) for path, value in facts.items()))


def cost(patch: Mapping[Path, Any]) -> float:
    """Return how hard a patch is to read: removing costs more than setting."""
    return sum(2.5 if value is None else 1 for value in patch.values())


def possible(below: Facts, target: Facts) -> bool:
    """Whether a patch can turn `below` into `target`: it can unset neither an ABSENT label nor `arch`."""
    return all((value is not ABSENT and path != ("arch",)) or path in target for path, value in below.items())


def common(items: Iterable[Facts]) -> Facts:
    """Return the leaves that all items have."""
    first, *rest = items
    return {
        path: value
        for path, value in first.items()
        if all(path in other and same(other[path], value) for other in rest)
    }
