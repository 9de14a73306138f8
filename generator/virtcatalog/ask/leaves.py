"""The leaves of a manifest: every scalar and empty collection, by its field as the API writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from virtcatalog.api.findings import stepped


class _Absent:
    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()
"""What stands where a manifest has nothing, and is like nothing else."""
NESTED: Final = frozenset({dict, list})
"""The classes of what has leaves below it, unless it is empty."""

_REMEMBERED: Final = 1 << 12

Manifest = dict[str, Any]
_Parts = dict[Any, Any]


def leaves(manifest: Manifest, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the field and value of the leaves that a manifest has at some of its keys, in its order."""
    return _leaves("", {key: manifest[key] for key in keys if key in manifest})


def changed(manifest: Manifest, other: Manifest, keys: Sequence[str]) -> set[str]:
    """Return the fields of the leaves at some keys of a manifest that another has otherwise, or not at all."""
    found: set[str] = set()
    _add_changed(found, "", {key: manifest[key] for key in keys if key in manifest}, other)
    return found


def blot(value: Any, given: Any) -> None:
    """Put ABSENT for each empty map in a value that is not given, too."""
    given = parts(given)
    for step, item in parts(value).items():
        own = given.get(step, ABSENT)
        if item == own or not isinstance(item, (dict, list)):
            continue
        if item == {}:
            value[step] = ABSENT
        else:
            blot(item, own)


def parts(value: Any) -> _Parts:
    """Return the parts of a map or a list by key or index; none of what has none."""
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, list) else {}


def items(value: Any) -> Any:
    """Return the steps into a map or list, each with what is there."""
    return value.items() if isinstance(value, dict) else enumerate(value)


def _leaves(field: str, value: Any) -> Iterator[tuple[str, Any]]:
    for step, item in items(value):
        part = field + STEPS[step] if field else step
        if item.__class__ in NESTED and item:
            yield from _leaves(part, item)
        else:
            yield part, item


def _add_changed(found: set[str], field: str, value: Any, other: Any) -> None:
    """Add the fields of the leaves of a map or list that another value has not in its place."""
    given = parts(other)
    for step, item in items(value):
        own = given.get(step, ABSENT)
        if item == own:
            continue
        part = field + STEPS[step] if field else step
        if item.__class__ in NESTED and item:
            _add_changed(found, part, item, own)
        else:
            found.add(part)


class _Steps(dict[str | int, str]):
    """What each step adds to the field that it goes on from, remembered."""

    def __missing__(self, step: str | int) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        added = self[step] = stepped(" ", step)[1:]
        return added


STEPS: Final = _Steps()
"""What each step adds to a field."""
