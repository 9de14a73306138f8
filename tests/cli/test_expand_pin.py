"""`virtcatalog expand --pin`."""

from __future__ import annotations

import json

from expanding import TYPES, VM, Run, documents, vm

import otheryaml


def test_a_pinned_vm_names_the_revisions_that_follow_it(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=VM, types_yaml=TYPES)
    pinned, instancetype, preference = documents(result)
    assert pinned["spec"]["instancetype"] == {"name": "small", "revisionName": instancetype["metadata"]["name"]}
    assert pinned["spec"]["preference"] == {"name": "linux", "revisionName": preference["metadata"]["name"]}
    assert pinned["spec"]["template"] == otheryaml.load(VM)["spec"]["template"]
    assert {revision["kind"] for revision in (instancetype, preference)} == {"ControllerRevision"}
    assert instancetype["data"]["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}


def test_a_pinned_vm_becomes_the_same_without_its_instance_type(run: Run) -> None:
    before = run("-f", ".", vm_yaml=VM, types_yaml=TYPES).stdout
    pinned = run("-f", ".", "--pin").stdout
    assert run("-f", "-", stdin=pinned).stdout == before
    assert run("-f", "-", "--pin", stdin=pinned).stdout == pinned.partition("---")[0]


def test_pins_as_json_are_a_list(run: Run) -> None:
    result = run("-f", ".", "--pin", "-o", "json", vm_yaml=VM, types_yaml=TYPES)
    assert [item["kind"] for item in json.loads(result.stdout)["items"]] == [
        "VirtualMachine",
        *["ControllerRevision"] * 2,
    ]


def test_a_vm_that_is_refused_is_not_pinned(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=vm("a", "runStrategy: Never"))
    assert (result.exit_code, result.stdout) == (1, "")


def test_revisions_belong_to_a_vm_that_the_cluster_has(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=VM.replace("name: web", "name: web\n  uid: u-1", 1), types_yaml=TYPES)
    assert (result.exit_code, result.stderr) == (0, "")
    owner = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "web", "uid": "u-1"}
    for revision in documents(result)[1:]:
        assert revision["metadata"]["ownerReferences"] == [{**owner, "controller": True, "blockOwnerDeletion": True}]
    other = run("-f", ".", "--pin", vm_yaml=VM)
    assert all("ownerReferences" not in document["metadata"] for document in documents(other))
    assert other.stderr == "ControllerRevisions of what has no uid yet have no owner: they stay when it is deleted\n"


def test_the_vms_of_a_pool_share_its_revisions(run: Run) -> None:
    spec = otheryaml.load(VM)["spec"]
    pool = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "crowd", "namespace": "team", "uid": "u-2"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"a": "b"}},
            "virtualMachineTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
        },
    }
    before = run("-f", ".", pool_yaml=otheryaml.dump(pool), types_yaml=TYPES)
    assert before.exit_code == 0, before.stderr
    result = run("-f", ".", "--pin")
    pinned, *revisions = documents(result)
    assert pinned["spec"].keys() == pool["spec"].keys()
    template = pinned["spec"]["virtualMachineTemplate"]["spec"]
    assert template.pop("instancetype")["revisionName"] == revisions[0]["metadata"]["name"]
    assert template.pop("preference")["revisionName"] == revisions[1]["metadata"]["name"]
    assert template == {key: value for key, value in spec.items() if key not in ("instancetype", "preference")}
    for revision in revisions:
        metadata = revision["metadata"]
        assert metadata["name"].startswith("crowd-")
        assert metadata["namespace"] == "team"
        (owner,) = metadata["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["uid"]) == ("VirtualMachinePool", "crowd", "u-2")
    assert run("-f", "-", stdin=result.stdout).stdout == before.stdout


def test_what_names_no_types_stays_as_it_is(run: Run) -> None:
    vmi = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "web"},
        "spec": otheryaml.load(vm("web", domain="memory: {guest: 1Gi}"))["spec"]["template"]["spec"],
    }
    result = run("-f", ".", "--pin", vmi_yaml=otheryaml.dump(vmi))
    assert (result.exit_code, documents(result), result.stderr) == (0, [vmi], "")
