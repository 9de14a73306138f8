"""From the manifest of a VM, or of what holds one, to its libvirt domain: KubeVirt's stages, in order, on one page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.findings import field_path, fill_gaps
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import API_VERSIONS, TEMPLATES_SINCE
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
)
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
from virtcatalog.kubevirt.admission.holders import validate_pool, validate_replica_set
from virtcatalog.kubevirt.admission.instancetypes import admit as admit_catalog_object
from virtcatalog.kubevirt.admission.memory import memory_warnings
from virtcatalog.kubevirt.admission.vm import vm_warnings
from virtcatalog.kubevirt.admission.vmi import validate_vmi
from virtcatalog.kubevirt.cluster import Cluster, prune_manifest
from virtcatalog.kubevirt.controller.holders import first_vm, vmi_of_replica_set
from virtcatalog.kubevirt.controller.vm import (
    ControllerError,
    own_template,
    start_judged,
    start_vmi,
    sync_instancetype,
)
from virtcatalog.kubevirt.defaults.presets import preset_warnings
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.identity import generated_name, vmi_uid
from virtcatalog.kubevirt.instancetype.find import missing_matchers
from virtcatalog.kubevirt.judged import steps_to_judge
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.kubevirt.reasons import field_in_template, field_of_holder, field_of_vm, reasons
from virtcatalog.kubevirt.result import Result, Stages
from virtcatalog.lockstep import Steps, at_once

__all__ = ["Result", "admit", "create_vmi", "expand", "steps_of", "steps_to_vmi"]

T = TypeVar("T", VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool)

MOST_CAUSES = 10


def expand(
    manifest: dict[str, Any], cluster: Cluster, decoded: VirtualMachine | None = None, *, staged: bool = False
) -> Result:
    """Return what KubeVirt makes of a new VM in a cluster; the manifest is not changed.

    It is a VirtualMachine, or of another kind that holds one: a VirtualMachineInstance or
    VirtualMachineInstanceReplicaSet, whose result has no `vm`, or a VirtualMachinePool, of which the first VM is shown.
    Who has read the manifest as a VirtualMachine already, and judged its names, gives that, too: it is used up.
    `staged` keeps the stages of a VirtualMachine in the result. Raises UnsupportedError, with the manifest's field, for
    what virtcatalog does not model.
    """
    return at_once(steps_of(manifest, cluster, decoded, staged=staged))


def steps_of(
    manifest: dict[str, Any], cluster: Cluster, decoded: VirtualMachine | None = None, *, staged: bool = False
) -> Steps[Result]:
    """Do what `expand` does, in steps: many VMs go through them together."""
    return _run(manifest, cluster, decoded, domain=True, staged=staged)


def admit(object_manifest: dict[str, Any], cluster: Cluster) -> list[Cause]:
    """Return why the webhooks of instance types, preferences or VirtualMachineTemplates refuse an object.

    A manifest of a type or preference that does not fit its API gives causes without a field, one for each problem; of
    a template, what its schema says. UnsupportedError for an object of another kind.
    """
    if object_manifest.get("kind") == "VirtualMachineTemplate":
        from virtcatalog.kubevirt.template.admission import admit_template

        if cluster.release.minor < TEMPLATES_SINCE:
            raise UnsupportedError("kind", f"VirtualMachineTemplates of KubeVirt {cluster.release}")
        if not cluster.configuration.feature_gate("Template"):
            message = "the feature gate Template is disabled: KubeVirt serves no VirtualMachineTemplates"
            return [Cause("FieldValueNotSupported", "kind", message)]
        return admit_template(object_manifest).causes
    return admit_catalog_object(object_manifest, cluster)


def create_vmi(manifest: dict[str, Any], cluster: Cluster) -> Result:
    """Return what `expand` returns, without the domain."""
    return at_once(steps_to_vmi(manifest, cluster))


def steps_to_vmi(manifest: dict[str, Any], cluster: Cluster) -> Steps[Result]:
    """Do what `create_vmi` does, in steps."""
    return _run(manifest, cluster, domain=False)


def _run(
    manifest: dict[str, Any],
    cluster: Cluster,
    decoded: VirtualMachine | None = None,
    *,
    domain: bool,
    staged: bool = False,
) -> Steps[Result]:
    kind = manifest.get("kind") if isinstance(manifest, dict) else None
    create = _HELD.get(kind, _of_vm) if isinstance(kind, str) else _of_vm
    try:
        if create is _of_vm:
            result = yield from _of_vm(manifest, cluster, decoded, staged)
        else:
            result = yield from create(manifest, cluster)
        if domain and result.admitted:
            yield
            result = yield from _build(result.vm or {} if create is _of_pool else manifest, result, cluster)
    except UnsupportedError as error:
        field = field_of_vm(error.field, of_vmi=domain or create is not _of_vm)
        raise UnsupportedError(field_of_holder(field, kind), error.message) from error
    if create is _of_vm:
        return result
    return replace(
        result,
        holder=kind,
        reasons=tuple(replace(reason, field=field_of_holder(reason.field, kind)) for reason in result.reasons),
        warnings=tuple(
            warning if warning.object else replace(warning, field=field_of_holder(warning.field, kind))
            for warning in result.warnings
        ),
    )


def build(manifest: dict[str, Any], result: Result, cluster: Cluster) -> Result:
    """virt-launcher's part."""
    return at_once(_build(manifest, result, cluster))


