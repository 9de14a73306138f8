"""What was applied to a VM last, and what of it its machine lacks where nobody knows what that was started with."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import otheryaml
from virtcatalog import Cluster
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.live.compare import Waiting, applied_before, bare, vm_of, waiting
from virtcatalog.live.revisions import started
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.manifests.identity import namespace_of

Data = dict[str, Any]
VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop, uid: 5d307ca9-b3ef-428c-8861-06e72d69f223}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {sockets: 1}
        memory: {guest: 2Gi}
        devices: {interfaces: [{name: default, masquerade: {}}]}
      networks: [{name: default, pod: {}}]
"""


def load(text: str, *changes: tuple[str, str]) -> Data:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    manifest: Data = otheryaml.load(text)
    return manifest


def managed(manager: str, operation: str, fields: Data) -> Data:
    return {"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}


NOTED = {"metadata": {"labels": {"a": "1"}, "annotations": {"n": "1"}}, "spec": {"x": 1}}
OF_SERVER = {"f:metadata": {"f:labels": {"f:b": {}}}, "f:spec": {"f:y": {}}}


@pytest.mark.parametrize(
    ("noted", "entries", "applied"),
    [
        (None, [], {}),
        (json.dumps(NOTED), [], {"labels": {"a": "1"}, "annotations": {"n": "1"}, "spec": {"x": 1}}),
        ("{}", [], {}),
        ('{"metadata": 3}', [], {}),
        (3, [], {}),
        (None, [managed("kustomize-controller", "Apply", OF_SERVER)], {"labels": {"b": "2"}, "spec": {"y": 2}}),
        (None, [managed("kustomize-controller", "Update", OF_SERVER)], {}),
        (None, [managed("kustomize-controller", "Apply", fields) for fields in ([], "x", None)], {}),
        (
            None,
            [managed("kustomize-controller", "Apply", {"f:spec": {}, "f:status": {"f:a": {}}})],
            {"spec": {"y": 2, "z": 3}},
        ),
        (None, [managed("kustomize-controller", "Apply", {"f:spec": {"f:y": {"f:a": {}}}})], {"spec": {"y": 2}}),
        (
            json.dumps(NOTED),
            [managed("kustomize-controller", "Apply", OF_SERVER)],
            {"labels": {"a": "1", "b": "2"}, "annotations": {"n": "1"}, "spec": {"x": 1, "y": 2}},
        ),
    ],
)
def test_what_was_applied_last_is_kubectls_note_and_the_servers(noted: Any, entries: list[Data], applied: Data) -> None:
    annotations = {} if noted is None else {LAST_APPLIED: noted}
    metadata = {"name": "web", "labels": {"b": "2"}, "annotations": annotations, "managedFields": entries}
    live = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": {"y": 2, "z": 3}}
    before = applied_before(live)
    if applied:
        labels = {key: applied[key] for key in ("labels", "annotations") if key in applied}
        assert before == {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "web", "namespace": "default", **labels},
            "spec": applied["spec"],
        }
    else:
        assert before == {}


def test_a_manifest_has_no_more_than_people_write() -> None:
    live = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web", "namespace": "shop"}}
    metadata = {"name": "x", "uid": "1", "labels": {"a": "b"}, "annotations": {"c": "d", LAST_APPLIED: "{}"}}
    assert bare({"kind": "X", "metadata": metadata, "spec": {"a": 1}, "status": {}}, live) == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {"a": 1},
    }
    assert bare({"metadata": {"labels": 3, "annotations": []}}, live) == {**live, "spec": None}


def machine_of(*changes: tuple[str, str]) -> Data:
    """The VMI that a VM was started as, with what was drawn for it."""
    result = create_vmi(load(VM, *changes), Cluster([]))
    assert result.vmi is not None
    domain = result.vmi["spec"]["domain"]
    domain["firmware"] |= {"uuid": "00000000-0000-4000-8000-00000000000a", "serial": "b"}
    domain["devices"]["interfaces"][0]["macAddress"] = "02:00:00:00:00:0c"
    return {**result.vmi, "status": {"phase": "Running"}}


def waits(live: Data, vmi: Data, revision: Data | None = None) -> Waiting:
    cluster, snapshot = Cluster([]), Snapshot()
    name = "revision-start-vm-a-1"
    metadata = {"name": name, "namespace": namespace_of(live)}
    snapshot.add({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, **(revision or {})})
    status = {**vmi["status"], "virtualMachineRevisionName": name}
    then, meets = started(live, {**vmi, "status": status}, snapshot, cluster)
    return waiting(live, vm_of(live, cluster), vmi, then, meets)


