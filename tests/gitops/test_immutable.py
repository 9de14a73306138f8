"""Fields that a cluster never changes."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from cluster.api import ApiError
from cluster.running import RunningCluster
from virtcatalog.catalog.labels import SYNC_OPTIONS
from virtcatalog.catalog.places import Source
from virtcatalog.gitops.immutable import FrozenChange, frozen_changes, frozen_fields
from virtcatalog.manifests.merge import merge
from virtcatalog.repositories.model import Environment, Repository, Resource


def fields(kind: str, old: str, new: str, annotations: dict[str, str] | None = None) -> list[str]:
    """The fields that change and cannot, of an object with these contents before and after."""
    version, name = kind.rsplit("/", 1)
    before, after = (manifest(version, name, text, annotations or {}) for text in (old, new))
    return [field for field, _ in frozen_fields(before, after)]


def manifest(version: str, kind: str, text: str, annotations: dict[str, str]) -> dict[str, Any]:
    contents: dict[str, Any] = otheryaml.load(text)
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "annotations": annotations}, **contents}


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("cdi.kubevirt.io/v1beta1/DataVolume", "spec: {source: {blank: {}}}", "spec: {source: {blank: {}}}", []),
        (
            "cdi.kubevirt.io/v1beta1/DataVolume",
            "spec: {source: {http: {url: a}}, storage: {resources: {requests: {storage: 1Gi}}}}",
            "spec: {source: {http: {url: b}}, storage: {resources: {requests: {storage: 2Gi}}}}",
            ["spec.source.http.url", "spec.storage.resources.requests.storage"],
        ),
        ("cdi.kubevirt.io/v1beta1/DataVolume", "spec: {pvc: {size: 1024Mi}}", "spec: {pvc: {size: 1Gi}}", []),
        (
            "cdi.kubevirt.io/v1beta1/DataVolume",
            "spec: {source: {vddk: {url: a}}, checkpoints: [{current: a}]}",
            "spec: {source: {vddk: {url: a}}, checkpoints: [{current: b}], finalCheckpoint: true}",
            [],
        ),
        (
            "cdi.kubevirt.io/v1beta1/DataVolume",
            "spec: {source: {http: {url: a}}}",
            "spec: {source: {http: {url: a}}, finalCheckpoint: true}",
            ["spec.finalCheckpoint"],
        ),
        ("cdi.kubevirt.io/v1beta1/DataSource", "spec: {source: {pvc: {name: a}}}", "spec: {source: {}}", []),
        ("v1/PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}",
         "spec: {resources: {requests: {storage: 2Gi}}, volumeAttributesClassName: gold}", []),
        ("v1/PersistentVolumeClaim", "spec: {resources: {requests: {storage: 2Gi}}}",
         "spec: {resources: {requests: {storage: 1Gi}}}", ["spec.resources.requests.storage"]),
        ("v1/PersistentVolumeClaim", "spec: {storageClassName: a}", "spec: {storageClassName: b}",
         ["spec.storageClassName"]),
        ("pool.kubevirt.io/v1beta1/VirtualMachinePool", "spec: {replicas: 1, selector: {matchLabels: {a: b}}}",
         "spec: {replicas: 2, selector: {matchLabels: {a: c}}}", ["spec.selector.matchLabels.a"]),
        ("kubevirt.io/v1/VirtualMachineInstance", "spec: {hostname: a}", "spec: {hostname: b}", ["spec.hostname"]),
        ("kubevirt.io/v1/VirtualMachine", "spec: {running: true}", "spec: {running: false}", []),
        ("snapshot.kubevirt.io/v1beta1/VirtualMachineSnapshot", "spec: {source: {name: a}}",
         "spec: {source: {name: b}}", ["spec.source.name"]),
        ("apps/v1/ControllerRevision", "data: {a: 1}", "data: {a: 2}", ["data.a"]),
        ("v1/Secret", "immutable: true\nstringData: {a: b}", "immutable: true\nstringData: {a: c}", ["stringData.a"]),
        ("v1/ConfigMap", "data: {a: b}", "data: {a: c}\nimmutable: true", []),
        ("v1/PersistentVolumeClaim", "spec: []", "spec: a", ["spec"]),
        # Of another namespace Kubernetes writes no dataSource.
        ("v1/PersistentVolumeClaim", "spec: {dataSourceRef: {name: a, namespace: n}}",
         "spec: {dataSourceRef: {name: b, namespace: n}}", ["spec.dataSourceRef.name"]),
    ],
)  # fmt: skip
def test_what_cannot_change(kind, old, new, expected):
    assert fields(kind, old, new) == expected


ANEW = "delete it first, or give it another name"
DATA = "give it another name and have VMs use that, or delete it first, with its data"


@pytest.mark.parametrize(
    ("kind", "part", "advice"),
    [
        ("cdi.kubevirt.io/v1beta1/DataVolume", "spec", DATA),
        ("cdi.kubevirt.io/v1beta1/DataImportCron", "spec", ANEW),
        ("kubevirt.io/v1/VirtualMachineInstance", "spec", ANEW),
        ("kubevirt.io/v1/VirtualMachineInstanceMigration", "spec", ANEW),
        ("snapshot.kubevirt.io/v1beta1/VirtualMachineSnapshot", "spec", ANEW),
        ("snapshot.kubevirt.io/v1beta1/VirtualMachineRestore", "spec", ANEW),
        ("export.kubevirt.io/v1beta1/VirtualMachineExport", "spec", ANEW),
        ("backup.kubevirt.io/v1alpha1/VirtualMachineBackup", "spec", ANEW),
        ("backup.kubevirt.io/v1alpha1/VirtualMachineBackupTracker", "spec", ANEW),
        ("v1/PersistentVolumeClaim", "spec", DATA),
        ("resource.k8s.io/v1/ResourceClaim", "spec", ANEW),
        ("resource.k8s.io/v1/ResourceClaimTemplate", "spec", ANEW),
        ("apps/v1/ControllerRevision", "data", "give it another name"),
    ],
)
def test_what_to_do_instead(kind, part, advice):
    version, name = kind.rsplit("/", 1)
    one, other = (manifest(version, name, f"{part}: {{a: {value}}}\nother: {value}", {}) for value in ("b", "c"))
    assert list(frozen_fields(one, other)) == [(f"{part}.a", advice)]
    assert list(frozen_fields(one, {**other, "apiVersion": "example.org/v1"})) == []


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
def test_what_is_immutable_by_its_own_word_has_no_other_data(kind):
    old = manifest("v1", kind, "immutable: true\ndata: {a: b, c: d}", {})
    new = manifest("v1", kind, "immutable: true\ndata: {c: e, f: g}", {"i": "j"})
    assert sorted(frozen_fields(old, new)) == [("data.a", ANEW), ("data.c", ANEW), ("data.f", ANEW)]
    assert list(frozen_fields({**old, "immutable": False}, new)) == []
    assert list(frozen_fields({**old, "immutable": "true"}, new)) == []
    assert list(frozen_fields(old, {**new, "apiVersion": "example.org/v1"})) == []
    assert list(frozen_fields(old, {**new, "kind": "Pod"})) == []
    assert list(frozen_fields(old, {**old, "immutable": False})) == [("immutable", ANEW)]


#: What Kubernetes itself says of its own kinds: an object, what of it changes, and the fields that cannot.
OF_KUBERNETES = [
    ("v1/Secret", "type: a/b\ndata: {a: Yg==}", "type: a/c", ["type"]),
    ("v1/Secret", "data: {a: Yg==}", "type: Opaque", []),
    ("v1/Secret", "data: {a: Yg==}", "type: a/b", ["type"]),
    ("v1/Secret", "type: Opaque\ndata: {a: Yg==}", "type: null", []),
    ("v1/Secret", "data: {a: Yg==}", "data: {a: Yw==}", []),
    ("v1/Secret", "immutable: true\ndata: {a: Yg==}", "data: {a: Yw==}", ["data.a"]),
    ("v1/Secret", "immutable: true\ndata: {a: Yg==}", "data: null", ["data.a"]),
    ("v1/Secret", "immutable: true\ndata: {a: Yg==}", "data: null\nstringData: {a: b}", []),
    ("v1/Secret", "immutable: true\ndata: {a: Yg==}", "data: null\nstringData: {a: c}", ["stringData.a"]),
    ("v1/Secret", "immutable: true\nstringData: {a: b}", "stringData: null\ndata: {a: Yg==}", []),
    ("v1/Secret", "immutable: true\nstringData: {a: b}", "stringData: null\ndata: {a: Yw==}", ["data.a"]),
    ("v1/Secret", "immutable: true\nstringData: {a: b}", "stringData: null", []),
    ("v1/Secret", "immutable: true\nstringData: {a: b}", "stringData: {a: b, c: d}", ["stringData.c"]),
    ("v1/Secret", "immutable: true\ndata: {a: Yg==}", "immutable: null", ["immutable"]),
    ("v1/ConfigMap", "immutable: true\ndata: {a: b}", "data: {a: c}", ["data.a"]),
    ("v1/ConfigMap", "immutable: true\nbinaryData: {a: Yg==}", "binaryData: {a: Yw==}", ["binaryData.a"]),
    ("v1/ConfigMap", "data: {a: b}", "data: {a: c}\nimmutable: true", []),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM}", "spec: {volumeMode: Filesystem}", []),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM}", "spec: {volumeMode: Block}", ["spec.volumeMode"]),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM}", "spec: {accessModes: [ReadWriteMany]}", ["spec.accessModes[0]"]),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM, storageClassName: a}", "spec: {storageClassName: b}",
     ["spec.storageClassName"]),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM}", "spec: {selector: {matchLabels: {a: b}}}",
     ["spec.selector.matchLabels.a"]),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM}", "spec: {volumeName: a}", []),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM, volumeName: a}", "spec: {volumeName: b}", ["spec.volumeName"]),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM, dataSource: {kind: PersistentVolumeClaim, name: a}}",
     "spec: {dataSource: null, dataSourceRef: {kind: PersistentVolumeClaim, name: a}}", []),
    ("v1/PersistentVolumeClaim", "spec: {CLAIM, dataSource: {kind: PersistentVolumeClaim, name: a}}",
     "spec: {dataSource: {name: b}}", ["spec.dataSource.name", "spec.dataSourceRef.name"]),
    ("v1/Service", "spec: {ports: [{port: 1}], clusterIP: 10.0.0.71}", "spec: {clusterIP: 10.0.0.72}",
     ["spec.clusterIP"]),
    ("v1/Service", "spec: {ports: [{port: 1}], clusterIP: 10.0.0.71}", "spec: {clusterIP: null}", []),
    ("v1/Service", "spec: {ports: [{port: 1}], clusterIP: None}", "spec: {clusterIP: null}", []),
    ("v1/Service", "spec: {ports: [{port: 1}]}", "spec: {clusterIP: None}", ["spec.clusterIP"]),
    ("v1/Service", "spec: {ports: [{port: 1}], clusterIP: None}",
     "spec: {type: ExternalName, externalName: a.b, clusterIP: null}", []),
    ("v1/Service", "spec: {ports: [{port: 1}], type: LoadBalancer}", "spec: {loadBalancerClass: a/b}",
     ["spec.loadBalancerClass"]),
    ("v1/Service", "spec: {ports: [{port: 1}]}", "spec: {type: LoadBalancer, loadBalancerClass: a/b}", []),
    ("v1/Service", "spec: {ports: [{port: 1}], selector: {a: b}}", "spec: {selector: {a: c}}", []),
    *(
        (f"apps/v1/{kind}", "spec: {selector: {matchLabels: {a: b}}, template: {LABELLED}}",
         "spec: {selector: {matchLabels: {c: d}}}", ["spec.selector.matchLabels.c"])
        for kind in ("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")
    ),
    ("apps/v1/Deployment", "spec: {selector: {matchLabels: {a: b}}, template: {LABELLED}}", "spec: {replicas: 3}", []),
    ("apps/v1/StatefulSet", "spec: {selector: {matchLabels: {a: b}}, template: {LABELLED}}",
     "spec: {podManagementPolicy: OrderedReady}", []),
    ("apps/v1/StatefulSet", "spec: {selector: {matchLabels: {a: b}}, template: {LABELLED}}",
     "spec: {podManagementPolicy: Parallel, serviceName: a}", ["spec.podManagementPolicy", "spec.serviceName"]),
    ("apps/v1/StatefulSet", "spec: {selector: {matchLabels: {a: b}}, template: {LABELLED}}",
     "spec: {volumeClaimTemplates: [{metadata: {name: a}, spec: {CLAIM}}]}",
     ["spec.volumeClaimTemplates[0].metadata.name", "spec.volumeClaimTemplates[0].spec.accessModes[0]",
      "spec.volumeClaimTemplates[0].spec.resources.requests.storage"]),
    ("rbac.authorization.k8s.io/v1/RoleBinding", "roleRef: {ROLE, name: a}", "roleRef: {name: b}", ["roleRef.name"]),
    ("rbac.authorization.k8s.io/v1/ClusterRoleBinding", "roleRef: {ROLE, name: a}", "roleRef: {name: b}",
     ["roleRef.name"]),
    ("rbac.authorization.k8s.io/v1/RoleBinding", "roleRef: {ROLE, name: a}",
     "subjects: [{kind: User, name: u, apiGroup: rbac.authorization.k8s.io}]", []),
    ("scheduling.k8s.io/v1/PriorityClass", "value: 1", "value: 2", ["value"]),
    ("scheduling.k8s.io/v1/PriorityClass", "value: 1", "preemptionPolicy: Never", ["preemptionPolicy"]),
    ("scheduling.k8s.io/v1/PriorityClass", "value: 1", "preemptionPolicy: PreemptLowerPriority", []),
    ("storage.k8s.io/v1/StorageClass", "provisioner: a", "provisioner: b", ["provisioner"]),
    ("storage.k8s.io/v1/StorageClass", "provisioner: a", "parameters: {a: b}", ["parameters.a"]),
    ("storage.k8s.io/v1/StorageClass", "provisioner: a", "reclaimPolicy: Delete\nvolumeBindingMode: Immediate", []),
    ("storage.k8s.io/v1/StorageClass", "provisioner: a", "reclaimPolicy: Retain", ["reclaimPolicy"]),
    ("storage.k8s.io/v1/StorageClass", "provisioner: a", "allowVolumeExpansion: true\nmountOptions: [a]", []),
    ("apps/v1/ControllerRevision", "revision: 1\ndata: {a: 1}", "data: {a: 2}", ["data.a"]),
]  # fmt: skip
_SHORT = {
    "CLAIM": "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}",
    "LABELLED": "metadata: {labels: {a: b, c: d}}, spec: {containers: [{name: a, image: a}]}",
    "ROLE": "kind: ClusterRole, apiGroup: rbac.authorization.k8s.io",
}


def before_and_after(kind: str, old: str, change: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """An object and what it becomes; in the change null is a field that goes."""
    for short, text in _SHORT.items():
        old, change = old.replace(short, text), change.replace(short, text)
    version, name = kind.rsplit("/", 1)
    return manifest(version, name, old, {}), merge(manifest(version, name, old, {}), otheryaml.load(change))


@pytest.mark.parametrize(("kind", "old", "change", "expected"), OF_KUBERNETES)
def test_what_cannot_change_of_kinds_of_kubernetes(kind: str, old: str, change: str, expected: list[str]) -> None:
    assert sorted(field for field, _ in frozen_fields(*before_and_after(kind, old, change))) == expected


def test_a_cluster_refuses_the_same_changes(cluster: RunningCluster) -> None:
    api = cluster.api
    for number, (kind, old, change, expected) in enumerate(OF_KUBERNETES):
        before, after = before_and_after(kind, old, change)
        before["metadata"] = after["metadata"] = {"name": f"immutable-{number}"}
        api.apply(before)
        refused = ""
        try:
            api.apply(after)
        except ApiError as error:
            refused = str(error)
        api.delete(before)
        assert bool(refused) == bool(expected), (kind, old, change, refused)


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("1Gi", "1024Mi", True),
        ("1", "1000m", True),
        ("1Gi", "1G", False),
        ("a", "b", False),
        ("1Gi", "a", False),
        ("[1]", "[2]", False),
        ("true", "1", False),
        ("1", "'1'", True),
        ("0", "null", False),
    ],
)
def test_two_spellings_of_an_amount_are_one(old, new, is_same):
    changed = fields("kubevirt.io/v1/VirtualMachineInstance", f"spec: {{a: {old}}}", f"spec: {{a: {new}}}")
    assert (changed == []) is is_same


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [
        ("resources: {requests: {storage: 1Gi}}", "resources: {requests: {storage: 1.5Gi}}", True),
        ("resources: {requests: {storage: 2Gi}}", "resources: {requests: {storage: 1Gi}}", False),
        ("resources: {requests: {storage: 2Gi}}", "resources: {requests: {}}", False),
        ("resources: {requests: {}}", "resources: {requests: {storage: 2Gi}}", False),
        ("resources: {limits: {storage: 1Gi}}", "resources: {limits: {storage: 2Gi}}", False),
        ("volumeAttributesClassName: a", "volumeAttributesClassName: b", True),
        ("volumeAttributesClassName: a", "{}", True),
    ],
)
def test_a_claim_grows_and_changes_its_attributes(old, new, may):
    changed = fields("v1/PersistentVolumeClaim", f"spec: {{{old}}}", "spec: {}" if new == "{}" else f"spec: {{{new}}}")
    assert (changed == []) is may


@pytest.mark.parametrize(
    ("source", "change", "expected"),
    [
        ("vddk: {}", "checkpoints: [{current: b}]", []),
        ("imageio: {}", "checkpoints: [{current: b}], finalCheckpoint: true", []),
        ("vddk: {}", "preallocation: true", ["spec.preallocation"]),
        ("vddk: {}", "storage: {checkpoints: a}", ["spec.storage.checkpoints"]),
        ("http: {}", "finalCheckpoint: true", ["spec.finalCheckpoint"]),
        ("blank: {}", "checkpoints: [{current: b}]", ["spec.checkpoints[0].current"]),
    ],
)
def test_a_disk_that_is_copied_in_stages_gets_more_checkpoints(source, change, expected):
    old, new = f"spec: {{source: {{{source}}}}}", f"spec: {{source: {{{source}}}, {change}}}"
    assert fields("cdi.kubevirt.io/v1beta1/DataVolume", old, new) == expected


def deployed(*objects: tuple[str, dict[str, Any]], cluster: str = "") -> Repository:
    place = Source("app.yaml")
    return Repository(
        environments=tuple(
            Environment(name=name, kind="Application", folder="apps", place=place, cluster=cluster,
                        resources=(Resource(data, lambda _: place),))
            for name, data in objects
        )
    )  # fmt: skip


def test_which_changes_of_a_repository_are_refused():
    def of(url: str, **metadata: str) -> dict[str, Any]:
        data = manifest("cdi.kubevirt.io/v1beta1", "DataVolume", f"spec: {{source: {{http: {{url: {url}}}}}}}", {})
        return {**data, "metadata": {**data["metadata"], **metadata}}

    before = deployed(("apps", of("a")), ("lab", of("a")), ("old", of("a")))
    after = deployed(("apps", of("b")), ("lab", of("a")), ("new", of("b")))
    changes = list(frozen_changes(before, after))
    unit = after.environments[0]
    assert changes == [FrozenChange(unit, unit.resources[0], "spec.source.http.url", DATA)]
    assert list(frozen_changes(before, deployed(("apps", of("b")), cluster="prod"))) == []
    assert list(frozen_changes(before, deployed(("apps", of("b", namespace="other"))))) == []


def test_what_argo_cd_deletes_and_creates_may_be_another():
    change = "v1/PersistentVolumeClaim", "spec: {volumeMode: Block}", "spec: {volumeMode: Filesystem}"
    assert fields(*change, {SYNC_OPTIONS: "Replace=true,Force=true"}) == []
    assert fields(*change, {SYNC_OPTIONS: "Replace=true"}) == ["spec.volumeMode"]
