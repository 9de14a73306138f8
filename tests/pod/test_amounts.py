"""What a whole Pod counts for."""

import pytest
from podding import expanded

from virtcatalog.kubevirt.pod.amounts import extract, pod_limits, pod_requests


def container(requests=None, limits=None, **more):
    return {"resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def requests(containers, before=()):
    pod = {"spec": {"containers": containers, "initContainers": list(before)}}
    return {name: str(amount) for name, amount in pod_requests(pod).items()}


def test_containers_add_up():
    assert requests([container({"cpu": "1"}), container({"cpu": "500m", "memory": "1Gi"})]) == {
        "cpu": "1500m",
        "memory": "1Gi",
    }


def test_a_limit_alone_is_a_request_too():
    assert requests([container(limits={"cpu": "2", "x/gpu": "1"}), container({"cpu": "1"}, {"cpu": "3"})]) == {
        "cpu": "3",
        "x/gpu": "1",
    }


def test_an_init_container_counts_where_it_asks_for_more_than_all_others():
    assert requests([container({"cpu": "1"})], [container({"cpu": "3"}), container({"cpu": "2"})]) == {"cpu": "3"}


def test_init_containers_that_go_on_count_with_the_others_and_with_those_after_them():
    before = [container({"cpu": "1"}), container({"cpu": "1"}, restartPolicy="Always"), container({"cpu": "3"})]
    assert requests([container({"cpu": "1"})], before) == {"cpu": "4"}
    assert requests([container({"cpu": "5"})], before) == {"cpu": "6"}


def test_limits_of_those_that_have_them():
    pod = {"spec": {"containers": [container(limits={"cpu": "1"}), container({"memory": "1Gi"})]}}
    assert {name: str(amount) for name, amount in pod_limits(pod).items()} == {"cpu": "1"}


def test_what_a_pod_says_of_itself_counts_and_the_overhead_of_its_runtime():
    of_pod = {"requests": {"cpu": "3", "x/gpu": "9"}, "limits": {"memory": "2Gi"}}
    overhead = {"cpu": "250m", "memory": "100Mi"}
    containers = [container({"cpu": "1", "memory": "1Gi", "x/gpu": "1"}, {"cpu": "2", "memory": "0"})]
    pod = {"spec": {"containers": containers, "resources": of_pod, "overhead": overhead}}
    assert {name: str(amount) for name, amount in pod_requests(pod).items()} == {
        "cpu": "3250m",
        "memory": "1124Mi",
        "x/gpu": "1",
    }
    assert {name: str(amount) for name, amount in pod_limits(pod).items()} == {"cpu": "2250m", "memory": "2148Mi"}


def test_an_extract_of_a_pod():
    amounts = extract(expanded("domain: {memory: {guest: 1Gi}, devices: {logSerialConsole: false}}").pod)
    assert amounts["requests"] == {"cpu": "100m", "ephemeral-storage": "50M", "memory": "1,292 MiB"}
    assert amounts["devices"] == {
        "devices.kubevirt.io/kvm": "1",
        "devices.kubevirt.io/tun": "1",
        "devices.kubevirt.io/vhost-net": "1",
    }
    assert amounts["nodeSelector"]["kubernetes.io/arch"] == "amd64"
    assert "limits" not in amounts


def test_an_extract_has_all_that_decides_where_a_pod_fits():
    limits = {"cpu": "2", "memory": "1Mi", "x/gpu": "1"}
    spec = {
        "containers": [container({"cpu": "1"}, limits)],
        "nodeSelector": {"a": "b"},
        "affinity": {"podAffinity": {}},
        "tolerations": [{"key": "a"}],
        "topologySpreadConstraints": [{"topologyKey": "zone"}],
        "priorityClassName": "high",
        "resourceClaims": [{"name": "c"}],
        "serviceAccountName": "account",
    }
    assert extract({"spec": {**spec, "hostname": "web"}}) == {
        "requests": {"cpu": "1", "memory": "1 MiB"},
        "limits": {"cpu": "2", "memory": "1 MiB"},
        "devices": {"x/gpu": "1"},
        **{key: value for key, value in spec.items() if key != "containers"},
    }
    assert extract({"spec": {"containers": []}}) == {}


def test_amounts_of_containers_and_of_those_that_go_on_are_compared_one_by_one():
    going_on = container({"cpu": "1", "x/nic": "1"}, restartPolicy="Always")
    before = [container({"memory": "4Gi"}), going_on, container({"cpu": "2", "memory": "1Gi"})]
    assert requests([container({"cpu": "1", "memory": "2Gi"})], before) == {"cpu": "3", "memory": "4Gi", "x/nic": "1"}


def test_the_api_server_keeps_thousandths_of_what_each_container_asks_for():
    assert requests([container({"cpu": "250u"}), container({"cpu": "1.0001"})]) == {"cpu": "1002m"}


@pytest.mark.parametrize(
    ("status", "pending", "cpu"),
    [
        ({}, "", "2"),
        ({"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}, "", "2"),
        ({"allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "1"}}}, "", "3"),
        ({"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "4"}}}, "Deferred", "4"),
        ({"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}, "Deferred", "2"),
        ({"allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "500m"}}}, "Infeasible", "1"),
        ({"allocatedResources": {"cpu": "1"}, "resources": {"limits": {}}}, "Infeasible", "1"),
        ({}, "Infeasible", None),
    ],
)
@pytest.mark.parametrize("part", ["", "init"])
def test_a_pod_that_is_resized_counts_with_what_it_has_and_not_with_what_it_never_gets(status, pending, cpu, part):
    resized = container({"cpu": "2"}, name="c", **({"restartPolicy": "Always"} if part else {}))
    conditions = [{"type": "Ready"}, {"type": "PodResizePending", "reason": pending}]
    pod = {
        "spec": {"containers": [] if part else [resized], "initContainers": [resized] if part else None},
        "status": {
            "initContainerStatuses" if part else "containerStatuses": [{"name": "c", **status}],
            "conditions": conditions if pending else None,
        },
    }
    assert {name: str(amount) for name, amount in pod_requests(pod).items()} == ({"cpu": cpu} if cpu else {})
