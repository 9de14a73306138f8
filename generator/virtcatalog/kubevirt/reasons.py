"""Why a VM is refused, told of the VM that its author wrote.

KubeVirt's webhooks, virt-controller and virt-launcher name fields of the VM, of the VM with its instance type and
preference applied, or of the VMI, and some by names that no API has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from virtcatalog.api.decode import clone, convert, to_manifest
from virtcatalog.api.findings import Path, field_path, steps
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceTemplateSpec,
    VirtualMachineSpec,
)
from virtcatalog.api.shape import Anything, List, Map, Shape, Struct, struct_of
from virtcatalog.errors import Cause, Reason, Refuser
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.presets import applied_presets
from virtcatalog.kubevirt.defaults.spec import set_default_volume_disks
from virtcatalog.kubevirt.instancetype.apply import apply_instancetype, apply_to_vmi
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.kubevirt.memo import memo

_POOLED = "spec.virtualMachineTemplate."
_TEMPLATE: Path = ("spec", "template")
#: What KubeVirt calls fields, where the API has another name or place for them; the rest of the path follows.
_MISNAMED = {
    "instancetype.spec": "spec.instancetype",
    "spec.dataVolumeTemplate": "spec.dataVolumeTemplates",
    "spec.template.spec.HostDevices": "spec.template.spec.domain.devices.hostDevices",
    "spec.template.spec.acpi": "spec.template.spec.domain.firmware.acpi",
    "spec.template.spec.launchSecurity": "spec.template.spec.domain.launchSecurity",
    "spec.template.spec.nodeAffinity": "spec.template.spec.affinity.nodeAffinity",
    "spec.template.spec.podAffinity": "spec.template.spec.affinity.podAffinity",
    "spec.template.spec.podAntiAffinity": "spec.template.spec.affinity.podAntiAffinity",
    "spec.template.spec.domain.cpu.dedicatedCPUPlacement": "spec.template.spec.domain.cpu.dedicatedCpuPlacement",
    "spec.template.spec.domain.hugepages.size": "spec.template.spec.domain.memory.hugepages.pageSize",
    "spec.template.spec.domain.ioThreads.count": "spec.template.spec.domain.ioThreads.supplementalPoolThreadCount",
}
_DEFAULT = "KubeVirt's configuration or default sets it"
#: How KubeVirt writes paths that are none, some put together twice over: `disks.domain.devices.disks[0]`.
_MISSPELT = (
    (re.compile(r"^(spec\.template\.spec\.)domain\..*(?=domain\.)"), r"\1"),
    (re.compile(r"^annotations\.(.*)"), r"spec.template.metadata.annotations[\1]"),
    (re.compile(r"^(spec\.dataVolumeTemplate)(\[\d+\])\.name$"), r"\1s\2.metadata.name"),
)


@memo
def field_of_vm(field: str, *, of_vmi: bool = False) -> str:
    """Return the field of a VM's manifest that a field in an answer of KubeVirt's is about, "" if none is.

    Fields below `spec` that only a VMI has are taken for the VMI's; those of its metadata are with `of_vmi`. The path
    ends where the API has no such field.
    """
    first, _, others = field.partition(", ")
    if others:  # one lack of several fields is one of what is around them
        return field_of_vm(first.rpartition(".")[0], of_vmi=of_vmi)
    if _is_of_vmi(steps(field), of_vmi):
        field = f"spec.template.{field}"
    for pattern, spelt in _MISSPELT:
        field = pattern.sub(spelt, field)
    for name, place in _MISNAMED.items():
        if field.startswith(name) and field[len(name) : len(name) + 1] in ("", ".", "["):
            field = place + field[len(name) :]
    return field_path(_known(steps(field)))


def field_of_holder(field: str, kind: str | None) -> str:
    """Return what a field of a VM is called in the manifest of a kind that holds one; its own fields stay."""
    if kind == "VirtualMachineInstance":
        return field.removeprefix("spec.template.")
    step = steps(field)[1:2]
    if kind == "VirtualMachinePool" and step and step[0] in VirtualMachineSpec.__struct_encode_fields__:
        return f"{_POOLED}{field}"
    return field


def field_in_template(field: str) -> str:
    """Return the field of a ReplicaSet or pool that its own webhook's answer is about."""
    if field.startswith(_POOLED):
        return f"{_POOLED}{field_of_vm(field.removeprefix(_POOLED))}"
    return field_of_vm(field) if field.startswith("spec.template.") else field


