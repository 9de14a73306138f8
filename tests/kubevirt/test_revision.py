"""A VM pinned to revisions of its instance type and preference."""

import pytest
from reading import read_vm

from virtcatalog.api.decode import to_manifest
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.kubevirt.instancetype.pin import Holder, pin

VERSION = "instancetype.kubevirt.io/v1beta1"


def instancetype(guest=2, **metadata):
    return {
        "apiVersion": VERSION,
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "t", **metadata},
        "spec": {"cpu": {"guest": guest}, "memory": {"guest": "2Gi"}},
    }


PREFERENCE = {
    "apiVersion": VERSION,
    "kind": "VirtualMachinePreference",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"preferredSubdomain": "lab"},
}
VM = f"{{instancetype: {{name: t}}, preference: {{name: p, kind: {PREFERENCE['kind']}}}}}"


def test_revisions_are_named_and_labelled_as_kubevirt_does():
    cluster = Cluster([instancetype(uid="1-2", generation=3, labels={"a": "b"}, annotations={"c": "d"})])
    assert pin(read_vm("instancetype: {name: t}"), cluster).revisions == (
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {
                "name": "vm-t-v1beta1-1-2-3",
                "namespace": "default",
                "labels": {
                    "instancetype.kubevirt.io/object-generation": "3",
                    "instancetype.kubevirt.io/object-kind": "VirtualMachineClusterInstancetype",
                    "instancetype.kubevirt.io/object-name": "t",
                    "instancetype.kubevirt.io/object-uid": "1-2",
                    "instancetype.kubevirt.io/object-version": "v1beta1",
                },
            },
            "data": {
                "apiVersion": VERSION,
                "kind": "VirtualMachineClusterInstancetype",
                "metadata": {"name": "t", "uid": "1-2", "generation": 3},
                "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}},
            },
            "revision": 0,
        },
    )


def test_a_pinned_vm_keeps_what_it_is_pinned_to():
    vm = read_vm(VM)
    pinned = pin(vm, Cluster([instancetype(), PREFERENCE]))
    vm.spec.instancetype.revision_name, vm.spec.preference.revision_name = pinned.instancetype, pinned.preference
    changed = Cluster([instancetype(guest=8), *pinned.revisions])
    assert find_instancetype(vm, changed).cpu.guest == 2
    assert find_preference(vm, changed).preferred_subdomain == "lab"


def test_names_are_the_same_every_time_and_others_for_other_content():
    vm = read_vm(VM)
    first, again = (pin(vm, Cluster([instancetype(), PREFERENCE])) for _ in range(2))
    other = pin(vm, Cluster([instancetype(guest=8), PREFERENCE]))
    assert first == again
    assert first.instancetype != other.instancetype
    assert first.preference == other.preference
    assert [revision["metadata"]["name"] for revision in first.revisions] == [first.instancetype, first.preference]


def test_only_a_vm_with_a_uid_owns_its_revisions():
    vm = read_vm(VM)
    cluster = Cluster([instancetype(), PREFERENCE])
    assert not any("ownerReferences" in revision["metadata"] for revision in pin(vm, cluster).revisions)
    vm.metadata.uid = "7"
    for revision in pin(vm, cluster).revisions:
        assert revision["metadata"]["ownerReferences"] == [
            {
                "apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine",
                "name": "vm",
                "uid": "7",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]


def test_what_is_pinned_already_stays_so():
    vm = read_vm("{instancetype: {name: t, revisionName: r}, preference: {name: p, revisionName: s}}")
    pinned = pin(vm, Cluster([]))
    assert (pinned.instancetype, pinned.preference, pinned.revisions) == ("r", "s", ())


def test_nothing_to_pin():
    pinned = pin(read_vm(), Cluster([]))
    assert (pinned.instancetype, pinned.preference, pinned.revisions) == ("", "", ())


@pytest.mark.parametrize("vm", ["instancetype: {name: t}", "preference: {name: p, kind: Bogus}"])
def test_what_does_not_exist_cannot_be_pinned(vm):
    with pytest.raises(NotFoundError):
        pin(read_vm(vm), Cluster([]))


def test_pinning_changes_neither_vm_nor_cluster():
    vm, cluster = read_vm(VM), Cluster([instancetype(labels={"a": "b"}), PREFERENCE])
    before = to_manifest(vm)
    pin(vm, cluster).revisions[0]["data"]["spec"]["cpu"]["guest"] = 99
    assert to_manifest(vm) == before
    stored = cluster.instancetype("VirtualMachineClusterInstancetype", "", "t")
    assert (stored.spec.cpu.guest, stored.metadata.labels) == (2, {"a": "b"})


def test_an_object_without_a_uid_gets_one_of_its_content():
    """As long as these names are the same, no VM in Git is pinned anew."""
    pinned = pin(read_vm(VM), Cluster([instancetype(), PREFERENCE]))
    of_type, of_preference = "01afcb29-bbf1-5731-a19f-50fe21497db0", "e89eef2c-ba46-59b8-92d1-b3400b09df30"
    assert (pinned.instancetype, pinned.preference) == (f"vm-t-v1beta1-{of_type}-1", f"vm-p-v1beta1-{of_preference}-1")
    assert [revision["data"]["metadata"] for revision in pinned.revisions] == [
        {"name": "t", "uid": of_type, "generation": 1},
        {"name": "p", "uid": of_preference, "generation": 1, "namespace": "default"},
    ]


def test_revisions_may_belong_to_what_makes_the_vm_and_others_of_its_template():
    vm = read_vm("instancetype: {name: t}")
    vm.metadata.namespace, vm.metadata.uid = "team", "7"
    cluster = Cluster([instancetype(uid="1-2", generation=3)])
    revision = pin(vm, cluster, Holder("pool.kubevirt.io/v1beta1", "VirtualMachinePool", "p", "9")).revisions[0]
    assert (revision["metadata"]["name"], revision["metadata"]["namespace"]) == ("p-t-v1beta1-1-2-3", "team")
    assert revision["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "pool.kubevirt.io/v1beta1",
            "kind": "VirtualMachinePool",
            "name": "p",
            "uid": "9",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    nobodys = pin(vm, cluster, Holder("pool.kubevirt.io/v1beta1", "VirtualMachinePool", "p")).revisions[0]
    assert "ownerReferences" not in nobodys["metadata"], "a pool that was never applied owns nothing"


def test_one_matcher_may_be_pinned_and_the_other_not():
    vm = read_vm("{instancetype: {name: t, revisionName: r}, preference: {name: p, kind: VirtualMachinePreference}}")
    pinned = pin(vm, Cluster([PREFERENCE]))
    assert pinned.instancetype == "r"
    assert [revision["metadata"]["name"] for revision in pinned.revisions] == [pinned.preference]
