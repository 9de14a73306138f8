"""Work that is done in steps, for some things together: each step of all of them before the next step of any.

A VM goes through a great deal of code. Where a step is taken for some VMs one after the other, the processor still has
that step's code at hand for all but the first; where each VM goes its whole way alone, it fetches all of it again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

R = TypeVar("R")

Steps = Generator[None, None, R]
"""Work that has come to the end of a step where it yields; in the end it returns what it made."""

_TOGETHER: Final = 16
"""How many go together: of more, what they hold no longer stays at hand from one step to the next."""


def at_once(steps: Steps[R]) -> R:
    """Take all steps, and return what they make."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        made: R = end.value
        return made


def finished(made: R) -> Steps[R]:
    """Return what was made already, as work that has no step left."""
    yield from ()
    return made


def in_one(make: Callable[..., R], *given: Any) -> Steps[R]:
    """Call a function, as work of a single step."""
    return finished(make(*given))


def together(all_steps: Iterable[Steps[R]]) -> Iterator[R]:
    """Take all steps of some at a time; yield what each makes, in their order."""
    all_steps = iter(all_steps)
    while some := list(islice(all_steps, _TOGETHER)):
        made: dict[int, R] = {}
        going = list(enumerate(some))
        while going:
            going = [each for each in going if not _step(*each, made)]
        yield from (made.pop(index) for index in range(len(some)))


def _step(index: int, steps: Steps[R], made: dict[int, R]) -> bool:
    """Take a step; return whether it was the last one."""
    try:
        next(steps)
    except StopIteration as end:
        made[index] = end.value
        return True
    return False
