"""The leaves of a manifest, every scalar and empty collection, and which of them others have as well.

Fields are written as the API does. What is equal is equal in all of its parts, and is not looked at part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from virtcatalog.api.findings import stepped

ABSENT: Final = object()
"""What stands where a manifest has nothing, and is like nothing else."""


_NESTED: Final = frozenset({dict, list})
_REMEMBERED: Final = 1 << 12

Manifest = dict[str, Any]
Leaf = tuple[str, Any, int]
"""A field, its value, and the number of the first of some other manifests that has it, or how many these are."""
_Parts = dict[Any, Any]


def leaves(manifest: Manifest, others: tuple[Manifest, Manifest, Manifest], keys: Sequence[str]) -> list[Leaf]:
    """Return the leaves that a manifest has at some of its keys, in its order."""
    found: list[Leaf] = []
    _add_leaves(found, "", {key: manifest[key] for key in keys if key in manifest}, *others)
    return found


def changed(manifest: Manifest, other: Manifest, keys: Sequence[str], known: Sequence[Manifest] = ()) -> set[str]:
    """Return the fields of the leaves at some keys of a manifest that another has otherwise, or not at all.

    Those that the other has as one of the `known` manifests are left out.
    """
    found: set[str] = set()
    whole = {key: manifest[key] for key in keys if key in manifest}
    _add_changed(found, "", whole, other, known)
    return found


def blot(value: Any, given: Any) -> None:
    """Put ABSENT for each empty map in a value that is not given, too."""
    given = _parts(given)
    for step, item in _parts(value).items():
        own = given.get(step, ABSENT)
        if item == own or not isinstance(item, (dict, list)):
            continue
        if item == {}:
            value[step] = ABSENT
        else:
            blot(item, own)


def _add_leaves(found: list[Leaf], field: str, value: Any, ones: _Parts, twos: _Parts, threes: _Parts) -> None:
    """Add the leaves of a map or list, in whose place the other manifests have the others."""
    for step, item in _items(value):
        part = field + _STEPS[step] if field else step
        if item.__class__ not in _NESTED or not item:
            if item == ones.get(step, ABSENT):
                first = 0
            elif item == twos.get(step, ABSENT):
                first = 1
            else:
                first = 2 if item == threes.get(step, ABSENT) else 3
            found.append((part, item, first))
            continue
        one, two, three = ones.get(step, ABSENT), twos.get(step, ABSENT), threes.get(step, ABSENT)
        if item == one:
            _add_all(found, part, item, 0)
        elif one is ABSENT and item == two:
            _add_all(found, part, item, 1)
        elif one is two is ABSENT and item == three:
            _add_all(found, part, item, 2)
        elif one is two is three is ABSENT:
            _add_all(found, part, item, 3)
        else:
            _add_leaves(found, part, item, _parts(one), _parts(two), _parts(three))


def _add_all(found: list[Leaf], field: str, value: Any, number: int) -> None:
    """Add the leaves of a map or list, all of which the same of the other manifests has first."""
    for step, item in _items(value):
        if item.__class__ in _NESTED and item:
            _add_all(found, field + _STEPS[step], item, number)
        else:
            found.append((field + _STEPS[step], item, number))


def _add_changed(found: set[str], field: str, value: Any, other: Any, known: Sequence[Any]) -> None:
    """Add the fields of the leaves of a map or list that another value has not in its place."""
    given = _parts(other)
    for step, item in _items(value):
        own = given.get(step, ABSENT)
        if item == own:
            continue
        beside = [_parts(each).get(step, ABSENT) for each in known] if known else known
        if own in beside:
            continue
        part = field + _STEPS[step] if field else step
        if item.__class__ in _NESTED and item:
            _add_changed(found, part, item, own, beside)
        else:
            found.add(part)


class _Steps(dict[str | int, str]):
    """What each step adds to the field that it goes on from, remembered."""

    def __missing__(self, step: str | int) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        added = self[step] = stepped(" ", step)[1:]
        return added


def _items(value: Any) -> Any:
    """The steps into a map or list, each with what is there."""
    return value.items() if isinstance(value, dict) else enumerate(value)


def _parts(value: Any) -> _Parts:
    """The parts of a map or a list by key or index; none of what has none."""
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, list) else {}


_STEPS = _Steps()
