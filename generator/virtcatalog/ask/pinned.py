"""A VM or pool with the revisions of its instance type and preference that KubeVirt stores."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kinds import vm_spec, with_vm_spec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.pin import Holder, pin

Manifest = dict[str, Any]


def pinned(manifest: Manifest, vm: VirtualMachine | None, cluster: Cluster) -> list[Manifest]:
    """Return the VM's manifest with its `revisionName`s, then the ControllerRevisions that do not exist yet.

    `vm` is the VM after its webhook, with inferred matchers; the rest of the manifest stays as its author wrote it. The
    VMs of a pool share its revisions, where KubeVirt stores equal ones for every VM. With None, a manifest without
    matchers, the manifest stays as it is.
    """
    if vm is None:
        return [manifest]
    pins = pin(vm, cluster, _pool(manifest) if manifest["kind"] == "VirtualMachinePool" else None)
    spec = dict(vm_spec(manifest))
    for key, matcher, revision in (
        ("instancetype", vm.spec.instancetype, pins.instancetype),
        ("preference", vm.spec.preference, pins.preference),
    ):
        if matcher is not None and revision:
            spec[key] = {**to_manifest(matcher), "revisionName": revision}
    return [with_vm_spec(manifest, spec), *pins.revisions]


def _pool(manifest: Manifest) -> Holder:
    metadata = manifest["metadata"]
    return Holder(manifest["apiVersion"], manifest["kind"], metadata.get("name", ""), metadata.get("uid", ""))
