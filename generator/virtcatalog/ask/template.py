"""What a VM's author wrote, in the shape of the VMI that it becomes."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.manifests.emit import dump

Manifest = dict[str, Any]


def read_vm(manifest: Manifest) -> VirtualMachine:
    """Read a VM as the API server takes it from its author; ManifestError when it does not."""
    vm = decode_manifest(manifest, VirtualMachine)
    vm.api_version, vm.kind = "kubevirt.io/v1", "VirtualMachine"
    return vm


def as_vmi(vm: VirtualMachine) -> Manifest:
    """Return the metadata and spec that the VM's template gives to its VMI."""
    template = to_manifest(vm.spec.template)
    metadata = {key: value for key, value in template.get("metadata", {}).items() if key in _INHERITED}
    own = to_manifest(vm.metadata)
    names = {key: own[key] for key in ("name", "namespace") if key in own}
    return {"metadata": {**names, **metadata}, "spec": template["spec"]}


def template_diff(vm_manifest: Manifest, vmi: Manifest, name: str) -> str:
    """Return the unified diff from the VM's template to its VMI: labels, annotations and spec, as YAML.

    `name` is the VM's, for the headers. "" when KubeVirt adds nothing.
    """
    old, new = (dump(_compared(each)).splitlines(keepends=True) for each in (as_vmi(read_vm(vm_manifest)), vmi))
    return "".join(unified_diff(old, new, f"VirtualMachine/{name}", f"VirtualMachineInstance/{name}"))


def _compared(vmi: Manifest) -> Manifest:
    metadata = {key: vmi["metadata"][key] for key in ("labels", "annotations") if vmi["metadata"].get(key)}
    return {"metadata": metadata, "spec": vmi["spec"]} if metadata else {"spec": vmi["spec"]}


# pkg/virt-controller/watch/vm/vm.go: what of a template's metadata a VMI gets.
_INHERITED = ("labels", "annotations", "finalizers")
