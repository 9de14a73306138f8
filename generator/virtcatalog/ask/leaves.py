"""The leaves of a manifest: every scalar and empty collection, by its field as the API writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from virtcatalog.api.findings import stepped
from virtcatalog.manifests.identity import Data


class _Absent:
    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()
"""Stands for a value that a manifest lacks; equal to nothing else."""
NESTED: Final = frozenset({dict, list})
"""The classes of values with leaves below them, unless they are empty."""

_REMEMBERED: Final = 1 << 12


def leaves(manifest: Data, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the field and value of the leaves that a manifest has at some of its keys, in its order."""
    return _leaves("", {key: manifest[key] for key in keys if key in manifest})


def changed(manifest: Data, other: Data, keys: Sequence[str]) -> set[str]:
    """Return the fields of leaves, at some keys of a manifest, whose values differ or are missing in another."""
    fields: set[str] = set()
    _add_changed(fields, "", {key: manifest[key] for key in keys if key in manifest}, other)
    return fields


def drop_defaults(value: Any, written: Any) -> None:
    """Replace empty maps in a value by ABSENT, unless they are also in `written`."""
    written = parts(written)
    for step, item in parts(value).items():
        written_item = written.get(step, ABSENT)
        if item == written_item or not isinstance(item, (dict, list)):
            continue
        if item == {}:
            value[step] = ABSENT
        else:
            drop_defaults(item, written_item)


def parts(value: Any) -> dict[Any, Any]:
    """Return the parts of a map or a list by key or index, {} for other values."""
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, list) else {}


def items(value: Any) -> Any:
    """Return the keys or indexes of a map or list, with their values."""
    return value.items() if isinstance(value, dict) else enumerate(value)


def _leaves(field: str, value: Any) -> Iterator[tuple[str, Any]]:
    for step, item in items(value):
        part = field + STEPS[step] if field else step
        if item.__class__ in NESTED and item:
            yield from _leaves(part, item)
        else:
            yield part, item


def _add_changed(fields: set[str], field: str, value: Any, other: Any) -> None:
    """Add the fields of the leaves of a map or list whose values differ or are missing in another."""
    other_parts = parts(other)
    for step, item in items(value):
        other_item = other_parts.get(step, ABSENT)
        if item == other_item:
            continue
        part = field + STEPS[step] if field else step
        if item.__class__ in NESTED and item:
            _add_changed(fields, part, item, other_item)
        else:
            fields.add(part)


class _Steps(dict[str | int, str]):
    """The text that a key or index adds to a field, remembered."""

    def __missing__(self, step: str | int) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        added = self[step] = stepped(" ", step)[1:]
        return added


STEPS: Final = _Steps()
"""The text that a key or index adds to a field."""
