"""What namespaces may have: quotas and limits over the Pods of VMs."""

import pytest
from fitting import pod

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.applicationaware import Guest
from virtcatalog.capacity.quota import Judge, PodRequest
from virtcatalog.capacity.usage import pod_usage


def judged(pods, *objects):
    cluster = Cluster([otheryaml.load(obj) for obj in objects])
    judge = Judge(cluster)
    for template in pods:
        name, guest = template["metadata"]["name"], Guest("1", "1Gi")
        judge.take(PodRequest(name=name, namespace="ns", pod=template, guest=guest, automatic=("cpu",)))
    return judge.judgement()


def quota(hard, **spec):
    text = ", ".join(f"{key}: {value}" for key, value in spec.items())
    rest = f", {text}" if text else ""
    named = "apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}"
    return f"{{{named}, spec: {{hard: {{{hard}}}{rest}}}}}"


def limits(item):
    return f"{{apiVersion: v1, kind: LimitRange, metadata: {{name: l, namespace: ns}}, spec: {{limits: [{{{item}}}]}}}}"


def refusals(*args):
    return [(refusal.vm, refusal.object, refusal.message) for refusal in judged(*args).refusals]


@pytest.mark.parametrize(
    ("hard", "requested"),
    [
        ("requests.cpu: 9", "2"),
        ("cpu: 9", "2"),
        ("memory: 9Gi", "2Gi"),
        ("limits.cpu: 9", "0"),
        ("pods: 9", "2"),
        ("count/pods: 9", "2"),
        ("count/virtualmachines.kubevirt.io: 9", "2"),
        ("requests.x/gpu: 9", "2"),
        ("hugepages-2Mi: 9Gi", "0"),
    ],
)
def test_what_vms_ask_for_together(hard, requested):
    (line,) = judged([pod("a", x_gpu="1"), pod("b", x_gpu="1")], quota(hard)).lines
    assert (str(line.requested), line.over) == (requested, False)


def test_who_does_not_fit_any_more():
    pods = [pod("a", "2"), pod("b", "2"), pod("c", "1")]
    quotas = judged(pods, quota("requests.cpu: 3"))
    assert [(refusal.vm, refusal.message) for refusal in quotas.refusals] == [
        ("b", "allows 3 of requests.cpu; 1 is left, and the VM's Pod asks for 2")
    ]
    assert quotas.lines[0].over
    assert quotas.automatic == {("ns", "cpu"): 3}


def test_a_quota_wants_to_be_told_by_every_container():
    assert refusals([pod("a")], quota("limits.memory: 9Gi")) == [
        ("a", "ResourceQuota/ns/q", "wants limits.memory of every container, and compute has none")
    ]
    assert refusals([pod("a", limits={"memory": "1Gi"})], quota("limits.memory: 9Gi")) == []


def test_a_limit_range_fills_in_what_is_not_said():
    default = limits("type: Container, default: {memory: 2Gi}")
    quotas = judged([pod("a")], quota("limits.memory: 9Gi"), default)
    assert quotas.refusals == ()
    assert str(quotas.lines[0].requested) == "2Gi"


def test_a_default_limit_below_the_request_has_the_pod_refused():
    low = limits("type: Container, default: {memory: 512Mi}")
    reason = "fills in what the API server refuses: container compute: requests 1Gi of memory, and its limit is 512Mi"
    assert refusals([pod("a")], low) == [("a", "LimitRange/ns/l", reason)]
    # The default of the first LimitRange counts.
    high = limits("type: Container, default: {memory: 1Gi}").replace("name: l,", "name: high,")
    assert refusals([pod("a")], high, low) == []
    assert [refusal[1] for refusal in refusals([pod("a", memory="2Gi")], high, low)] == ["LimitRange/ns/high"]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            "type: Container, max: {memory: 512Mi}",
            "container compute: has 1Gi of memory, and 512Mi is the most",
        ),
        ("type: Container, min: {cpu: 2}", "container compute: has 1 of cpu, and 2 is the least"),
        ("type: Container, min: {memory: 1Gi}", None),
        ("type: Pod, max: {cpu: 500m}", "the Pod: has no limit of cpu, and 500m is the most"),
        (
            "type: Container, default: {cpu: 4}, maxLimitRequestRatio: {cpu: 2}",
            "container compute: has a limit of cpu of more than 2 times its request",
        ),
        ("type: Container, default: {cpu: 8}, maxLimitRequestRatio: {cpu: 8}", None),
        (  # Kubernetes' own arithmetic: 1000 times 8.05 is a little more than 8050
            "type: Container, default: {cpu: 8050m}, maxLimitRequestRatio: {cpu: 8050m}",
            "container compute: has a limit of cpu of more than 8050m times its request",
        ),
        ("type: Container, max: {cpu: 4}", None),
        ("type: PersistentVolumeClaim, max: {storage: 1Gi}", None),
    ],
)
def test_limit_ranges(item, message):
    expected = [] if message is None else [("a", "LimitRange/ns/l", message)]
    assert refusals([pod("a")], limits(item)) == expected


@pytest.mark.parametrize(
    ("scopes", "counted"),
    [
        ({"scopes": "[NotTerminating, NotBestEffort]"}, True),
        ({"scopes": "[Terminating]"}, False),
        ({"scopes": "[BestEffort]"}, False),
        ({"scopeSelector": "{matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}"}, True),
        ({"scopeSelector": "{matchExpressions: [{scopeName: PriorityClass, operator: In, values: [low]}]}"}, False),
        ({"scopeSelector": "{matchExpressions: [{scopeName: PriorityClass, operator: DoesNotExist}]}"}, False),
        ({"scopes": "[CrossNamespacePodAffinity]"}, False),
    ],
)
def test_scopes(scopes, counted):
    quotas = judged([pod("a", spec="priorityClassName: high")], quota("pods: 9", **scopes))
    assert (quotas.lines[0].requested.value == 1) is counted


def test_what_is_not_about_pods_is_named():
    quotas = judged([pod("a")], quota("requests.storage: 1Gi, persistentvolumeclaims: 3, pods: 1"))
    assert quotas.unjudged == ("persistentvolumeclaims", "requests.storage")


def test_other_namespaces_do_not_count():
    other = quota("pods: 0").replace("namespace: ns", "namespace: other")
    quotas = judged([pod("a")], other)
    assert quotas.refusals == ()
    assert quotas.lines[0].requested.value == 0


def test_usage_by_the_names_of_quotas():
    usage = pod_usage(pod("a", x_gpu="1", limits={"cpu": "2", "memory": "2Gi"}))
    assert {name: str(amount) for name, amount in usage.items() if "." in name or name in ("cpu", "memory")} == {
        "count/virtualmachines.kubevirt.io": "1",
        "count/virtualmachineinstances.kubevirt.io": "1",
        "requests.cpu": "1",
        "cpu": "1",
        "requests.memory": "1Gi",
        "memory": "1Gi",
        "requests.x/gpu": "1",
        "limits.cpu": "2",
        "limits.memory": "2Gi",
    }
