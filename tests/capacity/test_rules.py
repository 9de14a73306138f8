"""Which node can take which Pod, rule by rule."""

import msgspec
import pytest
from fitting import demand, node, nodes, pod

from virtcatalog.capacity.demand import Reader
from virtcatalog.capacity.pods import Looks, Placement

AWAY = """
affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
  {topologyKey: zone, labelSelector: {matchLabels: {app: db}}}]}}
"""
NEAR = AWAY.replace("podAntiAffinity", "podAffinity")
SPREAD = """
topologySpreadConstraints: [
  {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}}]
"""


sentences = []


def obstacles(placement, pod):
    """What keeps a demand off each node, in words."""
    by_node = [placement.obstacle(pod, index) for index in range(len(placement.nodes))]
    assert [placement.takes(pod, index) for index in range(len(by_node))] == [obstacle is None for obstacle in by_node]
    return [obstacle and f"{obstacle.sort}: {obstacle.text}" for obstacle in by_node]


def obstacle(one, pod, *others):
    """The sort of reason why a node does not take a demand, with others on it."""
    placement = Placement(nodes(one)[0])
    for other in others:
        placement.put(other, 0)
    reason = placement.obstacle(pod, 0)
    assert placement.takes(pod, 0) is (reason is None)
    if reason:
        sentences.append(f"{reason.sort}: {reason.text}")
    return reason.sort if reason else None


@pytest.fixture(autouse=True)
def in_words(snapshot):
    """All that is said of why a node does not take a Pod, as a user reads it."""
    sentences.clear()
    yield
    if sentences:
        assert list(dict.fromkeys(sentences)) == snapshot


@pytest.mark.parametrize(
    ("taint", "toleration", "stays_off"),
    [
        (("k", "v", "NoSchedule"), "[]", True),
        (("k", "v", "PreferNoSchedule"), "[]", False),
        (("k", "v", "NoExecute"), "[{key: k, operator: Exists}]", False),
        (("k", "v", "NoSchedule"), "[{key: k, value: v}]", False),
        (("k", "v", "NoSchedule"), "[{key: k, value: w}]", True),
        (("k", "v", "NoSchedule"), "[{operator: Exists}]", False),
        (("k", "v", "NoSchedule"), "[{key: k, operator: Exists, effect: NoExecute}]", True),
        (("k", "v", "NoExecute"), "[]", True),
        (("k", "v", "NoSchedule"), "[{key: other, operator: Exists}, {key: k, operator: Exists}]", False),
        (("k", "v", "NoSchedule"), "[{key: other, operator: Exists}]", True),
        (("k", "v", "NoSchedule"), "[{key: k, operator: Equal, value: v, effect: NoSchedule}]", False),
        (("k", "", "NoSchedule"), "[{key: k}]", False),
        (("k", "v", "NoSchedule"), "[{key: k, operator: '', value: v, effect: ''}]", False),
        (("k", "v", "NoSchedule"), "[{value: v}]", True),
    ],
)
def test_taints(taint, toleration, stays_off):
    pod = demand("a", spec=f"tolerations: {toleration}")
    assert (obstacle(node("n", taints=[taint]), pod) == "taints") is stays_off


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ("{key: size, operator: In, values: ['8']}", True),
        ("{key: size, operator: NotIn, values: ['8']}", False),
        ("{key: other, operator: NotIn, values: ['8']}", True),
        ("{key: size, operator: Exists}", True),
        ("{key: size, operator: DoesNotExist}", False),
        ("{key: size, operator: Gt, values: ['7']}", True),
        ("{key: size, operator: Lt, values: ['8']}", False),
        ("{key: other, operator: Gt, values: ['7']}", False),
        ("{key: size, operator: Gt, values: ['8']}", False),
        ("{key: size, operator: Lt, values: ['9']}", True),
        ("{key: size, operator: Gt, values: [a]}", False),
        ("{key: size, operator: Lt, values: []}", False),
        ("{key: size, operator: Gt, values: ['+0_7']}", False),
        ("{key: size, operator: Gt, values: [' 7']}", False),
        ("{key: size, operator: Lt, values: ['9223372036854775808']}", False),
        ("{key: name, operator: Gt, values: ['7']}", False),
        ("{key: size, operator: In, values: ['7', '9']}", False),
        ("{key: size, operator: NotIn, values: ['7', '9']}", True),
        ("{key: other, operator: In, values: ['']}", False),
        ("{key: other, operator: Exists}", False),
        ("{key: other, operator: DoesNotExist}", True),
    ],
)
def test_node_affinity(expression, fits):
    required = (
        f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}"
    )
    pod = demand("a", spec=f"affinity: {{nodeAffinity: {{{required}}}}}")
    assert (obstacle(node("n", labels={"size": "8", "name": "x"}), pod) is None) is fits


