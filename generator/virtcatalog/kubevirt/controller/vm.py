"""What virt-controller makes of a VirtualMachine when it starts it: the VirtualMachineInstance.

Source: pkg/virt-controller/watch/vm/vm.go (SetupVMIFromVM, startVMI), pkg/instancetype/controller/vm
and pkg/instancetype/expand.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta, OwnerReference
from virtcatalog.api.decode import clone, copier
from virtcatalog.api.devices import Devices, Input
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
    VirtualMachineInstanceTemplateSpec,
)
from virtcatalog.errors import Cause, VirtcatalogError
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings
from virtcatalog.kubevirt.admission.vm import RECEIVER
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.network import NetworkDefaultError, set_default_network_interface
from virtcatalog.kubevirt.defaults.spec import set_default_vmi_spec, set_default_volume_disks
from virtcatalog.kubevirt.identity import owner_uid, vmi_uid
from virtcatalog.kubevirt.instancetype import apply_to_additions, apply_to_vmi, set_annotations
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.kubevirt.preference import apply_autoattach

GENERATION_ANNOTATION = "kubevirt.io/vm-generation"
MIGRATION_TARGET_ANNOTATION = "kubevirt.io/create-migration-target"
_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize"
_INPUT = "default-0"

Found = tuple[VirtualMachineInstancetypeSpec | None, VirtualMachinePreferenceSpec | None]


class ControllerError(VirtcatalogError):
    """virt-controller cannot make a VMI of an admitted VM: `causes` say why, at fields of the VM or of its VMI."""

    def __init__(self, *causes: Cause) -> None:
        self.causes = causes
        super().__init__(
            "; ".join(f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
        )


def sync_instancetype(vm: VirtualMachine, cluster: Cluster) -> VirtualMachine:
    """Return the VM as it is when its instance type and preference have been looked at.

    Under the reference policies `expand` and `expandAll` they are applied to the VM for good and no longer named;
    ControllerError when they do not exist or cannot be applied. Under `reference` the VM stays as it is, and
    `start_vmi` finds them.
    """
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return vm
    if cluster.configuration.instancetype_reference_policy not in ("expand", "expandAll"):
        return vm
    found = find_both(vm, cluster)
    expanded = clone(vm)
    spec, metadata = expanded.spec.template.spec, expanded.spec.template.metadata
    set_default_volume_disks(spec)
    _set_default_network(spec, cluster)
    _apply("spec.template.spec", found, spec, metadata, cluster)
    set_default_vmi_spec(spec, cluster.configuration)
    expanded.spec.instancetype = expanded.spec.preference = None
    return expanded


def start_vmi(
    vm: VirtualMachine, cluster: Cluster, found: Found | None = None, vmi: VirtualMachineInstance | None = None
) -> VirtualMachineInstance:
    """Return the VMI that virt-controller creates for a VM, as if it were to start; ControllerError if it cannot.

    Who has `found` the VM's instance type and preference, or set up its VMI, gives them; the VMI is used up.
    """
    vmi = setting_up(vm)() if vmi is None else vmi
    found = instancetype, preference = find_both(vm, cluster) if found is None else found
    devices = vmi.spec.domain.devices
    # Before the default network and input device are added: the preference may be against them.
    if preference is not None and preference.devices is not None:
        apply_autoattach(preference.devices, devices)
    _add_default_input(devices)
    _set_default_network(vmi.spec, cluster)
    if instancetype is not None or preference is not None:
        set_annotations(vm, vmi.metadata)
        _apply("spec", found, vmi.spec, vmi.metadata, cluster)
    for cause in validate_discontinued_bindings(vmi.spec, "spec", cluster.configuration):
        raise ControllerError(cause)
    return vmi


def start_judged(vm: VirtualMachine, found: Found, judged: VirtualMachineInstanceSpec) -> VirtualMachineInstance:
    """Return what `start_vmi` returns, with the defaults of the VMI's spec, of what the VM's webhook has judged.

    That is the template's spec with what was `found` and then KubeVirt's defaults applied; it is used up. Both come to
    the same in either order, but for what the defaults have added: the preference has not been applied to that.
    """
    vmi, devices, template = _vmi_of(vm, judged), judged.domain.devices, vm.spec.template.spec
    added = _add_default_input(devices)
    added |= len(devices.disks) > len(template.domain.devices.disks) or judged.networks is not template.networks
    set_annotations(vm, vmi.metadata)
    conflicts = apply_to_additions(*found, judged, vmi.metadata, devices=added)
    if conflicts:
        raise ControllerError(*conflicts)
    return vmi


def _add_default_input(devices: Devices) -> bool:
    wanted = bool(devices.autoattach_input_device) and not devices.inputs
    if wanted:
        devices.inputs = [Input(name=_INPUT, type="")]
    return wanted


def setting_up(vm: VirtualMachine) -> Callable[[], VirtualMachineInstance]:
    """Return what sets up a VMI with what the VM's template says, a new one each time; the VM must not change."""
    domain = vm.spec.template.spec.domain
    spec = replace(vm.spec.template.spec, domain=replace(domain, devices=replace(domain.devices)))
    set_default_volume_disks(spec)
    copy_domain, vmi = copier(spec.domain), _vmi_of(vm, spec)

    def set_up() -> VirtualMachineInstance:
        metadata = replace(vmi.metadata, annotations=dict(vmi.metadata.annotations))
        return replace(vmi, metadata=metadata, spec=replace(spec, domain=copy_domain()))

    return set_up


