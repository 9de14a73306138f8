"""Plain data merged: maps merge, everything else is replaced; `null` removes a key, or is one of the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.manifests.difference import alike


def merge(base: Mapping[str, Any], *patches: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with merge patches applied to it, in order (RFC 7396): `null` removes.

    Shares no map or list with any of them, and holds no `null` as a map's value, as the API server keeps none.
    """
    merged: dict[str, Any] = {}
    for patch in (base, *patches):
        merge_into(merged, patch)
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
            target[key] = [merge(item) if isinstance(item, dict) else fresh(item) for item in value]
        else:
            target[key] = value


def three_way(applied: Mapping[str, Any], wanted: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """Return what applying `wanted` makes of a live object to which `applied` was applied before.

    Maps merge and lists are replaced, as `kubectl apply` does with custom resources: what only the former manifest has
    is removed, what neither has stays as the cluster made it. Source: client-go, jsonmergepatch
    (CreateThreeWayJSONMergePatch).
    """
    patch: dict[str, Any] = {}
    _settings(patch, wanted, live)
    _removals(patch, applied, wanted)
    return merge(live, patch)


def _settings(patch: dict[str, Any], wanted: Mapping[str, Any], live: Mapping[str, Any]) -> None:
    """Add to a patch what `wanted` says and the live object does not have so."""
    for key, value in wanted.items():
        if isinstance(value, dict) and (value or not isinstance(live.get(key), dict)):
            there = live.get(key)
            inner: dict[str, Any] = {}
            _settings(inner, value, there if isinstance(there, dict) else {})
            if inner or not value:
                patch[key] = inner
        elif value is not None and not isinstance(value, dict):
            patch[key] = value


def _removals(patch: dict[str, Any], applied: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Add to a patch a `null` for all that the former manifest says and the new one does not, or says is `null`."""
    for key in applied.keys() - wanted.keys():
        patch[key] = None
    for key, value in wanted.items():
        former = applied.get(key)
        if value is None:
            if key not in applied or former is not None:
                patch[key] = None
        elif isinstance(value, dict):
            inner = patch.get(key)
            removed: dict[str, Any] = dict(inner) if isinstance(inner, dict) else {}
            _removals(removed, former if isinstance(former, dict) else {}, value)
            if removed:
                patch[key] = removed


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
        return {key: fresh(item) if isinstance(item, (dict, list)) else item for key, item in value.items()}
    if isinstance(value, list):
        return [fresh(item) for item in value]
    return value


def changed_in(after: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a map differs from what it was: laid over that it gives the map, if nothing is gone from it."""
    changes: dict[str, Any] = {}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := changed_in(value, old):
                changes[key] = inner
        elif key not in before or not alike(value, old):
            changes[key] = value
    return changes
