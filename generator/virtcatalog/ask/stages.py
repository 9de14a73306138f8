"""A VM's way to its VMI, stage by stage, with and without its instance type and preference."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
)
from virtcatalog.api.names import namespace_or_default
from virtcatalog.ask.template import Manifest, VmOrVmi, read_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import (
    ControllerError,
    start_vmi,
    sync_instancetype,
)
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.identity import without_placeholder_uids
from virtcatalog.kubevirt.result import Result


class Expansion(NamedTuple):
    """A VM and its stages.

    `manifest` is its author's; `read` is the VM or VMI read from it, None where this is the same as `manifest`;
    `mutated` is that after its webhook. `final` is the VMI after its webhook, and `shown` the manifest of this VMI
    without generated uids.
    """

    manifest: Manifest
    read: VmOrVmi | None
    mutated: VmOrVmi
    final: VirtualMachineInstance
    shown: Manifest


def expansion_of(manifest: Manifest, result: Result, cluster: Cluster) -> Expansion | None:
    """Return the stages of a result, run again where it has none; None where KubeVirt refuses the VM or VMI."""
    stages, final, shown = result.stages, result.vmi_object, result.vmi
    if stages is None or final is None or shown is None:
        return _run(manifest, cluster)
    return Expansion(manifest, stages.read, stages.mutated, final, shown)


def _run(manifest: Manifest, cluster: Cluster) -> Expansion | None:
    """Run the stages that change objects, as in `pipeline`; None where KubeVirt refuses the VM or VMI."""
    vm = _read(manifest, cluster)
    read = None if manifest.get("kind") == "VirtualMachine" else clone(vm)
    vmi = _start(vm, cluster)
    if vmi is None:
        return None
    mutated = vm if isinstance(vm, VirtualMachine) else clone(vm)
    shown = _finish(vmi, cluster)
    return Expansion(manifest, read, mutated, vmi, shown) if shown else None


def _read(manifest: Manifest, cluster: Cluster) -> VmOrVmi:
    vm = read_vm(manifest, cluster.release)
    vm.metadata.namespace = namespace_or_default(vm.metadata.namespace)
    return vm


def _start(vm: VmOrVmi, cluster: Cluster) -> VirtualMachineInstance | None:
    """Run the VM's webhook, which changes the VM, and virt-controller; returns a VMI as it is."""
    if isinstance(vm, VirtualMachineInstance):
        return vm
    try:
        return None if mutate_vm(vm, cluster) else start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return None


def _finish(vmi: VirtualMachineInstance, cluster: Cluster) -> Manifest:
    """Run the VMI's webhook, and return the VMI's manifest, {} if the webhook refuses it."""
    return {} if mutate_vmi(vmi, cluster) else without_placeholder_uids(to_manifest(vmi))
