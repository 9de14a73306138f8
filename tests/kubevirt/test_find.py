"""Which instance type and preference a VM means."""

import pytest
from reading import read, read_vm

from virtcatalog.api.decode import convert
from virtcatalog.api.status import VirtualMachineStatus
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.find import (
    NotFoundError,
    find_instancetype,
    find_preference,
    missing_matchers,
    replaced_revisions,
)

DEPLOYED = (
    "; common-instancetypes@v1.7.0, which KubeVirt's operator deploys, has it: name that with -c, or give its objects"
)
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
        revision("nameless", {**obj(TYPE, 9), "kind": ""}),
        revision("no-spec", {**obj(TYPE, 9), "spec": None}),
        revision("no-spec-preference", {**obj(PREFERENCE, 9), "spec": None}),
        revision("broken", {**obj(TYPE, 9), "spec": {"cpu": {"guest": "many"}}}),
    ]
)


def mark(vm):
    instancetype, preference = find_instancetype(vm, CLUSTER), find_preference(vm, CLUSTER)
    cpus = instancetype.cpu.guest if instancetype else None
    return cpus, preference.preferred_termination_grace_period_seconds if preference else None


@pytest.mark.parametrize(
    ("kind", "cpus"),
    [
        ("", 1),
        (CLUSTER_TYPE, 1),
        (TYPE, 2),
        ("virtualmachineinstancetype", 2),
        ("virtualmachineinstancetypes", 2),
        ("virtualMachineClusterInstancetypes", 1),
    ],
)
def test_kinds_of_instance_types(kind, cpus):
    assert mark(read_vm(f"instancetype: {{name: x, kind: '{kind}'}}")) == (cpus, None)


@pytest.mark.parametrize(
    ("kind", "grace_period"),
    [
        ("", 1),
        (CLUSTER_PREFERENCE, 1),
        (PREFERENCE, 2),
        ("virtualmachinepreferences", 2),
        ("VIRTUALMACHINECLUSTERPREFERENCE", 1),
    ],
)
def test_kinds_of_preferences(kind, grace_period):
    assert mark(read_vm(f"preference: {{name: x, kind: '{kind}'}}")) == (None, grace_period)


def test_a_namespaced_one_is_of_the_vms_namespace():
    vm = read_vm(f"instancetype: {{name: x, kind: {TYPE}}}")
    vm.metadata.namespace = "elsewhere"
    assert mark(vm) == (3, None)


def test_a_vm_need_not_name_any():
    assert mark(read_vm()) == (None, None)


@pytest.mark.parametrize(
    ("vm", "expected"),
    [
        ("instancetype: {name: x, revisionName: type}", (7, None)),
        (f"instancetype: {{name: gone, kind: {TYPE}, revisionName: cluster-type}}", (8, None)),
        ("preference: {name: x, revisionName: preference}", (None, 7)),
        ("preference: {name: x, revisionName: cluster-preference}", (None, 8)),
        ("instancetype: {name: x, revisionName: other}", (9, None)),
        ("preference: {name: x, revisionName: no-spec-preference}", (None, None)),
    ],
)
def test_a_revision_counts_more_than_the_name(vm, expected):
    assert mark(read_vm(vm)) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("{instancetypeRef: {controllerRevisionRef: {name: type}}}", (7, 1)),
        ("{preferenceRef: {controllerRevisionRef: {name: preference}}}", (1, 7)),
        ("{instancetypeRef: {controllerRevisionRef: {name: other}}}", (1, 1)),
        ("{instancetypeRef: {name: x}, preferenceRef: {controllerRevisionRef: {}}}", (1, 1)),
    ],
)
def test_the_status_may_name_the_revision_of_the_same_object(status, expected):
    vm = read_vm("{instancetype: {name: x}, preference: {name: x}}")
    vm.status = convert(read(status), VirtualMachineStatus)
    assert mark(vm) == expected


