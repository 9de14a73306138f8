"""Functions in several processes: results in order, items taken as they are asked for, and an end when one dies."""

import json
import os
import pickle
import signal
import subprocess
import sys
from itertools import count, islice, product
from mmap import mmap
from time import monotonic, sleep

import pytest

from virtcatalog.ask.warnings import Warnings
from virtcatalog.cli.expand_output import FORMS
from virtcatalog.errors import VirtcatalogError
from virtcatalog.fleet import expanding, pool
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.pool import LostProcessError, Processes, chunks
from virtcatalog.fleet.sources import Placed
from virtcatalog.kubevirt.cluster import Cluster

INTERRUPTED = """
from itertools import count
from operator import add
from time import sleep
from virtcatalog.fleet.pool import Processes

results = Processes(2).results(add, count(), 1)
try:
    next(results)
    sleep(0.5)  # and now they wait for more
    print("at work", flush=True)
    sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""


def multiplied(number, by):
    return by * number


def repeated(number, length):
    return number, str(number % 10) * (length if number % 3 else 1)


def written(number, folder):
    (folder / str(number)).touch()


def killed_at(number, last):
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def failing(number):
    raise ValueError(f"item {number}")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_results_are_in_the_order_of_the_items(method):
    results = Processes(3, method).results(multiplied, range(40), 7)
    assert list(results) == [7 * number for number in range(40)]


@pytest.mark.parametrize(("method", "length"), [*product(("fork", "spawn"), (10, (1 << 22) - 100, (1 << 22) + 1))])
def test_results_may_be_of_any_length(method, length):
    """Those that are too long for the memory that processes share come another way, between the others."""
    results = Processes(2, method).results(repeated, range(14), length)
    assert [(number, len(text), set(text)) for number, text in results] == [
        (number, length if number % 3 else 1, {str(number % 10)}) for number in range(14)
    ]


def test_a_result_stays_what_it_is_while_others_come():
    results = list(Processes(2).results(repeated, range(40), 1000))
    assert results == [repeated(number, 1000) for number in range(40)]


def test_items_are_taken_a_few_ahead():
    taken = []
    items = (taken.append(number) or number for number in count())
    results = Processes(2).results(multiplied, items, 1)
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    assert len(taken) < 20
    results.close()


def test_they_are_at_work_whether_or_not_anybody_waits(tmp_path):
    results = Processes(2).results(written, range(3), tmp_path)
    deadline = monotonic() + 30
    while len([*tmp_path.iterdir()]) < 3 and monotonic() < deadline:
        sleep(0.01)
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "2"}
    results.close()


KILLED = "a process that worked on this was killed, perhaps for want of memory: use fewer of them"


def test_a_process_that_is_killed_ends_the_run():
    results = Processes(2).results(killed_at, range(1000), 5)
    with pytest.raises(LostProcessError, match=f"^{KILLED}$") as caught:
        list(results)
    assert isinstance(caught.value, VirtcatalogError)


def test_ctrl_c_ends_all_processes_and_none_of_them_speaks():
    """A terminal sends it to all of them; who waits for results says what it has to say."""
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a runner's jobs may ignore it
    ) as process:
        assert process.stdout.readline() == b"at work\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60) == (b"interrupted\n", b"")


def test_an_error_in_a_process_is_raised_here():
    with pytest.raises(ValueError, match="item 0"):
        list(Processes(2).results(failing, range(9)))


@pytest.fixture
def process(monkeypatch):
    """This process as one of a pool, which has been given a number."""
    monkeypatch.setattr(pool, "_extra", [7])
    monkeypatch.setattr(pool, "_shared", [])
    return pool


def test_a_process_returns_a_result_or_leaves_it_in_its_place(process):
    assert process._call(multiplied, 3, 1) == (21,)
    process._shared += [mmap(-1, 4096), mmap(-1, 4096)]
    assert process._call(multiplied, 3, 1) is None
    assert process._call(multiplied, 2, 0) is None
    assert [pickle.loads(memory) for memory in process._shared] == [14, 21]
    assert process._call(multiplied, 3, 0) is None
    assert pickle.loads(process._shared[0]) == 21
    assert process._call(multiplied, "x" * 1000, 0) == ("x" * 7000,)


@pytest.mark.parametrize(
    ("before", "after"),
    [(signal.default_int_handler, signal.SIG_DFL), (signal.SIG_IGN, signal.SIG_IGN)],
)
def test_a_process_takes_what_it_is_given_and_ends_with_ctrl_c_if_others_do(process, before, after):
    ours = signal.signal(signal.SIGINT, before)
    try:
        process._start(["shared"], 1, 2)
        assert signal.getsignal(signal.SIGINT) == after
    finally:
        signal.signal(signal.SIGINT, ours)
    assert (process._shared, process._extra) == (["shared"], [1, 2])


@pytest.mark.parametrize(
    ("number", "worth"), [((1, 500), False), ((2, 499), False), ((2, 500), True), ((8, 501), True)]
)
def test_one_process_and_few_items_are_not_worth_it(number, worth):
    processes, items = number
    assert Processes(processes).worth(items, 500) is worth


@pytest.mark.parametrize(("method", "forks"), [("fork", True), ("spawn", False)])
def test_forked_processes_need_not_be_sent_what_all_have(method, forks):
    assert (Processes(5, method).forks, Processes(5, method).at_once) == (forks, 15)


@pytest.mark.parametrize(("here", "number"), [(1, 1), (3, 3), (4, 4), (5, 4)])
def test_as_many_are_forked_as_there_are_processors_up_to_four(monkeypatch, here, number):
    monkeypatch.setattr(pool, "START", "fork")
    monkeypatch.setattr(pool, "processors", lambda: here)
    assert pool.forked().number == number
    monkeypatch.setattr(pool, "START", "spawn")
    assert pool.forked().number == 1


@pytest.mark.skipif(sys.platform != "linux", reason="others do not say")
def test_processors_are_those_that_this_process_may_use(monkeypatch):
    assert pool.processors() == len(os.sched_getaffinity(0))
    monkeypatch.setattr(pool.sys, "platform", "darwin")
    for count_of, number in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count_of: count)
        assert pool.processors() == number


def test_chunks():
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([], 2)) == []


def test_vms_expand_in_spawned_processes_too(monkeypatch, tmp_path):
    """As on systems that do not fork safely: the cluster and what is printed are sent."""
    monkeypatch.setattr(expanding, "WORTH_IT", 1)
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}},
        },
    }
    file = tmp_path / "vm.json"
    file.write_text(json.dumps(vm))
    cluster = Cluster([], release="v1.8.4")
    expander = expanding.Expander(cluster, FORMS["json"].form, Warnings((), cluster.release).of)
    fleet = Fleet([Placed(str(file))])
    (alone,) = expanding.expand_fleet(fleet, expander, None)
    (sent,) = expanding.expand_fleet(fleet, expander, Processes(2, "spawn"))
    assert sent == alone
    assert "<domain" in sent.output
