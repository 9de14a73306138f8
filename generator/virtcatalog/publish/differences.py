"""Where two specs differ, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from virtcatalog.api.findings import field_path


class Difference(msgspec.Struct, frozen=True):
    """A field that differs; None stands for a field that is not there."""

    field: str
    old: Any
    new: Any

    def __str__(self) -> str:
        if self.old is None:
            return f"{self.field} {_text(self.new)} is new"
        if self.new is None:
            return f"{self.field} {_text(self.old)} is gone"
        return f"{self.field} {_text(self.old)} → {_text(self.new)}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """Return the fields that differ between two specs, sorted; lists are compared as a whole."""
    return list(_differences(old, new, ()))


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Difference]:
    for key in sorted(old.keys() | new.keys()):
        before, after, place = old.get(key), new.get(key), (*path, key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _differences(before, after, place)
        elif before != after:
            yield Difference(field_path(place), before, after)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