def _is_of_vmi(path: Path, of_vmi: bool) -> bool:
    if len(path) < 2 or path[0] == "metadata":
        return of_vmi and path[1:2] in (("labels",), ("annotations",))
    return path[0] == "spec" and path[1] not in (*VirtualMachineSpec.__struct_encode_fields__, "dataVolumeTemplate")


def reasons(
    by: Refuser,
    causes: Iterable[Cause],
    manifest: Any,
    cluster: Cluster,
    vm: VirtualMachine | None = None,
    vmi: VirtualMachineInstance | None = None,
) -> tuple[Reason, ...]:
    """Tell causes at the VM's own fields, and where what they are about comes from when it is not in the manifest.

    `vm` and `vmi` are the objects after their webhooks' changes, as far as KubeVirt came with them.
    """
    found = []
    for cause in causes:
        field = field_of_vm(cause.field, of_vmi=by in ("vmi", "launcher"))
        origin = _origin(steps(field), manifest, cluster, vm, vmi) if vm is not None else ""
        found.append(Reason(field, cause.message, by, cause.type, origin))
    return tuple(found)


def _origin(path: Path, manifest: Any, cluster: Cluster, vm: VirtualMachine, vmi: VirtualMachineInstance | None) -> str:
    """Who gives the VM what stands at a path of its template, or at the first part of it that its author left out."""
    if path[: len(_TEMPLATE)] != _TEMPLATE or _depth(manifest, path) == len(path):
        return ""
    whole, template = path[len(_TEMPLATE) :], clone(vm.spec.template)
    set_default_volume_disks(template.spec)
    known = _depth(to_manifest(template), whole)
    if known == len(whole):  # webhooks of VMs apply a part of a preference, too
        without = _without(template, whole)
        return (_by_matcher(whole, without, vm, cluster) if without is not None else "") or _DEFAULT
    given = whole[: known + 1]
    by_matcher = _by_matcher(given, template, vm, cluster)
    if by_matcher or vmi is None:
        return by_matcher
    names = applied_presets(vmi)
    for preset in cluster.presets(vmi.metadata.namespace):
        domain = preset.spec.domain
        if preset.metadata.name in names and domain is not None and _has(domain, given[2:]):
            return f"the preset {preset.metadata.name} sets it"
    return _DEFAULT if _has(vmi, whole) else ""


def _without(template: VirtualMachineInstanceTemplateSpec, path: Path) -> VirtualMachineInstanceTemplateSpec | None:
    """A template without what stands at a path; None where it has to be there."""
    manifest = to_manifest(template)
    *above, last = path
    around: Any = manifest
    for step in above:
        around = around[step]
    del around[last]
    try:
        return convert(manifest, VirtualMachineInstanceTemplateSpec)
    except msgspec.ValidationError:
        return None


def _by_matcher(path: Path, template: VirtualMachineInstanceTemplateSpec, vm: VirtualMachine, cluster: Cluster) -> str:
    """Whether the instance type, or after it the preference, gives a path to a VM's template; changes `template`."""
    try:
        instancetype, preference = find_instancetype(vm, cluster), find_preference(vm, cluster)
    except NotFoundError:
        return ""
    spec, metadata = template.spec, template.metadata
    if vm.spec.instancetype is not None and instancetype is not None:
        if apply_instancetype(instancetype, preference, spec, metadata):
            return ""
        if _has(template, path):
            return f"the instance type {vm.spec.instancetype.name} sets it"
    if vm.spec.preference is not None and not apply_to_vmi(
        "spec", None, preference, spec, metadata, cluster.release.traits
    ):
        return f"the preference {vm.spec.preference.name} sets it" if _has(template, path) else ""
    return ""


def _has(obj: msgspec.Struct, path: Path) -> bool:
    return _depth(to_manifest(obj), path) == len(path)


def _depth(data: Any, path: Path) -> int:
    """How many steps of a path there are in data."""
    for depth, step in enumerate(path):
        try:
            data = data[step] if isinstance(data, list) and isinstance(step, int) else data[str(step)]
        except (KeyError, IndexError, TypeError):
            return depth
    return len(path)


def _known(path: Path) -> Path:
    """As much of a path as the API of VMs has."""
    shape: Shape = struct_of(VirtualMachine)
    for depth, step in enumerate(path):
        if isinstance(shape, Struct) and step in shape.fields:
            shape = shape.fields[str(step)].shape
        elif isinstance(shape, Map):
            shape = shape.value
        elif isinstance(shape, List) and isinstance(step, int):
            shape = shape.item
        elif not isinstance(shape, Anything):
            return path[:depth]
    return path
