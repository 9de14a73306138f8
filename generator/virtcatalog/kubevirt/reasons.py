"""Why a VM is refused, at the fields that its author wrote.

KubeVirt's webhooks, virt-controller and virt-launcher name fields of the VM, of the VM with its instance type and
preference applied, or of the VMI, and some by names that no API has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
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
from virtcatalog.kubevirt.defaults.spec import (
    NetworkDefaultError,
    set_default_network_interface,
    set_default_volume_disks,
)
from virtcatalog.kubevirt.instancetype.apply import apply_instancetype, apply_to_vmi
from virtcatalog.kubevirt.instancetype.find import (
    NotFoundError,
    find_instancetype,
    find_preference,
    missing_matchers,
)
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.preference.requirements import is_lack_of_size

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
#: A message that begins with a field, as the API server's schema words it.
_STATED = re.compile(r"(spec(?:\.\w+|\[\d+\])+): (.*)", re.DOTALL)
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
    return field_path(_api_path(steps(field)))


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
    causes = list(map(_at_stated_field, causes))
    fields = [field_of_vm(cause.field, of_vmi=by in ("vmi", "launcher")) for cause in causes]
    paths = [steps(field) for field in fields]
    origins = _origins(paths, manifest, cluster, vm, vmi) if vm is not None and causes else [""] * len(causes)
    return tuple(
        Reason(field, cause.message, by, cause.type, origin)
        for cause, field, origin in zip(causes, fields, origins, strict=True)
    )


def _at_stated_field(cause: Cause) -> Cause:
    """A cause that names its field in the message alone, as one that names it."""
    stated = None if cause.field else _STATED.match(cause.message)
    return Cause(cause.type, stated[1], stated[2]) if stated else cause


def reasons_of_webhook(
    causes: Sequence[Cause], manifest: Any, cluster: Cluster, vm: VirtualMachine
) -> tuple[Reason, ...]:
    """Tell why the VM's webhook refuses it, and first which instance type or preference is not there.

    The webhook passes over what it does not find, and judges the VM as if it named nothing: a lack of size is then no
    reason of its own.
    """
    missing = reasons("controller", missing_matchers(vm, cluster), manifest, cluster)
    if any(reason.field.startswith("spec.instancetype.") for reason in missing) and is_lack_of_size(causes):
        return missing
    return (*missing, *reasons("vm", causes, manifest, cluster, vm))


def _origins(
    paths: Sequence[Path], manifest: Any, cluster: Cluster, vm: VirtualMachine, vmi: VirtualMachineInstance | None
) -> list[str]:
    """Say for every path who set it, if not the VM's author: `the preference X sets it`; "" where the author did."""
    left_out = [path[: len(_TEMPLATE)] == _TEMPLATE and _depth(manifest, path) < len(path) for path in paths]
    if not any(left_out):
        return [""] * len(paths)
    template = clone(vm.spec.template)
    set_default_volume_disks(template.spec)
    with suppress(NetworkDefaultError):
        set_default_network_interface(template.spec, cluster.configuration)
    before = to_manifest(template)
    below = [path[len(_TEMPLATE) :] for path in paths]
    # Webhooks of VMs apply a part of a preference, too: so it is applied again to what they began with.
    set_by_webhook = [path for path, absent in zip(below, left_out, strict=True) if absent and _has(before, path)]
    matchers = _matched(_without(template, set_by_webhook), vm, cluster)
    after = to_manifest(vmi) if vmi is not None else {}
    names = applied_presets(vmi) if vmi is not None else ()
    presets = [
        (preset.metadata.name, to_manifest(preset.spec.domain))
        for preset in (cluster.presets(vmi.metadata.namespace) if vmi is not None else ())
        if preset.metadata.name in names and preset.spec.domain is not None
    ]

    def origin(path: Path) -> str:
        start = path[: _depth(before, path) + 1]
        for source, matched in matchers:
            if _has(matched, start):
                return f"{source} sets it"
        if _has(before, path):
            return _DEFAULT
        for name, domain in presets:
            if _has(domain, start[2:]):
                return f"the preset {name} sets it"
        return _DEFAULT if _has(after, path) else ""

    return [origin(path) if absent else "" for path, absent in zip(below, left_out, strict=True)]


def _without(
    template: VirtualMachineInstanceTemplateSpec, paths: Sequence[Path]
) -> VirtualMachineInstanceTemplateSpec | None:
    """A template without what stands at some paths; None where one of them has to be there."""
    if not paths:
        return template
    manifest = to_manifest(template)
    for *above, last in dict.fromkeys(paths):
        around: Any = manifest
        for step in above:
            around = around[step]
        if isinstance(around, dict):
            around.pop(last, None)
    try:
        return convert(manifest, VirtualMachineInstanceTemplateSpec)
    except msgspec.ValidationError:
        return None


def _matched(
    template: VirtualMachineInstanceTemplateSpec | None, vm: VirtualMachine, cluster: Cluster
) -> list[tuple[str, Any]]:
    """What the instance type, then the preference, make of a VM's template; none where they conflict with it."""
    if template is None:
        return []
    try:
        instancetype, preference = find_instancetype(vm, cluster), find_preference(vm, cluster)
    except NotFoundError:
        return []
    matched: list[tuple[str, Any]] = []
    spec, metadata = template.spec, template.metadata
    if vm.spec.instancetype is not None and instancetype is not None:
        if apply_instancetype(instancetype, preference, spec, metadata):
            return []
        matched.append((f"the instance type {vm.spec.instancetype.name}", to_manifest(template)))
    if vm.spec.preference is not None and not apply_to_vmi(
        "spec", None, preference, spec, metadata, cluster.release.traits
    ):
        matched.append((f"the preference {vm.spec.preference.name}", to_manifest(template)))
    return matched


def _has(data: Any, path: Path) -> bool:
    return _depth(data, path) == len(path)


def _depth(data: Any, path: Path) -> int:
    """How many steps of a path there are in data."""
    for depth, step in enumerate(path):
        try:
            data = data[step] if isinstance(data, list) and isinstance(step, int) else data[str(step)]
        except (KeyError, IndexError, TypeError):
            return depth
    return len(path)


def _api_path(path: Path) -> Path:
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