def test_a_term_without_conditions_fits_nothing_and_one_of_several_will_do():
    terms = "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}"
    by_name = "{matchFields: [{key: metadata.name, operator: In, values: [n]}]}"
    another = by_name.replace("[n]", "[m]")
    of_no_name = by_name.replace("metadata.name", "metadata.uid")
    both = by_name.replace("{matchFields", "{matchExpressions: [{key: a, operator: Exists}], matchFields")
    for listed, fits in (
        ("{}", False),
        (f"{{}}, {by_name}", True),
        (another, False),
        (of_no_name, False),
        (both, False),
        (f"{another}, {by_name}", True),
    ):
        pod = demand("a", spec=f"affinity: {{nodeAffinity: {{{terms % listed}}}}}")
        assert (obstacle(node("n"), pod) is None) is fits


def test_labels():
    assert obstacle(node("n"), demand("a", spec="nodeSelector: {zone: a}")) == "labels"
    assert obstacle(node("n", labels={"zone": "a"}), demand("a", spec="nodeSelector: {zone: a}")) is None


def test_a_declared_node_has_the_labels_that_kubevirt_gives_unless_it_says_which():
    pod = demand("a", spec="nodeSelector: {cpu-model.node.kubevirt.io/Skylake: 'true'}")
    assert obstacle(node("n", kind="k"), pod) is None
    assert obstacle(node("n"), pod) == "labels"
    named = {"cpu-model.node.kubevirt.io/Haswell": "true"}
    assert obstacle(node("n", kind="k", labels=named), pod) == "labels"
    assert obstacle(node("n", kind="k"), demand("a", spec="nodeSelector: {kubevirt.io/cpumanager: 'true'}")) == "labels"


@pytest.mark.parametrize(
    ("pod", "sort"),
    [
        (demand("a", "4"), None),
        (demand("a", "5"), "CPU"),
        (demand("a", memory="29Gi"), "memory"),
        (demand("a", x_gpu="1"), "x/gpu"),
        (demand("a", **{"hugepages-2Mi": "1Gi"}), "hugepages-2Mi"),
    ],
)
def test_room(pod, sort):
    assert obstacle(node("n"), pod, demand("b", "4", "4Gi")) == sort


def test_places_for_pods():
    one = node("n", pods="1")
    assert obstacle(one, demand("a"), demand("b")) == "Pods"


def test_nodes_that_take_nobody():
    manifest = node("n")
    manifest["spec"]["unschedulable"] = True
    assert obstacle(manifest, demand("a")) == "taints"
    # As `kubectl cordon` leaves a node: with the taint, or before the node controller has set it.
    for taints in ([], [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]):
        manifest["spec"]["taints"] = [*taints, {"key": "own", "effect": "PreferNoSchedule"}]
        assert [taint.key for taint in nodes(manifest)[0][0].taints] == (
            ["node.kubernetes.io/unschedulable", "own"] if taints else ["own", "node.kubernetes.io/unschedulable"]
        )
        tolerant = demand(
            "a", spec="tolerations: [{key: own}, {key: node.kubernetes.io/unschedulable, operator: Exists}]"
        )
        assert obstacle(manifest, tolerant) is None
    manifest = node("n")
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    assert obstacle(manifest, demand("a")) == "taints"


def test_cpus_of_its_own_in_one_numa_node():
    amounts = {"cpu": "3", "memory": "1Gi"}
    pod = demand("a", "3", limits=amounts)
    assert pod.own_cpus == 3000
    assert demand("a", "3").own_cpus == 0
    one = node("n", kind="k", cells=2)
    assert obstacle(one, pod, pod) is None
    assert obstacle(one, pod, pod, demand("b", "2", limits={"cpu": "2", "memory": "1Gi"})) == "NUMA"
    assert obstacle(one, pod, pod, pod) == "CPU"
    assert obstacle(node("n", "10", kind="k", cells=2), pod, pod, pod) == "NUMA"
    assert obstacle(node("n", "10"), pod, pod, pod) is None


