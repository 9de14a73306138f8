"""What Dask's client is asked for, and what is made of its answers; the tests of workers have real ones."""

from __future__ import annotations

import logging
import pickle
import signal
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, islice
from types import SimpleNamespace
from typing import Any

import pytest

from virtcatalog.fleet import workers as module
from virtcatalog.fleet.pool import LostProcessError
from virtcatalog.fleet.workers import OtherVersionsError, UnreachableError, Versions, Workers, refuse_others, versions

distributed = pytest.importorskip("distributed", reason="pip install 'virtcatalog[dask]' brings dask.distributed")

WORKERS = Workers("host:8786")
OWN = {"packages": {"virtcatalog": versions().virtcatalog, "python": f"{versions().python}.17.final.0"}}


class Client:
    """A client whose workers do at once what they are sent."""

    status = "running"

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.threads = {"one": 1, "two": 2}
        self.versions: dict[str, Any] = {"client": OWN, "scheduler": OWN, "workers": {"tcp://w": OWN}}

    def nthreads(self) -> dict[str, int]:
        self.calls.append("nthreads")
        return self.threads

    def wait_for_workers(self, number: int, timeout: float) -> None:
        self.calls.append((number, timeout))

    def get_versions(self, packages: list[str]) -> dict[str, Any]:
        self.calls.append(packages)
        return self.versions

    def get_executor(self) -> Client:
        return self

    def submit(self, function: Callable[..., Any], *arguments: Any, key: str = "") -> Any:
        if key:
            self.calls.append(key)
            return function(*arguments)
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    client = Client()

    @contextmanager
    def connected(_workers: Workers) -> Iterator[Client]:
        yield client

    monkeypatch.setattr(Workers, "_connected", connected)
    monkeypatch.setattr(module, "_patience", lambda: 7.5)
    monkeypatch.setattr(module, "_unpacked", OrderedDict())
    return client


def multiplied(number: int, by: int) -> int:
    return by * number


def test_a_run_asks_for_workers_and_versions_first_and_counts_threads_every_fifty_results(client: Client) -> None:
    assert list(WORKERS.results(multiplied, range(120), 7)) == [7 * number for number in range(120)]
    key = f"virtcatalog-{sha256(pickle.dumps((7,))).hexdigest()}"
    assert client.calls == [key, (1, 7.5), ["virtcatalog"], *["nthreads"] * 3]


@pytest.mark.parametrize(("threads", "ahead"), [({"one": 1, "two": 2}, 9), ({"one": 1}, 3), ({}, 3)])
def test_each_thread_has_three_calls_waiting(client: Client, threads: dict[str, int], ahead: int) -> None:
    client.threads = threads
    taken: list[int] = []
    results = WORKERS.results(multiplied, (taken.append(number) or number for number in count()), 1)
    for number in range(5):
        assert next(results) == number
        assert len(taken) == ahead + number


def test_workers_that_come_get_calls_too(client: Client) -> None:
    taken: list[int] = []
    results = WORKERS.results(multiplied, (taken.append(number) or number for number in count()), 1)
    client.threads = {"one": 1}
    list(islice(results, 50))
    assert len(taken) == 52
    client.threads = {"one": 4}
    next(results)
    assert len(taken) == 62


def test_all_there_is_is_worth_sending() -> None:
    assert [WORKERS.worth(number, 500) for number in (0, 1, 1000)] == [False, True, True]
    assert not WORKERS.forks


def answering(*answers: Any, done: bool = False) -> Any:
    """A future that answers, or raises, one thing after the other; it notes for how long it is waited."""
    left, waited = list(answers), []

    def result(timeout: float) -> Any:
        waited.append(timeout)
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return SimpleNamespace(result=result, done=lambda: done, waited=waited)


def test_a_result_is_waited_for_as_long_as_there_are_workers(client: Client) -> None:
    future = answering(TimeoutError(), TimeoutError(), b"result")
    assert WORKERS._result(client, future, 7.5) == b"result"
    assert future.waited == [1.0] * 3
    assert client.calls == [(1, 7.5)] * 2