def _vmi_of(vm: VirtualMachine, spec: VirtualMachineInstanceSpec) -> VirtualMachineInstance:
    """Return a VMI with the VM's name and this spec (SetupVMIFromVM); the VM counts as just created."""
    template, namespace, name = vm.spec.template, vm.metadata.namespace, vm.metadata.name
    metadata = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=vmi_uid(namespace, name),
        labels=dict(template.metadata.labels),
        annotations={**template.metadata.annotations, GENERATION_ANNOTATION: "1"},
        finalizers=[*template.metadata.finalizers, _FINALIZER],
        owner_references=[
            OwnerReference(
                api_version="kubevirt.io/v1",
                kind="VirtualMachine",
                name=name,
                uid=vm.metadata.uid or owner_uid("VirtualMachine", namespace, name),
                controller=True,
                block_owner_deletion=True,
            )
        ],
    )
    if vm.spec.run_strategy == RECEIVER:
        metadata.annotations[MIGRATION_TARGET_ANNOTATION] = "true"
    return VirtualMachineInstance(
        api_version="kubevirt.io/v1", kind="VirtualMachineInstance", metadata=metadata, spec=spec
    )


def own_template(held: VirtualMachine) -> VirtualMachine:
    """Return a VM with a template of its own to work on; what nobody changes in place, such as volumes, is shared."""
    metadata = held.spec.template.metadata
    template = VirtualMachineInstanceTemplateSpec(
        metadata=replace(metadata, annotations=dict(metadata.annotations)), spec=_own_spec(held.spec.template.spec)
    )
    return replace(held, spec=replace(held.spec, template=template))


def _own_spec(spec: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec:
    """All but the domain of a spec is replaced, where it is changed."""
    return replace(spec, domain=clone(spec.domain))


def find_both(vm: VirtualMachine, cluster: Cluster) -> Found:
    """Return a VM's instance type and preference; ControllerError if one that it names is not there."""
    try:
        return find_instancetype(vm, cluster), find_preference(vm, cluster)
    except NotFoundError as error:
        raise ControllerError(error.cause) from error


def _set_default_network(spec: VirtualMachineInstanceSpec, cluster: Cluster) -> None:
    try:
        set_default_network_interface(spec, cluster.configuration)
    except NetworkDefaultError as error:
        raise ControllerError(Cause("", "", str(error))) from error


def _apply(path: str, found: Found, spec: VirtualMachineInstanceSpec, metadata: ObjectMeta, cluster: Cluster) -> None:
    conflicts = apply_to_vmi(path, *found, spec, metadata, cluster.release.traits)
    if conflicts:
        raise ControllerError(*conflicts)
