"""Paths of replacements and variables: `spec.disks.[name=root].size`, `spec.disks.0.size`, `spec.disks.*.size`.

Source: kyaml/utils/pathsplitter.go, kyaml/yaml/fns.go (PathGetter), kyaml/yaml/match.go (PathMatcher).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.api.values import describe
from virtcatalog.errors import VirtcatalogError, counted
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.fieldspecs import split_path
from virtcatalog.repositories.kustomize.pattern import Pattern, PatternError
from virtcatalog.repositories.kustomize.resource import text_of
from virtcatalog.repositories.kustomize.scalars import resolved

_INDEX: Final = re.compile(r"\d{1,9}")


class PathError(VirtcatalogError):
    """A path that leads nowhere."""


class StructuredError(VirtcatalogError):
    """A path that goes on within a text."""


def split_field(path: str) -> list[str]:
    """Return the steps of a path; what stands in brackets is one step."""
    steps: list[str] = []
    parts = iter(split_path(path, "."))
    for part in parts:
        if part.startswith("[") and not part.endswith("]"):
            bracketed = [part]
            for more in parts:
                bracketed.append(more)
                if more.endswith("]"):
                    break
            text = ".".join(bracketed)
            steps.append(text if "=" in text else text.strip("[]"))
        else:
            steps.append(part)
    return steps


def look_up(data: Any, steps: list[str]) -> tuple[Any, Path]:
    """Return what stands at a path, None where there is nothing, and where it is. Raises PathError."""
    path: Path = ()
    for step in (part.strip() for part in steps):
        if not step:
            continue
        if data is None:
            return None, path
        if _INDEX.fullmatch(step) or step == "-":
            if not isinstance(data, list):
                raise PathError(f"{step} is an index, and there is {describe(data)}")
            index = len(data) - 1 if step == "-" else int(step)
            data = data[index] if 0 <= index < len(data) else None
            path = (*path, index)
        elif step == "*":
            raise PathError("* names no single field")
        elif _is_match(step):
            if not isinstance(data, list):
                raise PathError(f"{step} names an item of a list, and there is {describe(data)}")
            name, value = _match_of(step)
            index = next((i for i, item in enumerate(data) if _value_of(item, name) == value), -1)
            data = data[index] if index >= 0 else None
            path = (*path, index)
        else:
            if not isinstance(data, dict):
                raise PathError(f"{step} is a field, and there is {describe(data)}")
            data = data.get(step)
            path = (*path, step)
    return data, path


def _is_match(step: str) -> bool:
    return step.startswith("[") and step.endswith("]")


def _match_of(step: str) -> tuple[str, str]:
    name, equals, value = step[1:-1].partition("=")
    if not equals:
        raise PathError(f"{step} must be [FIELD=VALUE]")
    return name, value


def _value_of(item: Any, name: str) -> str | None:
    value = item if not name else item.get(name) if isinstance(item, dict) else None
    return None if value is None or isinstance(value, dict | list) else text_of(value)


class Matcher:
    """The places that a path leads to in an object; `create` makes the value of one that is missing."""

    def __init__(self, steps: list[str], budget: Budget, create: Callable[[], Any] | None) -> None:
        self._steps, self._budget, self._create = steps, budget, create
        self.created: list[Path] = []
        """The values that were made on the way: their type is that of their text."""

    def matches(self, data: Any) -> list[tuple[Any, Any, Path]]:
        """Return each place: the map or list that it is in, its key or index there, its path. Raises PathError."""
        return list(self._at({"": data}, "", self._steps, ()))

    def _at(self, holder: Any, key: Any, steps: list[str], path: Path) -> Iterator[tuple[Any, Any, Path]]:
        self._budget.keys(1)
        if not steps:
            yield holder, key, path
            return
        value, step = holder[key], steps[0]
        if _INDEX.fullmatch(step):
            yield from self._index(value, int(step), steps[1:], path)
        elif _is_match(step):
            yield from self._items(value, step, steps[1:], path)
        elif step == "*":
            for index in range(len(self._list(value, step))):
                yield from self._at(value, index, steps[1:], (*path, index))
        else:
            yield from self._field(value, step, steps[1:], path)

    def _list(self, value: Any, step: str) -> list[Any]:
        if not isinstance(value, list):
            raise PathError(f"{step} names items of a list, and there is {describe(value)}")
        return value

    def _field(self, value: Any, step: str, rest: list[str], path: Path) -> Iterator[tuple[Any, Any, Path]]:
        if not isinstance(value, dict):
            if isinstance(value, str) and value:
                raise StructuredError(f"{step} is looked for within a text")
            raise PathError(f"{step} is a field, and there is {describe(value)}")
        if value.get(step) is None and self._create is not None:
            value[step] = self._created(rest)
            self.created += [(*path, step)] * (not rest)
        if value.get(step) is not None or (step in value and not rest):
            yield from self._at(value, step, rest, (*path, step))

    def _created(self, rest: list[str]) -> Any:
        """What is put where there is nothing: a list, a map, or the value itself."""
        if rest and (_is_match(rest[0]) or _INDEX.fullmatch(rest[0])):
            return []
        return {} if rest or self._create is None else self._create()

    def _index(self, value: Any, index: int, rest: list[str], path: Path) -> Iterator[tuple[Any, Any, Path]]:
        items = self._list(value, str(index))
        if index == len(items) and self._create is not None:
            items.append(self._created(rest))
            self.created += [(*path, index)] * (not rest)
        if index >= len(items):
            raise PathError(f"{index} is an index, and the list has {counted(len(items), 'item')}")
        yield from self._at(items, index, rest, (*path, index))

    def _items(self, value: Any, step: str, rest: list[str], path: Path) -> Iterator[tuple[Any, Any, Path]]:
        items = self._list(value, step)
        name, value_pattern = _match_of(step)
        try:
            pattern = Pattern(f".*({value_pattern}).*", self._budget.states)
        except PatternError as error:
            raise PathError(str(error)) from None
        texts = [_value_of(item, name) for item in items]
        hits = [index for index, text in enumerate(texts) if text is not None and pattern.matches(text)]
        if not hits and self._create is not None:
            items.append({name: resolved(value_pattern)} if name else resolved(value_pattern))
            hits = [len(items) - 1]
            self.created.append((*path, hits[0], name) if name else (*path, hits[0]))
        for index in hits:
            yield from self._at(items, index, [] if not name else rest, (*path, index))
