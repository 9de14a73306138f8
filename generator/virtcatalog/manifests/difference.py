"""Where plain data differs: field by field, how that is said, and as operations of a JSON patch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from virtcatalog.api.findings import Item, Path, field_path
from virtcatalog.manifests.fields import pointer_step

_KEYS = ("name", "key", "topologyKey")


class Difference(NamedTuple):
    """One place where two pieces of data differ; None is absence."""

    path: Path
    old: Any
    new: Any

    @property
    def field(self) -> str:
        """The path as the API writes it."""
        return field_path(self.path)

    def __str__(self) -> str:
        if self.old is None:
            return f"{self.field}{_unless_item(self.new)} is new"
        if self.new is None:
            return f"{self.field}{_unless_item(self.old)} is gone"
        return f"{self.field}: {shown(self.old)} → {shown(self.new)}"


def _unless_item(value: Any) -> str:
    """A value after its field; an item that comes or goes as a whole is told by its name."""
    return "" if isinstance(value, dict) and value else f": {shown(value)}"


Same = Callable[[Any, Any, Path], bool]


def alike(old: Any, new: Any, _path: Path = ()) -> bool:
    """Whether two values are the same, as deep as they go; to Python, True is 1, and {"a": True} is {"a": 1}."""
    return bool(old == new) and _has_same_bools(old, new)


def _has_same_bools(old: Any, new: Any) -> bool:
    """Whether of two equal values each has a bool where the other one has."""
    if isinstance(old, dict):
        for key, value in old.items():
            if not isinstance(value, str) and not _has_same_bools(value, new[key]):
                return False
        return True
    if isinstance(old, list):
        return all(map(_has_same_bools, old, new))
    return isinstance(old, bool) == isinstance(new, bool)


def differences(
    old: Any, new: Any, path: Path = (), *, by_name: bool = True, items: bool = False, same: Same = alike
) -> Iterator[Difference]:
    """Yield where two pieces of data differ, as deep as it can be told: maps by key, lists in their order.

    A map or list that one of them lacks differs in each of its values; with `items`, an item of a list that has a name
    as a whole. Items of lists are compared by their name where all have one, and where those of both stand in another
    order, the list differs in its names; else by number. Unless `by_name`, by number alone, and lists of other lengths
    as a whole.
    """
    if items and path and isinstance(path[-1], Item) and None in (old, new):
        yield Difference(path, old, new)
        return
    parts = _parts(old, new, by_name=by_name)
    if parts is not None:
        for step in parts[0] | parts[1]:
            one, other = parts[0].get(step), parts[1].get(step)
            if not alike(one, other, path):
                yield from differences(one, other, (*path, step), by_name=by_name, items=items, same=same)
        if [step for step in parts[0] if step in parts[1]] != [step for step in parts[1] if step in parts[0]]:
            yield Difference(path, [*map(str, parts[0])], [*map(str, parts[1])])
    elif not same(old, new, path):
        yield Difference(path, old, new)


def leaves(value: Any, path: Path = (), *, by_name: bool = True) -> Iterator[tuple[Path, Any]]:
    """Yield the values without parts that data holds: scalars, and empty maps and lists."""
    parts = _parts(value, value, by_name=by_name) if value else None
    if parts is None:
        yield path, value
    else:
        for step, item in parts[0].items():
            yield from leaves(item, (*path, step), by_name=by_name)


def shown(value: Any) -> str:
    """A value as people read it: strings that need no quotes have none."""
    if isinstance(value, str) and value and value.strip() == value and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)


def _parts(old: Any, new: Any, *, by_name: bool) -> tuple[dict[Any, Any], dict[Any, Any]] | None:
    """The parts of two values by the step that leads to them; None where they can only be compared as a whole."""
    one = type(new)() if old is None and new and isinstance(new, dict | list) else old
    other = type(old)() if new is None and old and isinstance(old, dict | list) else new
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(one.keys() | other.keys(), key=str)
        return {key: one.get(key) for key in keys}, {key: other.get(key) for key in keys}
    if not (isinstance(one, list) and isinstance(other, list)):
        return None
    if by_name:
        names = item_names(one), item_names(other)
        if names[0] is not None and names[1] is not None:
            return dict(zip(names[0], one, strict=True)), dict(zip(names[1], other, strict=True))
    elif len(one) != len(other):
        return None
    return dict(enumerate(one)), dict(enumerate(other))


def item_names(items: Sequence[Any]) -> list[Item] | None:
    """Return what the items of a list are called; None where one has no name of its own."""
    for key in _KEYS:
        names = [item.get(key) if isinstance(item, dict) else None for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return [Item(name) for name in names]
    return None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation; `path` is a JSON pointer, `value` None where something is removed."""

    op: Literal["add", "remove", "replace"]
    path: str
    value: Any = None

    def to_dict(self) -> dict[str, Any]:
        """The operation as JSON has it."""
        plain = {"op": self.op, "path": self.path}
        return plain if self.op == "remove" else {**plain, "value": self.value}


def changes(old: Any, new: Any, path: str = "") -> Iterator[Change]:
    """Yield what makes `new` of `old`: maps key by key, lists of one length item by item, the rest as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            place = f"{path}/{pointer_step(key)}"
            if key not in old:
                yield Change("add", place, new[key])
            elif key not in new:
                yield Change("remove", place)
            else:
                yield from changes(old[key], new[key], place)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes(one, other, f"{path}/{index}")
    elif old != new or type(old) is not type(new):
        yield Change("replace", path, new)
