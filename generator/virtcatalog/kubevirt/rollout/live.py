"""What a running VMI takes over from its VM: annotations (both ways), affinity, node selector, tolerations.

Source: pkg/virt-controller/watch/vm/vm.go (syncDynamicAnnotationsAndLabelsToVMI, syncPCITopologyAnnotationsToVM,
handleAffinityChangeRequest, handleTolerationsChangeRequest).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.defaults.webhooks import PCI_TOPOLOGY_ANNOTATION
from virtcatalog.kubevirt.rollout.running import SyncError

_DESCHEDULER = ("descheduler.alpha.kubernetes.io/evict", "descheduler.alpha.kubernetes.io/prefer-no-eviction")
_SKIP_BACKUP_HOOKS = "kubevirt.io/skip-backup-hooks"
_PCI_SLOTS_ANNOTATION = "kubevirt.io/pci-interface-slot-count"

Annotations = Mapping[str, str]


def followed(vm: VirtualMachine, vmi: Annotations) -> dict[str, str]:
    """Return the annotations of a VMI as its VM has them now.

    SyncError when one of the template and one of the VM itself change at once: the controller's patch fails then.
    """
    of_template = _taken(vmi, vm.spec.template.metadata.annotations, _DESCHEDULER)
    of_both = _taken(of_template, vm.metadata.annotations, (_SKIP_BACKUP_HOOKS,))
    if of_template != vmi and of_both != of_template:
        message = f"{_SKIP_BACKUP_HOOKS} and an annotation for the descheduler cannot change at once"
        raise SyncError(Cause("", "metadata.annotations", message))
    return of_both


def _taken(annotations: Annotations, source: Annotations, keys: Iterable[str]) -> dict[str, str]:
    taken = dict(annotations)
    for key in keys:
        if key in source:
            taken[key] = source[key]
        else:
            taken.pop(key, None)
    return taken


def note_pci_topology(vm: VirtualMachine, vmi: Annotations) -> None:
    """Have the VM's template keep the PCI topology of its machine; changes `vm`."""
    annotations = vm.spec.template.metadata.annotations
    if not vmi.get(PCI_TOPOLOGY_ANNOTATION) or annotations.get(PCI_TOPOLOGY_ANNOTATION):
        return
    annotations[PCI_TOPOLOGY_ANNOTATION] = vmi[PCI_TOPOLOGY_ANNOTATION]
    if _PCI_SLOTS_ANNOTATION in vmi:
        annotations[_PCI_SLOTS_ANNOTATION] = vmi[_PCI_SLOTS_ANNOTATION]


def place(spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec) -> list[VirtualMachineInstanceSpec]:
    """Return the VMI's spec after each step that brings it where its VM wants it: there are up to three."""
    steps = []
    for changed in (
        {"affinity": wanted.affinity},
        {"node_selector": wanted.node_selector},
        {"tolerations": wanted.tolerations},
    ):
        following = replace(spec, **changed)
        if following != spec:
            steps.append(following)
            spec = following
    return steps
