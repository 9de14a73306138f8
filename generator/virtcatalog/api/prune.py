"""Fields that a release does not know are dropped, as its API server drops what its schema does not name."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import inspect as types

from virtcatalog.api.findings import Path

Minor = tuple[int, int]
Pruned = list[tuple[Path, str]]


class _Plan(msgspec.Struct):
    """What to look at in a value: the newer fields of a map, by the release that brought them, and what lies below.

    `each` is the plan of every item of a list, or of every value of a map whose keys are the user's.
    """

    newer: dict[str, str]
    below: dict[str, _Plan]
    each: _Plan | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.newer or self.below or self.each)


def prune(obj: Any, kind: type, minor: Minor) -> tuple[Any, Pruned]:
    """Return `obj` without the fields that are newer than a release, and the path and first release of each of them.

    `obj` is not changed, and what is returned shares with it; it is returned itself when nothing is newer.
    """
    plan = _plan(kind, minor)
    if plan.is_empty:
        return obj, []
    pruned: Pruned = []
    return _walk(obj, plan, (), pruned), pruned


def _walk(value: Any, plan: _Plan, path: Path, pruned: Pruned) -> Any:
    changed: dict[Any, Any] = {}
    if isinstance(value, dict):
        gone = [key for key in plan.newer if value.get(key) is not None]
        pruned += [((*path, key), plan.newer[key]) for key in gone]
        for key, item in value.items():
            below = plan.each or plan.below.get(key)
            if below is not None and item is not None:
                kept = _walk(item, below, (*path, key), pruned)
                if kept is not item:
                    changed[key] = kept
        if gone or changed:
            return {key: changed.get(key, item) for key, item in value.items() if key not in gone}
    elif isinstance(value, list) and plan.each is not None:
        for index, item in enumerate(value):
            kept = _walk(item, plan.each, (*path, index), pruned)
            if kept is not item:
                changed[index] = kept
        if changed:
            return [changed.get(index, item) for index, item in enumerate(value)]
    return value


@cache
def _plan(kind: type, minor: Minor) -> _Plan:
    return _plan_of(types.type_info(kind), minor)


def _plan_of(info: types.Type, minor: Minor) -> _Plan:
    if isinstance(info, types.Metadata):
        return _plan_of(info.type, minor)
    if isinstance(info, types.UnionType):
        plans = (_plan_of(member, minor) for member in info.types)
        return next((plan for plan in plans if not plan.is_empty), _Plan({}, {}))
    if isinstance(info, types.ListType):
        each = _plan_of(info.item_type, minor)
    elif isinstance(info, types.DictType):
        each = _plan_of(info.value_type, minor)
    elif isinstance(info, types.StructType):
        newer = {field.encode_name: release for field in info.fields if (release := _since(field.type, minor))}
        below = {
            field.encode_name: plan
            for field in info.fields
            if field.encode_name not in newer and not (plan := _plan_of(field.type, minor)).is_empty
        }
        return _Plan(newer, below)
    else:
        return _Plan({}, {})
    return _Plan({}, {}, None if each.is_empty else each)


def _since(info: types.Type, minor: Minor) -> str:
    """The release that brought a field, if that is a newer one."""
    while isinstance(info, types.Metadata):
        release = (info.extra or {}).get("since")
        if release:
            major, _, number = release.removeprefix("v").partition(".")
            return release if (int(major), int(number)) > minor else ""
        info = info.type
    return ""
