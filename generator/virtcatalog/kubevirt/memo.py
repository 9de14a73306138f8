"""The one memo of `kubevirt`: it remembers what pure functions returned, by all of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

ENTRIES: Final = 4096
"""How many results a function keeps: the least recently used goes first, so that memory stays flat."""


def memo(function: Callable[P, R]) -> Callable[P, R]:
    """Remember what a function returned for the same arguments, and return that instead of calling it again.

    The function reads nothing but its arguments. These are hashable values that do not change: texts, numbers, tuples,
    frozen structs; an argument that cannot be hashed raises TypeError. All callers share what is returned, so that it
    must not change either. Arguments of different types differ (1, 1.0 and True). Errors are not remembered.
    """
    return cast("Callable[P, R]", lru_cache(maxsize=ENTRIES, typed=True)(function))
