"""One function over many items in several processes: the results in the items' order, however many there are."""

from __future__ import annotations

import copyreg
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import cycle, islice
from signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from virtcatalog.errors import VirtcatalogError

if TYPE_CHECKING:
    from mmap import mmap

T = TypeVar("T")
R = TypeVar("R")

START: Final = "fork" if sys.platform == "linux" else "spawn"
"""Forked processes start many times as fast as spawned ones, and only Linux forks safely."""

_AHEAD = 3

_SHARED: Final = 1 << 23
"""How long a result may be, in bytes, that a forked process hands over in memory: longer ones go through a pipe."""


class LostProcessError(VirtcatalogError):
    """A process of a pool has ended by itself: the system killed it, most likely for want of memory."""


def processors() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Executor(Protocol):
    """Other processes that call a function for many items: one result an item, in the order of the items.

    The function must depend on nothing but its item and the extra arguments, and must not change these: it runs in
    another process, and may run twice.
    """

    @property
    def forks(self) -> bool:
        """Whether the processes are forked, and so have the extra arguments without their being sent."""

    def worth(self, number: int, least: int) -> bool:
        """Whether so many items are to be sent; `least` is from where on that saves more than processes cost."""

    def results(self, function: Callable[..., R], items: Iterable[T], *extra: Any) -> Iterator[R]:
        """Return what yields `function(item, *extra)` for each item, in order; items are taken a few ahead."""


class Processes(NamedTuple):
    """So many processes of this machine, which start when they are used and end with the last result."""

    number: int
    method: str = START

    @property
    def forks(self) -> bool:
        """Whether the processes are forked."""
        return self.method == "fork"

    @property
    def at_once(self) -> int:
        """How many items are taken before the first result is."""
        return _AHEAD * self.number

    def worth(self, number: int, least: int) -> bool:
        """Whether so many items are to be sent."""
        return self.number > 1 and number >= least

    def results(self, function: Callable[..., R], items: Iterable[T], *extra: Any) -> Iterator[R]:
        """Return what yields `function(item, *extra)` for each item; LostProcessError when a process has ended.

        They are at work when this returns, whether or not anybody waits for the results. Items and results are sent; a
        forked process has the extra arguments as they are. Its results lie in memory that it shares with this process:
        a pipe holds so little that both would wait for each other.
        """
        begun = self._begun(function, iter(items), extra)
        next(begun)
        return cast("Iterator[R]", begun)

    def _begun(self, function: Callable[..., R], items: Iterator[T], extra: tuple[Any, ...]) -> Iterator[R | None]:
        """Yield nothing once they are at work, and then the results."""
        # Imported here, as most runs of a command start no process.
        import pickle
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
        from mmap import mmap
        from multiprocessing import get_context

        context = get_context(self.method)
        ahead = self.at_once
        shared = [mmap(-1, _SHARED) for _ in range(ahead)] if self.forks else []
        pool = ProcessPoolExecutor(self.number, mp_context=context, initializer=_start, initargs=(shared, *extra))
        placed = zip(cycle(range(ahead)), items, strict=False)
        try:
            waiting = deque((at, pool.submit(_call, function, item, at)) for at, item in islice(placed, ahead))
            yield None
            while waiting:
                place, sent = waiting.popleft()
                outcome = sent.result()
                result = pickle.loads(shared[place]) if outcome is None else outcome[0]  # noqa: S301 - our own process's
                waiting.extend((at, pool.submit(_call, function, item, at)) for at, item in islice(placed, 1))
                yield result
        except BrokenProcessPool:
            message = "a process that worked on this was killed, perhaps for want of memory: use fewer of them"
            raise LostProcessError(message) from None
        finally:
            pool.shutdown(cancel_futures=True)


def forked() -> Processes:
    """Return up to four processes that have the extra arguments by being forked; one where none can be forked."""
    return Processes(min(processors(), 4) if START == "fork" else 1)


_shared: list[mmap] = []
_extra: list[Any] = []


def _start(shared: list[mmap], *extra: Any) -> None:
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)  # Ctrl-C reaches all processes, and one of them tells of it
    _shared[:] = shared
    _extra[:] = extra


def _call(function: Callable[..., R], item: Any, place: int) -> tuple[R] | None:
    """Return the result, or None where it lies in its place in the shared memory."""
    import pickle

    result = function(item, *_extra)
    if _shared:
        memory = _shared[place]
        memory.seek(0)
        with suppress(ValueError):  # it is too long
            pickle.dump(result, memory, pickle.HIGHEST_PROTOCOL)
            return None
    return (result,)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, the last of which may be shorter."""
    items = iter(items)
    while chunk := list(islice(items, size)):
        yield chunk


def _unchanging(data: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(data)


# A spawned process is sent what it is given, and Python does not send a view of a dictionary by itself.
copyreg.pickle(MappingProxyType, lambda view: (_unchanging, (dict(view),)))
