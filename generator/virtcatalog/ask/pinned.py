"""A VM as it is once KubeVirt has stored the revisions of its instance type and preference."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.pin import pin

Manifest = dict[str, Any]


def pinned(manifest: Manifest, vm: VirtualMachine, cluster: Cluster) -> list[Manifest]:
    """Return the VM's manifest with its `revisionName`s, then the ControllerRevisions that do not exist yet.

    `vm` is the VM after its webhook, which infers; the rest of the manifest stays as its author wrote it.
    """
    pins = pin(vm, cluster)
    spec = dict(manifest["spec"])
    for key, matcher, revision in (
        ("instancetype", vm.spec.instancetype, pins.instancetype),
        ("preference", vm.spec.preference, pins.preference),
    ):
        if matcher is not None and revision:
            spec[key] = {**to_manifest(matcher), "revisionName": revision}
    return [{**manifest, "spec": spec}, *pins.revisions]
