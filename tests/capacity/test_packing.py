"""A fleet on nodes: checked by rules written anew, and against the optimum of small cases."""

from itertools import product
from math import ceil

import pytest
from fitting import demand, named, node, nodes
from hypothesis import given
from hypothesis import strategies as st

from sampling import ALL
from virtcatalog.capacity.demand import Reader
from virtcatalog.capacity.packing import count_more, count_on_empty, failures, obstacles, pack, unusable
from virtcatalog.capacity.pods import Placement

APART = """
affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
  {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: %s}}}]}}
"""
SPREAD = """
topologySpreadConstraints: [
  {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: %s}}}]
"""


@st.composite
def clusters(draw):
    """A few nodes and Pods that differ in size, zone, taint, GPU and in what they want of each other."""
    reader = Reader()
    manifests = [
        node(
            f"n{i}",
            str(draw(st.integers(2, 8))),
            f"{draw(st.integers(2, 16))}Gi",
            labels={"zone": draw(st.sampled_from("ab")), "kubernetes.io/hostname": f"n{i}"},
            taints=[("t", "", "NoSchedule")] if draw(st.booleans()) else (),
            x_gpu=str(draw(st.integers(0, 2))),
        )
        for i in range(draw(st.integers(1, 5)))
    ]
    fleet = []
    for i in range(draw(st.integers(0, 9))):
        app = draw(st.sampled_from("xyz"))
        spec = [draw(st.sampled_from(["", "nodeSelector: {zone: a}", "tolerations: [{operator: Exists}]"]))]
        spec.append(draw(st.sampled_from(["", "", APART % app, SPREAD % app])).strip())
        text = "\n".join(part for part in spec if part) or "{}"
        gpus = {"x_gpu": "1"} if draw(st.booleans()) else {}
        cpu, memory = str(draw(st.integers(1, 4))), f"{draw(st.integers(1, 6))}Gi"
        fleet.append(demand(f"p{i}", cpu, memory, labels={"app": app}, spec=text, reader=reader, **gpus))
    return manifests, fleet


def fits_alone(manifest, pod):
    """Whether a node's taints and labels let a Pod come, in other words than the code's."""
    selector = pod.conditions.selector
    tolerant = any(toleration.operator == "Exists" and not toleration.key for toleration in pod.conditions.tolerations)
    labels = manifest["metadata"]["labels"]
    return (tolerant or not manifest["spec"]["taints"]) and all(labels.get(key) == selector[key] for key in selector)


def sound(manifests, fleet, where):
    """Whether a placement breaks no rule: every Pod and node looked at by brute force."""
    for position, manifest in enumerate(manifests):
        here = [placed for placed in fleet if where[placed.name] == position]
        room = manifest["status"]["allocatable"]
        limits = {
            "cpu": int(room["cpu"]) * 1000,
            "memory": int(room["memory"][:-2]) * 2**30,
            "x/gpu": int(room["x/gpu"]),
        }
        for resource, limit in limits.items():
            assert sum(placed.requests.get(resource, 0) for placed in here) <= limit
        for placed in here:
            assert fits_alone(manifest, placed)
            if placed.conditions.affinity.pod_anti_affinity is not None:
                assert not any(other is not placed and other.labels == placed.labels for other in here)


@given(clusters())
def test_no_rule_is_broken_and_nobody_is_left_without_need(cluster):
    manifests, fleet = cluster
    ready_nodes, kinds = nodes(*manifests)
    packing = pack(fleet, ready_nodes)
    assert packing.positions.keys() == {placed.name for placed in fleet}
    sound(manifests, fleet, packing.positions)
    for placed in fleet:
        if packing.positions[placed.name] is None:
            reasons = obstacles(placed, packing.placement, kinds)
            assert sum(number for _, number, _ in reasons) == len(ready_nodes)


@given(st.lists(st.integers(1, 8), max_size=7 if ALL else 6))
def test_identical_nodes_are_filled_nearly_as_well_as_can_be(sizes):
    fleet = [demand(f"p{i}", str(size)) for i, size in enumerate(sizes)]
    ready_nodes = nodes(*(node(f"n{i:02}") for i in range(len(sizes) or 1)))[0]
    used = len(set(pack(fleet, ready_nodes).positions.values()))
    assert used <= 11 / 9 * fewest(sizes) + 6 / 9


def fewest(sizes):
    """The fewest nodes of eight CPUs that hold these, by trying."""
    for number in range(ceil(sum(sizes) / 8), len(sizes) + 1):
        for choice in product(range(number), repeat=len(sizes)):
            if all(sum(size for size, at in zip(sizes, choice, strict=True) if at == i) <= 8 for i in range(number)):
                return number
    return 0


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 3))
def test_how_many_fit_is_what_can_be_put(cpu, memory, own):
    limits = {"cpu": str(cpu), "memory": f"{memory}Gi"} if own else None
    pod = demand("p", str(cpu), f"{memory}Gi", limits=limits)
    (one,) = nodes(node("n", "9", kind="k", cells=own or 1))[0]
    number, obstacle = count_on_empty(pod, one)
    placement = Placement([one])
    for _ in range(number):
        assert placement.takes(pod, 0)
        placement.put(pod, 0)
    assert not placement.takes(pod, 0)
    assert obstacle is not None
    assert count_more(pod, Placement([one, one])) == 2 * number


