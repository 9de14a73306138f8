"""From a VirtualMachine's manifest to its libvirt domain: KubeVirt's stages, in order, on one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.decode import clone, decode_manifest
from virtcatalog.api.findings import field_path, fill_gaps
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import metadata_faults
from virtcatalog.errors import (
    CRASH,
    UNKNOWN_FIELD,
    Cause,
    ManifestError,
    Problem,
    Reason,
    Refuser,
    UnsupportedError,
    Warning,
)
from virtcatalog.kubevirt.admission.datavolumetemplates import validate_data_volume_schema
from virtcatalog.kubevirt.admission.instancetypes import admit, apply_to_vm
from virtcatalog.kubevirt.admission.vm import validate_vm, vm_warnings
from virtcatalog.kubevirt.admission.vmi import validate_vmi
from virtcatalog.kubevirt.cluster import Cluster, prune_manifest
from virtcatalog.kubevirt.controller.vm import ControllerError, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.network import NetworkDefaultError
from virtcatalog.kubevirt.defaults.presets import preset_warnings
from virtcatalog.kubevirt.defaults.spec import set_default_vmi_spec
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.kubevirt.preference.requirements import check_requirements
from virtcatalog.kubevirt.reasons import field_of_vm, reasons
from virtcatalog.kubevirt.result import Result

__all__ = ["Result", "admit", "create_vmi", "expand"]

_MOST_CAUSES = 10


def expand(vm_manifest: dict[str, Any], cluster: Cluster) -> Result:
    """Return what KubeVirt makes of a new VirtualMachine in a cluster; the manifest is not changed.

    Raises UnsupportedError, with the VM's field, for what virtcatalog does not model.
    """
    try:
        result = _create_vmi(vm_manifest, cluster)
        return _build(vm_manifest, result, cluster) if result.admitted else result
    except UnsupportedError as error:
        raise UnsupportedError(field_of_vm(error.field, of_vmi=True), error.message) from error


def create_vmi(vm_manifest: dict[str, Any], cluster: Cluster) -> Result:
    """Return what `expand` returns, without the domain."""
    try:
        return _create_vmi(vm_manifest, cluster)
    except UnsupportedError as error:
        raise UnsupportedError(field_of_vm(error.field), error.message) from error


def _build(manifest: dict[str, Any], result: Result, cluster: Cluster) -> Result:
    """virt-launcher's part."""
    vm, vmi = result.made_vm, result.made_vmi
    assert isinstance(vm, VirtualMachine)  # every admitted VM has both
    assert isinstance(vmi, VirtualMachineInstance)
    try:
        context = build_context(vmi, cluster, vm)
        domain = build_domain(vmi, context)
        launch(domain, vmi, context)
    except DomainError as error:
        causes = [Cause(CRASH if error.is_crash else "", error.field, error.message)]
        against = reasons("launcher", causes, manifest, cluster, vm, vmi)
        return replace(result, refused_by="launcher", reasons=against, cluster=cluster)
    warnings = (*result.warnings, *launch_warnings(vmi, domain))
    return replace(result, warnings=warnings, made_domain=domain, cluster=cluster)


def _create_vmi(vm_manifest: dict[str, Any], cluster: Cluster) -> Result:
    warnings: list[Warning] = []
    vm: VirtualMachine | None = None
    vmi: VirtualMachineInstance | None = None

    def refused(by: Refuser, causes: Sequence[Cause]) -> Result:
        """Only what a webhook refuses has causes, and its answer holds ten (pkg/util/webhooks)."""
        return Result(
            refused_by=by,
            causes=tuple(causes[:_MOST_CAUSES]) if by in ("vm", "vmi") else (),
            reasons=reasons(by, causes, vm_manifest, cluster, vm, vmi),
            warnings=tuple(warnings),
            made_vm=vm,
            made_vmi=vmi,
        )

    if cluster.configuration.invalid:
        message = f"KubeVirt ignores its whole configuration: {cluster.configuration.invalid}"
        warnings.append(Warning("Ignored", "spec.configuration", message, "KubeVirt"))
    vm_manifest, unknown = prune_manifest(vm_manifest, VirtualMachine, cluster.release)
    warnings += [replace(each, object="") for each in unknown if not each.field.startswith("spec.")]
    refused_fields = [each for each in unknown if each.field.startswith("spec.")]
    if refused_fields:  # the API server drops them only where nobody asks it to be strict, the webhook refuses them
        return _unreadable(refused_fields, warnings, UNKNOWN_FIELD)
    try:
        decoded = decode_manifest(vm_manifest, VirtualMachine)
    except ManifestError as error:
        # KubeVirt's webhooks read a missing name as an empty one; the API server's schema may stop it before them.
        try:
            decoded = decode_manifest(fill_gaps(vm_manifest, VirtualMachine), VirtualMachine)
        except ManifestError:
            return _unreadable(error.problems, warnings)
        warnings += [Warning("Missing", problem.field, problem.message) for problem in error.problems]
    # KubeVirt's webhooks would not mind, but no such object comes to them.
    refused_names = metadata_faults(vm_manifest.get("metadata") or {})
    warnings += [Warning("Refused", field_path(path), message) for path, message in refused_names]
    decoded.api_version, decoded.kind = "kubevirt.io/v1", "VirtualMachine"
    decoded.metadata.namespace = decoded.metadata.namespace or "default"

    causes = mutate_vm(decoded, cluster)
    if causes:
        return refused("vm", causes)
    vm = decoded
    causes = admit_vm(vm, cluster)
    if causes:
        return refused("vm", causes)
    warnings += vm_warnings(vm) + cluster.warnings_about(vm)

    try:
        vm = sync_instancetype(vm, cluster)
        started = start_vmi(vm, cluster)
    except ControllerError as error:
        return refused("controller", error.causes)

    causes = mutate_vmi(started, cluster)
    if causes:
        return refused("vmi", causes)
    vmi = started
    warnings += preset_warnings(vmi)
    causes = validate_vmi(vmi, cluster)
    if causes:
        return refused("vmi", causes)
    return Result(warnings=tuple(warnings), made_vm=vm, made_vmi=vmi)


def _unreadable(found: Iterable[Problem | Warning], warnings: list[Warning], kind: str = "FieldValueInvalid") -> Result:
    """The answer to what is no VM: causes without a field, as those of a webhook that cannot decode it."""
    reasons = tuple(Reason(each.field, each.message, "vm", kind) for each in found)
    return Result(
        refused_by="vm",
        causes=tuple(Cause(kind, "", str(Cause(kind, each.field, each.message))) for each in reasons[:_MOST_CAUSES]),
        reasons=reasons,
        warnings=tuple(warnings),
    )


def admit_vm(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """The VM's validating webhook: it looks at the VM with its instance type, preference and defaults applied.

    Source: pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go.
    """
    causes = list(validate_data_volume_schema(vm))
    if causes:
        return causes
    expanded = replace(vm, spec=replace(vm.spec, template=clone(vm.spec.template)))
    applied = apply_to_vm(expanded, cluster)
    if applied.causes:
        return applied.causes
    spec = expanded.spec.template.spec
    try:
        set_default_vmi_spec(spec, cluster.configuration)
    except NetworkDefaultError as error:
        return [Cause("", "", str(error))]
    causes = check_requirements(applied.instancetype, applied.preference, spec)
    return causes or validate_vm(vm, expanded.spec, cluster.configuration)
