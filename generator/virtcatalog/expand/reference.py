"""What virt-controller does with a VM's references to an instance type and a preference before it makes the VMI.

Source: KubeVirt v1.9.0, pkg/instancetype/controller/vm/controller.go and pkg/instancetype/expand/expand.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.status import InstancetypeStatusRef
from virtcatalog.errors import Cause
from virtcatalog.expand.defaults.network import NetworkDefaultError, set_default_network_interface
from virtcatalog.expand.defaults.spec import set_default_vmi_spec, set_default_volume_disks
from virtcatalog.expand.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.expand.instancetype import apply_to_vmi

if TYPE_CHECKING:
    from virtcatalog.expand.cluster import Cluster


def sync_references(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Make sure that what the VM names exists; expand it into the VM where the cluster's referencePolicy says so.

    Under `expand` a VM whose status names a revision stays as it is, under `expandAll` it is expanded, too. The
    revisions that the policy `reference` stores do not change what the VM becomes; `virtcatalog.expand.pin` makes them.
    """
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return []
    try:
        instancetype, preference = find_instancetype(vm, cluster), find_preference(vm, cluster)
    except NotFoundError as error:
        return [error.cause]
    policy = cluster.configuration.instancetype_reference_policy
    if policy == "expandAll" or (policy == "expand" and not _is_pinned(vm)):
        return _expand(vm, instancetype, preference, cluster)
    return []


def _is_pinned(vm: VirtualMachine) -> bool:
    return vm.status is not None and any(map(_has_revision, (vm.status.instancetype_ref, vm.status.preference_ref)))


def _has_revision(reference: InstancetypeStatusRef | None) -> bool:
    revision = reference.controller_revision_ref if reference is not None else None
    return revision is not None and revision.name != ""


def _expand(
    vm: VirtualMachine,
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec | None,
    cluster: Cluster,
) -> list[Cause]:
    """Write both into the VM and let go of them. Default disks and interfaces come first: they are preferred upon."""
    template, config = vm.spec.template, cluster.configuration
    set_default_volume_disks(template.spec)
    try:
        set_default_network_interface(template.spec, config)
        causes = apply_to_vmi("spec.template.spec", instancetype, preference, template.spec, template.metadata)
        if causes:
            return causes
        set_default_vmi_spec(template.spec, config)
    except NetworkDefaultError as error:
        return [Cause("", "", str(error))]
    vm.spec.instancetype = vm.spec.preference = None
    if vm.status is not None:
        vm.status.instancetype_ref = vm.status.preference_ref = None
    return []
