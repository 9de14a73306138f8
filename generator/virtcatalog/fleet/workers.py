"""The workers of a Dask cluster as an executor for the work on many VMs, as `pool` describes executors.

Everything goes through dask.distributed's concurrent.futures interface. What is given to all calls is one task of its
own, which holds bytes: a worker fetches them once, from the scheduler or another worker, and when the worker that has
them dies, another one makes them again. A call whose worker dies runs again elsewhere; its result is taken once.
"""

from __future__ import annotations

import pickle
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, islice
from logging import CRITICAL, getLogger
from signal import SIGINT, default_int_handler, getsignal, signal
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from warnings import catch_warnings, filterwarnings

from virtcatalog._version import __version__
from virtcatalog.errors import VirtcatalogError
from virtcatalog.fleet.pool import LostProcessError

if TYPE_CHECKING:
    from types import FrameType

    from distributed import Client

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 3
"""How many calls each thread of a worker has waiting for it, so that none stands still."""

_LOOK = 50
"""After so many results the workers are counted again."""

_GLANCE = 1.0
"""Whoever waits this many seconds for a result looks whether there is still anybody to make it."""

_MOST_UNPACKED = 4
"""How many runs' objects a worker keeps unpacked."""

_PACKAGE = "virtcatalog"
_LOGGERS = ("distributed", "distributed.client", "tornado.application")


class Versions(NamedTuple):
    """What must be the same here and on a worker, so that both make the same of a VM, and can read what is sent."""

    virtcatalog: str | None
    python: str

    def __str__(self) -> str:
        package = f"{_PACKAGE} {self.virtcatalog}" if self.virtcatalog else f"no {_PACKAGE}"
        return f"{package} on Python {self.python}"


class UnreachableError(VirtcatalogError):
    """There is no scheduler at an address, or it has no workers."""


class OtherVersionsError(VirtcatalogError):
    """A scheduler or worker has another virtcatalog or another Python."""


class Workers(NamedTuple):
    """The workers of the scheduler at `HOST:PORT`, as they come and go."""

    address: str

    @property
    def forks(self) -> bool:
        """Whether workers have anything that is not sent: no."""
        return False

    def worth(self, number: int, least: int) -> bool:
        """Workers that were asked for take whatever there is."""
        return number > 0

    def results(self, function: Callable[..., R], items: Iterable[T], *extra: Any) -> Iterator[R]:
        """Yield `function(item, *extra)` for each item.

        UnreachableError when there is no scheduler or no worker for as long as dask's configuration waits for a
        connection, OtherVersionsError when they cannot make what is made here, LostProcessError when call after call of
        an item ends its worker, or the scheduler goes.
        """
        items = iter(items)
        with _heard() as interrupts, self._connected() as client:
            seconds = _patience()
            digest, held = _hold(client, pickle.dumps(extra))
            self._wait(client, seconds)
            self._compare(client)
            executor = client.get_executor()
            waiting: deque[tuple[bytes, Future[bytes]]] = deque()

            def submit(sent: bytes) -> Future[bytes]:
                future: Future[bytes] = executor.submit(call, versions(), sent, digest, held)
                return future

            for number in count():
                if number % _LOOK == 0:  # workers come and go
                    room = _AHEAD * max(1, sum(self._ask(client.nthreads).values()))
                for item in islice(items, max(0, room - len(waiting))):
                    sent = pickle.dumps((function, item))
                    waiting.append((sent, submit(sent)))
                if not waiting:
                    return
                sent, future = waiting.popleft()
                try:
                    outcome = self._result(client, future, seconds)
                except ValueError:  # dask's, too, where a worker dies just after it has sent its result
                    outcome = self._result(client, submit(sent), seconds)
                result = pickle.loads(outcome)  # noqa: S301
                if interrupts:
                    raise KeyboardInterrupt
                yield result

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        """Connect as dask's configuration says; what runs for us is let go at the end, whatever ends it."""
        try:
            from distributed import Client, Security
        except ImportError:
            message = f"dask://{self.address} needs dask.distributed, which is not installed"
            raise VirtcatalogError(f"{message}: pip install 'virtcatalog[dask]'") from None
        security = Security()
        url = f"{'tls' if security.require_encryption or security.tls_ca_file else 'tcp'}://{self.address}"
        with _quiet():
            try:
                client = Client(url, security=security, set_as_default=False, name=_PACKAGE)
            except (OSError, TypeError, ValueError) as error:
                raise UnreachableError(f"no connection to the scheduler at {url}: {error}") from None
            try:
                yield client
            finally:
                client.close(timeout=_patience())

    def _wait(self, client: Client, seconds: float) -> None:
        try:
            self._ask(client.wait_for_workers, 1, timeout=seconds)
        except TimeoutError:
            raise UnreachableError(f"the scheduler at {self.address} had no worker for {seconds:g} s") from None

    def _compare(self, client: Client) -> None:
        versions = self._ask(client.get_versions, packages=[_PACKAGE])
        ours = _versions(versions["client"])
        for who, version in [("the scheduler", versions["scheduler"]), *versions["workers"].items()]:
            refuse_others(ours, _versions(version), f"{who} of {self.address}")

    def _ask(self, question: Callable[..., R], *arguments: Any, **options: Any) -> R:
        """Ask the scheduler."""
        try:
            return question(*arguments, **options)
        except TimeoutError:
            raise
        except OSError as error:
            raise self._gone() from error

    def _result(self, client: Client, future: Future[bytes], seconds: float) -> bytes:
        from distributed import KilledWorker

        while True:
            try:
                return future.result(timeout=_GLANCE)
            except CancelledError:
                raise self._gone() from None
            except KilledWorker as error:
                message = f"{error.allowed_failures + 1} workers of {self.address} were killed one after the other"
                raise LostProcessError(f"{message} by the same VMs, perhaps for want of memory") from None
            except TimeoutError:
                if future.done():
                    raise
                if client.status != "running":  # its connection is lost, and with it what it waits for
                    raise self._gone() from None
                self._wait(client, seconds)

    def _gone(self) -> LostProcessError:
        return LostProcessError(f"the scheduler at {self.address} has gone")


