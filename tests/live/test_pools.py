"""Pools: the pool in Git beside the one of the cluster, and its VMs beside what Git's pool makes of them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

import fleet
from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachinePool
from virtcatalog.cli import main
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import vm_of_pool
from virtcatalog.kubevirt.rollout.rollout import start
from virtcatalog.kubevirt.rollout.running import Running
from virtcatalog.live.pools import of_pool as vm_of_this
from virtcatalog.live.pools import pool_drift, pool_of, wanted_vm
from virtcatalog.live.verdict import Drift, Reason
from virtcatalog.releases import DEFAULT

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

Data = dict[str, Any]
POOL: Data = {
    "apiVersion": "pool.kubevirt.io/v1beta1",
    "kind": "VirtualMachinePool",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "virtualMachineTemplate": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "runStrategy": "Always",
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {
                        "terminationGracePeriodSeconds": 30,
                        "domain": {
                            "memory": {"guest": "1Gi"},
                            "devices": {"disks": [{"name": "root", "disk": {}}]},
                        },
                        "volumes": [{"name": "root", "containerDisk": {"image": "registry.example.org/os:1"}}],
                    },
                },
            },
        },
    },
}


def machine(pool: Data) -> Data:
    spec: Data = pool["spec"]["virtualMachineTemplate"]["spec"]["template"]["spec"]
    return spec


def stored(pool: Data, revision: str = "web-1") -> list[Data]:
    """The pool as its cluster has it, and its two VMs, which run."""
    in_cluster = copy.deepcopy(pool)
    in_cluster["metadata"]["managedFields"] = [
        fleet.managed(fleet.GITOPS, "Apply", fleet.fields_of({"spec": pool["spec"]}))
    ]
    objects = [fleet.KUBEVIRT, in_cluster]
    for number in range(2):
        vm = to_manifest(vm_of_pool(decode_manifest(pool, VirtualMachinePool), DEFAULT, number))
        for labels in (vm["metadata"]["labels"], vm["spec"]["template"]["metadata"]["labels"]):
            labels["kubevirt.io/vm-pool-revision-name"] = revision
        running = start(vm, Cluster([fleet.KUBEVIRT]))
        assert isinstance(running, Running)
        assert running.vmi is not None
        stored_vm, vmi = to_manifest(running.vm), to_manifest(running.vmi)
        fields = fleet.fields_of({"spec": stored_vm["spec"], "metadata": {"labels": stored_vm["metadata"]["labels"]}})
        stored_vm["metadata"]["managedFields"] = [fleet.managed("virt-controller", "Update", fields)]
        stored_vm["status"] = {"created": True, "ready": True}
        vmi["status"] = {"phase": "Running"}
        objects += [stored_vm, vmi]
    return objects


@pytest.fixture
def judged(tmp_path: Path):
    def judge(in_git: Data | None, objects: list[Data], *arguments: str) -> Any:
        (tmp_path / "git").mkdir(exist_ok=True)
        written = [fleet.TYPES[0], *([in_git] if in_git else [])]
        (tmp_path / "git" / "pool.yaml").write_text("\n---\n".join(json.dumps(obj, indent=1) for obj in written))
        (tmp_path / "lab.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        words = ["drift", "-f", f"{tmp_path}/git", "--live", f"{tmp_path}/lab.json", "-o", "json", *arguments]
        result = CliRunner().invoke(main, words, prog_name="virtcatalog")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return {(vm["kind"], vm["vm"]): vm for vm in fleet.heard(json.loads(result.stdout)["vms"])}

    return judge


def of_pool(vms_by_name: Any) -> Any:
    return vms_by_name["VirtualMachinePool", "shop/web"]


def of_vms(vms_by_name: Any) -> list[Any]:
    return [vms_by_name["VirtualMachine", f"shop/web-{number}"] for number in range(2)]


def test_a_pool_and_its_vms_are_in_sync(judged):
    vms_by_name = judged(POOL, stored(POOL))
    assert [(vm["verdict"], vm["reasons"]) for vm in vms_by_name.values()] == [("in-sync", [])] * 3
    assert [vm["stages"]["git"] for vm in of_vms(vms_by_name)] == ["there", "there"]


def test_a_pool_that_was_not_synced_waits_with_its_vms(judged):
    wanted = copy.deepcopy(POOL)
    machine(wanted)["terminationGracePeriodSeconds"] = 60
    vms_by_name = judged(wanted, stored(POOL))
    (reason,) = of_pool(vms_by_name)["reasons"]
    field = "spec.template.spec.terminationGracePeriodSeconds"
    assert (reason["kind"], reason["wins"]) == ("behind", "git")
    assert [change["field"] for change in reason["fields"]] == [f"spec.virtualMachineTemplate.{field}"]
    for vm in of_vms(vms_by_name):
        (reason,) = vm["reasons"]
        assert (reason["kind"], reason["wins"]) == ("behind", "controller")
        ((name, now, to, line),) = (
            (field["field"], field["now"], field["wanted"], field["place"]) for field in reason["fields"]
        )
        assert (name, now, to) == (field, 30, 60)
        assert (
            "terminationGracePeriodSeconds"
            in Path(line.split(":")[0]).read_text().splitlines()[int(line.split(":")[1]) - 1]
        )


def test_a_pool_that_leaves_its_vms_alone_brings_nothing(judged):
    wanted = copy.deepcopy(POOL)
    wanted["spec"]["updateStrategy"] = {"unmanaged": {}}
    machine(wanted)["terminationGracePeriodSeconds"] = 60
    stays = copy.deepcopy(wanted)
    machine(stays)["terminationGracePeriodSeconds"] = 30
    vms = stored(stays)
    vms[1] = {**copy.deepcopy(wanted), "metadata": vms[1]["metadata"]}
    vms_by_name = judged(wanted, vms)
    assert of_pool(vms_by_name)["verdict"] == "in-sync"
    assert [reason["wins"] for vm in of_vms(vms_by_name) for reason in vm["reasons"]] == ["hand", "hand"]


def test_what_was_changed_in_a_vm_by_hand_stays(judged):
    objects = stored(POOL)
    vm = objects[2]
    vm["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5
    field = fleet.fields_of({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}})
    vm["metadata"]["managedFields"].append(fleet.managed("kubectl-edit", "Update", field, fleet.LATER))
    first, second = of_vms(judged(POOL, objects))
    assert second["reasons"] == []
    (edited,) = (reason for reason in first["reasons"] if reason["kind"] == "edited")
    assert edited["wins"] == "hand"
    assert edited["fields"][0]["writer"]["manager"] == "kubectl-edit"


def test_a_pool_was_changed_by_hand(judged):
    objects = stored(POOL)
    objects[1]["spec"]["replicas"] = 3
    scaled = fleet.managed("kubectl-scale", "Update", {"f:spec": {"f:replicas": {}}}, fleet.LATER)
    objects[1]["metadata"]["managedFields"].append(scaled)
    (reason,) = of_pool(judged(POOL, objects))["reasons"]
    assert (reason["kind"], reason["wins"], reason["since"]) == ("edited", "git", fleet.LATER)
    assert [(field["field"], field["now"], field["wanted"]) for field in reason["fields"]] == [("spec.replicas", 3, 2)]


def test_an_amount_that_git_writes_otherwise_is_no_drift(judged):
    wanted = copy.deepcopy(POOL)
    machine(wanted)["domain"]["memory"]["guest"] = "1024Mi"
    assert {vm["verdict"] for vm in judged(wanted, stored(POOL)).values()} == {"in-sync"}


def test_a_pool_of_one_side(judged):
    assert (
        of_pool(
            judged(POOL, [fleet.KUBEVIRT, stored({**POOL, "metadata": {"name": "other", "namespace": "shop"}})[1]])
        )["verdict"]
        == "only-in-git"
    )
    gone = judged(None, stored(POOL))
    assert of_pool(gone)["verdict"] == "deleted-in-git"
    assert [vm["verdict"] for vm in of_vms(gone)] == ["in-sync", "in-sync"]  # nothing but its pool makes them


def test_a_pool_that_git_has_several_times_is_not_known(judged, tmp_path):
    (tmp_path / "git").mkdir()
    (tmp_path / "git/again.yaml").write_text(json.dumps(POOL))
    pool = of_pool(judged(POOL, stored(POOL)))
    (reason,) = pool["reasons"]
    where = "it is in several environments (again.yaml, pool.yaml), and nobody says which of them this cluster is"
    assert (pool["verdict"], reason["kind"], reason["message"]) == ("unread", "unread", f"{where}: use -e")


def test_pools_that_were_not_read_are_not_known(judged):
    pool = of_pool(judged(POOL, [obj for obj in stored(POOL) if obj["kind"] != "VirtualMachinePool"]))
    assert pool["verdict"] == "unread"
    assert "the dump has no VirtualMachinePool" in pool["reasons"][0]["message"]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({"replicas": 1, "labelSelector": "app=web"}, "it has 1 of 2 VMs"),
        ({"labelSelector": "app=web"}, "it has 0 of 2 VMs"),
        ({"replicas": 2, "labelSelector": "app=web"}, None),
    ],
)
def test_a_pool_that_has_not_all_of_its_vms_is_no_sync(judged, status, message):
    objects = stored(POOL)
    objects[1]["status"] = status
    assert [reason["message"] for reason in of_pool(judged(POOL, objects))["reasons"]] == [message] * bool(message)


def test_who_scaled_a_pool_by_its_subresource_is_told(judged):
    objects = stored(POOL)
    objects[1]["spec"]["replicas"] = 3
    scaled = fleet.managed("kubectl", "Update", {"f:spec": {"f:replicas": {}}}, fleet.LATER) | {"subresource": "scale"}
    objects[1]["metadata"]["managedFields"].append(scaled)
    (reason,) = of_pool(judged(POOL, objects))["reasons"]
    assert (reason["kind"], reason["fields"][0]["writer"]["manager"]) == ("edited", "kubectl")


def synced_pool(**spec: Any) -> Data:
    pool = copy.deepcopy(stored(POOL)[1])
    pool["spec"] |= spec
    pool["metadata"]["creationTimestamp"] = fleet.TIME
    return pool


def wanted_pool(**spec: Any) -> Data:
    return {**copy.deepcopy(POOL), "spec": {**copy.deepcopy(POOL["spec"]), **spec}}


LABELLED = {**POOL, "metadata": {**POOL["metadata"], "labels": {"a": "b"}, "annotations": {"c": "d"}}}


@pytest.mark.parametrize(
    ("git", "live", "unread"),
    [
        (POOL, None, ""),
        (POOL, None, "no right to list them"),
        (None, synced_pool(), ""),
        (None, {"metadata": {"name": "web"}}, ""),
        (POOL, synced_pool(), ""),
        (LABELLED, synced_pool(), ""),
        (wanted_pool(replicas=3), synced_pool(), ""),
        (wanted_pool(replicas=3), synced_pool() | {"status": {"replicas": 0, "labelSelector": "a"}}, ""),
        (POOL, synced_pool() | {"status": {"labelSelector": "a"}}, ""),
        (wanted_pool(paused=True), synced_pool(paused=True) | {"status": {"replicas": 1}}, ""),
        (POOL, {**synced_pool(maxUnavailable=1), "status": {"replicas": 2}}, ""),
        (wanted_pool(fromTheFuture=1), synced_pool(), ""),
    ],
)
def test_all_that_is_so_of_a_pool(git: Data | None, live: Data | None, unread: str, snapshot: SnapshotAssertion):
    assert msgspec.to_builtins(pool_drift("shop/web", git, live, unread)) == snapshot


@pytest.mark.parametrize(
    ("name", "revision"), [("web-0", "web-1"), ("web-12", None), ("web-x", None), ("db-0", None), ("web", None)]
)
def test_what_a_pool_has_for_a_vm_of_its_name(name: str, revision: str | None):
    labels = {"kubevirt.io/vm-pool-revision-name": revision} if revision else {}
    template = {"metadata": {"labels": labels}}
    wanted = wanted_vm(POOL, {"metadata": {"name": name, "labels": labels}, "spec": {"template": template}}, DEFAULT)
    if name not in ("web-0", "web-12"):
        assert wanted is None
        return
    assert wanted is not None
    assert wanted["metadata"]["name"] == name
    revisions = [
        part["metadata"]["labels"].get("kubevirt.io/vm-pool-revision-name")
        for part in (wanted, wanted["spec"]["template"])
    ]
    assert revisions == [revision, revision]


@pytest.mark.parametrize("vm", [{"metadata": {"name": "web-0"}}, {"metadata": {"name": "web-0", "labels": "x"}}])
def test_a_vm_of_which_nothing_is_known_has_no_revision_of_its_pool(vm: Data):
    wanted = wanted_vm(POOL, vm, DEFAULT)
    assert wanted is not None
    assert "kubevirt.io/vm-pool-revision-name" not in json.dumps(wanted)


def test_a_pool_that_cannot_be_read_has_nothing_for_its_vms():
    assert wanted_vm(wanted_pool(fromTheFuture=1), {"metadata": {"name": "web-0"}}, DEFAULT) is None


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        ({"kind": "VirtualMachinePool", "name": "web", "controller": True}, "web"),
        ({"kind": "VirtualMachinePool", "name": "web"}, ""),
        ({"kind": "Job", "name": "web", "controller": True}, ""),
        (None, ""),
    ],
)
def test_the_pool_of_a_vm_is_what_controls_it(owner: Data | None, name: str):
    assert pool_of({"metadata": {"ownerReferences": [owner] if owner else []}}) == name


@pytest.mark.parametrize(
    ("spec", "behind"),
    [
        ({}, "controller"),
        ({"paused": True}, "hand"),
        ({"updateStrategy": {"unmanaged": {}}}, "hand"),
        ({"updateStrategy": {"opportunistic": {}}}, "controller"),
        (None, "controller"),
    ],
)
def test_who_wins_over_what_a_pools_vm_has(spec: Data | None, behind: str):
    reasons = [("behind", "git"), ("edited", "git"), ("behind", ""), ("restart", "")]
    drift = Drift(vm="shop/web-0", reasons=tuple(Reason(kind=kind, wins=wins) for kind, wins in reasons))
    assert [reason.wins for reason in vm_of_this(drift, {"spec": spec}).reasons] == [behind, "hand", "", ""]