@pytest.mark.parametrize(
    ("changes", "restart", "arriving"),
    [
        ([], [], []),
        ([("networks:", "hostname: w\n      networks:")], ["spec.template.spec.hostname"], []),
        ([("default, masq", "default, macAddress: '02:00:00:00:00:0d', masq")], [
            "spec.template.spec.domain.devices.interfaces[default].macAddress"], []),
        ([("default, masq", "default, macAddress: '02:00:00:00:00:0c', masq")], [], []),
        ([("cpu:", "firmware: {serial: c}\n        cpu:")], [], []),
    ],
)  # fmt: skip
def test_what_was_drawn_for_a_machine_is_no_difference(
    changes: list[tuple[str, str]], restart: list[str], arriving: list[str]
) -> None:
    pending = waits(load(VM, *changes), machine_of())
    assert pending.basis == "expansion"
    assert [difference.field for difference in pending.restart] == restart
    assert [difference.field for difference in pending.arriving] == arriving
    assert (pending.alone, pending.turned, pending.refused) == ((), (), ())


def test_a_vm_that_could_not_be_started_now_says_why() -> None:
    pending = waits(load(VM, ("{sockets: 1}", "{sockets: 2, maxSockets: 1}")), machine_of())
    assert (pending.basis, pending.restart, pending.arriving) == ("expansion", (), ())
    assert [reason.field for reason in pending.refused] == ["spec.template.spec.domain.cpu.sockets"] * 2


READONLY = (
    ("devices: {", "devices: {disks: [{name: root, disk: {readonly: true}}], "),
    ("networks:", "volumes: [{name: root, containerDisk: {image: guest}}]\n      networks:"),
)


def test_a_vm_whose_machine_would_be_refused_now_says_why() -> None:
    pending = waits(load(VM, *READONLY), machine_of())
    assert (pending.basis, pending.restart, pending.arriving) == ("expansion", (), ())
    assert [(reason.by, reason.field) for reason in pending.refused] == [
        ("vmi", "spec.template.spec.domain.devices.disks[0].disk.bus")
    ]


@pytest.mark.parametrize("at_now", ["", "macAddress: '02:00:00:00:00:0d', "])
def test_an_interface_that_is_not_plugged_yet_has_the_address_that_the_vm_gives_it(at_now: str) -> None:
    second = (
        ("masquerade: {}}]", f"masquerade: {{}}}}, {{name: lan, {at_now}bridge: {{}}}}]"),
        ("networks: [", "networks: [{name: lan, multus: {networkName: lan}}, "),
    )
    (arrives,) = waits(load(VM, *second), machine_of()).arriving
    assert arrives.new.get("macAddress") == (re.findall("'(.+)'", at_now) or [None])[0]


@pytest.mark.parametrize(
    ("conditions", "waits_for"),
    [
        ([{"type": "LiveMigratable", "status": "True"}], ([], ["spec.template.spec.networks[lan].multus.networkName"])),
        (
            [{"type": "LiveMigratable", "status": "False"}],
            (["spec.template.spec.networks[lan].multus.networkName"], []),
        ),
        ([], (["spec.template.spec.networks[lan].multus.networkName"], [])),
    ],
)
def test_networks_move_with_a_machine_that_can_migrate(conditions: list[Data], waits_for: Any) -> None:
    """As KubeVirt's main branch has it: to releases it is all the same."""
    before, now = (
        load(
            VM,
            ("masquerade: {}}]", "masquerade: {}}, {name: lan, bridge: {}}]"),
            ("networks: [", f"networks: [{{name: lan, multus: {{networkName: {name}}}}}, "),
        )
        for name in ("one", "two")
    )
    cluster = Cluster([], release="main")
    vmi = create_vmi(before, cluster).vmi
    assert vmi is not None
    vmi["status"] = {"phase": "Running", "conditions": conditions}
    pending = waiting(now, vm_of(now, cluster), vmi, before["spec"], cluster)
    assert tuple([difference.field for difference in part] for part in (pending.restart, pending.arriving)) == waits_for


@pytest.mark.parametrize("data", [{}, {"spec": 3}, {"spec": None}])
def test_a_revision_without_a_spec_tells_nothing(data: Data) -> None:
    assert waits(load(VM), machine_of(), {"data": data}).basis == "expansion"
    assert waits(load(VM), machine_of(), {}).basis == "expansion"


def test_by_its_revision_a_machine_lacks_labels_that_came_since() -> None:
    revision = {"data": {"spec": load(VM)["spec"]}}
    pending = waits(
        load(VM, ("  template:\n", "  template:\n    metadata: {labels: {a: b}}\n")), machine_of(), revision
    )
    assert pending.basis == "revision"
    assert [(difference.field, difference.old, difference.new) for difference in pending.restart] == [
        ("spec.template.metadata.labels.a", None, "b")
    ]
    assert waits(load(VM), machine_of(), revision) == Waiting()


def test_a_vm_that_the_cluster_has_stored_and_its_release_does_not_know() -> None:
    with pytest.raises(
        UnsupportedError, match="a VM that the cluster has stored: must be a map, not the number 3"
    ) as it:
        vm_of(load(VM, ("{sockets: 1}", "3"), ("{guest: 2Gi}", "4")), Cluster([]))
    assert it.value.field == "spec.template.spec.domain.cpu"
