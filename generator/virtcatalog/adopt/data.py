"""Plain data by path: finding fields, leaving some out, counting, comparing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any, NamedTuple

from virtcatalog.api.findings import field_path
from virtcatalog.api.quantity import Quantity

Path = tuple[str | int, ...]
EVERY = "*"
"""In a pattern: every item of a list, or every key of a map."""
_AMOUNTS = frozenset({"memory", "resources"})


class Difference(NamedTuple):
    """One place where two pieces of data differ; None is absence."""

    path: Path
    old: Any
    new: Any

    @property
    def field(self) -> str:
        """The path as the API writes it."""
        return field_path(self.path)


def find(data: Any, pattern: Path) -> Iterator[Path]:
    """Yield the paths of everything that a pattern matches."""
    if not pattern:
        yield ()
        return
    step, rest = pattern[0], pattern[1:]
    if isinstance(data, dict):
        keys: Iterable[str | int] = data if step == EVERY else (step,) if step in data else ()
    elif isinstance(data, list) and step == EVERY:
        keys = range(len(data))
    else:
        return
    for key in keys:
        for path in find(data[key], rest):
            yield (key, *path)


def get(data: Any, path: Path) -> Any:
    """Return what stands at a path, None where nothing does."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def put(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return `data` with a value at a path of keys; shares with it what does not change."""
    key, rest = str(path[0]), path[1:]
    return {**data, key: put(data.get(key) or {}, rest, value) if rest else value}


def without(data: Any, gone: Set[Path], kept: Set[Path] = frozenset()) -> tuple[Any, set[Path]]:
    """Return `data` without the paths in `gone`, and the paths of the maps and lists that are left out for being empty.

    What becomes empty stays when it is in `kept`, and so do items of lists. Shares with `data` what does not change.
    """
    tree: dict[str | int, Any] = {}
    for path in sorted(gone, key=len):
        node: dict[str | int, Any] | None = tree
        for step in path[:-1]:
            node = node.setdefault(step, {}) if node is not None else None
        if node is not None:
            node[path[-1]] = None
    emptied: set[Path] = set()
    return _without(data, tree, (), kept, emptied), emptied


def _without(data: Any, tree: dict[str | int, Any], path: Path, kept: Set[Path], emptied: set[Path]) -> Any:
    if isinstance(data, list):
        return [
            _without(item, tree[index], (*path, index), kept, emptied) if index in tree else item
            for index, item in enumerate(data)
            if tree.get(index, tree) is not None
        ]
    made = {}
    for key, value in data.items():
        if key not in tree:
            made[key] = value
        elif tree[key] is not None:
            place = (*path, key)
            left = _without(value, tree[key], place, kept, emptied)
            if left or place in kept:
                made[key] = left
            else:
                emptied.add(place)
    return made


def leaves(data: Any) -> int:
    """Count the values in a manifest that its author had to write: scalars, and maps and lists without any."""
    if isinstance(data, dict):
        return sum(map(leaves, data.values())) or 1
    if isinstance(data, list):
        return sum(map(leaves, data)) or 1
    return 1


def differences(old: Any, new: Any, path: Path = ()) -> Iterator[Difference]:
    """Yield where two pieces of data differ, as deep as it can be told; lists of other lengths differ as a whole."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) != new.get(key) or (key in old) != (key in new):
                yield from _descend(old.get(key), new.get(key), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, (*path, index))
    elif not _same_amount(old, new, path):
        yield Difference(path, old, new)


def _descend(old: Any, new: Any, path: Path) -> Iterator[Difference]:
    """A map that is missing differs where the other has something, so that each field is judged by itself."""
    if old is None and isinstance(new, dict) and new:
        yield from differences({}, new, path)
    elif new is None and isinstance(old, dict) and old:
        yield from differences(old, {}, path)
    else:
        yield from differences(old, new, path)


def _same_amount(old: Any, new: Any, path: Path) -> bool:
    if old is None or new is None or not _AMOUNTS.intersection(path):
        return False
    try:
        return Quantity.parse(old) == Quantity.parse(new)
    except (ValueError, TypeError):
        return False
