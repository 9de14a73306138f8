"""What is kept of a cluster's objects, what is passed over, and what is named as missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.live.redaction import redacted
from virtcatalog.live.resources import PODS, RESOURCES, SURROUNDINGS, slim, version_read
from virtcatalog.live.snapshot import Gap, Snapshot

Data = dict[str, Any]
UNREADABLE = "9" * 30


def obj(kind: str = "VirtualMachine", name: str = "web", version: str = "kubevirt.io/v1", **more: Any) -> Data:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "shop"}, **more}


def of(*objects: Data, **options: Any) -> Snapshot:
    snapshot = Snapshot("lab", **options)
    for obj in objects:
        snapshot.add(obj)
    return snapshot


def test_where_the_api_server_lists_each_kind(snapshot: SnapshotAssertion) -> None:
    assert [
        (resource.api_version, resource.kind, resource.path, resource.namespaced, resource.selector)
        for resource in (*RESOURCES, *SURROUNDINGS, PODS)
    ] == snapshot


STATUS = {
    "VirtualMachine": "conditions created ready printableStatus instancetypeRef preferenceRef runStrategy "
    "stateChangeRequests",
    "VirtualMachineInstance": "phase nodeName conditions migrationState virtualMachineRevisionName currentCPUTopology "
    "memory machine volumeStatus interfaces selinuxContext runtimeUser topologyHints VSOCKCID "
    "launcherContainerImageVersion guestOSInfo",
    "VirtualMachinePool": "replicas labelSelector",
    "KubeVirt": "observedKubeVirtVersion phase",
    "PersistentVolumeClaim": "phase accessModes capacity",
    "DataVolume": "phase",
    "Node": "allocatable capacity conditions nodeInfo",
    "ResourceQuota": "hard used",
    "ApplicationAwareResourceQuota": "hard used",
    "Namespace": "",
}
EVERY = dict.fromkeys(" ".join(STATUS.values()).split(), 1)


@pytest.mark.parametrize("kind", STATUS)
def test_of_a_status_that_is_kept_which_tells_of_vms(kind: str) -> None:
    slimmed = slim({**obj(kind), "status": EVERY, "spec": {}}, kind)
    assert slimmed.get("status", {}) == dict.fromkeys(STATUS[kind].split(), 1)
    assert "status" in slimmed or not STATUS[kind]


@pytest.mark.parametrize(
    ("kind", "written"),
    [("VirtualMachine", True), ("VirtualMachineInstance", True), ("VirtualMachinePool", True), ("Node", False)],
)
def test_of_metadata_finalizers_go_and_who_wrote_what_stays_where_it_is_asked(kind: str, written: bool) -> None:
    metadata = dict.fromkeys(
        (
            *("name", "namespace", "labels", "annotations", "uid", "generation", "creationTimestamp"),
            *("deletionTimestamp", "ownerReferences"),
        ),
        1,
    )
    own = {**metadata, "managedFields": 1} if written else metadata
    everything = {**metadata, "managedFields": 1, "finalizers": 1, "selfLink": 1, "resourceVersion": 1}
    assert slim({"kind": kind, "metadata": everything}, kind) == {"kind": kind, "metadata": own}


@pytest.mark.parametrize(
    ("version", "kind", "read"),
    [
        ("kubevirt.io/v1alpha3", "VirtualMachine", "kubevirt.io/v1"),
        ("instancetype.kubevirt.io/v1alpha1", "VirtualMachinePreference", "instancetype.kubevirt.io/v1beta1"),
        ("kubevirt.io/v1", "Nothing", ""),
        ("apps/v1", "VirtualMachine", ""),
        ("v2", "Node", "v1"),
        (None, "Node", "v1"),
    ],
)
def test_the_version_in_which_a_kind_is_read(version: object, kind: str, read: str) -> None:
    assert version_read({"apiVersion": version, "kind": kind}) == read


@pytest.mark.parametrize(
    ("objects", "gaps"),
    [
        ([obj()], []),
        ([obj(), obj()], []),
        ([obj(), obj(spec={})], ["VirtualMachine: shop/web is there twice, and not alike"]),
        ([obj("KubeVirt"), obj("KubeVirt", spec={})], ["KubeVirt: shop/web is there twice, and not alike"]),
        ([{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}], ["VirtualMachine: one of them has no name"]),
        ([obj(metadata={"name": 1})], ["VirtualMachine: one of them has no name"]),
        ([obj(metadata={"name": "a", "labels": []})], ["VirtualMachine: a is not as the API has such objects"]),
        ([obj(metadata={"name": "a", "labels": {"b": 1}})], ["VirtualMachine: a is not as the API has such objects"]),
        ([obj(metadata={"name": "a", "namespace": 1})], ["VirtualMachine: a is not as the API has such objects"]),
        ([obj(spec=[])], ["VirtualMachine: web is not as the API has such objects"]),
        ([obj(status={"conditions": {}})], ["VirtualMachine: web is not as the API has such objects"]),
        ([obj(spec={"a": int(UNREADABLE)})], ["VirtualMachine: web has a number that no API has"]),
        (
            [obj(version="kubevirt.io/v1alpha3"), obj(version="kubevirt.io/v1alpha3")],
            ["VirtualMachine: kubevirt.io/v1alpha3 is not read, kubevirt.io/v1 is"],
        ),
        ([obj("Secret", version="v1"), obj("ConfigMap", version="v1"), {"kind": None}], []),
    ],
)
def test_what_cannot_be_kept_is_named(objects: list[Data], gaps: list[str]) -> None:
    assert [str(gap) for gap in of(*objects).gaps] == gaps


def revision(name: str, **labels: str) -> Data:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": "shop", "labels": labels},
    }


@pytest.mark.parametrize(
    ("name", "labels", "is_kept"),
    [
        ("revision-start-vm-1-2", {}, True),
        ("small-1", {"instancetype.kubevirt.io/object-name": "small"}, True),
        ("deployment-1", {"app": "web"}, False),
    ],
)
def test_revisions_of_others_are_passed_over(name: str, labels: dict[str, str], is_kept: bool) -> None:
    whole = revision(name, **labels)
    taken, text = of(whole), Snapshot("lab")
    encoded = json.dumps(whole).encode()
    assert text.add_text(encoded, lambda: encoded, "lab.json", {}) is True
    for snapshot in (taken, text):
        assert (snapshot.revision("shop", name) is not None, len(snapshot)) == (is_kept, int(is_kept))


def pod(phase: str = "Running", **labels: str) -> Data:
    return {
        **obj("Pod", "virt-launcher-1", "v1"),
        "metadata": {"name": "p", "namespace": "shop", "labels": labels},
        "status": {"phase": phase},
    }


LAUNCHER = {"kubevirt.io": "virt-launcher", "vm.kubevirt.io/name": "web"}


@pytest.mark.parametrize(
    ("of_pod", "is_kept"),
    [
        (pod(**LAUNCHER), True),
        (pod("Pending", **LAUNCHER), False),
        (pod(**{**LAUNCHER, "kubevirt.io": "virt-handler"}), False),
        (pod(**{"kubevirt.io": "virt-launcher"}), False),
        (pod(), False),
    ],
)
def test_of_pods_those_are_kept_that_a_machine_runs_in(of_pod: Data, is_kept: bool) -> None:
    snapshot = of(of_pod)
    assert (snapshot.pod("shop/web") is not None) is is_kept
    assert (snapshot.others, snapshot.gaps) == ([], [])


@pytest.mark.parametrize(
    ("snapshot", "kind", "name", "absent"),
    [
        (of(), "VirtualMachine", "shop/db", "the dump has no VirtualMachine"),
        (of(complete=True), "VirtualMachine", "shop/db", ""),
        (of(complete=True, gaps=[Gap("VirtualMachine", "no right")]), "VirtualMachine", "shop/db", "no right"),
        (of(obj()), "VirtualMachine", "shop/db", ""),
        (of(obj()), "VirtualMachine", "team/db", "the dump has VMs of the namespace shop alone"),
        (of(obj(), obj(metadata={"name": "a", "namespace": "b"})), "VirtualMachine", "team/db", ""),
        (of(obj(), complete=True), "VirtualMachine", "team/db", ""),
        (of(obj()), "VirtualMachinePool", "shop/db", "the dump has no VirtualMachinePool"),
    ],
)
def test_what_was_not_read_is_not_known(snapshot: Snapshot, kind: str, name: str, absent: str) -> None:
    assert snapshot.absent(kind, name) == absent


@pytest.mark.parametrize(
    ("header", "described"),
    [
        ({}, ("lab", "", True, [])),
        ({"cluster": "prod", "taken": "2026"}, ("prod", "2026", True, [])),
        ({"cluster": 1, "taken": 2, "gaps": 3}, ("lab", "", True, [])),
        ({"complete": False}, ("lab", "", False, [])),
        ({"gaps": [{"kind": "A", "reason": "b"}, "x"]}, ("lab", "", True, [Gap("A", "b")])),
    ],
)
def test_a_dump_says_what_it_is_of(header: Data, described: object) -> None:
    snapshot = of({"apiVersion": "virtcatalog.dev/v1", "kind": "ClusterDump", **header})
    assert (snapshot.label, snapshot.taken, snapshot.complete, snapshot.gaps) == described


def test_a_dump_of_it_begins_with_what_it_says_of_itself() -> None:
    objects = [obj("KubeVirt"), obj(name="b"), obj(name="a"), obj("VirtualMachineInstance")]
    snapshot = of(*objects, pod(**LAUNCHER), taken="2026", gaps=[Gap("B", "x"), Gap("A", "y")])
    header, *rest = snapshot.manifests()
    assert header == {
        "apiVersion": "virtcatalog.dev/v1",
        "kind": "ClusterDump",
        "metadata": {"name": "cluster"},
        "cluster": "lab",
        "taken": "2026",
        "gaps": [{"kind": "A", "reason": "y"}, {"kind": "B", "reason": "x"}],
        "complete": False,
    }
    assert rest == [objects[0], objects[2], objects[1], objects[3]]
    again = of(header, *rest)
    assert ([*again.manifests()], len(again)) == ([header, *rest], 4)
    assert "complete" not in next(of(complete=True).manifests())


def test_what_is_forgotten_is_read_anew() -> None:
    snapshot = of(obj(), obj("KubeVirt"))
    for kind in ("VirtualMachine", "KubeVirt"):
        snapshot.forget(kind)
    assert (len(snapshot), [*snapshot.names], snapshot.others) == (0, [], [])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"cloudInitNoCloud": {"userData": "s", "networkData": "s", "secretRef": {"name": "a"}}},
         {"cloudInitNoCloud": {"userData": "redacted", "networkData": "redacted", "secretRef": {"name": "a"}}}),
        ({"cloudInitConfigDrive": {"userDataBase64": "s", "networkDataBase64": "s"}},
         {"cloudInitConfigDrive": {"userDataBase64": "cmVkYWN0ZWQ=", "networkDataBase64": "cmVkYWN0ZWQ="}}),
        ({"cloudInitNoCloud": [{"url": "https://a:b@c/d?e#f"}]}, {"cloudInitNoCloud": [{"url": "https://c/d"}]}),
        ({"http": {"url": ["https://a:b@c/d"]}}, {"http": {"url": ["https://a:b@c/d"]}}),
        ({"http": {"url": "https://c/d", "extraHeaders": ["a", "b"]}},
         {"http": {"url": "https://c/d", "extraHeaders": ["redacted", "redacted"]}}),
        ({"http": {"extraHeaders": "a"}}, {"http": {"extraHeaders": "redacted"}}),
        ({"annotations": {"kubevirt.io/ignitiondata": "s", "a": "b"}},
         {"annotations": {"kubevirt.io/ignitiondata": "redacted", "a": "b"}}),
        ({"annotations": ["kubevirt.io/ignitiondata"]}, {"annotations": ["kubevirt.io/ignitiondata"]}),
    ],
)  # fmt: skip
def test_what_a_guest_alone_is_to_read_is_kept_nowhere(source: Data, expected: Data) -> None:
    for key in ("spec", "data"):
        whole = {"kind": "VirtualMachine", key: {"a": [{"b": source}, 1], "c": 2}}
        before = json.dumps(whole)
        assert redacted(whole) == {"kind": "VirtualMachine", key: {"a": [{"b": expected}, 1], "c": 2}}
        assert json.dumps(whole) == before


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ('{"spec": {"url": "https://a:b@c"}, "kind": "x"}', {LAST_APPLIED: '{"kind":"x","spec":{"url":"https://c"}}'}),
        ("[1]", {}),
        ("no JSON", {}),
        (1, {}),
        (None, {}),
    ],
)
def test_a_note_of_what_was_applied_is_redacted_or_goes(note: Any, expected: Data) -> None:
    whole = {"metadata": {"annotations": {LAST_APPLIED: note, "a": "b"}}}
    assert redacted(whole) == {"metadata": {"annotations": {**expected, "a": "b"}}}
