"""Fields that a cluster never changes."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from virtcatalog.catalog.labels import SYNC_OPTIONS
from virtcatalog.gitops.immutable import frozen_fields


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
    ],
)  # fmt: skip
def test_what_cannot_change(kind, old, new, expected):
    assert fields(kind, old, new) == expected


def test_what_argo_cd_deletes_and_creates_may_be_another():
    change = "v1/PersistentVolumeClaim", "spec: {volumeMode: Block}", "spec: {volumeMode: Filesystem}"
    assert fields(*change, {SYNC_OPTIONS: "Replace=true,Force=true"}) == []
    assert fields(*change, {SYNC_OPTIONS: "Replace=true"}) == ["spec.volumeMode"]
