"""The instance type and the preference that a VM refers to, as far as its manifest says it."""

import pytest
from reading import read

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.references import (
    named_kinds,
    named_object,
    named_objects,
    references,
    refers_to_own_namespace,
)

TYPE, CLUSTER_TYPE = "VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"
PREFERENCE, CLUSTER_PREFERENCE = "VirtualMachinePreference", "VirtualMachineClusterPreference"


def vm(spec, namespace="team"):
    return {"kind": "VirtualMachine", "metadata": {"name": "v", "namespace": namespace}, "spec": read(spec)}


CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": "disk",
        "namespace": "team",
        "labels": {
            "instancetype.kubevirt.io/default-instancetype": "small",
            "instancetype.kubevirt.io/default-preference": "linux",
            "instancetype.kubevirt.io/default-preference-kind": PREFERENCE,
        },
    },
    "spec": {},
}
TEMPLATE = """
    template: {spec: {domain: {devices: {}}, volumes: [{name: root, persistentVolumeClaim: {claimName: disk}}]}}
"""


@pytest.mark.parametrize(
    ("spec", "identities"),
    [
        ("{}", []),
        ("{instancetype: null, preference: {}}", []),
        ("{instancetype: {name: a}}", [(CLUSTER_TYPE, "", "a")]),
        ("{preference: {name: a}}", [(CLUSTER_PREFERENCE, "", "a")]),
        (
            "{instancetype: {name: a, kind: virtualmachineinstancetypes}, preference: {name: 1}}",
            [(TYPE, "team", "a"), (CLUSTER_PREFERENCE, "", "1")],
        ),
        (f"{{instancetype: {{name: a}}, preference: {{name: b, kind: {PREFERENCE}}}}}",
         [(CLUSTER_TYPE, "", "a"), (PREFERENCE, "team", "b")]),
        ("{instancetype: {name: a}, preference: {name: b, kind: Bogus}}", None),
        ("{instancetype: a}", None),
        ("[]", None),
        (f"{{instancetype: {{inferFromVolume: root}}, {TEMPLATE}}}", [(CLUSTER_TYPE, "", "small")]),
        (
            f"{{instancetype: {{name: a}}, preference: {{inferFromVolume: root}}, {TEMPLATE}}}",
            [(CLUSTER_TYPE, "", "a"), (PREFERENCE, "team", "linux")],
        ),
        (f"{{instancetype: {{inferFromVolume: root}}, preference: {{name: b, kind: Bogus}}, {TEMPLATE}}}",
         [(CLUSTER_TYPE, "", "small")]),
        (f"{{preference: {{inferFromVolume: other}}, {TEMPLATE}}}", None),
        ("{preference: {inferFromVolume: root}}", None),
        ("{preference: {inferFromVolume: root}, template: 1}", None),
    ],
)  # fmt: skip
def test_what_a_vm_refers_to(spec, identities):
    assert references(vm(spec), Cluster([CLAIM])) == identities


def test_a_namespaced_one_is_of_the_vms_namespace_or_of_the_default():
    assert references(vm(f"{{instancetype: {{name: a, kind: {TYPE}}}}}", namespace=""), Cluster()) == [
        (TYPE, "default", "a")
    ]


def test_of_a_pool_the_template_counts():
    pool = {
        "kind": "VirtualMachinePool",
        "metadata": {"name": "p", "namespace": "team"},
        "spec": {"virtualMachineTemplate": {"spec": read(f"{{preference: {{inferFromVolume: root}}, {TEMPLATE}}}")}},
    }
    assert references(pool, Cluster([CLAIM])) == [(PREFERENCE, "team", "linux")]


@pytest.mark.parametrize(
    ("spec", "identities"),
    [
        ("{instancetype: {name: a}, preference: {name: b}}", [(CLUSTER_TYPE, "", "a"), (CLUSTER_PREFERENCE, "", "b")]),
        ("{instancetype: {inferFromVolume: root}, preference: {name: 7}}", [(CLUSTER_PREFERENCE, "", "7")]),
        ("{instancetype: {name: a, kind: Bogus}, preference: b}", []),
        ("[]", []),
    ],
)
def test_what_a_vm_names_without_what_it_infers(spec, identities):
    assert named_objects(vm(spec)) == identities
    assert named_kinds(vm(spec)) == {kind for kind, _, _ in identities}


def test_one_matcher_by_itself():
    assert named_object(vm("{}"), "preference", {"name": "b", "kind": PREFERENCE}) == (PREFERENCE, "team", "b")
    assert named_object(vm("{}"), "preference", {"name": "b", "kind": TYPE}) is None
    assert named_object(vm("{}"), "instancetype", {"kind": TYPE}) is None


@pytest.mark.parametrize(
    ("spec", "own"),
    [
        ("{instancetype: {name: a}, preference: {name: b}}", False),
        (f"{{instancetype: {{name: a, kind: {TYPE}}}}}", True),
        (f"{{preference: {{name: a, kind: {PREFERENCE}}}}}", True),
    ],
)
def test_a_vm_refers_to_its_own_namespace_by_a_namespaced_kind(spec, own):
    assert refers_to_own_namespace(vm(spec)) is own
