"""AAQ's quotas: what a VM counts for in each way of counting, and whom the gate holds back."""

from __future__ import annotations

import pytest

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.launches import launch_of
from virtcatalog.capacity.quota import Judge, Judgement, PodRequest

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: ns}}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {{sockets: 2, cores: 2}}
        memory: {{guest: 4Gi}}
        devices: {{}}
"""
GATED = "{apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {application-aware-quota/enable-gating: ''}}}"
FREE = "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}"


def aaq(way: str = "", **spec: str) -> str:
    configuration = f"vmiCalculatorConfiguration: {{configName: {way}}}" if way else spec.pop("configuration", "")
    more = "".join(f", {key}: {value}" for key, value in spec.items())
    named = "apiVersion: aaq.kubevirt.io/v1alpha1, kind: AAQ, metadata: {name: aaq}"
    return f"{{{named}, spec: {{configuration: {{{configuration}}}{more}}}}}"


def quota(hard: str, more: str = "", name: str = "q") -> str:
    named = f"apiVersion: aaq.kubevirt.io/v1alpha1, kind: ApplicationAwareResourceQuota, metadata: {{name: {name}, "
    return f"{{{named}namespace: ns}}, spec: {{hard: {{{hard}}}{more}}}}}"


def judged(*objects: str, vms: int = 1) -> Judgement:
    cluster = Cluster([otheryaml.load(text) for text in objects])
    judge = Judge(cluster)
    for number in range(vms):
        launch = launch_of(otheryaml.load(VM.format(name=f"vm-{number}")), cluster)
        assert launch.pod is not None, launch.why
        judge.take(PodRequest(name=launch.name, namespace="ns", pod=launch.pod, guest=launch.guest))
    return judge.judgement()


def requested(*objects: str, vms: int = 1) -> dict[str, str]:
    return {line.resource: str(line.requested) for line in judged(*objects, vms=vms).lines}


ALL = "requests.cpu: 9, cpu: 9, limits.memory: 99Gi, pods: 9, cpu/vmi: 9, requests.memory/vmi: 99Gi, instances/vmi: 9"


@pytest.mark.parametrize(
    ("way", "counted"),
    [
        (
            "VirtualResources",
            {"requests.cpu": "4", "cpu": "4", "limits.memory": "4Gi", "pods": "1", "cpu/vmi": "0"},
        ),
        (
            "DedicatedVirtualResources",
            {"requests.cpu": "0", "pods": "0", "cpu/vmi": "4", "requests.memory/vmi": "4Gi", "instances/vmi": "1"},
        ),
        ("VmiPodUsage", {"requests.cpu": "405m", "limits.memory": "60M", "pods": "1", "cpu/vmi": "0"}),
        ("IgnoreVmiCalculator", {"requests.cpu": "405m", "pods": "1", "instances/vmi": "0"}),
    ],
)
def test_what_a_vm_counts_for(way: str, counted: dict[str, str]) -> None:
    counts = requested(aaq(way), GATED, quota(ALL))
    assert {name: counts[name] for name in counted} == counted


def test_without_a_word_vms_have_resources_of_their_own() -> None:
    assert requested(aaq(), GATED, quota("requests.cpu/vmi: 9"), vms=2) == {"requests.cpu/vmi": "8"}


def test_the_gate_holds_back_who_has_no_room() -> None:
    quotas = judged(aaq(), GATED, quota("requests.memory/vmi: 9Gi"), vms=3)
    assert [(refusal.vm, refusal.object, refusal.message) for refusal in quotas.refusals] == [
        (
            "ns/vm-2",
            "ApplicationAwareResourceQuota/ns/q",
            "allows 9 GiB of requests.memory/vmi; 1 GiB is left, and the VM's Pod asks for 4 GiB: AAQ holds it back",
        )
    ]


def test_a_vm_that_one_quota_holds_back_takes_nothing_of_the_other() -> None:
    narrow, wide = quota("requests.cpu/vmi: 4"), quota("requests.memory/vmi: 4Gi", name="wide")
    quotas = judged(aaq(), GATED, narrow, wide, vms=2)
    assert [refusal.vm for refusal in quotas.refusals] == ["ns/vm-1"]


def test_a_smaller_vm_has_the_room_of_one_that_is_held_back() -> None:
    large, small = (VM.format(name=name).replace("sockets: 2", f"sockets: {n}") for name, n in (("l", 4), ("s", 1)))
    cluster = Cluster([otheryaml.load(text) for text in (aaq(), GATED, quota("requests.cpu/vmi: 2"))])
    judge = Judge(cluster)
    for text in (large, small):
        launch = launch_of(otheryaml.load(text), cluster)
        assert launch.pod is not None, launch.why
        judge.take(PodRequest(name=launch.name, namespace="ns", pod=launch.pod, guest=launch.guest))
    assert [refusal.vm for refusal in judge.judgement().refusals] == ["ns/l"]


def test_scopes_choose_what_is_used_and_not_who_is_held_back() -> None:
    scoped = quota("requests.cpu/vmi: 3", ", scopes: [Terminating]")
    quotas = judged(aaq(), GATED, scoped)
    assert [str(line.requested) for line in quotas.lines] == ["0"]
    assert len(quotas.refusals) == 1


def test_in_a_namespace_that_is_not_gated_nobody_is_held_back() -> None:
    quotas = judged(aaq(), FREE, quota("requests.cpu/vmi: 1"))
    assert quotas.refusals == ()
    assert quotas.lines[0].over
    assert quotas.notes == ("AAQ's namespace selector leaves out ns: there its quotas hold nobody back",)


def test_a_selector_of_its_own_chooses_namespaces() -> None:
    selector = "{matchLabels: {kubernetes.io/metadata.name: ns}}"
    assert len(judged(aaq(namespaceSelector=selector), FREE, quota("requests.cpu/vmi: 1")).refusals) == 1


def test_a_quota_of_short_names_alone_holds_nobody_back() -> None:
    quotas = judged(aaq(), GATED, quota("cpu/vmi: 1, memory/vmi: 1Gi"))
    assert quotas.refusals == ()
    (note,) = quotas.notes
    assert note.startswith("ApplicationAwareResourceQuota ns/q holds nobody back: AAQ's gate passes over")
    assert note.endswith("only cpu/vmi and memory/vmi; add pods, or a name with requests.")
    assert len(judged(aaq(), GATED, quota("cpu/vmi: 1, pods: 9")).refusals) == 1


def test_what_is_assumed_is_named() -> None:
    assert judged(quota("requests.cpu/vmi: 9")).notes == (
        "AAQ's own object (kind AAQ) is not among the manifests: DedicatedVirtualResources, its default, counts",
        "of ns the Namespace is not among the manifests: AAQ is taken to gate its Pods",
    )


def test_no_container_has_to_say_what_it_wants() -> None:
    """A ResourceQuota of limits refuses Pods without limits; AAQ does not."""
    assert judged(aaq("VmiPodUsage"), GATED, quota("limits.memory: 1Gi")).refusals == ()


def test_what_the_gate_does_not_count_the_api_server_does() -> None:
    quotas = judged(aaq(), GATED, quota("count/pods: 1, services: 5, pods: 9"), vms=2)
    assert [(refusal.vm, refusal.message) for refusal in quotas.refusals] == [
        ("ns/vm-1", "allows 1 of count/pods; 0 is left, and the VM's Pod asks for 1")
    ]
    assert quotas.unjudged == ("services",)


def test_the_quota_that_aaq_makes_of_its_own_counts_once() -> None:
    managed = (
        "{apiVersion: v1, kind: ResourceQuota, spec: {hard: {count/pods: 5}}, "
        "metadata: {name: q-non-schedulable-resources-managed-rq-x, namespace: ns}}"
    )
    assert [line.kind for line in judged(aaq(), GATED, quota("count/pods: 5"), managed).lines] == [
        "ApplicationAwareResourceQuota"
    ]


@pytest.mark.parametrize(
    ("configuration", "why"),
    [
        ("sidecarEvaluators: [{name: x}]", "AAQ asks evaluators of its own (spec.configuration.sidecarEvaluators)"),
        (
            "vmiCalculatorConfiguration: {configName: GuestEffectiveResources}",
            "AAQ counts VMs by GuestEffectiveResources (spec.configuration.vmiCalculatorConfiguration.configName)",
        ),
    ],
)
def test_what_cannot_be_judged_is_named(configuration: str, why: str) -> None:
    quotas = judged(aaq(configuration=configuration), GATED, quota("requests.cpu: 1"))
    assert quotas.undecided == (f"ApplicationAwareResourceQuota/ns/q: {why}",)
    assert quotas.lines == quotas.refusals == ()


def test_quotas_of_several_namespaces_are_named() -> None:
    kind = "apiVersion: aaq.kubevirt.io/v1alpha1, kind: ApplicationAwareClusterResourceQuota"
    quotas = judged(f"{{{kind}, metadata: {{name: all}}, spec: {{quota: {{hard: {{pods: 1}}}}}}}}")
    assert quotas.undecided == ("ApplicationAwareClusterResourceQuota/all: it is about several namespaces",)
