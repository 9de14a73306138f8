"""Fields of plain data by path: get, match, put and remove them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from virtcatalog.api.findings import Path

EVERY = "*"
"""In a pattern: every item of a list, or every key of a map."""


class Patterns:
    """Patterns as a tree, to match all of them in one pass over the data."""

    def __init__(self, patterns: Iterable[Path] = ()) -> None:
        self.own: Path | None = None
        """The pattern that ends here."""
        self.steps: dict[str | int, Patterns] = {}
        for pattern in patterns:
            node = self
            for step in pattern:
                node = node.steps.setdefault(step, Patterns())
            node.own = pattern


def matches(data: Any, patterns: Patterns) -> dict[Path, list[Path]]:
    """Return the paths of everything that patterns match, by pattern; patterns that match nothing are left out."""
    paths: dict[Path, list[Path]] = {}
    _match(data, patterns, (), paths)
    return paths


def _match(data: Any, patterns: Patterns, path: Path, paths: dict[Path, list[Path]]) -> None:
    if patterns.own is not None:
        paths.setdefault(patterns.own, []).append(path)
    any_step = patterns.steps.get(EVERY)
    if isinstance(data, dict):
        for key, value in data.items():
            if key in patterns.steps and key != EVERY:
                _match(value, patterns.steps[key], (*path, key), paths)
            if any_step is not None:
                _match(value, any_step, (*path, key), paths)
    elif isinstance(data, list) and any_step is not None:
        for index, value in enumerate(data):
            _match(value, any_step, (*path, index), paths)


def get(data: Any, path: Path) -> Any:
    """Return the value at a path, None where there is none."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def pointer_steps(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer (RFC 6901); what stands before its first slash does not count."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def pointer_step(key: str) -> str:
    """Return a key as a step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def map_at(data: Any, *path: str | int) -> dict[str, Any]:
    """Return the map at a path; {} where there is none, or something else."""
    value = get(data, path)
    return value if isinstance(value, dict) else {}


def outermost(paths: Set[Path]) -> set[Path]:
    """Return those of the paths that lie within no other."""
    return {path for path in paths if not any(path[:end] in paths for end in range(1, len(path)))}


def put(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return `data` with a value at a path of keys; shares with it what does not change."""
    key, rest = str(path[0]), path[1:]
    return {**data, key: put(data.get(key) or {}, rest, value) if rest else value}


def without(data: Any, gone: Set[Path], required: Set[Path] = frozenset()) -> tuple[Any, set[Path]]:
    """Return `data` without the paths in `gone`, and the paths of the maps and lists removed as they became empty.

    Empty maps and lists stay when their path is in `required`, and so do empty items of lists. The result shares with
    `data` what does not change.
    """
    tree: dict[str | int, Any] = {}
    for path in sorted(gone, key=len):
        node: dict[str | int, Any] | None = tree
        for step in path[:-1]:
            node = node.setdefault(step, {}) if node is not None else None
        if node is not None:
            node[path[-1]] = None
    emptied: set[Path] = set()
    return _without(data, tree, (), required, emptied), emptied


def _without(data: Any, tree: dict[str | int, Any], path: Path, required: Set[Path], emptied: set[Path]) -> Any:
    if isinstance(data, list):
        return [
            _without(item, tree[index], (*path, index), required, emptied) if index in tree else item
            for index, item in enumerate(data)
            if tree.get(index, tree) is not None
        ]
    result = {}
    for key, value in data.items():
        if key not in tree:
            result[key] = value
        elif tree[key] is not None:
            place = (*path, key)
            rest = _without(value, tree[key], place, required, emptied)
            if rest or place in required:
                result[key] = rest
            else:
                emptied.add(place)
    return result
