"""All of an instance type, and after it the preference, applied.

Source: pkg/instancetype/apply/vmi.go and pkg/instancetype/conflict/conflicts.go.
"""

from __future__ import annotations

from operator import attrgetter

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.instancetype import (
    CPUInstancetype,
    MemoryInstancetype,
    VirtualMachineInstancetypeSpec,
    VirtualMachinePreferenceSpec,
)
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.instancetype.annotations import apply_annotations
from virtcatalog.kubevirt.instancetype.cpu import apply_cpu
from virtcatalog.kubevirt.instancetype.devices import apply_gpus, apply_host_devices
from virtcatalog.kubevirt.instancetype.iothreads import apply_io_threads, apply_io_threads_policy
from virtcatalog.kubevirt.instancetype.launch_security import apply_launch_security
from virtcatalog.kubevirt.instancetype.memory import apply_memory
from virtcatalog.kubevirt.instancetype.scheduling import apply_node_selector, apply_scheduler_name
from virtcatalog.kubevirt.preference import apply_preference
from virtcatalog.releases import Traits

_ALWAYS = ("cpu", "memory", "annotations")
_more = attrgetter(*(name for name in VirtualMachineInstancetypeSpec.__struct_fields__ if name not in _ALWAYS))
"""What few instance types have."""
_NOTHING_MORE = _more(
    VirtualMachineInstancetypeSpec(cpu=CPUInstancetype(guest=1), memory=MemoryInstancetype(guest=Quantity()))
)


def apply_to_vmi(
    path: str,
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec | None,
    vmi_spec: VirtualMachineInstanceSpec,
    vmi_metadata: ObjectMeta,
    traits: Traits,
) -> list[Cause]:
    """Apply an instance type, then a preference, to a VMI or a VM's template; `path` is that of `vmi_spec`.

    Returns a cause for each field of the VM that the instance type also decides; the preference is not applied then.
    """
    if instancetype is not None:
        conflicts = apply_instancetype(instancetype, preference, vmi_spec, vmi_metadata, path=path)
        if conflicts:
            return _decided(conflicts)
    if preference is not None:
        cpu = preference.cpu
        if vmi_spec.domain.cpu is None and cpu is not None and cpu.preferred_cpu_features:
            return [Cause("", "", "KubeVirt fails on preferredCPUFeatures when the VM has no instance type and no cpu")]
        apply_preference(preference, vmi_spec, vmi_metadata, traits)
    return []


def _decided(fields: list[str]) -> list[Cause]:
    message = "the instance type decides this: remove it from the VM"
    return [Cause("FieldValueInvalid", field, message) for field in fields]


def apply_instancetype(
    instancetype: VirtualMachineInstancetypeSpec,
    preference: VirtualMachinePreferenceSpec | None,
    vmi_spec: VirtualMachineInstanceSpec,
    vmi_metadata: ObjectMeta,
    *,
    path: str = "",
) -> list[str]:
    """Apply an instance type; the preference is asked for the CPU topology only.

    Returns the fields of the VM that conflict with it, below `path`; KubeVirt names annotations `annotations.<key>`
    wherever they are.
    """
    domain = vmi_spec.domain
    conflicts = apply_cpu(instancetype.cpu, preference, domain) + apply_memory(instancetype.memory, domain)
    if _more(instancetype) != _NOTHING_MORE:
        conflicts = [
            *apply_node_selector(instancetype, vmi_spec),
            *apply_scheduler_name(instancetype, vmi_spec),
            *conflicts,
            *apply_io_threads(instancetype, domain),
            *apply_io_threads_policy(instancetype, domain),
            *apply_launch_security(instancetype, domain),
            *apply_gpus(instancetype, domain.devices),
            *apply_host_devices(instancetype, domain.devices),
        ]
    if path and conflicts:
        conflicts = [f"{path}.{field}" for field in conflicts]
    if instancetype.annotations:
        conflicts += apply_annotations(instancetype.annotations, vmi_metadata)
    return conflicts
