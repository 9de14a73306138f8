"""From the manifest of a VM, or of what holds one, to its libvirt domain: KubeVirt's stages, in order, on one page."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import TEMPLATE, TEMPLATES_SINCE
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
)
from virtcatalog.errors import (
    CRASH,
    Cause,
    UnsupportedError,
    Warning,
)
from virtcatalog.kubevirt.admission.instancetypes import admit as admit_catalog_object
from virtcatalog.kubevirt.admission.memory import memory_warnings
from virtcatalog.kubevirt.admission.vm import admit_vm, own_template, validate_pool, validate_replica_set, vm_warnings
from virtcatalog.kubevirt.admission.vmi import validate_vmi
from virtcatalog.kubevirt.causes import not_supported
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import (
    ControllerError,
    first_vm,
    start_vmi,
    sync_instancetype,
    vmi_of_replica_set,
)
from virtcatalog.kubevirt.defaults.presets import preset_warnings
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.identity import generated_name, vmi_uid
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.kubevirt.reading import read, template_warnings
from virtcatalog.kubevirt.reasons import field_of_holder, field_of_vm, reasons, reasons_of_webhook
from virtcatalog.kubevirt.refusals import refusal, refused, refused_holder
from virtcatalog.kubevirt.result import Result, Stages

__all__ = ["Result", "admit", "create_vmi", "expand", "expand_in_stages"]

InStages = Generator[None, None, Result]
"""A VM on its way: it stops after each stage, so that a fleet can go through a stage together; returns the result."""

#: Kinds that hold a VM, and are none.
_WITHOUT_VM = ("VirtualMachineInstance", "VirtualMachineInstanceReplicaSet", "VirtualMachinePool")


def expand(
    manifest: dict[str, Any], cluster: Cluster, *, staged: bool = False, decoded: VirtualMachine | None = None
) -> Result:
    """Return what KubeVirt makes of a new VM in a cluster; the manifest is not changed.

    It is a VirtualMachine, or of another kind that holds one: a VirtualMachineInstance or
    VirtualMachineInstanceReplicaSet, whose result has no `vm`, or a VirtualMachinePool, of which the first VM is shown.
    `staged` keeps the stages of a VirtualMachine in the result. `decoded` is what `decode_manifest` made of the
    manifest of a VirtualMachine with sound metadata, if the caller has it: it is changed. Raises UnsupportedError, with
    the manifest's field, for what virtcatalog does not model.
    """
    return _finish(expand_in_stages(manifest, cluster, staged=staged, decoded=decoded))


def expand_in_stages(
    manifest: dict[str, Any], cluster: Cluster, *, staged: bool, decoded: VirtualMachine | None
) -> InStages:
    """Do what `expand` does, and stop after each stage: a fleet goes through a stage together."""
    kind = _kind(manifest)
    result = yield from _created(manifest, kind, cluster, decoded, staged=staged)
    if not result.admitted:
        return result
    yield
    try:
        result = yield from _built(result.vm or {} if kind == "VirtualMachinePool" else manifest, result, cluster)
    except UnsupportedError as error:
        raise _at_manifest(error, kind, of_vmi=True) from error
    return _at_holder(result, kind) if kind in _WITHOUT_VM else result


def create_vmi(
    manifest: dict[str, Any], cluster: Cluster, *, staged: bool = False, decoded: VirtualMachine | None = None
) -> Result:
    """Return what `expand` returns, without the domain: what webhooks and virt-controller make of a VM."""
    return _finish(_created(manifest, _kind(manifest), cluster, decoded, staged=staged))


def build(manifest: dict[str, Any], result: Result, cluster: Cluster) -> Result:
    """Return the result of an admitted VM with its domain, or virt-launcher's refusal."""
    return _finish(_built(manifest, result, cluster))


def admit(object_manifest: dict[str, Any], cluster: Cluster) -> list[Cause]:
    """Return why the webhooks of instance types, preferences or VirtualMachineTemplates refuse an object.

    A manifest of a type or preference that does not fit its API gives causes without a field, one for each problem; of
    a template, what its schema says. UnsupportedError for an object of another kind.
    """
    if object_manifest.get("kind") == TEMPLATE:
        from virtcatalog.kubevirt.template.admission import admit_template

        if cluster.release.minor < TEMPLATES_SINCE:
            raise UnsupportedError("kind", f"VirtualMachineTemplates of KubeVirt {cluster.release}")
        if not cluster.configuration.feature_gate("Template"):
            message = "the feature gate Template is disabled: KubeVirt serves no VirtualMachineTemplates"
            return [not_supported("kind", message)]
        return admit_template(object_manifest).causes
    return admit_catalog_object(object_manifest, cluster)


def _finish(stages: InStages) -> Result:
    """Go through all the stages."""
    while True:
        try:
            next(stages)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _built(manifest: dict[str, Any], result: Result, cluster: Cluster) -> InStages:
    """virt-handler tells virt-launcher of the node, virt-launcher's converter makes the domain, and launches it."""
    vm, vmi = result.vm_object, result.vmi_object
    assert vmi is not None
    try:
        context = build_context(vmi, cluster, vm)
        domain = convert(vmi, context)
        yield
        launch(domain, vmi, context)
    except DomainError as error:
        causes = [Cause(CRASH if error.is_crash else "", error.field, error.message)]
        against = reasons("launcher", causes, manifest, cluster, vm, vmi)
        return replace(result, refused_by="launcher", reasons=against, cluster=cluster)
    warnings = (*result.warnings, *launch_warnings(vmi, domain))
    return replace(result, warnings=warnings, raw_domain=domain.element, cluster=cluster)


