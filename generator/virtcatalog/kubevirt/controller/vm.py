"""What virt-controller makes of a VirtualMachine that it starts, and of what holds a VM (a ReplicaSet, a pool).

Source: pkg/virt-controller/watch/vm/vm.go (SetupVMIFromVM, startVMI), pkg/instancetype/controller/vm and
pkg/instancetype/expand; scale of pkg/virt-controller/watch/replicaset/replicaset.go; scaleOut and indexVMSpec of
pkg/virt-controller/watch/pool/pool.go.
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta, OwnerReference
from virtcatalog.api.decode import clone
from virtcatalog.api.devices import Input
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
    VirtualMachineSpec,
)
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import Cause, VirtcatalogError
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings
from virtcatalog.kubevirt.admission.vm import RECEIVER, own_template
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.spec import (
    NetworkDefaultError,
    set_default_network_interface,
    set_default_vmi_spec,
    set_default_volume_disks,
)
from virtcatalog.kubevirt.identity import generated_name, owner_uid, vmi_uid
from virtcatalog.kubevirt.instancetype.apply import apply_to_vmi
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference, replaced_revisions
from virtcatalog.kubevirt.matchers import set_annotations
from virtcatalog.kubevirt.preference.devices import apply_autoattach
from virtcatalog.releases import Release

GENERATION_ANNOTATION = "kubevirt.io/vm-generation"
MIGRATION_TARGET_ANNOTATION = "kubevirt.io/create-migration-target"
_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize"
_INPUT = "default-0"

Matched = tuple[VirtualMachineInstancetypeSpec | None, VirtualMachinePreferenceSpec | None]


class ControllerError(VirtcatalogError):
    """virt-controller cannot make a VMI of an admitted VM: `causes` say why, at fields of the VM or of its VMI."""

    def __init__(self, *causes: Cause) -> None:
        self.causes = causes
        super().__init__("; ".join(map(str, causes)))


def sync_instancetype(vm: VirtualMachine, cluster: Cluster) -> VirtualMachine:
    """Return the VM as virt-controller stores it by the instancetype reference policy (Controller.Sync).

    Under `expand` and `expandAll` its instance type and preference are applied to its template, and it does not name
    them any more; ControllerError when they do not exist or cannot be applied. Under `reference` the VM stays as it is.
    """
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return vm
    if cluster.configuration.instancetype_reference_policy not in ("expand", "expandAll"):
        if causes := replaced_revisions(vm, cluster):
            raise ControllerError(*causes)
        return vm
    return expand_instancetype(vm, cluster)


def expand_instancetype(vm: VirtualMachine, cluster: Cluster) -> VirtualMachine:
    """Return the VM with its instance type and preference applied to its template, and named no more.

    ControllerError when they do not exist or cannot be applied. Source: Expand, of the subresource expand-vm-spec.
    """
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return vm
    matched = find_both(vm, cluster)
    expanded = clone(vm)
    spec, metadata = expanded.spec.template.spec, expanded.spec.template.metadata
    set_default_volume_disks(spec)
    _set_default_network(spec, cluster)
    _apply("spec.template.spec", matched, spec, metadata, cluster)
    set_default_vmi_spec(spec, cluster.configuration)
    expanded.spec.instancetype = expanded.spec.preference = None
    return expanded


def start_vmi(vm: VirtualMachine, cluster: Cluster) -> VirtualMachineInstance:
    """Return the VMI that virt-controller creates for a VM, as if it were to start; ControllerError if it cannot.

    Source: startVMI, setupVMI.
    """
    instancetype, preference = find_both(vm, cluster)
    vmi = _setup_vmi(vm)
    devices = vmi.spec.domain.devices
    # Before the default network and input device are added: the preference may be against them.
    if preference is not None and preference.devices is not None:
        apply_autoattach(preference.devices, devices)
    if devices.autoattach_input_device and not devices.inputs:
        devices.inputs = [Input(name=_INPUT, type="")]
    _set_default_network(vmi.spec, cluster)
    if instancetype is not None or preference is not None:
        set_annotations(vm, vmi.metadata)
        _apply("spec", (instancetype, preference), vmi.spec, vmi.metadata, cluster)
    for cause in validate_discontinued_bindings(vmi.spec, "spec", cluster.configuration):
        raise ControllerError(cause)
    return vmi


def _setup_vmi(vm: VirtualMachine) -> VirtualMachineInstance:
    """Return a VMI of the VM's template (SetupVMIFromVM); the VM counts as just created."""
    template, namespace, name = own_template(vm).spec.template, vm.metadata.namespace, vm.metadata.name
    set_default_volume_disks(template.spec)
    metadata = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=vmi_uid(namespace, name),
        labels=dict(template.metadata.labels),
        annotations={**template.metadata.annotations, GENERATION_ANNOTATION: "1"},
        finalizers=[*template.metadata.finalizers, _FINALIZER],
        owner_references=[_owner("kubevirt.io/v1", "VirtualMachine", vm.metadata)],
    )
    if vm.spec.run_strategy == RECEIVER:
        metadata.annotations[MIGRATION_TARGET_ANNOTATION] = "true"
    return VirtualMachineInstance(
        api_version="kubevirt.io/v1", kind="VirtualMachineInstance", metadata=metadata, spec=template.spec
    )


