"""Disks that were made by another template than a VM has now."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.live.compare import vm_of
from virtcatalog.live.disks import other_disks

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: shop}
spec:
  runStrategy: Always
  dataVolumeTemplates: [{metadata: {name: root}, spec: {source: {blank: {}}, PART}}]
  template: {spec: {domain: {devices: {}}}}
"""
MADE = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: root, namespace: shop}, spec: {PART}}"
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: SIZE}}}
"""
SMALL = "storage: {resources: {requests: {storage: 1Gi}}}"


def storage(**fields: Any) -> str:
    return f"storage: {{{', '.join(f'{key}: {value}' for key, value in fields.items())}}}"


@pytest.mark.parametrize(
    ("template", "made_from", "claim", "fields"),
    [
        (SMALL, SMALL, "", []),
        (SMALL, "", "", []),
        (SMALL, SMALL.replace("1Gi", "1024Mi"), "", []),
        (SMALL.replace("1Gi", "2Gi"), SMALL, "", [("storage.resources.requests.storage", "1Gi", "2Gi")]),
        (SMALL.replace("1Gi", "2Gi"), SMALL, "1Gi", [("storage.resources.requests.storage", "1Gi", "2Gi")]),
        # Somebody enlarged the claim.
        (SMALL.replace("1Gi", "2Gi"), SMALL, "2Gi", []),
        (SMALL.replace("1Gi", "2Gi"), SMALL, "3Gi", []),
        (storage(volumeMode="Block"), storage(volumeMode="Filesystem"), "", [
            ("storage.volumeMode", "Filesystem", "Block"),
        ]),
        (storage(accessModes="[ReadWriteMany]"), storage(accessModes="[ReadWriteOnce]"), "", [
            ("storage.accessModes", ["ReadWriteOnce"], ["ReadWriteMany"]),
        ]),
        ("pvc: {storageClassName: a}", "pvc: {storageClassName: b}", "", [("pvc.storageClassName", "b", "a")]),
        # What either leaves open is no difference.
        (storage(volumeMode="Block"), "storage: {}", "", []),
        ("storage: {}", storage(storageClassName="a"), "", []),
    ],
)  # fmt: skip
def test_a_data_volume_that_is_there_stays_as_it_was_made(
    template: str, made_from: str, claim: str, fields: list[tuple[str, Any, Any]]
) -> None:
    objects = [MADE.replace("PART", made_from)] if made_from else []
    objects += [CLAIM.replace("SIZE", claim)] if claim else []
    cluster = Cluster([otheryaml.load(text) for text in objects])
    reason = other_disks(vm_of(otheryaml.load(VM.replace("PART", template)), cluster), cluster)
    at = "spec.dataVolumeTemplates[0].spec."
    assert [
        (field.field.removeprefix(at), field.now, field.wanted) for field in (reason.fields if reason else ())
    ] == fields
    if reason is not None:
        assert reason.message == "DataVolume root stays as it is, until the VM is deleted and created anew"
