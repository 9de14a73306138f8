"""Objects as a cluster stores them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import otheryaml
from gitops.vms import vm
from virtcatalog import Cluster
from virtcatalog.gitops.stored import set_schema_defaults, spelled, stored
from virtcatalog.releases import DEFAULT, RELEASES

CLUSTER = Cluster([])
MEMORY = "memory: {guest: 1Gi}"
Data = dict[str, Any]


def template_of(manifest: Data | None) -> Data:
    assert manifest is not None
    return manifest["spec"]["template"]["spec"]


def test_a_vm_is_stored_with_what_its_webhook_and_go_write():
    manifest = vm("memory: {guest: 1024Mi}, cpu: {cores: 2, model: null}", "nodeSelector: {}")
    manifest["metadata"] |= {"labels": {}, "creationTimestamp": None}
    manifest["status"] = {"ready": True}
    as_sent = deepcopy(manifest)
    domain = {"devices": {}, "resources": {}, "cpu": {"cores": 2}, "memory": {"guest": "1Gi"}}
    assert spelled(manifest, DEFAULT) == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"runStrategy": "Always", "template": {"metadata": {}, "spec": {"domain": domain}}},
    }
    assert stored(manifest, CLUSTER) == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "metadata": {"annotations": {"kubevirt.io/pci-topology-version": "v3"}},
                "spec": {
                    "architecture": "amd64",
                    "domain": {**domain, "machine": {"type": "q35"}, "firmware": {}},
                },
            },
        },
    }
    assert manifest == as_sent


def test_a_machine_gets_a_uuid_and_a_network_too():
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "web"},
        "spec": {"domain": {"devices": {}, "memory": {"guest": "1024Mi"}, "machine": {"type": ""}}},
    }
    assert spelled(machine, DEFAULT) == {
        **machine,
        "spec": {"domain": {"devices": {}, "resources": {}, "memory": {"guest": "1Gi"}, "machine": {}}},
    }
    as_stored = stored(machine, CLUSTER)
    assert as_stored["spec"]["domain"]["machine"] == {"type": "q35"}
    assert set(as_stored["spec"]["domain"]["firmware"]) == {"uuid"}
    assert as_stored["spec"]["networks"] == [{"name": "default", "pod": {}}]


@pytest.mark.parametrize("release", RELEASES.values(), ids=str)
def test_which_releases_write_null_timestamps(release):
    disk = "dataVolumeTemplates: [{metadata: {name: root}, spec: {storage: {}, source: {blank: {}}}}]"
    spec = spelled(vm(MEMORY, spec=disk), release)["spec"]
    null = {"creationTimestamp": None} if str(release).startswith("v1.7.") else {}
    assert spec["template"]["metadata"] == null
    assert spec["dataVolumeTemplates"][0]["metadata"] == {"name": "root", **null}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("", {}),
        ("firmware: {}", {}),
        ("firmware: null", {}),
        ("firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}", {"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223"}),
        ("firmware: {serial: a}", {"serial": "a"}),
        ("firmware: {bootloader: {bios: {}}}", {"bootloader": {"bios": {}}}),
    ],
)
def test_what_is_drawn_at_random_is_left_out(sent, expected):
    assert template_of(stored(vm(f"{MEMORY}, {sent}" if sent else MEMORY), CLUSTER))["domain"]["firmware"] == expected


@pytest.mark.parametrize(
    ("machine", "as_spelled", "as_stored"),
    [
        ("machine: {type: ''}", {}, "q35"),
        ("machine: {}", {}, "q35"),
        ("machine: {type: pc-q35-rhel9.6.0}", {"type": "pc-q35-rhel9.6.0"}, "pc-q35-rhel9.6.0"),
    ],
)
def test_an_empty_machine_type_says_nothing(machine, as_spelled, as_stored):
    manifest = vm(f"{MEMORY}, {machine}")
    assert template_of(spelled(manifest, DEFAULT))["domain"]["machine"] == as_spelled
    assert template_of(stored(manifest, CLUSTER))["domain"]["machine"] == {"type": as_stored}


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ("cloudInitNoCloud: {secretRef: {}}", {"cloudInitNoCloud": {"secretRef": {"name": ""}}}),
        ("cloudInitNoCloud: {networkDataSecretRef: {}}", {"cloudInitNoCloud": {"networkDataSecretRef": {"name": ""}}}),
        ("cloudInitConfigDrive: {secretRef: {}}", {"cloudInitConfigDrive": {"secretRef": {"name": ""}}}),
        (
            "cloudInitConfigDrive: {networkDataSecretRef: {name: b}, userData: c}",
            {"cloudInitConfigDrive": {"networkDataSecretRef": {"name": "b"}, "userData": "c"}},
        ),
        ("sysprep: {configMap: {}}", {"sysprep": {"configMap": {"name": ""}}}),
        ("sysprep: {secret: {}}", {"sysprep": {"secret": {"name": ""}}}),
        ("configMap: {}", {"configMap": {"name": ""}}),
        ("configMap: {name: b, optional: true}", {"configMap": {"name": "b", "optional": True}}),
        ("secret: {}", {"secret": {}}),
        ("containerPath: {path: /a}", {"containerPath": {"path": "/a", "readOnly": True}}),
        ("containerPath: {path: /a, readOnly: false}", {"containerPath": {"path": "/a", "readOnly": False}}),
        ("emptyDisk: {capacity: 1Gi}", {"emptyDisk": {"capacity": "1Gi"}}),
    ],
)
@pytest.mark.parametrize(
    "path", [(), ("template",), ("virtualMachineTemplate",), ("virtualMachineTemplate", "template")]
)
def test_the_crds_have_defaults_for_volumes(volume, expected, path):
    spec: Data = {"volumes": [otheryaml.load(f"{{name: a, {volume}}}")]}
    result: Data = {"volumes": [{"name": "a", **expected}]}
    for key in reversed(path):
        spec, result = {key: {"spec": spec}}, {key: {"spec": result}}
    set_schema_defaults(spec)
    assert spec == result


@pytest.mark.parametrize(
    "spec", [None, "a", {}, {"template": "a"}, {"template": {}}, {"volumes": None}, {"volumes": "a"}]
)
def test_what_has_no_volumes_gets_no_defaults(spec):
    before = deepcopy(spec)
    set_schema_defaults(spec)
    assert spec == before


DISK = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: data, labels: {}, annotations: {a: null}, creationTimestamp: null}
spec:
  storage: {resources: {requests: {storage: 1024Mi, a: null}}, accessModes: null}
  source: {blank: {}}
  typo: 1
status: {phase: Succeeded}
"""
POOL = """\
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web}
spec:
  replicas: null
  selector: {matchLabels: {a: b}}
  virtualMachineTemplate:
    metadata: {labels: {a: b}, creationTimestamp: null, typo: 1}
    spec:
      template:
        spec:
          domain: {devices: {disks: [{name: a, serial: null, typo: 1}]}, memory: {guest: 1024Mi}, clock: {utc: null}}
          volumes: [{name: a, configMap: {}}]
"""


