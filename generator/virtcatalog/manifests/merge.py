"""Plain data laid over plain data: maps merge, everything else is replaced. What `null` says makes the two ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merge(base: Mapping[str, Any], *patches: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with merge patches applied to it, in order (RFC 7396): `null` removes.

    Shares no map or list with any of them, and holds no `null` as a map's value, as the API server keeps none.
    """
    merged: dict[str, Any] = {}
    for each in (base, *patches):
        merge_into(merged, each)
    return merged


def merge_into(target: dict[str, Any], patch: Mapping[str, Any]) -> None:
    """Apply one merge patch to `target`, in place."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            inner = target.get(key)
            if not isinstance(inner, dict):
                inner = target[key] = {}
            merge_into(inner, value)
        elif isinstance(value, list):
            target[key] = [merge(each) if isinstance(each, dict) else fresh(each) for each in value]
        else:
            target[key] = value


def lay_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two maps as one, as two patches join, or as Go reads a second JSON text into what it read before.

    Unlike merging it keeps `null`. Shares what does not change with both.
    """
    joined = dict(below)
    for key, value in above.items():
        under = joined.get(key)
        joined[key] = lay_over(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return joined


def fresh(value: Any) -> Any:
    """Copy plain data, so that the copy shares no map or list with the original or within itself."""
    if isinstance(value, dict):
        return {key: fresh(each) for key, each in value.items()}
    if isinstance(value, list):
        return [fresh(each) for each in value]
    return value
