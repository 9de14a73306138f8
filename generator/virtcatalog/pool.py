"""One function over many items in several processes: the results in the items' order, however many there are."""

from __future__ import annotations

import copyreg
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from types import MappingProxyType
from typing import Any, Final, TypeVar

from virtcatalog.errors import VirtcatalogError

T = TypeVar("T")
R = TypeVar("R")

START: Final = "fork" if sys.platform == "linux" else "spawn"
"""Forked processes start many times as fast as spawned ones, and only Linux forks safely."""

_AHEAD = 3


class LostProcessError(VirtcatalogError):
    """A process of a pool has ended by itself: the system killed it, most likely for want of memory."""


def processors() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def in_processes(
    function: Callable[[T], R],
    items: Iterable[T],
    jobs: int,
    *,
    start: Callable[..., None],
    given: tuple[Any, ...],
    method: str = START,
) -> Iterator[R]:
    """Yield what `function` makes of each item in one of `jobs` processes, each of which first calls `start(*given)`.

    Items are taken a few ahead of the results, so that memory does not grow with their number. A forked process has
    what is given without its being sent; items and results are sent. LostProcessError when a process has ended.
    """
    items = iter(items)
    pool = ProcessPoolExecutor(jobs, mp_context=get_context(method), initializer=start, initargs=given)
    try:
        waiting = deque(pool.submit(function, each) for each in islice(items, _AHEAD * jobs))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(function, each) for each in islice(items, 1))
            yield result
    except BrokenProcessPool:
        message = "a process that worked on this was killed, perhaps for want of memory: use fewer of them"
        raise LostProcessError(message) from None
    finally:
        pool.shutdown(cancel_futures=True)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, the last of which may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


def _unchanging(data: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(data)


# A spawned process is sent what it is given, and Python does not send a view of a dictionary by itself.
copyreg.pickle(MappingProxyType, lambda view: (_unchanging, (dict(view),)))
