"""Work that is done in steps, for some things together: each step of all of them before the next step of any.

A VM goes through a great deal of code. Where a step is taken for some VMs one after the other, the processor still has
that step's code at hand for all but the first; where each VM goes its whole way alone, it fetches all of it again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Final, Generic, NamedTuple, TypeVar

R = TypeVar("R")

Steps = Generator[None, None, R]
"""Work that has come to the end of a step where it yields; in the end it returns what it made."""

TOGETHER: Final = 16
"""How many go together: of more, what they hold would no longer stay at hand from one step to the next."""

_LONG: Final = 1 << 16


class Alone(NamedTuple, Generic[R]):
    """Work that goes with no other: it takes much memory while it is done."""

    steps: Steps[R]


def of_size(size: int, steps: Steps[R]) -> Steps[R] | Alone[R]:
    """Return work on a text of so many bytes, of which it takes many times as much memory."""
    return steps if size <= _LONG else Alone(steps)


def finished(made: R) -> Steps[R]:
    """Return what was made already, as work that has no step left."""
    yield from ()
    return made


def in_one(make: Callable[..., R], *given: Any) -> Steps[R]:
    """Call a function, as work of a single step."""
    yield from ()
    return make(*given)


def at_once(steps: Steps[R]) -> R:
    """Take all steps, and return what they make."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        made: R = end.value
        return made


def together(work: Iterable[Steps[R] | Alone[R]]) -> Iterator[R]:
    """Take all steps of some at a time; yield what each makes, in their order.

    Where there is an error in finding the next work, what came before it is yielded first.
    """
    some: list[Steps[R]] = []
    work = iter(work)
    while True:
        try:
            each = next(work, None)
        except Exception:
            yield from _all(some)
            raise
        if isinstance(each, Alone) or each is None or len(some) == TOGETHER:
            yield from _all(some)
            some = []
        if each is None:
            return
        if isinstance(each, Alone):
            yield at_once(each.steps)
        else:
            some.append(each)


def _all(some: list[Steps[R]]) -> Iterator[R]:
    made: dict[int, R] = {}
    going = list(enumerate(some))
    while going:
        going = [each for each in going if not _step(*each, made)]
    return (made.pop(index) for index in range(len(some)))


def _step(index: int, steps: Steps[R], made: dict[int, R]) -> bool:
    """Take a step; return whether it was the last one."""
    try:
        next(steps)
    except StopIteration as end:
        made[index] = end.value
        return True
    return False