def zones():
    return nodes(node("a1", labels={"zone": "a"}), node("a2", labels={"zone": "a"}), node("b1", labels={"zone": "b"}))[
        0
    ]


def test_away_from_others_in_a_place():
    placement = Placement(zones())
    placement.put(demand("x", labels={"app": "db"}), 0)
    pod = demand("y", spec=AWAY)
    assert [placement.obstacle(pod, i) and placement.obstacle(pod, i).sort for i in range(3)] == [
        "anti-affinity",
        "anti-affinity",
        None,
    ]
    assert placement.takes(demand("z", spec=AWAY, namespace="other"), 0)


def test_others_keep_it_away_too():
    placement = Placement(zones())
    guard = demand("x", spec=AWAY)
    placement.put(guard, 0)
    pod = demand("y", labels={"app": "db"})
    assert [placement.takes(pod, i) for i in range(3)] == [False, False, True]
    placement.take(guard, 0)
    assert placement.takes(pod, 0)


def test_a_pod_that_has_gone_leaves_nothing_behind():
    """Nor do looks at other Pods that nobody minds any more."""

    class Counted(Looks):
        taken = 0

        def take(self, count=1):
            self.taken += count

    looks = Counted()
    placement = Placement(nodes(node("a", labels={"zone": "a"}, kind="two", cells=2))[0], looks=looks)
    pod, minding = demand("y"), demand("z", spec=NEAR, labels={"app": "db"})

    def state():
        before = looks.taken
        assert placement.takes(pod, 0)
        placement.obstacle(minding, 0)
        return looks.taken - before, placement.number(pod, 0), placement.free(0), [*placement.pods[0]]

    own = demand("own", limits={"cpu": "1", "memory": "1Gi"})
    at_first, at_first_own = state(), placement.number(own, 0)
    guards = [msgspec.structs.replace(demand(f"x{number}", spec=AWAY), own_cpus=1) for number in range(3)] * 2
    for guard in guards:
        placement.put(guard, 0)
    assert placement.number(own, 0) == at_first_own - 6
    for guard in guards:
        placement.take(guard, 0)
    for _ in range(16):
        placement.put(pod, 0)
        placement.take(pod, 0)
    assert placement.number(own, 0) == at_first_own
    assert state() == at_first


def test_near_others_unless_it_is_the_first_of_its_group():
    placement = Placement(zones())
    alone = demand("y", spec=NEAR)
    assert [placement.takes(alone, i) for i in range(3)] == [False, False, False]
    first = demand("y", spec=NEAR, labels={"app": "db"})
    assert placement.takes(first, 2)
    placement.put(first, 2)
    assert [placement.takes(alone, i) for i in range(3)] == [False, False, True]


def test_it_is_the_first_of_its_group_where_the_others_are_at_no_place_of_that_kind():
    placement = Placement([*zones(), *nodes(node("nowhere"))[0]])
    first = demand("y", spec=NEAR, labels={"app": "db"})
    placement.put(first, 3)
    assert [placement.takes(first, i) for i in range(4)] == [True, True, True, False]
    assert not placement.takes(demand("z", spec=NEAR), 0)


def test_near_others_at_every_sort_of_place():
    """One Pod may be near in the zone, another one on the node."""
    rows = [node(name, labels={"zone": zone, "kubernetes.io/hostname": name}) for name, zone in ("1a", "2a", "3b")]
    placement = Placement(nodes(*rows)[0])
    by_host = NEAR.replace("topologyKey: zone", "topologyKey: kubernetes.io/hostname").strip()
    term = NEAR[NEAR.index("{topologyKey") : NEAR.rindex("]}}")].strip()
    pod = demand("y", spec=by_host.replace("]}}", f", {term}]}}}}"))
    assert not any(placement.takes(pod, i) for i in range(3))
    placement.put(demand("x", labels={"app": "db"}), 1)
    assert [placement.takes(pod, i) for i in range(3)] == [False, True, False]