def test_other_objects_are_stored_as_they_were_sent_but_for_nulls_and_unknown_fields():
    disk = otheryaml.load(DISK)
    assert (
        stored(disk, CLUSTER)
        == spelled(disk, DEFAULT)
        == {
            "apiVersion": "cdi.kubevirt.io/v1beta1",
            "kind": "DataVolume",
            "metadata": {"name": "data", "annotations": {"a": ""}},
            "spec": {"storage": {"resources": {"requests": {"storage": "1024Mi"}}}, "source": {"blank": {}}},
        }
    )


def test_nulls_stay_where_the_crds_prune_nothing():
    domain = {"devices": {"disks": [{"name": "a"}]}, "memory": {"guest": "1024Mi"}, "clock": {"utc": None}}
    spec = {"domain": domain, "volumes": [{"name": "a", "configMap": {"name": ""}}]}
    metadata = {"labels": {"a": "b"}, "creationTimestamp": None, "typo": 1}
    assert stored(otheryaml.load(POOL), CLUSTER) == {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "virtualMachineTemplate": {"metadata": metadata, "spec": {"template": {"spec": spec}}},
        },
    }


@pytest.mark.parametrize(
    "manifest",
    [
        vm("memory: {guest: [1]}"),
        vm(MEMORY, "volumes: a"),
        {**vm(MEMORY), "metadata": {"name": "web", "creationTimestamp": "yesterday"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
    ],
)
def test_what_go_cannot_read_is_not_stored(manifest):
    assert spelled(manifest, DEFAULT) is None
    assert stored(manifest, CLUSTER) is None


@pytest.mark.parametrize("manifest", [vm(f"{MEMORY}, typo: 1"), vm(MEMORY, spec="instancetype: {inferFromVolume: a}")])
def test_what_is_refused_is_not_stored_but_has_a_spelling(manifest):
    assert spelled(manifest, DEFAULT) is not None
    assert stored(manifest, CLUSTER) is None
