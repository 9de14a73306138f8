"""Differences of plain data and of texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

_KEYS = ("name", "key", "topologyKey")


def unified(old: str, new: str, old_name: str = "before", new_name: str = "after", context: int = 3) -> str:
    """The unified diff of two texts; "" when they are the same."""
    lines = unified_diff(old.splitlines(), new.splitlines(), old_name, new_name, n=context, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Return {path: leaf} of plain data; items of a list go by their name where all have one, else by number."""
    found: dict[str, Any] = {}
    _gather(value, path, found)
    return found


def differences(old: Any, new: Any) -> Iterator[str]:
    """Say for every leaf that differs what it was and what it is: `cpu.sockets: 1 → 2`."""
    before, after = leaves(old), leaves(new)
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield f"{path}: {shown(before[path])} is gone"
        elif path not in before:
            yield f"{path}: {shown(after[path])} is new"
        elif before[path] != after[path] or type(before[path]) is not type(after[path]):
            yield f"{path}: {shown(before[path])} → {shown(after[path])}"


def shown(value: Any) -> str:
    """A leaf as people read it: strings that need no quotes have none."""
    if isinstance(value, str) and value and value.strip() == value and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)


def _gather(value: Any, path: str, found: dict[str, Any]) -> None:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            step = f"[{key}]" if "." in key or "/" in key else f".{key}" if path else key
            _gather(each, path + step, found)
    elif isinstance(value, list) and value:
        for name, each in zip(_names(value), value, strict=True):
            _gather(each, f"{path}[{name}]", found)
    else:
        found[path] = value


def _names(items: list[Any]) -> list[str]:
    for key in _KEYS:
        names = [item.get(key) if isinstance(item, dict) else None for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return [str(name) for name in names]
    return [str(number) for number in range(len(items))]