def test_what_keeps_apart_and_together_is_said_in_words():
    placement = Placement([*zones(), *nodes(node("nowhere"))[0]])
    placement.put(demand("x", labels={"app": "db"}, spec=AWAY), 0)
    assert obstacles(placement, demand("y", spec=AWAY)) == [
        "anti-affinity: is where its Pod may not be: zone=a",
        "anti-affinity: is where its Pod may not be: zone=a",
        None,
        None,
    ]
    assert obstacles(placement, demand("y", labels={"app": "db"})) == [
        "anti-affinity: has x near, which keeps it away",
        "anti-affinity: has x near, which keeps it away",
        None,
        None,
    ]
    assert obstacles(placement, demand("y", spec=NEAR)) == [
        None,
        None,
        "affinity: is not near the Pods that its Pod must be near",
        "affinity: lacks a label by which its Pod tells places",
    ]
    placement = Placement([*zones(), *nodes(node("nowhere"))[0]])
    placement.put(demand("x", labels={"app": "db"}), 0)
    assert obstacles(placement, demand("y", spec=SPREAD, labels={"app": "db"})) == [
        "spread: would have 2 of its like in zone=a, 0 elsewhere",
        "spread: would have 2 of its like in zone=a, 0 elsewhere",
        None,
        "spread: has no label zone",
    ]


@pytest.mark.parametrize(
    ("policy", "takes"),
    [("", [False, False]), ("nodeTaintsPolicy: Honor, ", [True, True]), ("nodeTaintsPolicy: Ignore, ", [False, False])],
)
def test_a_place_whose_nodes_are_all_tainted_counts_unless_taints_are_honoured(policy, takes):
    """Two places have one already; the third, which has none, takes none of its like."""
    tainted = node("c", labels={"zone": "c"}, taints=[("k", "v", "NoSchedule")])
    placement = Placement(nodes(node("a", labels={"zone": "a"}), node("b", labels={"zone": "b"}), tainted)[0])
    for index in range(2):
        placement.put(demand(f"x{index}", labels={"app": "db"}), index)
    pod = demand("y", spec=SPREAD.replace("labelSelector", f"{policy}labelSelector"), labels={"app": "db"})
    assert [placement.takes(pod, index) for index in range(2)] == takes


def test_evenly_spread():
    placement = Placement(zones())
    pod = demand("y", spec=SPREAD, labels={"app": "db"})
    placement.put(pod, 0)
    assert [placement.takes(pod, i) for i in range(3)] == [False, False, True]
    placement.put(pod, 2)
    assert placement.takes(pod, 1)


def test_a_pod_that_is_deleted_is_no_longer_spread_but_takes_its_room():
    leaving = pod("x", cpu="8", labels={"app": "db"})
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    placement = Placement(zones())
    placement.put(Reader().placed("x", leaving), 0)
    another = demand("y", spec=SPREAD, labels={"app": "db"})
    assert obstacles(placement, another) == ["CPU: has 0 CPUs of the 1 CPUs wanted", None, None]


def test_a_selector_without_conditions_spreads_a_pod_by_itself_alone():
    placement = Placement(zones())
    for index in (0, 0, 2):
        placement.put(demand("x", labels={"app": "db"}), index)
    for selector, takes in (
        ("labelSelector: {}, ", [True, True, True]),
        ("", [True, True, True]),
        ("labelSelector: {}, matchLabelKeys: [app], ", [False, False, True]),
        ("labelSelector: {matchExpressions: [{key: app, operator: Exists}]}, ", [False, False, True]),
    ):
        spec = SPREAD.replace("labelSelector: {matchLabels: {app: db}}", f"{selector}minDomains: 1")
        pod = demand("y", spec=spec, labels={"app": "db"})
        assert [placement.takes(pod, i) for i in range(3)] == takes


def test_of_a_pod_on_a_node_counts_only_whom_it_keeps_away():
    """What else it says may be newer than we are."""
    newer = (
        AWAY.replace("topologyKey", "newer: {}, topologyKey").strip()
        + """
tolerations: [{key: k, operator: Gt, value: '5'}]
nodeSelector: {zone: b}
"""
    )
    guard = Reader().placed("x", pod("x", spec=newer))
    assert guard.conditions == Reader().placed("x", pod("x", spec=AWAY)).conditions
    assert not guard.leaving
    placement = Placement(zones())
    placement.put(guard, 0)
    assert [placement.takes(demand("y", labels={"app": "db"}), i) for i in range(3)] == [False, False, True]
    for spec in ("{}", "affinity: null", "affinity: {podAffinity: {}}"):
        assert not Reader().placed("x", pod("x", spec=spec)).conditions.minds_others