def find_both(vm: VirtualMachine, cluster: Cluster) -> Matched:
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


def _apply(
    path: str, matched: Matched, spec: VirtualMachineInstanceSpec, metadata: ObjectMeta, cluster: Cluster
) -> None:
    conflicts = apply_to_vmi(path, *matched, spec, metadata, cluster.release.traits)
    if conflicts:
        raise ControllerError(*conflicts)


POOL_REVISION_LABEL = "kubevirt.io/vm-pool-revision-name"
_POOL_FINALIZER = "pool.kubevirt.io/finalizer"
_FIRST = 0


def vmi_of_replica_set(held: VirtualMachineInstanceReplicaSet) -> VirtualMachineInstance:
    """Return a VMI that the ReplicaSet makes; the end of its name, which the API server draws, is always the same."""
    template, namespace = held.spec.template, held.metadata.namespace
    own = template.metadata
    name = generated_name(namespace, own.name or own.generate_name or held.metadata.name)
    metadata = clone(own)
    metadata.name, metadata.generate_name, metadata.namespace = name, "", namespace
    metadata.uid = vmi_uid(namespace, name)
    metadata.owner_references = [_owner("kubevirt.io/v1", "VirtualMachineInstanceReplicaSet", held.metadata)]
    return VirtualMachineInstance(
        api_version="kubevirt.io/v1", kind="VirtualMachineInstance", metadata=metadata, spec=clone(template.spec)
    )


def first_vm(pool: VirtualMachinePool, release: Release) -> VirtualMachine:
    """Return the first VM that a new pool makes, `<pool>-0`."""
    return vm_of_pool(pool, release, _FIRST)


def vm_of_pool(pool: VirtualMachinePool, release: Release, number: int) -> VirtualMachine:
    """Return the VM of this number that a new pool makes."""
    template = pool.spec.virtual_machine_template
    namespace, revision = pool.metadata.namespace, f"{pool.metadata.name}-1"
    spec = _numbered(pool, number, release)
    spec.template.metadata.labels = {**spec.template.metadata.labels, POOL_REVISION_LABEL: revision}
    return VirtualMachine(
        api_version="kubevirt.io/v1",
        kind="VirtualMachine",
        metadata=ObjectMeta(
            name=f"{pool.metadata.name}-{number}",
            namespace=namespace,
            labels={**template.metadata.labels, POOL_REVISION_LABEL: revision},
            annotations=dict(template.metadata.annotations),
            finalizers=[_POOL_FINALIZER],
            owner_references=[_owner("pool.kubevirt.io/v1beta1", "VirtualMachinePool", pool.metadata)],
        ),
        spec=spec,
    )


def _owner(api_version: str, kind: str, owner: ObjectMeta) -> OwnerReference:
    uid = owner.uid or owner_uid(kind, owner.namespace, owner.name)
    return OwnerReference(
        api_version=api_version, kind=kind, name=owner.name, uid=uid, controller=True, block_owner_deletion=True
    )


def _numbered(pool: VirtualMachinePool, number: int, release: Release) -> VirtualMachineSpec:
    """The template's spec with what each VM has for itself named by its number (indexVMSpec)."""
    spec = clone(pool.spec.virtual_machine_template.spec)
    naming, suffix = pool.spec.name_generation, f"-{number}"
    own = {}
    for template in spec.data_volume_templates:
        numbered = f"{template.metadata.name}{suffix}"
        own[template.metadata.name] = numbered
        template.metadata.name = numbered
    config_maps = naming is not None and bool(naming.append_index_to_config_map_refs)
    secrets = naming is not None and bool(naming.append_index_to_secret_refs)
    cloud_init = secrets and release.traits.pools_number_cloud_init_secrets
    for volume in spec.template.spec.volumes:
        claim, data_volume = volume.persistent_volume_claim, volume.data_volume
        if claim is not None:
            claim.claim_name = own.get(claim.claim_name, claim.claim_name)
        elif data_volume is not None:
            data_volume.name = own.get(data_volume.name, data_volume.name)
        elif volume.config_map is not None:
            if config_maps:
                volume.config_map.name += suffix
        elif volume.secret is not None:
            if secrets:
                volume.secret.secret_name += suffix
        elif cloud_init:
            _number_cloud_init(volume, suffix)
    return spec


def _number_cloud_init(volume: Volume, suffix: str) -> None:
    source = volume.cloud_init_no_cloud or volume.cloud_init_config_drive
    if source is None:
        return
    for reference in (source.secret_ref, source.network_data_secret_ref):
        if reference is not None:
            reference.name += suffix
