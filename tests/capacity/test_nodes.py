"""Kinds of node, of dumps and of nodes.yaml."""

from contextlib import nullcontext

import pytest
from fitting import node, nodes

from virtcatalog import Cluster
from virtcatalog.capacity.nodes import amount_text, cluster_nodes, load_nodes
from virtcatalog.errors import ManifestError

KIND = "{name: a, count: 1, allocatable: {cpu: 1, memory: 1}}"
TYPE = "node.kubernetes.io/instance-type"


def test_nodes_that_are_alike_are_of_one_kind():
    ready_nodes, kinds = nodes(
        node("a", labels={TYPE: "m7"}),
        node("b", labels={TYPE: "m7", "zone": "b"}, memory="33500000Ki"),
        node("c", labels={TYPE: "m7"}, taints=[("k", "", "NoSchedule")]),
        node("d", "64", "512Gi", **{"nvidia.com_A10": "2"}),
    )
    assert [(kind.name, kind.nodes) for kind in kinds] == [
        ("64cpu-512Gi-A10", (3,)),
        ("m7", (0,)),
        ("m7 #2", (1,)),
        ("m7 #3", (2,)),
    ]
    assert ready_nodes[3].room["nvidia.com/A10"] == 2


@pytest.mark.parametrize("label", ["cpumanager", "kubevirt.io/cpumanager"])
def test_nodes_with_dedicated_cpus_are_of_a_kind_of_their_own(label):
    _, kinds = nodes(node("a", labels={TYPE: "m7", label: "true"}), node("b", labels={TYPE: "m7"}))
    assert [kind.nodes for kind in kinds] == [(0,), (1,)]


def test_devices_that_a_node_has_none_of_and_kubevirts_own_make_no_other_kind():
    own = {"devices.kubevirt.io_kvm": "1000"}
    _, kinds = nodes(node("a"), node("b", x_gpu="0"), node("c", **own), node("d", x_gpu="1"), node("e", memory="33Gi"))
    assert [kind.nodes for kind in kinds] == [(0, 1, 2), (3,), (4,)]


def test_declared_nodes(tmp_path):
    file = tmp_path / "nodes.yaml"
    file.write_text("""
nodes:
- name: general
  count: 2
  allocatable: {cpu: 31500m, memory: 120Gi}
- {name: arm, count: 1, allocatable: {cpu: 8, memory: 8Gi}, labels: {kubernetes.io/arch: arm64}, numaNodes: 2,
   taints: [{key: k, effect: NoSchedule}]}
""")
    ready_nodes, kinds = cluster_nodes(Cluster(load_nodes(str(file))).nodes)
    assert [(kind.name, len(kind.nodes)) for kind in kinds] == [("general", 2), ("arm", 1)]
    general, arm = ready_nodes[0], ready_nodes[2]
    assert (general.name, general.room["cpu"], general.room["devices.kubevirt.io/kvm"]) == ("general-1", 31500, 1000)
    assert general.labels["kubernetes.io/arch"] == "amd64"
    assert (arm.labels["kubernetes.io/arch"], arm.cells, str(arm.taints[0])) == ("arm64", 2, "k:NoSchedule")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("nodes: [{name: a, count: 1, allocatable: {cpu: 1}}]", ["1:29: nodes[0].allocatable.memory: is required"]),
        ("nodes: [{name: a, count: 1, allocatable: {memory: 1}}]", ["1:29: nodes[0].allocatable.cpu: is required"]),
        (
            "nodes: [{name: a, count: -1, allocatable: {cpu: 1, memory: 1}}]",
            ["1:19: nodes[0].count: is less than none"],
        ),
        ("nodes: [{name: a, count: 0, allocatable: {cpu: 0, memory: 0}, numaNodes: 1}]", []),
        (
            "nodes: [{name: a, count: 1, allocatable: {cpu: 1, memory: -1, x/y: -1}}]",
            [
                "1:51: nodes[0].allocatable.memory: is less than none",
                "1:63: nodes[0].allocatable[x/y]: is less than none",
            ],
        ),
        (
            "nodes: [{name: a, count: 1, allocatable: {cpu: 1, memory: 1}, labels: {a: b c}}]",
            ["1:72: nodes[0].labels.a: Kubernetes refuses the label value 'b c'"],
        ),
        (
            "nodes: [{name: A_, count: 1, allocatable: {cpu: 1, memory: 1}}]",
            ["1:10: nodes[0].name: Kubernetes refuses"],
        ),
        *(
            (
                f"nodes: [{{name: a, count: 1, allocatable: {{cpu: 1, memory: 1}}, numaNodes: {cells}}}]",
                ["1:63: nodes[0].numaNodes: is out of range: it must be from 1 to 64"] if cells in (0, 65) else [],
            )
            for cells in (0, 1, 64, 65)
        ),
        ("nodes: [{name: a, count: 20000, allocatable: {cpu: 1, memory: 1}}]", []),
        (
            f"nodes: [{KIND}, {{name: b, count: 20000, allocatable: {{cpu: 1, memory: 1}}}}]",
            ["1:1: nodes: are 20,001, and 20,000 is the most"],
        ),
        (
            "nodes: [{name: a, count: 1, alocatable: {}}]",
            [
                "1:29: nodes[0].alocatable: unknown field 'alocatable'; did you mean 'allocatable'?",
            ],
        ),
        ("nodes: {}", ["1:1: nodes: must be a list"]),
        ("a: 1\n---\nb: 2", ["1:1: holds 2 documents, and one is wanted"]),
        (f"nodes: [{KIND}, {KIND}]", ["1:65: nodes[1].name: there is another kind 'a'"]),
    ],
)
def test_what_is_wrong_with_a_declaration(text, messages, tmp_path):
    file = tmp_path / "nodes.yaml"
    file.write_text(text)
    with pytest.raises(ManifestError) if messages else nullcontext() as caught:
        load_nodes(str(file))
    lines = str(caught.value).splitlines() if caught else []
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith(f"{file}:{message}")


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 1500, "1.5 CPUs"),
        ("memory", 3 * 2**30, "3 GiB"),
        ("hugepages-1Gi", 2**30, "1 GiB of hugepages-1Gi"),
        ("x/gpu", 2, "2 x/gpu"),
    ],
)
def test_amounts_for_people(resource, amount, text):
    assert amount_text(resource, amount) == text