def test_a_revision_name_counts_more_than_the_status():
    vm = read_vm("instancetype: {name: x, revisionName: cluster-type}")
    vm.status = convert({"instancetypeRef": {"controllerRevisionRef": {"name": "type"}}}, VirtualMachineStatus)
    assert mark(vm) == (8, None)


OBJECT_VERSION = "instancetype.kubevirt.io/object-version"
REVISION = "spec.instancetype.revisionName"
STORED = (
    "KubeVirt reads instancetype.kubevirt.io/v1beta1 only since v1.7 (older releases rewrite older ones when the VM "
    "is reconciled); convert it with `virtcatalog convert`"
)


def cause_of(vm, cluster=CLUSTER):
    find = find_preference if vm.spec.instancetype is None else find_instancetype
    with pytest.raises(NotFoundError) as error:
        find(vm, cluster)
    assert str(error.value) == f"{error.value.cause.field}: {error.value.cause.message}"
    return error.value.cause


@pytest.mark.parametrize(
    ("vm", "kind", "field", "message"),
    [
        ("instancetype: {name: no}", "NotFound", "spec.instancetype.name", f"there is no {CLUSTER_TYPE} 'no'"),
        (f"instancetype: {{name: no, kind: {TYPE}}}", "NotFound", "spec.instancetype.name", f"there is no {TYPE} 'no'"),
        ("instancetype: {name: x, kind: Bogus}", "NotSupported", "spec.instancetype.kind",
         "'Bogus' is no kind of instancetype"),
        ("preference: {name: no}", "NotFound", "spec.preference.name", f"there is no {CLUSTER_PREFERENCE} 'no'"),
        ("preference: {name: x, kind: Bogus}", "NotSupported", "spec.preference.kind",
         "'Bogus' is no kind of preference"),
        ("instancetype: {name: x, revisionName: no}", "NotFound", REVISION,
         "there is no ControllerRevision default/no"),
        ("preference: {name: x, revisionName: no}", "NotFound", "spec.preference.revisionName",
         "there is no ControllerRevision default/no"),
        ("preference: {name: x, revisionName: type}", "Invalid", "spec.preference.revisionName",
         f"ControllerRevision type holds a {TYPE}, not a {PREFERENCE}"),
        ("instancetype: {name: x, revisionName: preference}", "Invalid", REVISION,
         f"ControllerRevision preference holds a {PREFERENCE}, not a {TYPE}"),
        ("instancetype: {name: x, revisionName: nameless}", "Invalid", REVISION,
         f"ControllerRevision nameless holds a nameless kind, not a {TYPE}"),
        ("instancetype: {name: x, revisionName: alpha}", "Invalid", REVISION,
         f"ControllerRevision alpha holds instancetype.kubevirt.io/v1alpha2; {STORED}"),
        ("instancetype: {name: x, revisionName: spec-only}", "Invalid", REVISION,
         f"ControllerRevision spec-only holds an object without apiVersion; {STORED}"),
        ("instancetype: {name: x, revisionName: empty}", "Invalid", REVISION,
         "ControllerRevision empty holds no object"),
        ("instancetype: {name: x, revisionName: broken}", "Invalid", REVISION,
         f"ControllerRevision broken does not hold a valid {TYPE}: Expected `int`, got `str` - at `$.cpu.guest`"),
        ("instancetype: {name: x, revisionName: no-spec}", "Invalid", REVISION,
         f"ControllerRevision no-spec does not hold a valid {TYPE}: Object missing required field `cpu`"),
    ],
)  # fmt: skip
def test_what_is_not_there(vm, kind, field, message):
    assert cause_of(read_vm(vm)) == Cause(f"FieldValue{kind}", field, message)


def test_a_revision_of_the_status_that_is_gone():
    vm = read_vm("preference: {name: x}")
    vm.status = convert({"preferenceRef": {"controllerRevisionRef": {"name": "no"}}}, VirtualMachineStatus)
    field = "status.preferenceRef.controllerRevisionRef.name"
    assert cause_of(vm) == Cause("FieldValueNotFound", field, "there is no ControllerRevision default/no")


