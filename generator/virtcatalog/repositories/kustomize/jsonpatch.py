"""JSON Patch (RFC 6902) on plain data."""

from __future__ import annotations

from typing import Any

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget


class PatchError(VirtcatalogError):
    """An operation that cannot be carried out."""


def patched(data: Any, operations: list[Any], budget: Budget) -> Any:
    """Return data with operations applied, in order; the data itself stays as it is."""
    document = {"": _copied(data, budget)}
    for operation in operations:
        if not isinstance(operation, dict):
            raise PatchError("an operation must be a map")
        _apply(document, operation, budget)
    budget.copy(document[""])
    return document[""]


def _copied(data: Any, budget: Budget) -> Any:
    budget.copy(data)
    return fresh(data)


def _apply(document: dict[str, Any], operation: dict[str, Any], budget: Budget) -> None:
    name, path = operation.get("op"), _steps(operation.get("path"))
    budget.keys(2 * len(path))
    if name in ("add", "replace", "test") and "value" not in operation:
        raise PatchError(f"{name} needs a value")
    if name == "add":
        _add(document, path, _copied(operation["value"], budget))
    elif name == "remove":
        _take(document, path)
    elif name == "replace":
        _take(document, path)
        _add(document, path, _copied(operation["value"], budget))
    elif name == "move":
        _add(document, path, _take(document, _from(operation, budget)))
    elif name == "copy":
        _add(document, path, _copied(_at(document, _from(operation, budget)), budget))
    elif name == "test":
        budget.copy(operation["value"])
        if _at(document, path) != operation["value"]:
            raise PatchError(f"the test of {operation['path']} fails")
    else:
        raise PatchError(f"there is no operation {name!r}")


def _from(operation: dict[str, Any], budget: Budget) -> list[str]:
    path = _steps(operation.get("from"))
    budget.keys(len(path))
    return path


def _steps(pointer: Any) -> list[str]:
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise PatchError(f"{pointer!r} is no JSON pointer")
    return ["", *(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])]


def _at(data: Any, path: list[str]) -> Any:
    for step in path:
        data = _inner(data, step, path)
    return data


def _inner(data: Any, step: str, path: list[str]) -> Any:
    if isinstance(data, dict) and step in data:
        return data[step]
    if isinstance(data, list) and step.isdecimal() and int(step) < len(data):
        return data[int(step)]
    raise PatchError(f"there is nothing at {'/'.join(path) or '/'}")


def _add(document: Any, path: list[str], value: Any) -> None:
    around, last = _at(document, path[:-1]), path[-1]
    if isinstance(around, dict):
        around[last] = value
    elif isinstance(around, list) and last == "-":
        around.append(value)
    elif isinstance(around, list) and last.isdecimal() and int(last) <= len(around):
        around.insert(int(last), value)
    else:
        raise PatchError(f"nothing can be put at {'/'.join(path)}")


def _take(document: Any, path: list[str]) -> Any:
    around = _at(document, path[:-1])
    value = _inner(around, path[-1], path)
    if isinstance(around, dict):
        del around[path[-1]]
    else:
        del around[int(path[-1])]
    return value
