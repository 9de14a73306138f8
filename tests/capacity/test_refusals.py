"""What the API server refuses of a Pod that KubeVirt would send, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from fitting import pod

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.launches import launch_of
from virtcatalog.capacity.refusals import refusals


def amounts(requests: str, limits: str) -> dict[str, Any]:
    manifest = pod("a")
    resources = {"requests": otheryaml.load(requests), "limits": otheryaml.load(limits)}
    manifest["spec"]["containers"][0]["resources"] = resources
    return manifest


@pytest.mark.parametrize(
    ("requests", "limits", "fault"),
    [
        ("{cpu: 1, memory: 1Gi}", "{}", None),
        ("{cpu: 1}", "{cpu: 1}", None),
        ("{}", "{cpu: 1, x/gpu: 1}", None),
        ("{cpu: 2}", "{cpu: 1}", "requests 2 of cpu, and its limit is 1"),
        ("{memory: 2Gi}", "{memory: 1Gi}", "requests 2Gi of memory, and its limit is 1Gi"),
        (
            "{ephemeral-storage: 1G}",
            "{ephemeral-storage: 60M}",
            "requests 1G of ephemeral-storage, and its limit is 60M",
        ),
        ("{gpu: 1}", "{gpu: 1}", "gpu is no resource: it has no domain"),
        ("{x/gpu: 1}", "{x/gpu: 1}", None),
        ("{x/gpu: 1}", "{}", "requests x/gpu, and has no limit of it"),
        ("{x/gpu: 1}", "{x/gpu: 2}", "requests 1 of x/gpu, and its limit is 2: they have to be equal"),
        ("{x/gpu: 500m}", "{x/gpu: 500m}", "requests 500m of x/gpu, which is not whole"),
        ("{memory: 1Gi, hugepages-2Mi: 4Mi}", "{hugepages-2Mi: 4Mi}", None),
        (
            "{cpu: 1, hugepages-2Mi: 3Mi}",
            "{hugepages-2Mi: 3Mi}",
            "requests 3Mi of hugepages-2Mi, which are no whole pages",
        ),
        ("{cpu: 1, hugepages-2Mi: 4Mi}", "{}", "requests hugepages-2Mi, and has no limit of it"),
        ("{hugepages-2Mi: 4Mi}", "{hugepages-2Mi: 4Mi}", "requests huge pages, and neither CPU nor memory"),
    ],
)
def test_requests_and_limits(requests: str, limits: str, fault: str | None) -> None:
    expected = [] if fault is None else [f"container compute: {fault}"]
    manifest = amounts(requests, limits)
    assert list(refusals(manifest)) == expected
    manifest["spec"] |= {"initContainers": manifest["spec"]["containers"], "containers": []}
    assert list(refusals(manifest)) == expected


AFFINITY = "affinity: {%s: {requiredDuringSchedulingIgnoredDuringExecution: %s}}"
TERM = "[{topologyKey: zone, labelSelector: {matchLabels: {%s: b}}, matchLabelKeys: [app]}]"
PREFERENCE = (
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: %s}]}}"
)
SPREADING = "topologySpreadConstraints: %s"
KEYS = "[{topologyKey: zone, labelSelector: {matchLabels: {a: b}}, %s}]"
EXPRESSION = "labelSelector: {matchExpressions: [{key: app, operator: Exists}]}"
SPREAD = (
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    f"matchLabelKeys: [app], {EXPRESSION}}}]"
)
RULE = "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"
REPEATED = "the key 'app' of matchLabelKeys is in labelSelector, too"


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("nodeSelector: {zone: a}", None),
        ("nodeSelector: {a/b/c: a}", "nodeSelector: 'a/b/c' has more than one '/'; a key is a name or prefix/name"),
        (
            "nodeSelector: {zone: a b}",
            f"nodeSelector: 'a b' {RULE}",
        ),
        ("tolerations: [{operator: Exists}, {key: k}, {key: k, operator: Equal, value: v}]", None),
        ("tolerations: [{value: v}]", "tolerations: without a key the operator must be Exists"),
        (
            "tolerations: [{key: k, operator: Exists, value: v}]",
            "tolerations: with the operator Exists there is no value",
        ),
        (
            "tolerations: [{key: k, effect: NoSchedule, tolerationSeconds: 0}]",
            "tolerations: tolerationSeconds go with the effect NoExecute alone",
        ),
        ("tolerations: [{key: k, effect: NoExecute, tolerationSeconds: 0}]", None),
        ("tolerations: [{key: a/b/c}]", "tolerations: 'a/b/c' has more than one '/'; a key is a name or prefix/name"),
        ("priorityClassName: high", None),
        (AFFINITY % ("nodeAffinity", "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}"), None),
        (
            AFFINITY
            % ("nodeAffinity", "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: ['-1']}]}]}"),
            f"nodeAffinity: '-1' {RULE}",
        ),
        (AFFINITY % ("podAffinity", TERM % "app"), f"podAffinity: {REPEATED}"),
        (AFFINITY % ("podAntiAffinity", TERM % "app"), f"podAntiAffinity: {REPEATED}"),
        (AFFINITY % ("podAffinity", TERM % "other"), None),
        (AFFINITY % ("podAffinity", (TERM % "app").replace("[app]", "[other]")), None),
        (AFFINITY % ("podAffinity", (TERM % "app").replace("matchLabelKeys", "mismatchLabelKeys")), None),
        (
            AFFINITY % ("podAffinity", "[{topologyKey: zone, matchLabelKeys: [app]}]"),
            "podAffinity: matchLabelKeys need a labelSelector",
        ),
        (
            AFFINITY % ("podAntiAffinity", "[{topologyKey: zone, mismatchLabelKeys: [app]}]"),
            "podAntiAffinity: mismatchLabelKeys need a labelSelector",
        ),
        (AFFINITY % ("podAffinity", "[{topologyKey: zone}]"), None),
        (AFFINITY % ("podAffinity", KEYS % "matchLabelKeys: [app], mismatchLabelKeys: [tier]"), None),
        (AFFINITY % ("podAffinity", KEYS % "mismatchLabelKeys: [app, app]"), None),
        (AFFINITY % ("podAffinity", KEYS % "matchLabelKeys: [none, none]"), None),
        (
            AFFINITY % ("podAffinity", KEYS % "matchLabelKeys: [app, app]"),
            "podAffinity: the key 'app' is in matchLabelKeys twice",
        ),
        (
            AFFINITY % ("podAffinity", KEYS % "matchLabelKeys: [app], mismatchLabelKeys: [app]"),
            "podAffinity: the key 'app' is in matchLabelKeys and mismatchLabelKeys",
        ),
        (
            AFFINITY % ("podAffinity", KEYS % "mismatchLabelKeys: [a/b/c]"),
            "podAffinity: 'a/b/c' has more than one '/'; a key is a name or prefix/name",
        ),
        (
            SPREADING % (KEYS % "maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, matchLabelKeys: [a/b/c]"),
            "topologySpreadConstraints: 'a/b/c' has more than one '/'; a key is a name or prefix/name",
        ),
        (
            PREFERENCE % (TERM % "app")[1:-1],
            f"podAffinity: {REPEATED}",
        ),
        (
            SPREAD,
            f"topologySpreadConstraints: {REPEATED}",
        ),
    ],
)
def test_conditions_for_nodes(spec: str, fault: str | None) -> None:
    faults = list(refusals(pod("a", labels={"app": "db"}, spec=spec)))
    assert faults == ([] if fault is None else [fault])


def test_names_and_labels() -> None:
    assert [fault.partition(":")[0] for fault in refusals(pod("a", labels={"a": "x y"}))] == ["labels"]
    assert [fault.partition(":")[0] for fault in refusals(pod("a", spec="priorityClassName: High_X"))] == [
        "priorityClassName"
    ]
    # A key that the Pod's labels lack is not added to the selector.
    assert list(refusals(pod("a", spec=AFFINITY % ("podAffinity", TERM % "app")))) == []


def test_a_vm_whose_pod_is_refused_has_none() -> None:
    vm = otheryaml.load("""
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: ns}
spec:
  runStrategy: Always
  template:
    spec: {domain: {memory: {guest: 1Gi}, resources: {requests: {example.org/gpu: 1}}, devices: {}}}
""")
    launch = launch_of(vm, Cluster([]))
    assert launch.pod is None
    assert launch.why == (
        "no Pod is made: the API server refuses it: container compute: requests example.org/gpu, and has no limit of it"
    )