@pytest.mark.parametrize(
    ("vm", "hint"),
    [
        ("instancetype: {name: mine}", f"; there is a {TYPE} of that name, which spec.instancetype.kind has to say"),
        (f"instancetype: {{name: ours, kind: {TYPE}}}",
         f"; there is a {CLUSTER_TYPE} of that name, which spec.instancetype.kind has to say"),
        (f"preference: {{name: common, kind: {PREFERENCE}}}",
         f"; there is a {CLUSTER_PREFERENCE} of that name, which spec.preference.kind has to say"),
        ("preference: {name: special}",
         f"; there is a {PREFERENCE} of that name, which spec.preference.kind has to say"),
        ("instancetype: {name: our}", "; did you mean 'ours'?"),
        ("instancetype: {name: theirs}", ""),
        ("preference: {name: commons}", "; did you mean 'common'?"),
        ("instancetype: {name: zzzz}", ""),
        ("instancetype: {name: u1.medium}", DEPLOYED),
        ("preference: {name: fedora}", DEPLOYED),
        (f"instancetype: {{name: u1.medium, kind: {TYPE}}}", ""),
        ("instancetype: {name: d1.small}", DEPLOYED),
    ],
)  # fmt: skip
def test_what_may_have_been_meant(vm, hint):
    cluster = Cluster(
        [
            obj(CLUSTER_TYPE, 1, name="ours"),
            obj(TYPE, 2, namespace="default", name="mine"),
            obj(TYPE, 2, namespace="elsewhere", name="theirs"),
            obj(CLUSTER_PREFERENCE, 1, name="common"),
            obj(PREFERENCE, 2, namespace="default", name="special"),
        ]
    )
    message = cause_of(read_vm(vm), cluster).message
    assert message[message.index("'", message.index("'") + 1) + 1 :] == hint
    assert cause_of(read_vm(vm), cluster).message == message, "it is kept for other VMs"


def test_releases_that_deploy_no_dedicated_series_have_no_d1():
    cluster = Cluster(release="v1.7.4")
    assert cause_of(read_vm("instancetype: {name: d1.small}"), cluster).message == (
        "there is no VirtualMachineClusterInstancetype 'd1.small'"
    )
    assert "which KubeVirt's operator deploys" in cause_of(read_vm("instancetype: {name: u1.small}"), cluster).message


def test_what_a_vm_names_and_misses():
    vm = read_vm("{instancetype: {name: no}, preference: {name: neither}}")
    assert [cause.field for cause in missing_matchers(vm, CLUSTER)] == [
        "spec.instancetype.name",
        "spec.preference.name",
    ]
    assert missing_matchers(read_vm("{instancetype: {name: x}, preference: {name: x}}"), CLUSTER) == []


def test_revisions_that_kubevirt_replaces_before_the_vm_starts():
    stored = revision("new", obj(TYPE, 1))
    stored["metadata"]["labels"][OBJECT_VERSION] = "v1beta1"
    older = revision("older", obj(PREFERENCE, 1))
    older["metadata"]["labels"][OBJECT_VERSION] = "v1alpha1"
    cluster = Cluster([stored, older, revision("oldest", obj(TYPE, 1))])

    gone = f"has no label {OBJECT_VERSION}=v1beta1: KubeVirt replaces it, and then misses it"

    def replaced(vm):
        return [(cause.type, cause.field, cause.message) for cause in replaced_revisions(read_vm(vm), cluster)]

    assert replaced("{instancetype: {name: x, revisionName: new}, preference: {name: x, revisionName: no}}") == []
    assert replaced("{instancetype: {name: x}, preference: {name: x}}") == replaced("{}") == []
    assert replaced("{instancetype: {name: x, revisionName: oldest}, preference: {name: x, revisionName: older}}") == [
        (
            "FieldValueNotFound",
            f"spec.{path}.revisionName",
            f"ControllerRevision {name} {gone}",
        )
        for path, name in (("instancetype", "oldest"), ("preference", "older"))
    ]
