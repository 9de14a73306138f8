"""Fields that came after a KubeVirt release: its API server drops them, before any webhook sees the object."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from virtcatalog.api.findings import Path
from virtcatalog.api.shape import List, Map, Shape, Struct, Version, struct_of

LATEST: Final[Version] = (1, 9)
"""The release that brought the latest fields: it knows them all, and no type need be walked to learn that."""


class _Newer(msgspec.Struct, frozen=True):
    """What came after a release in values of a shape: all of it, some of its fields, or part of each item."""

    since: Version = ()
    fields: Mapping[str, _Newer] = {}
    items: _Newer | None = None


def prune(obj: Any, kind: type[msgspec.Struct], release: Version) -> tuple[Any, dict[Path, Version]]:
    """Return plain data as the API server of a release such as (1, 8) keeps it, and the fields that it drops.

    Those come by path, each with the release that brought it; `null` says nothing and stays. The data shares with `obj`
    what does not change, and is `obj` itself where nothing is dropped.
    """
    newer = _newer(struct_of(kind), release) if release < LATEST else None
    dropped: dict[Path, Version] = {}
    pruned = _prune(obj, newer, (), dropped) if newer else obj
    return (pruned if dropped else obj), dropped


def _prune(value: Any, newer: _Newer, path: Path, dropped: dict[Path, Version]) -> Any:
    if isinstance(value, list) and newer.items:
        return [_prune(item, newer.items, (*path, index), dropped) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    pruned = {}
    for key, item in value.items():
        below = newer.items or newer.fields.get(key)
        if below is None:
            pruned[key] = item
        elif below.since and item is not None:
            dropped[*path, key] = below.since
        else:
            pruned[key] = _prune(item, below, (*path, key), dropped)
    return pruned


@cache
def _newer(shape: Shape, release: Version) -> _Newer | None:
    """What came after a release in a shape; None for nothing, so that nobody looks there."""
    if isinstance(shape, Map | List):
        items = _newer(shape.value if isinstance(shape, Map) else shape.item, release)
        return _Newer(items=items) if items else None
    if not isinstance(shape, Struct):
        return None
    fields = {
        name: _Newer(since=field.since) if field.since > release else _newer(field.shape, release)
        for name, field in shape.fields.items()
    }
    newer = {name: field for name, field in fields.items() if field}
    return _Newer(fields=newer) if newer else None
