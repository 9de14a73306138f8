"""Progress of long work: loops report it to a listener, if one has been set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

Teller = Callable[[Iterable[Any], int | None, str], Iterable[Any]]
"""Yields the items that it is given, with their number, None if that is not known, and what they are called."""

_asked: list[Teller] = []


def tracked(items: Iterable[T], number: int | None, noun: str) -> Iterable[T]:
    """Return the items for a loop whose body is the work on each: who asked for it is told of those that are done."""
    return _asked[-1](items, number, noun) if _asked else items


@contextmanager
def reporting_to(teller: Teller) -> Iterator[None]:
    """Tell this one how far work is, while the context lasts."""
    _asked.append(teller)
    try:
        yield
    finally:
        _asked.remove(teller)
