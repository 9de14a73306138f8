"""A difference made small: what can be left out of a case, or made simpler, while the same stage still differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

_PARTS = ("objects", "featureGates", "config", "vm", "old", "new")
_MOST_TRIES = 500


def shrink(question: dict[str, Any], differs: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the smallest case that is found for which `differs` holds, as it does for `question`."""
    tries, smaller = 0, True
    while smaller and tries < _MOST_TRIES:
        smaller = False
        for candidate in _simpler(question):
            tries += 1
            if differs(candidate):
                question, smaller = candidate, True
                break
            if tries >= _MOST_TRIES:
                break
    return question


def _simpler(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The case with one thing less: large parts come before small ones."""
    places = sorted(_places(question), key=lambda place: -_size(_at(question, place)))
    for place in places:
        candidate = deepcopy(question)
        parent = _at(candidate, place[:-1])
        del parent[place[-1]]
        yield candidate
    for place in places:
        value = _at(question, place)
        if isinstance(value, str) and len(value) > 1 and place[-1] != "name":
            candidate = deepcopy(question)
            _at(candidate, place[:-1])[place[-1]] = "x"
            yield candidate


def _places(question: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for part in _PARTS:
        if part in question:
            yield from _below(question[part], (part,))


def _below(value: Any, place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        is_identity = len(place) <= 3 and (key in ("apiVersion", "kind", "metadata", "spec") or place[-1] == "metadata")
        if not is_identity and (*place, key) not in _KEPT:
            yield (*place, key)
        yield from _below(item, (*place, key))


#: Without these there is no VM to ask about.
_KEPT = (
    {
        (*side, *path)
        for side in ((), ("old",), ("new",))
        for path in (("vm",), ("vm", "spec"), ("vm", "spec", "template"), ("vm", "spec", "template", "spec"))
    }
    | {
        (*side, "vm", "spec", "template", "spec", "domain", *more)
        for side in ((), ("old",), ("new",))
        for more in ((), ("devices",))
    }
    | {("old", key) for key in ("objects", "config", "featureGates", "arch", "useCatalog")}
)


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
