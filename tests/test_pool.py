"""Functions in several processes: results in order, items taken as they are asked for, and an end when one dies."""

import os
import signal
from functools import partial
from itertools import count, islice

import pytest

from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt import many
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.pool import LostProcessError, chunks, in_processes

_given: list[int] = []


def start(number):
    _given.append(number)


def multiplied(number):
    return _given[-1] * number


def killed_at(last, number):
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def failing(number):
    raise ValueError(f"item {number}")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_results_are_in_the_order_of_the_items(method):
    found = in_processes(multiplied, range(40), 3, start=start, given=(7,), method=method)
    assert list(found) == [7 * number for number in range(40)]


def test_items_are_taken_a_few_ahead():
    taken = []
    items = (taken.append(number) or number for number in count())
    results = in_processes(multiplied, items, 2, start=start, given=(1,))
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    assert len(taken) < 20
    results.close()


def test_a_process_that_is_killed_ends_the_run():
    found = in_processes(partial(killed_at, 5), range(1000), 2, start=start, given=(1,))
    with pytest.raises(LostProcessError, match="was killed") as caught:
        list(found)
    assert isinstance(caught.value, VirtcatalogError)


def test_an_error_in_a_process_is_raised_here():
    with pytest.raises(ValueError, match="item 0"):
        list(in_processes(failing, range(9), 2, start=start, given=(1,)))


def test_chunks():
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([], 2)) == []


def test_vms_expand_in_spawned_processes_too(monkeypatch):
    """As on systems that do not fork safely: the cluster and the results are sent."""
    monkeypatch.setattr(many, "WORTH_IT", 1)
    monkeypatch.setattr(many, "in_processes", partial(in_processes, method="spawn"))
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}},
        },
    }
    cluster = Cluster([], release="v1.8.4")
    (alone,) = many.expand_many([vm], cluster)
    (sent,) = many.expand_many([vm], cluster, 2)
    assert (sent.domain_xml, sent.converted_xml, sent.vmi) == (alone.domain_xml, alone.converted_xml, alone.vmi)
    assert sent.domain is None
