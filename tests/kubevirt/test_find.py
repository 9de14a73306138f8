"""Which instance type and preference a VM means."""

import pytest
from reading import read, read_vm

from virtcatalog.api.decode import convert
from virtcatalog.api.status import VirtualMachineStatus
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference

VERSION = "instancetype.kubevirt.io/v1beta1"


def obj(kind, mark, **metadata):
    size = {"cpu": {"guest": mark}, "memory": {"guest": "1Gi"}}
    spec = size if kind.endswith("type") else {"preferredTerminationGracePeriodSeconds": mark}
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": "x", **metadata}, "spec": spec}


def revision(name, data, object_name="x"):
    labels = {"instancetype.kubevirt.io/object-name": object_name}
    metadata = {"name": name, "namespace": "default", "labels": labels}
    return {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "data": data, "revision": 0}


CLUSTER_TYPE, TYPE = "VirtualMachineClusterInstancetype", "VirtualMachineInstancetype"
CLUSTER_PREFERENCE, PREFERENCE = "VirtualMachineClusterPreference", "VirtualMachinePreference"
CLUSTER = Cluster(
    [
        obj(CLUSTER_TYPE, 1),
        obj(TYPE, 2, namespace="default"),
        obj(TYPE, 3, namespace="elsewhere"),
        obj(CLUSTER_PREFERENCE, 1),
        obj(PREFERENCE, 2, namespace="default"),
        revision("type", obj(TYPE, 7)),
        revision("cluster-type", obj(CLUSTER_TYPE, 8)),
        revision("preference", obj(PREFERENCE, 7)),
        revision("cluster-preference", obj(CLUSTER_PREFERENCE, 8)),
        revision("other", obj(TYPE, 9), object_name="other"),
        revision("alpha", {**obj(TYPE, 9), "apiVersion": "instancetype.kubevirt.io/v1alpha2"}),
        revision("spec-only", {"apiVersion": "", "spec": "e30="}),
        revision("empty", None),
        revision("broken", {**obj(TYPE, 9), "spec": {"cpu": {"guest": "many"}}}),
    ]
)


def mark(vm):
    instancetype, preference = find_instancetype(vm, CLUSTER), find_preference(vm, CLUSTER)
    found = instancetype.cpu.guest if instancetype else None
    return found, preference.preferred_termination_grace_period_seconds if preference else None


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("", 1),
        (CLUSTER_TYPE, 1),
        (TYPE, 2),
        ("virtualmachineinstancetype", 2),
        ("virtualmachineinstancetypes", 2),
        ("virtualMachineClusterInstancetypes", 1),
    ],
)
def test_kinds_of_instance_types(kind, found):
    assert mark(read_vm(f"instancetype: {{name: x, kind: '{kind}'}}")) == (found, None)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("", 1),
        (CLUSTER_PREFERENCE, 1),
        (PREFERENCE, 2),
        ("virtualmachinepreferences", 2),
        ("VIRTUALMACHINECLUSTERPREFERENCE", 1),
    ],
)
def test_kinds_of_preferences(kind, found):
    assert mark(read_vm(f"preference: {{name: x, kind: '{kind}'}}")) == (None, found)


def test_a_namespaced_one_is_of_the_vms_namespace():
    vm = read_vm(f"instancetype: {{name: x, kind: {TYPE}}}")
    vm.metadata.namespace = "elsewhere"
    assert mark(vm) == (3, None)


def test_a_vm_need_not_name_any():
    assert mark(read_vm()) == (None, None)


@pytest.mark.parametrize(
    ("vm", "found"),
    [
        ("instancetype: {name: x, revisionName: type}", (7, None)),
        (f"instancetype: {{name: gone, kind: {TYPE}, revisionName: cluster-type}}", (8, None)),
        ("preference: {name: x, revisionName: preference}", (None, 7)),
        ("preference: {name: x, revisionName: cluster-preference}", (None, 8)),
        ("instancetype: {name: x, revisionName: other}", (9, None)),
    ],
)
def test_a_revision_counts_more_than_the_name(vm, found):
    assert mark(read_vm(vm)) == found


@pytest.mark.parametrize(
    ("status", "found"),
    [
        ("{instancetypeRef: {controllerRevisionRef: {name: type}}}", (7, 1)),
        ("{preferenceRef: {controllerRevisionRef: {name: preference}}}", (1, 7)),
        ("{instancetypeRef: {controllerRevisionRef: {name: other}}}", (1, 1)),
        ("{instancetypeRef: {name: x}, preferenceRef: {controllerRevisionRef: {}}}", (1, 1)),
    ],
)
def test_the_status_may_name_the_revision_of_the_same_object(status, found):
    vm = read_vm("{instancetype: {name: x}, preference: {name: x}}")
    vm.status = convert(read(status), VirtualMachineStatus)
    assert mark(vm) == found


def test_a_revision_name_counts_more_than_the_status():
    vm = read_vm("instancetype: {name: x, revisionName: cluster-type}")
    vm.status = convert({"instancetypeRef": {"controllerRevisionRef": {"name": "type"}}}, VirtualMachineStatus)
    assert mark(vm) == (8, None)


@pytest.mark.parametrize(
    ("vm", "cause", "says"),
    [
        ("instancetype: {name: no}", "FieldValueNotFound spec.instancetype.name", CLUSTER_TYPE),
        (f"instancetype: {{name: no, kind: {TYPE}}}", "FieldValueNotFound spec.instancetype.name", TYPE),
        ("instancetype: {name: x, kind: Bogus}", "FieldValueNotSupported spec.instancetype.kind", "Bogus"),
        ("preference: {name: no}", "FieldValueNotFound spec.preference.name", CLUSTER_PREFERENCE),
        ("preference: {name: x, kind: Bogus}", "FieldValueNotSupported spec.preference.kind", "Bogus"),
        (
            "instancetype: {name: x, revisionName: no}",
            "FieldValueNotFound spec.instancetype.revisionName",
            "default/no",
        ),
        (
            "preference: {name: x, revisionName: no}",
            "FieldValueNotFound spec.preference.revisionName",
            "default/no",
        ),
        (
            "preference: {name: x, revisionName: type}",
            "FieldValueInvalid spec.preference.revisionName",
            "not a VirtualMachinePreference",
        ),
        (
            "instancetype: {name: x, revisionName: alpha}",
            "FieldValueInvalid spec.instancetype.revisionName",
            "v1alpha2",
        ),
        (
            "instancetype: {name: x, revisionName: spec-only}",
            "FieldValueInvalid spec.instancetype.revisionName",
            "without apiVersion",
        ),
        (
            "instancetype: {name: x, revisionName: empty}",
            "FieldValueInvalid spec.instancetype.revisionName",
            "no object",
        ),
        (
            "instancetype: {name: x, revisionName: broken}",
            "FieldValueInvalid spec.instancetype.revisionName",
            "cpu.guest",
        ),
    ],
)
def test_what_is_not_there(vm, cause, says):
    with pytest.raises(NotFoundError) as error:
        mark(read_vm(vm))
    found = error.value.cause
    assert f"{found.type} {found.field}" == cause
    assert says in found.message


def test_a_revision_of_the_status_that_is_gone():
    vm = read_vm("preference: {name: x}")
    vm.status = convert({"preferenceRef": {"controllerRevisionRef": {"name": "no"}}}, VirtualMachineStatus)
    with pytest.raises(NotFoundError) as error:
        mark(vm)
    assert error.value.cause.field == "status.preferenceRef.controllerRevisionRef.name"
