"""Which quotas count a Pod, what the names of resources are about, and what limits say of it: case by case."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from fitting import demand, node, nodes, pod

import otheryaml
from virtcatalog import Cluster
from virtcatalog.api.nodes import LimitRange, ResourceQuotaSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity import applicationaware as aaq
from virtcatalog.capacity.limitranges import against_ranges, defaulted
from virtcatalog.capacity.pods import Placement
from virtcatalog.capacity.usage import allowed, counts, is_judged, silences


def counted(spec: str, pod_spec: str = "{}") -> bool:
    return counts(msgspec.convert(otheryaml.load(spec), ResourceQuotaSpec), pod("a", spec=pod_spec))


PLAIN, HIGH = "{}", "{priorityClassName: high}"
SELECTED = (
    "{affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 1, podAffinityTerm: {topologyKey: zone, namespaceSelector: {}}}]}}}"
)
NAMED = (
    "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: zone, namespaces: [other]}]}}}"
)
OWN = "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}"


@pytest.mark.parametrize(
    ("scope", "pod_spec", "expected"),
    [
        ("Terminating", PLAIN, False),
        ("NotTerminating", PLAIN, True),
        ("BestEffort", PLAIN, False),
        ("NotBestEffort", PLAIN, True),
        ("PriorityClass", PLAIN, False),
        ("PriorityClass", HIGH, True),
        ("CrossNamespacePodAffinity", PLAIN, False),
        ("CrossNamespacePodAffinity", OWN, False),
        ("CrossNamespacePodAffinity", NAMED, True),
        ("CrossNamespacePodAffinity", SELECTED, True),
    ],
)
def test_a_scope_in_either_list(scope: str, pod_spec: str, expected: bool) -> None:
    assert counted(f"{{scopes: [{scope}]}}", pod_spec) is expected
    selector = f"{{scopeSelector: {{matchExpressions: [{{scopeName: {scope}, operator: Exists}}]}}}}"
    assert counted(selector, pod_spec) is expected


@pytest.mark.parametrize(
    ("operator", "high", "plain"),
    [("In", True, False), ("NotIn", False, True), ("Exists", True, False), ("DoesNotExist", False, True)],
)
def test_priority_classes(operator: str, high: bool, plain: bool) -> None:
    values = ", values: [high, higher]" if operator in ("In", "NotIn") else ""
    spec = f"{{scopeSelector: {{matchExpressions: [{{scopeName: PriorityClass, operator: {operator}{values}}}]}}}}"
    assert (counted(spec, HIGH), counted(spec, PLAIN)) == (high, plain)


def test_all_scopes_have_to_hold() -> None:
    assert counted("{}")
    assert counted("{scopes: [NotTerminating, PriorityClass]}", HIGH)
    assert not counted("{scopes: [NotTerminating, PriorityClass]}", PLAIN)
    assert not counted(
        "{scopes: [PriorityClass], scopeSelector: {matchExpressions: [{scopeName: BestEffort, operator: Exists}]}}",
        HIGH,
    )


#: By name of a resource: whether it is about Pods or VMs; whether AAQ's gate counts it; whether a quota that has it
#: alone is one that the gate minds.
NAMES = {
    "cpu": (True, True, True),
    "memory": (True, True, True),
    "ephemeral-storage": (True, True, True),
    "pods": (True, True, True),
    "count/pods": (True, False, True),
    "requests.cpu": (True, True, True),
    "requests.memory": (True, True, True),
    "requests.ephemeral-storage": (True, True, True),
    "limits.cpu": (True, True, True),
    "limits.memory": (True, True, True),
    "limits.ephemeral-storage": (True, True, True),
    "hugepages-2Mi": (True, False, True),
    "requests.hugepages-2Mi": (True, True, True),
    "limits.hugepages-2Mi": (False, True, False),
    "requests.example.org/gpu": (True, True, True),
    "requests.kubernetes.io/gpu": (False, True, False),
    "requests.deviceclass.resource.kubernetes.io/gpu": (True, True, True),
    "example.org/gpu": (False, False, False),
    "cpu/vmi": (True, True, False),
    "instances/vmi": (True, True, False),
    "requests.cpu/vmi": (True, True, True),
    "count/virtualmachines.kubevirt.io": (True, False, False),
    "count/virtualmachineinstances.kubevirt.io": (True, False, False),
    "requests.storage": (False, False, False),
    "persistentvolumeclaims": (False, False, False),
    "count/secrets": (False, False, False),
    "services": (False, False, False),
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items())
def test_what_the_names_of_resources_are_about(name: str, expected: tuple[bool, bool, bool]) -> None:
    kind = "apiVersion: aaq.kubevirt.io/v1alpha1, kind: ApplicationAwareResourceQuota"
    text = f"{{{kind}, metadata: {{name: q, namespace: ns}}, spec: {{hard: {{{name}: 1}}}}}}"
    (quota,) = Cluster([otheryaml.load(text)]).application_quotas
    assert (is_judged(name), aaq.is_counted(name), aaq.is_gated(quota)) == expected


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", "1500m", "1.5"),
        ("requests.cpu", "2", "2"),
        ("limits.cpu/vmi", "3", "3"),
        ("memory", "2Gi", "2 GiB"),
        ("requests.memory/vmi", "1Gi", "1 GiB"),
        ("requests.hugepages-2Mi", "1Gi", "1 GiB"),
        ("requests.ephemeral-storage", "1Gi", "1Gi"),
        ("pods", "1k", "1k"),
    ],
)
def test_amounts_of_a_quota_for_people(resource: str, amount: str, text: str) -> None:
    assert allowed(resource, Quantity.parse(amount)) == text


def two_containers() -> dict[str, Any]:
    first = {"name": "compute", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2"}}}
    second = {"name": "helper", "resources": {"requests": {}, "limits": {"memory": "1Gi"}}}
    return {"spec": {"containers": [first], "initContainers": [second]}}


def test_who_is_silent_about_what_a_quota_wants() -> None:
    names = ("cpu", "limits.cpu", "limits.memory", "requests.memory", "requests.ephemeral-storage", "pods")
    assert list(silences(two_containers(), dict.fromkeys(names, Quantity()))) == [
        "wants requests.cpu of every container, and helper has none",
        "wants limits.cpu of every container, and helper has none",
        "wants limits.memory of every container, and compute has none",
        "wants requests.memory of every container, and helper has none",
    ]


def limit_range(*limits: str) -> LimitRange:
    items = ", ".join(f"{{{limit}}}" for limit in limits)
    text = f"{{apiVersion: v1, kind: LimitRange, metadata: {{name: l, namespace: ns}}, spec: {{limits: [{items}]}}}}"
    (only,) = Cluster([otheryaml.load(text)]).limit_ranges
    return only


@pytest.mark.parametrize(
    ("item", "requests", "limits"),
    [
        ("type: Container", {}, {"memory": "1Gi"}),
        ("type: Pod, max: {cpu: 4}", {}, {"memory": "1Gi"}),
        ("type: Container, max: {cpu: 4}", {"cpu": "4"}, {"cpu": "4"}),
        ("type: Container, min: {cpu: 1}", {"cpu": "1"}, {}),
        ("type: Container, min: {cpu: 1}, max: {cpu: 4}", {"cpu": "4"}, {"cpu": "4"}),
        ("type: Container, default: {cpu: 2}, max: {cpu: 4}", {"cpu": "2"}, {"cpu": "2"}),
        ("type: Container, defaultRequest: {cpu: 1}, default: {cpu: 2}", {"cpu": "1"}, {"cpu": "2"}),
    ],
)
def test_what_limits_fill_in(item: str, requests: dict[str, str], limits: dict[str, str]) -> None:
    """The container asks for no CPU, and has a limit of memory, which its request is by default."""
    (container,) = defaulted(two_containers(), [limit_range(item)])["spec"]["initContainers"]
    assert container["resources"] == {
        "requests": {"memory": "1Gi", **requests},
        "limits": {"memory": "1Gi", **limits},
    }


@pytest.mark.parametrize(
    ("item", "messages"),
    [
        ("min: {example.org/gpu: 1}", ["requests no example.org/gpu, and 1 is the least"]),
        ("min: {cpu: 1}", []),
        ("min: {cpu: 1001m}", ["has 1 of cpu, and 1001m is the least"]),
        ("min: {cpu: 3}", ["has 1 of cpu, and 3 is the least"]),
        ("min: {cpu: 1}, max: {cpu: 2}", []),
        ("max: {cpu: 1999m}", ["has 2 of cpu, and 1999m is the most"]),
        ("max: {memory: 1Gi}", ["has no limit of memory, and 1Gi is the most"]),
        ("maxLimitRequestRatio: {cpu: 2}", []),
        ("maxLimitRequestRatio: {cpu: 1900m}", ["has a limit of cpu of more than 1900m times its request"]),
        ("maxLimitRequestRatio: {memory: 2}", ["has no request and limit of memory, whose ratio is bounded"]),
        (
            "maxLimitRequestRatio: {memory: 2, cpu: 1}, max: {memory: 1Gi, cpu: 1}, min: {memory: 2Gi, cpu: 2}",
            [
                "has 1 of cpu, and 2 is the least",
                "has 1Gi of memory, and 2Gi is the least",
                "has 2 of cpu, and 1 is the most",
                "has no limit of memory, and 1Gi is the most",
                "has a limit of cpu of more than 1 times its request",
                "has no request and limit of memory, whose ratio is bounded",
            ],
        ),
    ],
)
def test_each_bound(item: str, messages: list[str]) -> None:
    bounds = [limit_range(f"type: {kind}, {item}") for kind in ("Pod", "Container", "PersistentVolumeClaim")]
    one = {"spec": {"containers": two_containers()["spec"]["containers"]}}
    assert list(against_ranges(one, "ns", bounds)) == [
        ("LimitRange/ns/l", f"{who}: {message}") for who in ("the Pod", "container compute") for message in messages
    ]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("", {"ns"}),
        ("namespaces: [other]", {"other"}),
        ("namespaces: [ns, other]", {"ns", "other"}),
        ("namespaceSelector: {}", {"ns", "other", "third"}),
        ("namespaceSelector: {matchLabels: {team: a}}", {"other"}),
        ("namespaceSelector: {matchLabels: {team: a}}, namespaces: [third]", {"other", "third"}),
        ("namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: third}}", {"third"}),
    ],
)
def test_the_namespaces_of_a_term(term: str, expected: set[str]) -> None:
    affinity_term = f"topologyKey: zone, labelSelector: {{}}, {term}"
    spec = (
        f"{{affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{affinity_term}}}]}}}}}}"
    )
    pod = demand("y", spec=spec)
    (place,), _ = nodes(node("a", labels={"zone": "a"}))
    kept_off = set()
    for namespace in ("ns", "other", "third"):
        placement = Placement([place], {"other": {"team": "a"}})
        placement.put(demand("x", namespace=namespace), 0)
        kept_off |= set() if placement.takes(pod, 0) else {namespace}
    assert kept_off == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", [False, False]),
        ("matchLabelKeys: [tier]", [False, True]),
        ("mismatchLabelKeys: [tier]", [True, False]),
        ("matchLabelKeys: [tier, unknown]", [False, True]),
        ("mismatchLabelKeys: [unknown]", [False, False]),
    ],
)
def test_keys_of_labels_that_the_api_server_adds_to_a_term(keys: str, expected: list[bool]) -> None:
    """Whether a Pod takes the place of one of its tier, and of one of another."""
    affinity_term = f"topologyKey: zone, labelSelector: {{matchLabels: {{app: db}}}}, {keys}"
    spec = (
        f"{{affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{affinity_term}}}]}}}}}}"
    )
    pod = demand("y", labels={"app": "db", "tier": "1"}, spec=spec)
    (place,), _ = nodes(node("a", labels={"zone": "a"}))
    answers = []
    for tier in ("1", "2"):
        placement = Placement([place])
        placement.put(demand("x", labels={"app": "db", "tier": tier}), 0)
        answers.append(placement.takes(pod, 0))
    assert answers == expected


def test_a_pod_that_goes_gives_back_the_cpus_of_its_numa_node() -> None:
    (place,), _ = nodes(node("n", "8", kind="k", cells=2))
    pod = demand("a", "3", limits={"cpu": "3", "memory": "1Gi"})
    placement = Placement([place])
    placement.put(pod, 0)
    placement.put(pod, 0)
    placement.put(pod, 0)  # more than fits, as of VMs that run: one NUMA node has 6 of its 4 CPUs in use
    numbers = [placement.number(demand("b", "1", "1Mi", limits={"cpu": "1", "memory": "1Mi"}), 0)]
    placement.take(pod, 0)
    numbers.append(placement.number(demand("b", "1", limits={"cpu": "1", "memory": "1Gi"}), 0))
    placement.take(pod, 0)
    numbers.append(placement.number(demand("b", "3", limits={"cpu": "3", "memory": "1Gi"}), 0))
    placement.take(pod, 0)
    numbers.append(placement.number(demand("b", "3", limits={"cpu": "3", "memory": "1Gi"}), 0))
    assert numbers == [0, 2, 1, 2]
    assert placement.free(0) == place.room


def test_a_numa_node_that_is_overfull_takes_none_and_no_other_ones_room() -> None:
    """Of 4.5 CPUs each the first has 5 in use: the second one has room for 4."""
    (place,), _ = nodes(node("n", "9", kind="k", cells=2))
    placement = Placement([place])
    placement.put(demand("a", "5", limits={"cpu": "5", "memory": "1Gi"}), 0)
    assert placement.number(demand("b", "1", limits={"cpu": "1", "memory": "1Gi"}), 0) == 4


@pytest.mark.parametrize(
    ("spread", "places"),
    [
        ("maxSkew: 1", [False, True]),
        ("maxSkew: 2", [True, True]),
        ("maxSkew: 1, minDomains: 2", [False, True]),
        ("maxSkew: 1, minDomains: 3", [False, True]),
        ("maxSkew: 1, matchLabelKeys: [tier]", [True, True]),
    ],
)
def test_how_evenly_pods_are_spread(spread: str, places: list[bool]) -> None:
    """Of two places the first has one of its like, of another tier."""
    constraint = "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}"
    pod = demand(
        "y", labels={"app": "db", "tier": "1"}, spec=f"{{topologySpreadConstraints: [{{{constraint}, {spread}}}]}}"
    )
    placement = Placement(nodes(node("a", labels={"zone": "a"}), node("b", labels={"zone": "b"}))[0])
    placement.put(demand("x", labels={"app": "db", "tier": "2"}), 0)
    placement.put(demand("x", labels={"app": "db"}, namespace="other"), 1)
    assert [placement.takes(pod, position) for position in range(2)] == places


ON_SSD = "{nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}"


@pytest.mark.parametrize(
    ("policy", "takes"),
    [("", True), ("nodeAffinityPolicy: Honor", True), ("nodeAffinityPolicy: Ignore", False)],
)
@pytest.mark.parametrize(
    "wanted",
    [
        "nodeSelector: {disk: ssd}",
        f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {ON_SSD}}}}}",
    ],
)
def test_a_place_without_a_node_for_a_pod_counts_where_affinity_is_ignored(
    policy: str, takes: bool, wanted: str
) -> None:
    constraint = (
        "topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}"
    )
    pod = demand(
        "y", labels={"app": "db"}, spec=f"{{topologySpreadConstraints: [{{{constraint}, {policy}}}], {wanted}}}"
    )
    placement = Placement(nodes(node("a", labels={"zone": "a", "disk": "ssd"}), node("b", labels={"zone": "b"}))[0])
    placement.put(demand("x", labels={"app": "db"}), 0)
    assert placement.takes(pod, 0) is takes