def versions() -> Versions:
    """What this process is."""
    return Versions(__version__, f"{sys.version_info.major}.{sys.version_info.minor}")


def refuse_others(ours: Versions, theirs: Versions, who: str) -> None:
    """Raise OtherVersionsError, where `who` has other versions than whoever sends the work."""
    if ours != theirs:
        raise OtherVersionsError(f"{who} has {theirs}, and here is {ours}: install the same on both")


def call(ours: Versions, packed: bytes, digest: str, held: bytes) -> bytes:
    """On a worker: call what is packed, with what is held; one thread at a time, as Python has no use for more."""
    refuse_others(ours, versions(), "a worker")
    with _one_at_a_time:
        if digest not in _unpacked:
            _unpacked[digest] = pickle.loads(held)  # noqa: S301
            while len(_unpacked) > _MOST_UNPACKED:
                _unpacked.popitem(last=False)
        function, item = pickle.loads(packed)  # noqa: S301
        return pickle.dumps(function(item, *_unpacked[digest]))


_one_at_a_time = Lock()
_unpacked: OrderedDict[str, tuple[Any, ...]] = OrderedDict()


def _hold(client: Client, content: bytes) -> tuple[str, Any]:
    """Send what is given to all calls; with a worker that is lost, the scheduler has another one make it again."""
    digest = sha256(content).hexdigest()
    with catch_warnings():
        filterwarnings("ignore", "Sending large graph")
        return digest, client.submit(bytes, content, key=f"{_PACKAGE}-{digest}")


@contextmanager
def _heard() -> Iterator[list[int]]:
    """Keep account of Ctrl-C: Python drops what is raised in a destructor, and Dask's futures have one that waits."""
    interrupts: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        default_int_handler(number, frame)

    ours = current_thread() is main_thread() and getsignal(SIGINT) is default_int_handler
    if ours:
        signal(SIGINT, interrupt)
    try:
        yield interrupts
    finally:
        if ours:
            signal(SIGINT, default_int_handler)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep from standard error what Dask's client logs of workers that die: what cannot be mended is raised."""
    levels = {logger: logger.level for logger in map(getLogger, _LOGGERS)}
    for logger in levels:
        logger.setLevel(CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _versions(report: dict[str, Any]) -> Versions:
    packages = report["packages"]
    return Versions(packages[_PACKAGE], ".".join(packages["python"].split(".")[:2]))


def _patience() -> float:
    """How many seconds dask's configuration waits for a connection."""
    import dask

    seconds: float = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    return seconds
