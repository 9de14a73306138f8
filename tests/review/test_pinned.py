"""Which stored revisions a VM is pinned to, and what it is without them."""

from __future__ import annotations

from typing import Any

from virtcatalog import Cluster
from virtcatalog.review.pinned import Pinned, assumed, pins, recreated, revisions


def machine(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": {"runStrategy": "Always", **spec},
    }
    return vm if status is None else {**vm, "status": status}


def reference(name: str, revision: str) -> dict[str, Any]:
    return {"name": name, "controllerRevisionRef": {"name": revision}}


def revision(name: str, of: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "labels": {"instancetype.kubevirt.io/object-name": of},
        },
        "data": {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype", "spec": spec},
        "revision": 0,
    }


def kubevirt(policy: str) -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {"instancetype": {"referencePolicy": policy}}},
    }


class TestRecreated:
    def test_has_neither_stored_revisions_nor_a_status(self):
        vm = machine(
            {"ready": True},
            instancetype={"name": "m", "revisionName": "r1"},
            preference={"name": "p", "revisionName": "r2"},
        )
        assert recreated(vm) == machine(instancetype={"name": "m"}, preference={"name": "p"})

    def test_keeps_all_else_in_its_order(self):
        vm = machine(instancetype={"name": "m"}, template={"revisionName": "its own"})
        assert recreated(vm) == vm
        assert [*recreated(vm)["spec"]] == [*vm["spec"]]

    def test_a_matcher_that_is_no_map_stays(self):
        assert recreated(machine(instancetype="revisionName")) == machine(instancetype="revisionName")

    def test_a_vm_without_a_spec_stays(self):
        assert recreated({"kind": "VirtualMachine", "spec": None}) == {"kind": "VirtualMachine", "spec": None}


class TestRevisions:
    def test_the_spec_names_one(self):
        vm = machine(instancetype={"name": "m", "revisionName": "r1"}, preference={"name": "p"})
        assert revisions(vm) == (("instancetype", "r1"),)

    def test_the_status_does_for_the_object_that_the_spec_names(self):
        status = {"instancetypeRef": reference("m", "r1"), "preferenceRef": reference("other", "r2")}
        vm = machine(status, instancetype={"name": "m"}, preference={"name": "p"})
        assert revisions(vm) == (("instancetype", "r1"),)

    def test_a_status_without_a_name_counts(self):
        vm = machine({"preferenceRef": {"controllerRevisionRef": {"name": "r2"}}}, preference={"name": "p"})
        assert revisions(vm) == (("preference", "r2"),)

    def test_that_of_the_spec_goes_before_that_of_the_status(self):
        vm = machine({"instancetypeRef": reference("m", "r2")}, instancetype={"name": "m", "revisionName": "r1"})
        assert revisions(vm) == (("instancetype", "r1"),)

    def test_a_vm_that_names_nothing_has_none(self):
        assert revisions(machine({"instancetypeRef": reference("m", "r1")})) == ()


class TestPins:
    SPEC = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}

    def test_are_the_revisions_that_the_cluster_holds(self):
        vm = machine(instancetype={"name": "m", "revisionName": "r1"}, preference={"name": "p", "revisionName": "r2"})
        pinned = pins(vm, Cluster([revision("r1", "m", self.SPEC)]))
        assert pinned == Pinned(
            frozenset({"instancetype", "preference"}), ('{"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}',)
        )
        assert pinned

    def test_a_revision_of_another_object_in_the_status_is_turned(self):
        vm = machine({"instancetypeRef": reference("m", "r1")}, instancetype={"name": "m"})
        assert pins(vm, Cluster([revision("r1", "other", self.SPEC)])).turned
        assert not pins(vm, Cluster([revision("r1", "m", self.SPEC)])).turned

    def test_one_that_the_spec_names_is_not_turned(self):
        vm = machine(instancetype={"name": "m", "revisionName": "r1"})
        assert not pins(vm, Cluster([revision("r1", "other", self.SPEC)])).turned

    def test_a_vm_without_revisions_has_no_pins(self):
        assert not pins(machine(instancetype={"name": "m"}), Cluster())


class TestAssumed:
    NAMED = (
        ("VirtualMachineClusterInstancetype", "", "m"),
        ("VirtualMachinePreference", "shop", "p"),
    )

    def test_kubevirt_has_stored_what_a_running_vm_names(self):
        assert assumed(self.NAMED, Cluster()) == Pinned(frozenset({"instancetype", "preference"}), assumed=True)
        assert assumed(self.NAMED[1:], Cluster()) == Pinned(frozenset({"preference"}), assumed=True)

    def test_a_vm_that_names_nothing_has_none(self):
        assert not assumed(None, Cluster())

    def test_under_another_policy_nothing_is_stored(self):
        assert assumed(self.NAMED, Cluster([kubevirt("expand")])) == Pinned()