def _kind(manifest: dict[str, Any]) -> Any:
    return manifest.get("kind") if isinstance(manifest, dict) else None


def _at_manifest(error: UnsupportedError, kind: Any, *, of_vmi: bool) -> UnsupportedError:
    """The error at the field of the manifest; `of_vmi` says that fields of metadata are the VMI's."""
    return UnsupportedError(field_of_holder(field_of_vm(error.field, of_vmi=of_vmi), kind), error.message)


def _created(
    manifest: dict[str, Any], kind: Any, cluster: Cluster, decoded: VirtualMachine | None, *, staged: bool
) -> InStages:
    """An object of a kind that holds a VM is created: its webhooks, and the controllers that make a VMI of it."""
    try:
        match kind:
            case "VirtualMachinePool":
                result = yield from _create_pool(manifest, cluster)
            case "VirtualMachineInstanceReplicaSet":
                result = yield from _create_replica_set(manifest, cluster)
            case "VirtualMachineInstance":
                result = yield from _create_vmi(manifest, cluster)
            case _:
                result = yield from _create_vm(manifest, cluster, decoded, staged=staged)
    except UnsupportedError as error:
        raise _at_manifest(error, kind, of_vmi=kind in _WITHOUT_VM) from error
    return _at_holder(result, kind) if kind in _WITHOUT_VM else result


def _create_vm(manifest: dict[str, Any], cluster: Cluster, decoded: VirtualMachine | None, *, staged: bool) -> InStages:
    warnings: list[Warning] = []
    vm = read(manifest, VirtualMachine, cluster, warnings, decoded)
    if isinstance(vm, Result):
        return vm
    yield
    return (yield from _start(vm, manifest, cluster, warnings, staged=staged))


def _create_pool(manifest: dict[str, Any], cluster: Cluster) -> InStages:
    warnings: list[Warning] = []
    pool = read(manifest, VirtualMachinePool, cluster, warnings)
    if isinstance(pool, Result):
        return pool
    causes = validate_pool(pool, cluster.configuration)
    if causes:
        return refused_holder(causes, warnings)
    vm = first_vm(pool, cluster.release)
    return (yield from _start(vm, to_manifest(vm), cluster, warnings))


def _create_replica_set(manifest: dict[str, Any], cluster: Cluster) -> InStages:
    warnings: list[Warning] = []
    replica_set = read(manifest, VirtualMachineInstanceReplicaSet, cluster, warnings)
    if isinstance(replica_set, Result):
        return replica_set
    causes = validate_replica_set(replica_set, cluster.configuration)
    if causes:
        return refused_holder(causes, warnings)
    vmi = vmi_of_replica_set(replica_set)
    warnings += memory_warnings(vmi.spec, "spec.template.spec")
    return (yield from _admit_vmi(vmi, None, manifest, cluster, warnings))


def _create_vmi(manifest: dict[str, Any], cluster: Cluster) -> InStages:
    warnings: list[Warning] = []
    vmi = read(manifest, VirtualMachineInstance, cluster, warnings)
    if isinstance(vmi, Result):
        return vmi
    metadata = vmi.metadata
    metadata.name = metadata.name or generated_name(metadata.namespace, metadata.generate_name)
    metadata.uid = metadata.uid or vmi_uid(metadata.namespace, metadata.name)
    warnings += memory_warnings(vmi.spec, "spec")
    return (yield from _admit_vmi(vmi, None, manifest, cluster, warnings, of_user=True))


def _start(
    vm: VirtualMachine,
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    *,
    staged: bool = False,
) -> InStages:
    """The VM's webhooks, virt-controller, and the VMI's webhooks."""
    # With warnings so far, the manifest does not say all that was read.
    before = own_template(vm) if staged and warnings else None
    causes = mutate_vm(vm, cluster)
    if causes:
        return refused("vm", causes, manifest, cluster, warnings)
    yield
    causes = admit_vm(vm, cluster)
    if causes:
        return refusal("vm", causes, reasons_of_webhook(causes, manifest, cluster, vm), warnings, vm)
    warnings += vm_warnings(vm) + cluster.warnings_about(vm) + template_warnings(vm.spec.template.metadata)
    yield
    stored = vm
    try:
        stored = sync_instancetype(vm, cluster)
        vmi = start_vmi(stored, cluster)
    except ControllerError as error:
        return refused("controller", error.causes, manifest, cluster, warnings, stored)
    yield
    result = yield from _admit_vmi(vmi, stored, manifest, cluster, warnings)
    return replace(result, stages=Stages(before, vm)) if staged else result


def _admit_vmi(
    vmi: VirtualMachineInstance,
    vm: VirtualMachine | None,
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    *,
    of_user: bool = False,
) -> InStages:
    """The VMI's webhooks."""
    causes = mutate_vmi(vmi, cluster)
    if causes:
        return refused("vmi", causes, manifest, cluster, warnings, vm)
    yield
    warnings += preset_warnings(vmi, cluster)
    causes = validate_vmi(vmi, cluster, of_user=of_user)
    if causes:
        return refused("vmi", causes, manifest, cluster, warnings, vm, vmi)
    return Result(warnings=tuple(warnings), raw_vm=vm, raw_vmi=vmi)


def _at_holder(result: Result, kind: Any) -> Result:
    """The result with its reasons and warnings at the fields of an object of a kind that holds a VM.

    Those that are there already stay.
    """
    return replace(
        result,
        holder=kind,
        reasons=tuple(replace(reason, field=field_of_holder(reason.field, kind)) for reason in result.reasons),
        warnings=tuple(
            warning if warning.object else replace(warning, field=field_of_holder(warning.field, kind))
            for warning in result.warnings
        ),
    )
