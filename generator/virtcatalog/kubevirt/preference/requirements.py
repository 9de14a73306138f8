"""What a preference requires of the VM: CPU in its topology, memory, architecture.

Source: pkg/instancetype/preference/requirements; the cause as
pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeVar

from virtcatalog.api.domainspec import CPU
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import not_found
from virtcatalog.kubevirt.preference.topology import preferred_topology, spread_options

Amount = TypeVar("Amount", int, Quantity)

#: What a VM that names no instance type says its size in.
_SIZES = ("spec.template.spec.domain.cpu", "spec.template.spec.domain.memory")
_UINT32, _NONE = 2**32, Quantity()
_COUNTED = {
    "sockets": ("sockets",),
    "cores": ("cores",),
    "threads": ("threads",),
    "any": ("cores", "sockets", "threads"),
    "SocketsCores": ("sockets", "cores"),
    "CoresThreads": ("cores", "threads"),
    "SocketsCoresThreads": ("sockets", "cores", "threads"),
}


def check_requirements(
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec | None,
    vmi_spec: VirtualMachineInstanceSpec,
) -> list[Cause]:
    """Return what the VM, expanded and with its defaults set, lacks of the requirements: the first lack only.

    The cause's field may be several paths joined by `, `, as KubeVirt answers it.
    """
    if preference is None or preference.requirements is None:
        return []
    for check in _CHECKS:
        cause = check(instancetype, preference, vmi_spec)
        if cause is not None:
            return [cause]
    return []


def is_lack_of_size(causes: Sequence[Cause]) -> bool:
    """Whether all that is refused is that a VM without an instance type has too few vCPUs or too little memory."""
    return all(cause.type == "FieldValueNotFound" and cause.field.startswith(_SIZES) for cause in causes)


def _check_cpu(
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec,
    vmi_spec: VirtualMachineInstanceSpec,
) -> Cause | None:
    required = preference.requirements.cpu if preference.requirements is not None else None
    if required is None:
        return None
    path = "spec.template.spec.domain.cpu"
    if instancetype is not None:
        return _lack("vCPUs", instancetype.cpu.guest, required.guest, "spec.instancetype")
    if vmi_spec.domain.cpu is None:
        return not_found(path, f"the preference requires {required.guest} vCPUs, the VM gives none")
    topology = preferred_topology(preference)
    if topology == "spread":
        topology = spread_options(preference)[1]
        if topology not in _COUNTED:  # what is spread across nothing known counts as nothing
            return _lack("vCPUs", 0, required.guest, "")
    counted = _COUNTED.get(topology)
    if counted is None:
        return None
    fields = ", ".join(f"{path}.{name}" for name in counted)
    return _lack(f"vCPUs as {topology}", _count(vmi_spec.domain.cpu, counted), required.guest, fields)


def _count(cpu: CPU, names: tuple[str, ...]) -> int:
    counts = {"sockets": cpu.sockets, "cores": cpu.cores, "threads": cpu.threads}
    return prod(counts[name] for name in names) % _UINT32


def _check_memory(
    instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec,
    vmi_spec: VirtualMachineInstanceSpec,
) -> Cause | None:
    required = preference.requirements.memory if preference.requirements is not None else None
    if required is None:
        return None
    path, provided = "spec.template.spec.domain.memory", _NONE
    if instancetype is not None:
        path, provided = "spec.instancetype", instancetype.memory.guest
    memory = vmi_spec.domain.memory
    if memory is not None and memory.guest is not None:
        provided = memory.guest
    return _lack("memory", provided, required.guest, path)


def _check_architecture(
    _instancetype: VirtualMachineInstancetypeSpec | None,
    preference: VirtualMachinePreferenceSpec,
    vmi_spec: VirtualMachineInstanceSpec,
) -> Cause | None:
    required = preference.requirements.architecture if preference.requirements is not None else None
    if required is None or vmi_spec.architecture == required:
        return None
    message = f"the preference requires architecture {required}, the VM has {vmi_spec.architecture}"
    return not_found("spec.template.spec.architecture", message)


def _lack(noun: str, provided: Amount, required: Amount, field: str) -> Cause | None:
    if not provided < required:
        return None
    return not_found(field, f"the preference requires {required} {noun}, there are {provided}")


_Check = Callable[
    [VirtualMachineInstancetypeSpec | None, VirtualMachinePreferenceSpec, VirtualMachineInstanceSpec], Cause | None
]
_CHECKS: tuple[_Check, ...] = (_check_cpu, _check_memory, _check_architecture)
