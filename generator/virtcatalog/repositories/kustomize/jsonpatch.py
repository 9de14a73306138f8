"""JSON Patch (RFC 6902) on plain data, as Go's json-patch carries it out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.difference import alike
from virtcatalog.manifests.fields import pointer_steps
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.origins import Change, Insertion, Removal, Spot, Value

_EXACT: Final = 2**53
"""Up to this number every integer is a float."""
_INDEX: Final = re.compile(r"-?\d{1,9}", re.ASCII)


class PatchError(VirtcatalogError):
    """An operation that cannot be carried out."""


def patched(data: Any, operations: list[Any], budget: Budget, spot: Spot | None = None) -> tuple[Any, list[Change]]:
    """Return data with operations applied, in order, and what they changed; the data itself stays as it is.

    `spot` is where the operations stand.
    """
    document = {"": _copied(data, budget)}
    changes: list[Change] = []
    for number, operation in enumerate(operations):
        if not isinstance(operation, dict):
            raise PatchError("an operation must be a map")
        steps = _apply(document, operation, budget)
        if spot is not None and steps is not None:
            changes += _changes(operation, steps, spot.within(number))
    budget.copy(document[""])
    _round(document)
    return document[""], changes


def _round(document: dict[str, Any]) -> None:
    """Make what Go makes of large integers, which are floats to it where there is a patch."""
    pending: list[Any] = [document]
    while pending:
        value = pending.pop()
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(inner, dict | list):
                pending.append(inner)
            elif isinstance(inner, int) and abs(inner) > _EXACT:
                value[key] = int(Decimal(repr(float(inner))))  # none has more than 64 bits


def _changes(operation: dict[str, Any], steps: Path, spot: Spot) -> list[Change]:
    name = operation["op"]
    if name == "remove":
        return [Removal(steps, spot)]
    value = spot.within("value") if "value" in operation else spot
    if name in ("add", "move", "copy") and steps and isinstance(steps[-1], int):
        return [Insertion(steps, value)]
    return [Value(steps, value)]


def _copied(data: Any, budget: Budget) -> Any:
    budget.copy(data)
    return fresh(data)


def _apply(document: dict[str, Any], operation: dict[str, Any], budget: Budget) -> Path | None:
    """Carry out an operation; return where in the object, None for a test."""
    name, value = operation.get("op"), operation.get("value")  # Go's json-patch takes one that is not there for null
    if name == "replace" and operation.get("path") == "":
        document[""] = _copied(value, budget)
        return ()
    path = _steps(operation.get("path"))
    budget.keys(2 * len(path))
    if name == "add":
        return _add(document, path, _copied(value, budget))
    if name == "remove":
        return _take(document, path)[1]
    if name == "replace":
        return _replace(document, path, _copied(value, budget))
    if name == "move":
        return _add(document, path, _take(document, _from(operation, budget))[0])
    if name == "copy":
        return _add(document, path, _copied(_at_or_nothing(document, _from(operation, budget)), budget))
    if name == "test":
        budget.copy(value)
        if not alike(_at_or_nothing(document, path), value):
            raise PatchError(f"the test of {operation['path']} fails")
        return None
    raise PatchError(f"there is no operation {name!r}")


def _from(operation: dict[str, Any], budget: Budget) -> list[str]:
    path = _steps(operation.get("from"))
    budget.keys(len(path))
    return path


def _steps(pointer: Any) -> list[str]:
    """The steps of a pointer; what stands before the first slash does not count. Source: json-patch.v4, findObject."""
    if pointer == "":
        raise PatchError("of the whole object there is no operation but replace")
    if not isinstance(pointer, str) or "/" not in pointer:
        raise PatchError(f"{pointer!r} is no JSON pointer")
    return ["", *pointer_steps(pointer)]


def _at(data: Any, path: list[str]) -> tuple[Any, Path]:
    """What is at a path, and the steps that lead there in the object."""
    steps: list[str | int] = []
    for step in path:
        key = _key(data, step, path)
        data = data[key]
        steps.append(key)
    return data, tuple(steps[1:])


def _at_or_nothing(data: Any, path: list[str]) -> Any:
    """What is at a path; None where a map does not have it."""
    holder, _ = _at(data, path[:-1])
    return holder.get(path[-1]) if isinstance(holder, dict) else holder[_key(holder, path[-1], path)]


def _key(data: Any, step: str, path: list[str]) -> str | int:
    if isinstance(data, dict) and step in data:
        return step
    if isinstance(data, list) and _INDEX.fullmatch(step):
        index = int(step) + (len(data) if step.startswith("-") else 0)
        if 0 <= index < len(data):
            return index
    raise PatchError(f"there is nothing at {'/'.join(path)}")


def _add(document: Any, path: list[str], value: Any) -> Path:
    (holder, steps), last = _at(document, path[:-1]), path[-1]
    if isinstance(holder, dict):
        holder[last] = value
        return (*steps, last)
    if isinstance(holder, list) and (last == "-" or _INDEX.fullmatch(last)):
        index = len(holder) if last == "-" else int(last)
        index += len(holder) + 1 if index < 0 else 0
        if 0 <= index <= len(holder):
            holder.insert(index, value)
            return (*steps, index)
    raise PatchError(f"nothing can be put at {'/'.join(path)}")


def _replace(document: Any, path: list[str], value: Any) -> Path:
    """Put a value in place of what is at a path; in a map there need not be anything, as in Go's json-patch."""
    holder, steps = _at(document, path[:-1])
    if isinstance(holder, dict):
        holder[path[-1]] = value
        return (*steps, path[-1])
    key = _key(holder, path[-1], path)
    holder[key] = value
    return (*steps, key)


def _take(document: Any, path: list[str]) -> tuple[Any, Path]:
    holder, steps = _at(document, path[:-1])
    key = _key(holder, path[-1], path)
    return holder.pop(key), (*steps, key)
