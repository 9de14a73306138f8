"""VMs that are alike are judged once, and that changes no verdict."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.api.kinds import CATALOG_API_VERSION
from virtcatalog.fleet import alike as module
from virtcatalog.fleet.alike import Alike, Likeness, compact, labels_matter, maps
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.review.dumps import Dump, vms_of
from virtcatalog.review.groups import of_all
from virtcatalog.review.reviewer import Reviewer
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Verdict

Data = dict[str, Any]


def vm(name: str, **spec: Any) -> Data:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "team", "labels": {"app": name}},
        "spec": {
            "runStrategy": "Always",
            "preference": {"name": "p"},
            "template": {
                "metadata": {"labels": {"kubevirt.io/domain": name}},
                "spec": {
                    "domain": {
                        "devices": {
                            "disks": [{"name": f"{name}-root", "disk": {"bus": "virtio"}}],
                            "interfaces": [{"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:01"}],
                        },
                        "firmware": {"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223"},
                        "memory": {"guest": "1Gi"},
                    },
                    "networks": [{"name": "default", "pod": {}}],
                    "volumes": [
                        {"name": f"{name}-root", "persistentVolumeClaim": {"claimName": f"{name}-root"}},
                        {"name": "init", "cloudInitNoCloud": {"userData": f"hostname: {name}"}},
                    ],
                },
            },
            **spec,
        },
    }


def keys(*vms: Data, cluster: Cluster | None = None, namespaces: frozenset[str] = frozenset()) -> int:
    alike = Alike(cluster or Cluster())
    return len({alike.key(vm, namespaces) for vm in vms})


def changed(path: str, value: Any) -> Data:
    web = vm("web-2")
    data: Any = web
    *steps, last = path.split(".")
    for step in steps:
        data = data[int(step)] if step.isdigit() else data[step]
    data[int(last) if last.isdigit() else last] = value
    return web


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.namespace", "other"),
        ("spec.template.spec.domain.firmware.uuid", "6d307ca9-b3ef-428c-8861-06e72d69f224"),
        ("spec.template.spec.domain.devices.interfaces.0.macAddress", "02:00:00:00:00:02"),
        ("spec.template.spec.volumes.1.cloudInitNoCloud.userData", "another"),
    ],
)
def test_what_only_one_vm_has_does_not_count(path: str, value: str) -> None:
    assert keys(vm("web-1"), vm("db-17"), changed(path, value)) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.preference.name", "web-2"),
        ("spec.template.spec.domain.memory.guest", "2Gi"),
        ("spec.template.spec.domain.devices.disks.0.disk.bus", "web-2"),
        ("spec.template.spec.domain.firmware.uuid", "no uuid"),
        ("spec.template.spec.domain.devices.interfaces.0.macAddress", "no address"),
        ("spec.template.spec.volumes.1.cloudInitNoCloud.userData", "x" * 2049),
        ("spec.template.spec.volumes.0.persistentVolumeClaim.claimName", "shared"),
        ("spec.template.metadata.labels", {"other": "web-2"}),
        ("metadata.annotations", {"kubevirt.io/x": "y"}),
        ("metadata.name", "Web_2"),
        ("apiVersion", "kubevirt.io/v1alpha3"),
        ("kind", "VirtualMachineInstance"),
    ],
)
def test_what_could_make_a_difference_counts(path: str, value: Any) -> None:
    assert keys(vm("web-1"), changed(path, value)) == 2


def with_name(name: str, place: str) -> Data:
    """A VM whose name stands at a place: `metadata.labels.x`, `spec.volumes[].name`, `metadata.labels{}` for a key."""
    *steps, last = place.removesuffix("{}").split(".")
    value: Any = {name: "x"} if place.endswith("{}") else name
    value = [{last.removesuffix("[]"): value}] if last.endswith("[]") else {last: value}
    for step in reversed(steps):
        value = {step.removesuffix("[]"): [value] if step.endswith("[]") else value}
    manifest = vm(name)
    for key, inner in value.items():
        manifest[key] = {**manifest[key], **inner}
    return manifest


OF_ITS_OWN = [
    "metadata.labels.app",
    "metadata.labels{}",
    "metadata.annotations.a/b",
    "metadata.annotations{}",
    "spec.x.matchLabels.app",
    "spec.x.matchLabels{}",
    "spec.template.metadata.name",
    "spec.x.metadata.name",
    "spec.template.metadata.labels.app",
    "spec.x.volumes[].name",
    "spec.x.disks[].name",
    "spec.x.interfaces[].name",
    "spec.x.networks[].name",
    "spec.x.filesystems[].name",
    "spec.dataVolumeTemplates[].metadata.name",
    *(
        f"spec.x.{key}.name"
        for key in ("secretRef", "networkDataSecretRef", "configMap", "secret", "serviceAccount", "dataVolume")
    ),
    "spec.x.claimName",
    "spec.x.hostname",
    "spec.x.secretName",
    "spec.x.serviceAccountName",
]
OF_OTHERS = [
    "spec.x.name",
    "spec.x.cpus[].name",
    "spec.x.volumes[].pvc",
    "spec.x.templates[].metadata.name",
    "spec.x.secretRef.namespace",
    "spec.x.secretRef.y.name",
    "spec.x{}",
    "spec.x.subdomain",
    "spec.x.texts[].y.name",
]


@pytest.mark.parametrize("place", OF_ITS_OWN)
def test_a_name_may_stand_where_it_is_a_name_or_a_label(place: str) -> None:
    assert keys(with_name("web-1", place), with_name("db-17", place)) == 1


@pytest.mark.parametrize("place", OF_OTHERS)
def test_elsewhere_a_name_may_mean_something(place: str) -> None:
    assert keys(with_name("web-1", place), with_name("db-17", place)) == 2


def test_so_it_may_in_an_annotation_of_kubevirts() -> None:
    annotated = [vm(name) for name in ("web-1", "db-17")]
    for manifest in annotated:
        manifest["spec"]["template"]["metadata"]["annotations"] = {"kubevirt.io/a": manifest["metadata"]["name"]}
    assert keys(*annotated) == 2


def test_so_it_may_in_a_list_of_texts() -> None:
    listed = [vm(name, args=[name]) for name in ("web-1", "db-17")]
    assert keys(*listed) == 2


def test_what_no_writer_of_ours_takes_counts_too() -> None:
    assert keys(vm("web-1", x=2**70), vm("web-1", x=2**70)) == 1
    assert keys(vm("web-1", x=2**70), vm("web-1", x=2**70 + 1)) == 2
    assert keys(vm("web-1", x=b"a"), vm("web-1", x=b"b")) == 2


def test_so_does_half_a_character_whatever_the_order_of_the_keys_around_it() -> None:
    half = "\ud800"
    assert keys(vm("web-1", x={"a": half, "b": 1}), vm("web-1", x={"b": 1, "a": half})) == 1
    assert keys(vm("web-1", x=half), vm("web-1", x="\ud801")) == 2
    assert keys(vm("web-1", x=[half, b"a"]), vm("web-1", x=[half, b"b"])) == 2


def test_a_word_of_kubevirts_that_is_a_vms_name_stays_that_word() -> None:
    assert keys(vm("virtio"), vm("scsi"), vm("web-1")) == 2
    other = changed("spec.template.spec.domain.devices.disks.0.disk.bus", "scsi")
    other["metadata"]["name"] = "scsi"
    assert keys(vm("virtio"), other) == 2


def test_claims_that_are_known_count() -> None:
    def claim(name: str, size: str) -> Data:
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": f"{name}-root", "namespace": "team"},
            "spec": {"resources": {"requests": {"storage": size}}},
        }

    cluster = Cluster([claim("web-1", "1Gi"), claim("web-2", "1Gi"), claim("web-3", "2Gi")])
    namespaces, fleet = frozenset({"team"}), [vm("web-1"), vm("web-2"), vm("web-3")]
    assert keys(vm("web-1"), vm("web-2"), cluster=cluster, namespaces=namespaces) == 1
    assert keys(vm("web-1"), vm("web-3"), cluster=cluster, namespaces=namespaces) == 2
    vmis = [
        {**manifest, "kind": "VirtualMachineInstance", "spec": manifest["spec"]["template"]["spec"]}
        for manifest in fleet
    ]
    assert keys(*vmis[:2], cluster=cluster, namespaces=namespaces) == 1
    assert keys(*vmis, cluster=cluster, namespaces=namespaces) == 2
    other = Cluster([claim("web-1", "1Gi")])
    sides = ((cluster, other), (other, cluster), (other, other))
    assert len({Alike(*both).key(vm("web-1"), namespaces) for both in sides}) == 1
    assert len({Alike(*both).key(vm("web-2"), namespaces) for both in sides}) == 3


def preference(**devices: Any) -> Side:
    return Side(
        label="side",
        objects={
            "": [
                {
                    "apiVersion": CATALOG_API_VERSION,
                    "kind": "VirtualMachineClusterPreference",
                    "metadata": {"name": "p"},
                    "spec": {"devices": devices},
                }
            ]
        },
    )


def test_the_verdicts_are_those_of_the_vms_one_by_one() -> None:
    buses = ("virtio", "sata", "scsi", None)
    fleet = []
    for number in range(12):
        manifest = copy.deepcopy(vm(f"web-{number}"))
        disk = manifest["spec"]["template"]["spec"]["domain"]["devices"]["disks"][0]["disk"]
        disk.pop("bus")
        if buses[number % 4]:
            disk["bus"] = buses[number % 4]
        fleet.append(manifest)

    def verdicts(*vms: Data) -> dict[str, Verdict]:
        reviewer = Reviewer(preference(), preference(preferredDiskBus="virtio", preferredRng={}))
        reviewer.vms(vms_of([Dump(vms)]))
        return {verdict.vm: replace(verdict, vm="") for verdict in reviewer.done().verdicts}

    together = verdicts(*fleet)
    alone = {name: verdict for manifest in fleet for name, verdict in verdicts(manifest).items()}
    assert together == alone
    # A disk without a bus gets another one; beside one that has its bus, only cloud-init's gets another device name,
    # which depends on whether the other is on virtio.
    assert len({of_all(verdict, name.rpartition("/")[2]) for name, verdict in together.items()}) == 3


@pytest.mark.parametrize(
    ("objects", "matter"),
    [
        ([], False),
        (
            [
                {
                    "apiVersion": "kubevirt.io/v1",
                    "kind": "VirtualMachineInstancePreset",
                    "metadata": {"name": "p", "namespace": "n"},
                    "spec": {"selector": {}},
                }
            ],
            True,
        ),
        (
            [
                {
                    "apiVersion": "kubevirt.io/v1",
                    "kind": "KubeVirt",
                    "metadata": {"name": "k", "namespace": "n"},
                    "spec": {
                        "configuration": {
                            "changedBlockTrackingLabelSelectors": {
                                "virtualMachineLabelSelector": {"matchLabels": {"a": "b"}}
                            }
                        }
                    },
                }
            ],
            True,
        ),
    ],
)
def test_labels_matter_where_a_cluster_chooses_vms_by_them(objects: list[Data], matter: bool) -> None:
    assert labels_matter(Cluster(objects)) is matter


def test_labels_count_where_they_matter() -> None:
    labelled = [{**vm("web-1"), "metadata": {"name": "web-1", "namespace": "team", "labels": {"a": a}}} for a in "bc"]
    for matter, number in ((False, 1), (True, 2)):
        alike = Alike(Cluster(), labels_matter=matter)
        assert len({alike.key(manifest, frozenset()) for manifest in labelled}) == number


def test_a_status_and_the_labels_of_others_do_not_count() -> None:
    other = {**vm("web-1"), "status": {"ready": True}}
    other["metadata"] = {**other["metadata"], "labels": {"x": "y"}, "annotations": {"a": "b"}}
    assert keys(vm("web-1"), other) == 1


def test_a_namespace_counts_where_it_has_objects() -> None:
    one, other = vm("web-1"), changed("metadata.namespace", "other")
    assert keys(one, other, namespaces=frozenset({"team"})) == 2
    assert keys(one, other, namespaces=frozenset({"third"})) == 1


def test_so_it_does_where_a_vm_refers_to_a_type_of_its_own_namespace() -> None:
    own = {"name": "p", "kind": "VirtualMachinePreference"}
    one, other = changed("spec.preference", own), changed("spec.preference", own)
    other["metadata"]["namespace"] = "other"
    assert keys(one, other) == 2


def test_as_many_kinds_are_remembered_as_are_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    likenesses: list[Likeness] = []
    monkeypatch.setattr(module, "has_plain_name", lambda common: likenesses.append(common) or True)
    monkeypatch.setattr(module, "_MOST_KINDS", 2)
    alike = Alike(Cluster())
    for kind in "aabbab" + "c" + "ca":
        alike.key(vm("web-1", x=kind), frozenset())
    assert len(likenesses) == 4


@pytest.mark.parametrize(
    ("text", "compacted"),
    [
        (b'{ "a" : [ 1 ,\n 2 ] }', b'{"a":[1,2]}'),
        (b'{"a": tru}', None),
        (b"a: b", None),
    ],
)
def test_json_without_white_space(text: bytes, compacted: bytes | None) -> None:
    assert compact(text) == compacted


@pytest.mark.parametrize(
    ("text", "number"), [(b'{"a":{"b":{}},"c":[{"d":1}]}', 1), (b'{"a":{"b":{"c":1}},"d":{"e":1}}', 3), (b"{}", 0)]
)
def test_maps_within_maps(text: bytes, number: int) -> None:
    assert maps(text) == number