def test_more_leaves_everything_as_it_was():
    ready_nodes = nodes(node("n", kind="k", cells=2))[0]
    placement = Placement(ready_nodes)
    pod = demand("p", "3", limits={"cpu": "3", "memory": "1Gi"})
    assert [count_more(pod, placement) for _ in range(3)] == [2, 2, 2]
    assert placement.free(0) == ready_nodes[0].room
    apart = demand("p", labels={"app": "p"}, spec=APART % "p")
    assert [count_more(apart, placement) for _ in range(3)] == [1, 1, 1]
    assert placement.free(0) == ready_nodes[0].room


def test_the_largest_come_first_and_those_that_run_stay():
    ready_nodes = nodes(node("n1"), node("n2"))[0]
    fleet = [demand("small", "1"), demand("large", "8"), demand("here", "2")]
    packing = pack(fleet, ready_nodes, running={"here": 0})
    assert packing.positions == {"here": 0, "large": 1, "small": 0}


def test_whoever_waits_for_others_goes_where_they_have_come():
    beside = """
affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
  {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: %s}}}]}}
"""
    ready_nodes = nodes(*(node(name, labels={"kubernetes.io/hostname": name}) for name in ("n1", "n2")))[0]
    fleet = [
        demand("app", "4", labels={"app": "app"}, spec=beside % "cache"),
        demand("cache", "2", labels={"app": "cache"}, spec=beside % "database"),
        demand("database", "1", labels={"app": "database"}, spec="nodeSelector: {kubernetes.io/hostname: n2}"),
        demand("lonely", "1", labels={"app": "lonely"}, spec=beside % "nobody"),
    ]
    assert pack(fleet, ready_nodes).positions == {"app": 1, "cache": 1, "database": 1, "lonely": None}


def test_domains_that_others_have_evened_out_take_more():
    zones = {"n1": "a", "n2": "a", "n3": "b"}
    ready_nodes = nodes(
        *(
            node(
                name,
                "2",
                labels={"zone": zone, "kubernetes.io/hostname": name},
                taints=[("t", "", "NoSchedule")] * (zone == "b"),
            )
            for name, zone in zones.items()
        )
    )[0]
    fleet = [
        demand("p0", "2", labels={"app": "z"}),
        demand("p1", "2", labels={"app": "z"}, spec=(SPREAD % "z").strip()),
        demand("p2", "1", labels={"app": "z"}, spec=f"tolerations: [{{operator: Exists}}]\n{(SPREAD % 'z').strip()}"),
    ]
    assert pack(fleet, ready_nodes).positions == {"p0": 0, "p1": 1, "p2": 2}


def test_other_pods_take_room():
    ready_nodes = nodes(node("n"))[0]
    packing = pack([demand("a", "4")], ready_nodes, foreign_pods=[[demand("system", "5")]])
    assert packing.positions == {"a": None}


def in_use(placement):
    return [{name: amount for name, amount in used.items() if amount} for used in placement.used]


def test_the_failure_of_each_node():
    ready_nodes = nodes(node("n1"), node("n2"), node("n3", "2"))[0]
    fleet = [demand("big", "8"), *(named(demand("s", "1"), f"s{i}") for i in range(4))]
    packing = pack(fleet, ready_nodes)
    before = in_use(packing.placement)
    outages = failures(packing)
    assert [(outage.node, outage.vms, outage.homeless) for outage in outages] == [
        ("n2", 4, ("s2", "s3")),
        ("n1", 1, ("big",)),
    ]
    assert in_use(packing.placement) == before


def test_vms_that_belong_together_leave_a_node_that_fails_together():
    beside = """
affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
  {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: database}}}]}}
"""
    ready_nodes = nodes(
        *(node(name, size, labels={"kubernetes.io/hostname": name}) for name, size in (("n1", "8"), ("n2", "5")))
    )[0]
    fleet = [
        demand("app", "4", labels={"app": "app"}, spec=beside),
        demand("database", "1", labels={"app": "database"}),
    ]
    packing = pack(fleet, ready_nodes)
    assert set(packing.positions.values()) == {0}
    before = in_use(packing.placement)
    assert [(failure.node, failure.vms, failure.homeless) for failure in failures(packing)] == [("n1", 2, ())]
    assert in_use(packing.placement) == before


def test_a_failure_of_a_node_with_two_vms_of_one_name():
    """A dump may hold a VM twice."""
    ready_nodes = nodes(node("n1", "4"), node("n2", "3"), node("n3", "1"))[0]
    packing = pack([demand("a", "2"), demand("a", "2"), demand("b", "1")], ready_nodes)
    before = in_use(packing.placement)
    assert [(failure.node, failure.vms, failure.homeless) for failure in failures(packing)] == [
        ("n1", 2, ("a",)),
        ("n2", 1, ()),
    ]
    assert in_use(packing.placement) == before


def test_what_is_lost_is_free_where_nothing_fits_any_more():
    ready_nodes = nodes(node("n1", "8", "4Gi"), node("n2"))[0]
    packing = pack([demand("a", "1", "4Gi")], ready_nodes, running={"a": 0})
    assert unusable(packing.placement, [demand("least", "1", "1Gi")])["cpu"] == 7000


@pytest.mark.parametrize(("cells", "own", "number"), [(1, True, 3), (2, True, 2), (2, False, 3), (3, True, 3)])
def test_cpus_of_its_own_are_of_one_numa_node(cells, own, number):
    """Seven CPUs have room for three times two; 3.5 in each of two nodes, or 2.3 in each of three, for one each."""
    placement = Placement(nodes(node("n", "7", kind="k", cells=cells))[0])
    pair = demand("p", "2", limits={"cpu": "2", "memory": "1Gi"} if own else None)
    assert placement.number(pair, 0) == number