BASE = {"cpu": "8", "memory": "32Gi", "labels": {"kubernetes.io/arch": "amd64"}}
INSTANCE_TYPE = {"node.kubernetes.io/instance-type": "m5"}


@pytest.mark.parametrize(
    ("more", "number", "second"),
    [
        ({}, 1, "8cpu-32Gi"),
        ({"labels": {"kubernetes.io/arch": "amd64", "zone": "a"}}, 1, "8cpu-32Gi"),
        ({"labels": {"kubernetes.io/arch": "arm64"}}, 2, "8cpu-32Gi #2"),
        ({"labels": {"kubernetes.io/arch": "amd64", **INSTANCE_TYPE}}, 2, "m5"),
        ({"cpu": "16"}, 2, "16cpu-32Gi"),
        ({"memory": "33553432Ki"}, 2, "8cpu-32Gi #2"),
        ({"memory": "32.5Gi"}, 1, "8cpu-32Gi"),
        ({"memory": "33Gi"}, 2, "8cpu-33Gi"),
        ({"example.org_gpu": "1"}, 2, "8cpu-32Gi-gpu"),
        ({"example.org_gpu": "0"}, 1, "8cpu-32Gi"),
        ({"devices.kubevirt.io_kvm": "1k"}, 1, "8cpu-32Gi"),
        ({"hugepages-2Mi": "1Gi"}, 2, "8cpu-32Gi #2"),
        ({"taints": [("k", "v", "NoSchedule")]}, 2, "8cpu-32Gi #2"),
        ({"taints": [("node.kubernetes.io/unreachable", "", "NoExecute")]}, 1, "8cpu-32Gi"),
    ],
)
def test_what_makes_another_kind_of_node(more, number, second):
    kinds = nodes(node("a", **BASE), node("b", **{**BASE, **more}))[1]
    assert {kind.name for kind in kinds} == {"8cpu-32Gi", second}
    assert len(kinds) == number


@pytest.mark.parametrize(
    ("taints", "unschedulable", "ready", "added"),
    [
        ((), False, None, []),
        ((), False, "True", []),
        ((), False, "Unknown", ["unreachable"]),
        ((), False, "False", ["not-ready"]),
        ((("node.kubernetes.io/unreachable", "", "NoExecute"),), False, "Unknown", ["unreachable", "unreachable"]),
        ((("node.kubernetes.io/unreachable", "", "NoSchedule"),), False, "Unknown", ["unreachable"]),
        ((("node.kubernetes.io/memory-pressure", "", "NoSchedule"),), False, "False", ["memory-pressure", "not-ready"]),
        ((("node.kubernetes.io/unschedulable", "", "PreferNoSchedule"),), True, "True", ["unschedulable"] * 2),
        ((("k", "", "NoExecute"),), False, "False", ["k", "not-ready"]),
        ((), True, "True", ["unschedulable"]),
        ((("node.kubernetes.io/unschedulable", "", "NoSchedule"),), True, "True", ["unschedulable"]),
    ],
)
def test_the_taints_of_nodes_that_take_nobody(taints, unschedulable, ready, added):
    manifest = node("a", taints=taints)
    manifest["spec"]["unschedulable"] = unschedulable
    if ready is not None:
        manifest["status"]["conditions"] = [{"type": "Other", "status": "False"}, {"type": "Ready", "status": ready}]
    (tainted,) = nodes(manifest)[0]
    assert [taint.key.rpartition("/")[2] for taint in tainted.taints] == added
