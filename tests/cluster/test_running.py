"""The cluster is a real API server: it validates, prunes, defaults, merges and pages; and it leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path

import pytest

from cluster.api import ApiError
from cluster.running import running_cluster

VM = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "vm", "namespace": "default"},
    "spec": {"runStrategy": "Halted", "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "1.5Gi"}}}}},
}
TYPE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "disk", "namespace": "default"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1.5Gi"}}},
}


def with_spec(manifest, **fields):
    return {**manifest, "spec": {**manifest["spec"], **fields}}


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}


@pytest.fixture
def api(cluster):
    """The API server; objects that a test leaves are deleted."""
    yield cluster.api
    for manifest in (VM, TYPE, CLAIM):
        if cluster.api.stored(manifest):
            cluster.api.delete(manifest)


def test_a_vm_is_stored_as_kubevirts_webhook_changes_it(api):
    spec = api.create(VM)["spec"]["template"]["spec"]
    assert spec["domain"]["memory"] == {"guest": "1536Mi"}
    assert spec["domain"]["firmware"].keys() == {"uuid", "serial"}


def test_a_vm_that_kubevirts_webhook_refuses_is_not_stored(api):
    with pytest.raises(ApiError, match="denied the request") as refusal:
        api.create(with_spec(VM, runStrategy="Sometimes"))
    assert [cause["field"] for cause in refusal.value.causes] == ["spec.runStrategy"]
    assert api.stored(VM) is None


def test_an_update_is_judged_with_the_vm_that_it_changes(api):
    api.create(TYPE)
    api.create(
        with_spec(
            VM, instancetype={"name": "small", "revisionName": "r"}, template={"spec": {"domain": {"devices": {}}}}
        )
    )
    with pytest.raises(ApiError, match=r"spec\.instancetype\.revisionName"):
        api.merge(VM, {"spec": {"instancetype": {"name": "large"}}})


def test_a_vm_finds_its_instance_type_in_the_cluster(api):
    api.create(TYPE)
    vm = with_spec(VM, instancetype={"name": "small"})
    with pytest.raises(ApiError, match="denied the request") as refusal:
        api.create(vm)
    assert [cause["field"] for cause in refusal.value.causes] == ["spec.template.spec.domain.memory.guest"]


def test_a_type_that_kubevirts_webhook_refuses_is_not_stored(api):
    with pytest.raises(ApiError, match="denied the request"):
        api.create(with_spec(TYPE, memory={"guest": "1Gi", "overcommitPercent": 50, "hugepages": {"pageSize": "2Mi"}}))


def test_an_unknown_field_is_refused_by_who_is_strict_and_pruned_for_others(api):
    vm = with_spec(VM, unknown=1)
    with pytest.raises(ApiError, match=r'unknown field "spec\.unknown"'):
        api.create(vm)
    assert "unknown" not in api.create(vm, validation="Ignore")["spec"]


def test_a_value_that_does_not_fit_the_schema_is_refused_before_the_webhooks(api):
    with pytest.raises(ApiError, match=r"is invalid: spec\.cpu\.guest") as refusal:
        api.create(with_spec(TYPE, cpu={"guest": "one"}))
    assert refusal.value.code == 422


def test_a_dry_run_answers_as_if_and_stores_nothing(api):
    assert "firmware" in api.apply(VM, dry_run=True)["spec"]["template"]["spec"]["domain"]
    assert api.stored(VM) is None


def test_who_applies_owns_the_fields(api):
    api.apply(TYPE, manager="one")
    other = with_spec(TYPE, cpu={"guest": 2})
    with pytest.raises(ApiError, match='conflict with "one"') as conflict:
        api.apply(other, manager="two", force=False)
    assert conflict.value.code == 409
    stored = api.apply(other, manager="two")
    owners = {entry["manager"]: entry["fieldsV1"]["f:spec"] for entry in stored["metadata"]["managedFields"]}
    assert "f:guest" in owners["two"]["f:cpu"]
    assert "f:cpu" not in owners["one"]


def test_what_is_applied_twice_does_not_change(api):
    first = api.apply(VM)["metadata"]
    second = api.apply(deepcopy(VM))["metadata"]
    assert (second["resourceVersion"], second["generation"]) == (first["resourceVersion"], 1)


def test_core_kinds_are_served_as_kubernetes_stores_them(api):
    assert api.create(CLAIM)["spec"]["resources"]["requests"]["storage"] == "1536Mi"
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "create", "group": "kubevirt.io", "resource": "virtualmachines"}},
    }
    assert api.ask("POST", api.path("authorization.k8s.io/v1", "SelfSubjectAccessReview"), review)["status"]["allowed"]


def test_lists_come_in_pages(api):
    names = {f"page-{index}" for index in range(5)}
    for name in names:
        api.create(config_map(name))
    page = api.ask("GET", api.path("v1", "ConfigMap", "default"), limit="2")
    assert len(page["items"]) == 2
    assert page["metadata"]["continue"]
    assert names <= {item["metadata"]["name"] for item in api.items("v1", "ConfigMap", "default")}
    for name in names:
        api.delete(config_map(name))


def test_without_webhooks_a_vm_is_stored_as_the_api_server_alone_stores_it_of_any_release(api_server):
    with running_cluster(webhooks=False, release="v1.8.4") as cluster:
        assert cluster.api.create(VM)["spec"] == VM["spec"]
        observed = next(cluster.api.items("kubevirt.io/v1", "KubeVirt"))["status"]["observedKubeVirtVersion"]
        assert observed == "v1.8.4"
        with pytest.raises(KeyError):
            cluster.api.path("template.kubevirt.io/v1beta1", "VirtualMachineTemplate")


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.usefixtures("cluster")
def test_a_cluster_ends_with_the_process_that_runs_it_and_leaves_nothing(kill):
    command = [sys.executable, "-m", "cluster", "--no-webhooks"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        folder = Path(running.stdout.readline().rpartition("=")[2].strip()).parent
        assert folder.is_dir()
        running.send_signal(kill)
        try:
            running.wait(timeout=60)
        finally:
            running.kill()
    late = time.monotonic() + 30
    while folder.exists() and time.monotonic() < late:
        time.sleep(0.1)
    assert not folder.exists()
