"""Lists whose items merge: which there are after a patch, and in which order.

Those of the patch come first, then the others. In a list of two keys, such as ports, those of the patch that the object
has already stay where it has them. Items of which one lacks a key that another has push each other out: kustomize does
that, and so do we.
Source: kyaml/yaml/walk/associative_sequence.go, kyaml/yaml/fns.go (ElementMatcher, ElementSetter).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.origins import Parts
from virtcatalog.repositories.kustomize.resource import text_of


class Item:
    """An item, its index in the object before and in the patch, None where it was not there, and what is in it.

    `names` are the texts of its keys, "" for a key that it lacks.
    """

    __slots__ = ("before", "names", "parts", "patch", "value")

    def __init__(self, value: Any, *, before: int | None = None, patch: int | None = None) -> None:
        self.value, self.before, self.patch = value, before, patch
        self.parts: Parts | None = None
        self.names: tuple[str, ...] = ()


Join = Callable[[Item | None, Item], Item | None]
"""Merges an item of a patch into one of the object, if there is one; returns which of them stays, None for none."""


def plain(old: Sequence[Item], new: Sequence[Item]) -> list[Item]:
    """Return the items of a list of scalars: of those that are written alike, one, as the object has it."""
    items: dict[str, Item] = {}
    for item in new:
        items.setdefault(text_of(item.value), item)
    items |= {text_of(item.value): item for item in old}
    return [item for item in items.values() if item.value is not None]


def keyed(old: list[Item], new: list[Item], keys: Sequence[str], join: Join, budget: Budget) -> list[Item]:
    """Return the items of a list of maps; `old` is `new` itself where the patch makes the list, or replaces it."""
    every = new if old is new else [*new, *old]
    budget.keys(len(every))
    for item in every:
        item.names = tuple(_text((item.value or {}).get(key)) for key in keys)
    names = list(dict.fromkeys(item.names for item in every))
    used = [number for number in range(len(keys)) if any(texts[number] for texts in names)] or range(len(keys))
    is_complete = all(texts[number] for number in used for texts in names)
    if not is_complete:
        budget.keys(len(names) * len(every))
        _complete(names)
    names = [_at(texts, used) for texts in names]
    for item in every:
        item.names = _at(item.names, used)
    return (_merged if is_complete else _pushed)(old, new, names, [keys[number] for number in used], join)


def _text(value: Any) -> str:
    return "" if isinstance(value, dict | list) else text_of(value)


def _at(texts: tuple[str, ...], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(texts[number] for number in numbers)


def _complete(names: list[tuple[str, ...]]) -> None:
    """Take names that differ in what one of them lacks for the same. Source: mergeValues."""
    for first in range(len(names) if len(names[0]) > 1 else 0):
        one = names[first]
        for second, other in enumerate(names):
            pairs = list(zip(one, other, strict=True))
            if all(a == b or not (a and b) for a, b in pairs) and any(a == b for a, b in pairs):
                names[first] = names[second] = tuple(a or b for a, b in pairs)


def _joined(old: Item | None, new: Item | None, join: Join) -> Item | None:
    item = old if new is None else join(old, new)
    return item if item is not None and item.value else None


def _merged(
    old: list[Item], new: list[Item], names: list[tuple[str, ...]], keys: Sequence[str], join: Join
) -> list[Item]:
    """The items where none lacks a key."""
    first_old: dict[tuple[str, ...], Item] = {}
    first_new: dict[tuple[str, ...], Item] = {}
    for items, first in ((old if old is not new else [], first_old), (new, first_new)):
        for item in items:
            first.setdefault(item.names, item)
    joined = {texts: _joined(first_old.get(texts), first_new.get(texts), join) for texts in names}
    merged = {texts: item for texts, item in joined.items() if item is not None}
    for item in old:
        if joined[item.names] is not None:
            if len(keys) > 1:
                del merged[item.names]
            merged[item.names] = item
    return list(merged.values())


def _pushed(
    old: list[Item], new: list[Item], names: list[tuple[str, ...]], keys: Sequence[str], join: Join
) -> list[Item]:
    """The items where some lack a key. Source: setAssociativeSequenceElements, appendListNode."""
    merged: list[Item] = []
    for texts in names:
        item = _joined(None if old is new else _first(old, texts), _first(new, texts), join)
        if item is not None:
            merged = _put(merged, item, keys, texts)
            continue
        rest = _put(old, None, keys, texts)
        old, new = rest, rest if old is new else new
    for item in old:
        texts = tuple(text for key, text in zip(keys, item.names, strict=True) if key in (item.value or ()))
        merged += [item] * (len(keys) - len(texts))
        if len(keys) > 1:
            merged = _put(merged, None, keys, texts)
        merged = _put(merged, item, keys, texts)
    return merged


def _first(items: Sequence[Item], texts: tuple[str, ...]) -> Item | None:
    """The first item that has the names; which of them are "" does not count. Source: ElementMatcher."""
    if not any(texts):
        return None
    return next((item for item in items if all(a in ("", b) for a, b in zip(texts, item.names, strict=True))), None)


def _put(items: Sequence[Item], new: Item | None, keys: Sequence[str], texts: tuple[str, ...]) -> list[Item]:
    """Put an item in place of those that have the names, or at the end; None removes them. Source: ElementSetter."""
    put: list[Item] = []
    is_there = False
    for item in items:
        if not item.value:
            continue
        pairs = list(zip(texts, item.names, keys, strict=False))
        if not texts or not all(a == b if a else key in item.value for a, b, key in pairs):
            put += [item] * bool(texts)
            continue
        is_there = True
        put += [] if new is None else [new]
    return put if is_there or new is None or new.value is None else [*put, new]
