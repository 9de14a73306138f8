"""From a VirtualMachine's manifest to its libvirt domain: KubeVirt's stages, in order, on one page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from virtcatalog.api.decode import clone, decode_manifest, to_manifest
from virtcatalog.api.findings import fill_gaps
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import CRASH, UNKNOWN_FIELD, Cause, ManifestError, Warning
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
from virtcatalog.kubevirt.launcher.builder import build_domain, to_xml
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.kubevirt.preference.requirements import check_requirements

__all__ = ["Result", "admit", "create_vmi", "expand"]

_MOST_CAUSES = 10

if TYPE_CHECKING:
    from virtcatalog.kubevirt.launcher.xml import Element


class Result:
    """What a VM became, as far as it came: a refused object is there too, as the webhook saw it.

    `refused_by` is None when the VM can run, else who refused it: "vm" (the VM's webhooks), "controller"
    (virt-controller makes no VMI of it), "vmi" (the VMI's webhooks) or "launcher" (virt-launcher makes no domain of
    it). `causes` are what the webhooks answer, ten at most; controller and launcher answer with nothing but a
    sentence, which is in `message`. `reasons` are all the causes, or what that sentence says of which fields.
    `vm_object`, `vmi_object` and `domain` are the objects behind `vm`, `vmi` and `domain_xml`; `converter` makes that
    of `converted_xml`.
    """

    def __init__(self) -> None:
        self.refused_by: str | None = None
        self.causes: list[Cause] = []
        self.reasons: list[Cause] = []
        self.message = ""
        self.warnings: list[Warning] = []
        self.vm_object: VirtualMachine | None = None
        self.vmi_object: VirtualMachineInstance | None = None
        self.domain: Element | None = None
        self.converter: Callable[[], Element] | None = None

    @property
    def admitted(self) -> bool:
        """Whether nobody refused the VM."""
        return self.refused_by is None

    @cached_property
    def vm(self) -> dict[str, Any] | None:
        """The VirtualMachine after its webhooks, as a manifest."""
        return to_manifest(self.vm_object) if self.vm_object else None

    @cached_property
    def vmi(self) -> dict[str, Any] | None:
        """The VirtualMachineInstance after its webhooks, as a manifest."""
        return to_manifest(self.vmi_object) if self.vmi_object else None

    @cached_property
    def domain_xml(self) -> str | None:
        """The domain that libvirt gets, in its last definition before the VM first starts, as text."""
        return None if self.domain is None else to_xml(self.domain)

    @cached_property
    def converted_xml(self) -> str | None:
        """The domain as virt-launcher's converter makes it, before it is launched, as text."""
        return None if self.converter is None else to_xml(self.converter())

    def refuse(self, by: str, causes: list[Cause]) -> Result:
        """Note a refusal; only what a webhook refuses has causes, and its answer holds ten (pkg/util/webhooks)."""
        self.refused_by, self.reasons = by, causes
        self.causes = causes[:_MOST_CAUSES] if by in ("vm", "vmi") else []
        self.message = "; ".join(f"{c.field}: {c.message}" if c.field else c.message for c in causes)
        return self


def expand(vm_manifest: dict[str, Any], cluster: Cluster) -> Result:
    """Return what KubeVirt makes of a new VirtualMachine in a cluster; the manifest is not changed."""
    result = create_vmi(vm_manifest, cluster)
    vmi = result.vmi_object
    if vmi is None or not result.admitted:
        return result
    try:
        context = build_context(vmi, cluster, result.vm_object)
        domain = build_domain(vmi, context)
        result.converter = partial(build_domain, vmi, context)
        launch(domain, vmi, context)
    except DomainError as error:
        return result.refuse("launcher", [Cause(CRASH if error.is_crash else "", error.field, error.message)])
    result.domain = domain
    result.warnings += launch_warnings(vmi, domain)
    return result


def create_vmi(vm_manifest: dict[str, Any], cluster: Cluster) -> Result:
    """Return what `expand` returns, without the domain."""
    result = Result()
    if cluster.configuration.invalid:
        message = f"KubeVirt ignores its whole configuration: {cluster.configuration.invalid}"
        result.warnings.append(Warning("Ignored", "spec.configuration", message, "KubeVirt"))
    vm_manifest, unknown = prune_manifest(vm_manifest, VirtualMachine, cluster.release)
    result.warnings += [replace(each, object="") for each in unknown if not each.field.startswith("spec.")]
    reasons = [Cause(UNKNOWN_FIELD, each.field, each.message) for each in unknown if each.field.startswith("spec.")]
    if reasons:  # KubeVirt names no field
        result.refuse("vm", [Cause(each.type, "", f"{each.field}: {each.message}") for each in reasons])
        result.reasons = reasons
        return result
    try:
        vm = decode_manifest(vm_manifest, VirtualMachine)
    except ManifestError as error:
        # KubeVirt's webhooks read a missing name as an empty one; the API server's schema may stop it before them.
        try:
            vm = decode_manifest(fill_gaps(vm_manifest, VirtualMachine), VirtualMachine)
        except ManifestError:
            return result.refuse("vm", [Cause("FieldValueInvalid", "", str(problem)) for problem in error.problems])
        result.warnings += [Warning("Missing", problem.field, problem.message) for problem in error.problems]
    vm.api_version, vm.kind = "kubevirt.io/v1", "VirtualMachine"
    vm.metadata.namespace = vm.metadata.namespace or "default"

    causes = mutate_vm(vm, cluster)
    if causes:
        return result.refuse("vm", causes)
    result.vm_object = vm
    causes = admit_vm(vm, cluster)
    if causes:
        return result.refuse("vm", causes)
    result.warnings += vm_warnings(vm) + cluster.warnings_about(vm)

    try:
        result.vm_object = vm = sync_instancetype(vm, cluster)
        vmi = start_vmi(vm, cluster)
    except ControllerError as error:
        return result.refuse("controller", list(error.causes))

    causes = mutate_vmi(vmi, cluster)
    if causes:
        return result.refuse("vmi", causes)
    result.vmi_object = vmi
    result.warnings += preset_warnings(vmi)
    causes = validate_vmi(vmi, cluster)
    return result.refuse("vmi", causes) if causes else result


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