def _build(manifest: dict[str, Any], result: Result, cluster: Cluster) -> Steps[Result]:
    vm, vmi = result.made_vm, result.made_vmi
    assert vm is None or isinstance(vm, VirtualMachine)  # not every VMI is of a VM
    assert isinstance(vmi, VirtualMachineInstance)
    try:
        context = build_context(vmi, cluster, vm)
        yield
        domain = convert(vmi, context)
        yield
        launch(domain, vmi)
    except DomainError as error:
        causes = [Cause(CRASH if error.is_crash else "", error.field, error.message)]
        against = reasons("launcher", causes, manifest, cluster, vm, vmi)
        return replace(result, refused_by="launcher", reasons=against, cluster=cluster)
    warnings = (*result.warnings, *launch_warnings(vmi, domain))
    return replace(result, warnings=warnings, made_domain=domain.element(), cluster=cluster)


def _of_vm(
    manifest: dict[str, Any], cluster: Cluster, decoded: VirtualMachine | None = None, staged: bool = False
) -> Steps[Result]:
    warnings: list[Warning] = []
    vm = read(manifest, VirtualMachine, cluster, warnings, decoded)
    return vm if isinstance(vm, Result) else (yield from _start(vm, manifest, cluster, warnings, staged=staged))


def _of_pool(manifest: dict[str, Any], cluster: Cluster) -> Steps[Result]:
    warnings: list[Warning] = []
    pool = read(manifest, VirtualMachinePool, cluster, warnings)
    if isinstance(pool, Result):
        return pool
    causes = validate_pool(pool, cluster.configuration)
    if causes:
        return _refused_holder(causes, warnings)
    vm = first_vm(pool, cluster.release)
    return (yield from _start(vm, to_manifest(vm), cluster, warnings))


def _of_replica_set(manifest: dict[str, Any], cluster: Cluster) -> Steps[Result]:
    warnings: list[Warning] = []
    held = read(manifest, VirtualMachineInstanceReplicaSet, cluster, warnings)
    if isinstance(held, Result):
        return held
    causes = validate_replica_set(held, cluster.configuration)
    if causes:
        return _refused_holder(causes, warnings)
    vmi = vmi_of_replica_set(held)
    warnings += memory_warnings(vmi.spec, "spec.template.spec")
    return (yield from _admit_vmi(vmi, None, manifest, cluster, warnings))


def _of_vmi(manifest: dict[str, Any], cluster: Cluster) -> Steps[Result]:
    warnings: list[Warning] = []
    vmi = read(manifest, VirtualMachineInstance, cluster, warnings)
    if isinstance(vmi, Result):
        return vmi
    metadata = vmi.metadata
    metadata.name = metadata.name or generated_name(metadata.namespace, metadata.generate_name)
    metadata.uid = metadata.uid or vmi_uid(metadata.namespace, metadata.name)
    warnings += memory_warnings(vmi.spec, "spec")
    return (yield from _admit_vmi(vmi, None, manifest, cluster, warnings, of_user=True))


_HELD: Mapping[str, Callable[[dict[str, Any], Cluster], Steps[Result]]] = {
    "VirtualMachineInstance": _of_vmi,
    "VirtualMachineInstanceReplicaSet": _of_replica_set,
    "VirtualMachinePool": _of_pool,
}


def read(
    manifest: dict[str, Any], kind: type[T], cluster: Cluster, warnings: list[Warning], decoded: T | None = None
) -> T | Result:
    """Read what the API server hands to the webhooks, and add what there is to warn of; or answer to what is none.

    What was `decoded` already counts if the release knows all of it, and then its names are fine.
    """
    if cluster.configuration.invalid:
        message = f"KubeVirt ignores its whole configuration: {cluster.configuration.invalid}"
        warnings.append(Warning("Ignored", "spec.configuration", message, "KubeVirt"))
    manifest, unknown = prune_manifest(manifest, kind, cluster.release)
    if unknown:
        warnings += [replace(each, object="") for each in unknown if not each.field.startswith("spec.")]
        refused_fields = [each for each in unknown if each.field.startswith("spec.")]
        if refused_fields:  # the API server drops them only where nobody asks it to be strict, the webhook refuses them
            return _unreadable(refused_fields, warnings, UNKNOWN_FIELD)
    if decoded is None or unknown:
        try:
            decoded = decode_manifest(manifest, kind)
        except ManifestError as error:
            # KubeVirt's webhooks read a missing name as an empty one; the API server's schema may stop it before them.
            try:
                decoded = decode_manifest(fill_gaps(manifest, kind), kind)
            except ManifestError:
                return _unreadable(error.problems, warnings)
            warnings += [Warning("Missing", problem.field, problem.message) for problem in error.problems]
        # KubeVirt's webhooks would not mind, but no such object comes to them.
        refused_names = metadata_faults(manifest.get("metadata") or {})
        warnings += [Warning("Refused", field_path(path), message) for path, message in refused_names]
    made: Any = decoded
    made.api_version, made.kind = API_VERSIONS[kind.__name__], kind.__name__
    made.metadata.namespace = made.metadata.namespace or "default"
    return decoded


