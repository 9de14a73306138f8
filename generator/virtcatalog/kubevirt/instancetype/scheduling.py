"""Where the pods of an instance type may run.

Source: pkg/instancetype/apply/nodeselector.go and scheduler.go.
"""

from __future__ import annotations

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec


def apply_node_selector(
    instancetype: VirtualMachineInstancetypeSpec, vmi_spec: VirtualMachineInstanceSpec
) -> list[str]:
    """Set the node selector as a whole, an empty one too; a VM with one of its own conflicts (applyNodeSelector)."""
    if instancetype.node_selector is None:
        return []
    if vmi_spec.node_selector:
        return ["nodeSelector"]
    vmi_spec.node_selector = dict(instancetype.node_selector)
    return []


def apply_scheduler_name(
    instancetype: VirtualMachineInstancetypeSpec, vmi_spec: VirtualMachineInstanceSpec
) -> list[str]:
    """Set the scheduler (applySchedulerName)."""
    if not instancetype.scheduler_name:
        return []
    if vmi_spec.scheduler_name:
        return ["schedulerName"]
    vmi_spec.scheduler_name = instancetype.scheduler_name
    return []
