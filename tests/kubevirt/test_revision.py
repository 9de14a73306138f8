"""A VM pinned to revisions of its instance type and preference."""

import pytest
from reading import read_vm

from virtcatalog.api.decode import to_manifest
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.kubevirt.instancetype.pin import pin

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
    found = cluster.instancetype("VirtualMachineClusterInstancetype", "", "t")
    assert (found.spec.cpu.guest, found.metadata.labels) == (2, {"a": "b"})