def _start(
    decoded: VirtualMachine,
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    *,
    staged: bool = False,
) -> Steps[Result]:
    """The VM's webhooks and virt-controller, then the VMI's webhooks."""
    # What was warned of so far is that the manifest does not say all that was read.
    before = own_template(decoded) if staged and warnings else None
    causes = mutate_vm(decoded, cluster)
    if causes:
        return _refused("vm", causes, manifest, cluster, warnings)
    vm = decoded
    yield
    judged = yield from steps_to_judge(vm, cluster)
    if judged.causes:
        refusal = _refused("vm", judged.causes, manifest, cluster, warnings, vm)
        # The webhook passes over what it does not find, and judges the VM as if it named nothing.
        missing = reasons("controller", missing_matchers(vm, cluster), manifest, cluster)
        return replace(refusal, reasons=(*missing, *refusal.reasons)) if missing else refusal
    yield
    warnings += vm_warnings(vm) + cluster.warnings_about(vm)
    try:
        vm = sync_instancetype(vm, cluster)
        found, spec = (judged.found, judged.spec) if vm is decoded else (None, None)
        # Presets come between what virt-controller makes and its defaults.
        if found is None or spec is None or cluster.presets(vm.metadata.namespace):
            started, template = start_vmi(vm, cluster, found), None
        else:
            started, template = start_judged(vm, found, spec), vm.spec.template.spec
    except ControllerError as error:
        return _refused("controller", error.causes, manifest, cluster, warnings, vm)
    yield
    result = yield from _admit_vmi(started, vm, manifest, cluster, warnings, template)
    return replace(result, stages=Stages(before, decoded, found)) if staged else result


def _admit_vmi(
    vmi: VirtualMachineInstance,
    vm: VirtualMachine | None,
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    template: VirtualMachineInstanceSpec | None = None,
    *,
    of_user: bool = False,
) -> Steps[Result]:
    """The VMI's webhooks; it may be one that `start_judged` has made of a VM's template."""
    causes = mutate_vmi(vmi, cluster, judged=template is not None)
    if causes:
        return _refused("vmi", causes, manifest, cluster, warnings, vm)
    yield
    warnings += preset_warnings(vmi, cluster)
    causes = validate_vmi(vmi, cluster, template, of_user=of_user)
    if causes:
        return _refused("vmi", causes, manifest, cluster, warnings, vm, vmi)
    return Result(warnings=tuple(warnings), made_vm=vm, made_vmi=vmi)


def _refused(
    by: Refuser,
    causes: Sequence[Cause],
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    vm: VirtualMachine | None = None,
    vmi: VirtualMachineInstance | None = None,
) -> Result:
    """Only what a webhook refuses has causes, and its answer holds ten (pkg/util/webhooks)."""
    return Result(
        refused_by=by,
        causes=tuple(causes[:MOST_CAUSES]) if by in ("vm", "vmi") else (),
        reasons=reasons(by, causes, manifest, cluster, vm, vmi),
        warnings=tuple(warnings),
        made_vm=vm,
        made_vmi=vmi,
    )


def _refused_holder(causes: Sequence[Cause], warnings: list[Warning]) -> Result:
    """What the webhook of a ReplicaSet or pool answers, at its own fields."""
    return Result(
        refused_by="vm",
        causes=tuple(causes[:MOST_CAUSES]),
        reasons=tuple(Reason(field_in_template(cause.field), cause.message, "vm", cause.type) for cause in causes),
        warnings=tuple(warnings),
    )


def _unreadable(found: Iterable[Problem | Warning], warnings: list[Warning], kind: str = "FieldValueInvalid") -> Result:
    """The answer to what is no VM: causes without a field, as those of a webhook that cannot decode it."""
    reasons = tuple(Reason(each.field, each.message, "vm", kind) for each in found)
    return Result(
        refused_by="vm",
        causes=tuple(
            Cause(kind, "", str(Cause(kind, reason.field, reason.message))) for reason in reasons[:MOST_CAUSES]
        ),
        reasons=reasons,
        warnings=tuple(warnings),
    )
