"""What small inputs may ask for: replicas and declared nodes are a number each."""

from __future__ import annotations

import msgspec
import pytest
from fitting import demand, named, node, nodes, pod

from virtcatalog import Cluster
from virtcatalog.capacity import pods as module
from virtcatalog.capacity.demand import Reader
from virtcatalog.capacity.launches import Launch, read_fleet
from virtcatalog.capacity.packing import count_more, failures, pack
from virtcatalog.capacity.pods import Looks, Placement
from virtcatalog.capacity.quota import Judge
from virtcatalog.errors import VirtcatalogError

APART = """
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}
"""


def fleet(*launched):
    return read_fleet(launched, len(launched), Reader(), Judge(Cluster([])))[0]


def test_pools_stand_for_as_many_vms_as_one_may_reckon_with():
    few = fleet(Launch(name="ns/p", pod=pod("p"), replicas=2), Launch(name="ns/v", pod=pod("v")))
    assert [vm.name for vm, _ in few] == ["ns/v", "ns/p-0", "ns/p-1"]
    assert fleet(Launch(name="ns/p", pod=pod("p"), replicas=0)) == []
    halves = [Launch(name=f"ns/p{number}", pod=pod("p"), replicas=10_001) for number in range(2)]
    for launched in ([Launch(name="ns/p1", pod=pod("p"), replicas=2**31 - 1)], halves):
        with pytest.raises(
            VirtcatalogError, match=r"ns/p1: pools and ReplicaSets stand for more than 20,000 VMs together$"
        ):
            fleet(*launched)


def test_looks_at_nodes_have_a_limit(monkeypatch):
    """VMs that are alike are looked at once: 900 of them, of which each finds 300 nodes full."""
    ready_nodes, _ = nodes(*(node(f"n{number}", cpu="2") for number in range(300)))
    alike = [demand(f"v{number}", cpu="2") for number in range(900)]
    monkeypatch.setattr(module, "CAPACITY_LOOKS", 10_000)
    packing = pack(alike, ready_nodes, looks=Looks())
    assert sum(where is not None for where in packing.positions.values()) == 300
    with pytest.raises(
        VirtcatalogError, match=r"^these VMs are not put on these nodes, .* or dump a part of the cluster$"
    ):
        pack([demand(f"v{number}", cpu=f"{number + 3}") for number in range(900)], ready_nodes, looks=Looks())


def test_pods_that_mind_others_are_looked_at_with_each(monkeypatch):
    ready_nodes, _ = nodes(*(node(f"n{number}") for number in range(200)))
    reader = Reader()
    one = demand("v", labels={"a": "b"}, spec=APART, reader=reader)
    monkeypatch.setattr(module, "CAPACITY_LOOKS", 10_000)
    few = pack([named(one, f"v{number}") for number in range(40)], ready_nodes, looks=Looks())
    assert len(set(few.positions.values())) == 40
    with pytest.raises(VirtcatalogError, match="Pods mind where others are"):
        pack([named(one, f"v{number}") for number in range(200)], ready_nodes, looks=Looks())


def test_a_vm_that_found_no_node_is_not_looked_at_again_until_another_came(monkeypatch):
    ready_nodes, _ = nodes(*(node(f"n{number}") for number in range(10)))
    one = demand("v", labels={"a": "b"}, spec=APART)
    monkeypatch.setattr(module, "CAPACITY_LOOKS", 3000)
    packing = pack([named(one, f"v{number}") for number in range(1000)], ready_nodes, looks=Looks())
    assert sum(where is not None for where in packing.positions.values()) == 10


@pytest.mark.parametrize("cells", [1, 2])
def test_vms_with_cpus_of_their_own_are_counted_not_put(cells, monkeypatch):
    """As many as fit, were they put one after the other."""
    ready_nodes, _ = nodes(
        node("a", cpu="7", kind="k", cells=cells), node("b", cpu="1e15", memory="1e15", pods="1e12", kind="k")
    )
    whole = {"cpu": "2", "memory": "1Gi"}
    one = demand("v", cpu="2", limits=whole)
    assert one.own_cpus == 2000
    monkeypatch.setattr(module, "CAPACITY_LOOKS", 100)
    assert count_more(one, Placement(ready_nodes[:1], looks=Looks())) == {1: 3, 2: 2}[cells]
    assert count_more(one, Placement(ready_nodes, looks=Looks())) > 10**5


def test_failures_of_many_nodes_look_at_those_with_room(monkeypatch):
    """All but one are full: each failing node's VM finds that one without a look at the others."""
    ready_nodes, _ = nodes(*(node(f"n{number:03}", cpu="1") for number in range(500)))
    monkeypatch.setattr(module, "CAPACITY_LOOKS", 10_000)
    packing = pack([demand(f"v{number}", cpu="1") for number in range(499)], ready_nodes, looks=Looks())
    worst = failures(packing)
    assert len(worst) == 499
    assert not any(failure.homeless for failure in worst)


def test_nodes_that_are_alike_are_judged_once(monkeypatch):
    ready_nodes, _ = nodes(*(node(f"n{number}", labels={"zone": "z"}) for number in range(100)))
    calls = []
    judged = module.node_obstacle
    monkeypatch.setattr(module, "node_obstacle", lambda *args: calls.append(args) or judged(*args))
    one = demand("v", spec="nodeSelector: {zone: y}")
    by_name = demand("v", spec="nodeSelector: {kubernetes.io/hostname: n7}")
    where = Placement(ready_nodes)
    assert not any(where.takes(one, position) for position in range(100))
    assert len(calls) == 1
    assert [position for position in range(100) if where.takes(by_name, position)] == [7]
    assert msgspec.structs.replace(one, name="w").likeness == one.likeness
