"""VMs before questions are asked: as a template of the VMI, and pinned to the revisions that KubeVirt stores."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import vm_spec, with_vm_spec
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.holders import first_vm, vmi_of_replica_set
from virtcatalog.kubevirt.instancetype.pin import Holder, pin
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.textdiff import unified
from virtcatalog.releases import DEFAULT, Release

Manifest = dict[str, Any]


VmOrVmi = VirtualMachine | VirtualMachineInstance


def read_vm(manifest: Manifest, release: Release = DEFAULT) -> VmOrVmi:
    """Read a VM or VMI as the API server does; of a pool or replica set, its first VM or VMI.

    ManifestError when the API server refuses it.
    """
    kind = manifest.get("kind")
    if kind == "VirtualMachinePool":
        return first_vm(decode_manifest(manifest, VirtualMachinePool), release)
    if kind == "VirtualMachineInstanceReplicaSet":
        return vmi_of_replica_set(decode_manifest(manifest, VirtualMachineInstanceReplicaSet))
    if kind == "VirtualMachineInstance":
        return decode_manifest(manifest, VirtualMachineInstance)
    vm = decode_manifest(manifest, VirtualMachine)
    vm.api_version, vm.kind = "kubevirt.io/v1", "VirtualMachine"
    return vm


def as_vmi(vm: VmOrVmi) -> Manifest:
    """Return the metadata and spec of a VM's VMI, from its template; those of a VMI are its own."""
    template = to_manifest(vm) if isinstance(vm, VirtualMachineInstance) else to_manifest(vm.spec.template)
    metadata = {key: value for key, value in template.get("metadata", {}).items() if key in INHERITED}
    own = {"name": vm.metadata.name, "namespace": vm.metadata.namespace}
    names = {key: value for key, value in own.items() if value}
    return {"metadata": {**names, **metadata}, "spec": template["spec"]}


def written_template(manifest: Manifest) -> Manifest:
    """Return the part of a manifest that becomes a VMI, as its author wrote it."""
    if manifest.get("kind") == "VirtualMachineInstance":
        return manifest
    template: Manifest = vm_spec(manifest)["template"]
    return template


def template_diff(vm_manifest: Manifest, vmi: Manifest, name: str) -> str:
    """Return the unified diff from the VM's template to its VMI: labels, annotations and spec, as YAML.

    `name` is the VM's, for the headers. "" when KubeVirt adds nothing.
    """
    old, new = (dump(_compared(side)) for side in (as_vmi(read_vm(vm_manifest)), vmi))
    return unified(old, new, f"{vm_manifest.get('kind') or 'VirtualMachine'}/{name}", f"VirtualMachineInstance/{name}")


def _compared(vmi: Manifest) -> Manifest:
    metadata = {key: vmi["metadata"][key] for key in ("labels", "annotations") if vmi["metadata"].get(key)}
    return {"metadata": metadata, "spec": vmi["spec"]} if metadata else {"spec": vmi["spec"]}


# pkg/virt-controller/watch/vm/vm.go: the metadata that a VMI takes from a template.
INHERITED = ("labels", "annotations", "finalizers")


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
