"""Manifests of a cluster: what counts, under which identity, and what a release does not know of them."""

import pytest
from reading import read

from virtcatalog.errors import Warning
from virtcatalog.kubevirt.decoding import counts, decode, decode_all, identity_of
from virtcatalog.releases import RELEASES

NEW, OLD = RELEASES["v1.9.0"], RELEASES["v1.8.4"]
PREFERENCE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {"name": "linux"},
    "spec": {"devices": {"preferredVideoType": "virtio"}},
}
VIDEO = "KubeVirt v1.8.4 does not know the field, which came with v1.9"


@pytest.mark.parametrize(
    ("manifest", "counted"),
    [
        (PREFERENCE, True),
        ({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}, True),
        ({"apiVersion": "v1", "kind": "Node"}, True),
        ({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot"}, True),
        ({"apiVersion": "v1", "kind": "Service"}, False),
        ({"apiVersion": "v2", "kind": "Node"}, False),
        ({"apiVersion": ["v1"], "kind": {}}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_kinds_that_make_a_difference_to_vms(manifest, counted):
    assert counts(manifest) is counted


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: a, namespace: b}}", ("KubeVirt", "", "")),
        ("{apiVersion: v1, kind: Node, metadata: {name: a}}", ("Node", "", "a")),
        ("{apiVersion: v1, kind: ResourceQuota, metadata: {name: a}}", ("ResourceQuota", "default", "a")),
        ("{apiVersion: v1, kind: LimitRange, metadata: {name: a, namespace: b}}", ("LimitRange", "b", "a")),
    ],
)
def test_what_an_object_is_found_by(text, identity):
    manifest = read(text)
    assert identity_of(manifest["kind"], decode(manifest, NEW)[0]) == identity


def test_fields_that_a_release_does_not_know_are_pruned():
    assert decode(PREFERENCE, NEW)[1] == []
    preference, warnings = decode(PREFERENCE, OLD)
    assert preference.spec.devices.preferred_video_type is None
    place = "VirtualMachineClusterPreference/linux"
    assert warnings == [Warning("Pruned", "spec.devices.preferredVideoType", VIDEO, place)]


def test_so_are_those_that_a_revision_holds():
    revision = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "r"}, "revision": 0}
    assert decode({**revision, "data": PREFERENCE}, OLD)[1] == [
        Warning("Pruned", "data.spec.devices.preferredVideoType", VIDEO, "ControllerRevision/r")
    ]
    for data in ({}, None, {"apiVersion": "v1", "kind": "Service"}):
        assert decode({**revision, "data": data}, OLD)[1] == []


def test_all_of_a_cluster():
    kubevirt = read("{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: a}, spec: {}}")
    later = {**kubevirt, "metadata": {"name": "b"}}
    service = read("{apiVersion: v1, kind: Service, metadata: {name: s}}")
    bad = read("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p}, spec: {accessModes: x}}")
    decoded = decode_all([kubevirt, PREFERENCE, service, bad, later], OLD)
    assert decoded.kubevirt.metadata.name == "b"
    assert list(decoded.objects) == [("VirtualMachineClusterPreference", "", "linux")]
    assert decoded.others == (service,)
    assert {key: [field.field for field in fields] for key, fields in decoded.pruned.items()} == {
        ("VirtualMachineClusterPreference", "", "linux"): ["spec.devices.preferredVideoType"]
    }
    assert [(problem.object, problem.field) for problem in decoded.problems] == [
        ("PersistentVolumeClaim/p", "spec.accessModes")
    ]