KILLED = distributed.KilledWorker("task", SimpleNamespace(address="tcp://w"), 3)
KILLED_WORDS = "4 workers of host:8786 were killed one after the other by the same VMs, perhaps for want of memory"
GONE = "the scheduler at host:8786 has gone"


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [(CancelledError(), "running", GONE), (KILLED, "running", KILLED_WORDS), (TimeoutError(), "closed", GONE)],
)
def test_a_result_that_does_not_come_ends_the_run(client: Client, error: Exception, status: str, message: str) -> None:
    client.status = status
    with pytest.raises(LostProcessError) as caught:
        WORKERS._result(client, answering(error), 7.5)
    assert str(caught.value) == message


def test_a_timeout_that_is_the_result_is_raised(client: Client) -> None:
    with pytest.raises(TimeoutError, match="of the call"):
        WORKERS._result(client, answering(TimeoutError("of the call"), done=True), 7.5)
    assert client.calls == []


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (TimeoutError(), UnreachableError, "the scheduler at host:8786 had no worker for 7.5 s"),
        (ConnectionResetError(), LostProcessError, GONE),
    ],
)
def test_a_scheduler_without_workers_or_without_answer(
    client: Client, answer: Exception, error: type[Exception], message: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise answer

    client.wait_for_workers = fail  # type: ignore[method-assign]
    with pytest.raises(error) as caught:
        WORKERS._wait(client, 7.5)
    assert str(caught.value) == message


def of(package: str | None, python: str) -> dict[str, Any]:
    return {"packages": {"virtcatalog": package, "python": python}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scheduler": of("0.1", "3.9.1.final.0")}, "the scheduler of host:8786 has virtcatalog 0.1 on Python 3.9"),
        (
            {"workers": {"tcp://a": OWN, "tcp://b": of(None, "3.9.1")}},
            "tcp://b of host:8786 has no virtcatalog on Python 3.9",
        ),
    ],
)
def test_a_run_ends_before_others_than_ours_answer(client: Client, changes: dict[str, Any], message: str) -> None:
    client.versions |= changes
    with pytest.raises(OtherVersionsError) as caught:
        list(WORKERS.results(multiplied, [1], 2))
    assert str(caught.value) == f"{message}, and here is {versions()}: install the same on both"
    assert "nthreads" not in client.calls


def test_who_is_the_same_is_not_refused() -> None:
    refuse_others(Versions("1", "3.11"), Versions("1", "3.11"), "a worker")


@pytest.mark.parametrize(
    ("security", "scheme"),
    [
        ({"require_encryption": False, "tls_ca_file": None}, "tcp"),
        ({"require_encryption": True, "tls_ca_file": None}, "tls"),
        ({"require_encryption": False, "tls_ca_file": "ca.pem"}, "tls"),
    ],
)
def test_a_connection_is_made_as_dask_is_configured_and_closed(
    monkeypatch: pytest.MonkeyPatch, security: dict[str, Any], scheme: str
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(module, "_patience", lambda: 7.5)
    monkeypatch.setattr(distributed, "Security", lambda: SimpleNamespace(**security))
    closed = SimpleNamespace(close=lambda timeout: calls.append(timeout))
    monkeypatch.setattr(distributed, "Client", lambda url, **options: calls.append((url, options)) or closed)
    with pytest.raises(KeyError), WORKERS._connected():
        raise KeyError
    options = {"security": SimpleNamespace(**security), "set_as_default": False, "name": "virtcatalog"}
    assert calls == [(f"{scheme}://host:8786", options), 7.5]


@pytest.mark.parametrize("error", [OSError("no"), TypeError("no"), ValueError("no")])
def test_a_connection_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(distributed, "Client", fail)
    with pytest.raises(UnreachableError) as caught, WORKERS._connected():
        pass
    assert str(caught.value) == "no connection to the scheduler at tcp://host:8786: no"


def test_the_loggers_of_dask_say_nothing_meanwhile() -> None:
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    before = [logger.level for logger in loggers]
    with module._quiet():
        assert [logger.level for logger in loggers] == [logging.CRITICAL] * 3
    assert [logger.level for logger in loggers] == before


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner's jobs may ignore it
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_raised_and_kept_account_of() -> None:
    with module._heard() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interrupts == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_who_handles_interrupts_otherwise_goes_on_to() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with module._heard() as interrupts:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.raise_signal(signal.SIGINT)
    assert (interrupts, signal.getsignal(signal.SIGINT)) == ([], signal.SIG_IGN)
