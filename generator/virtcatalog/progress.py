"""Progress of long work: loops report it to a listener, if one has been set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

Listener = Callable[[Iterable[Any], int | None, str], Iterable[Any]]
"""Takes items, their number, None if that is not known, and what they are called; yields the items."""

_listeners: list[Listener] = []


def tracked(items: Iterable[T], number: int | None, noun: str) -> Iterable[T]:
    """Return the items for a loop whose body is the work on one: the listener sees how many are done."""
    return _listeners[-1](items, number, noun) if _listeners else items


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Have a listener follow the work while the context lasts."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
