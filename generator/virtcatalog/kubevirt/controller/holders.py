"""What virt-controller makes of what holds a VM: a ReplicaSet's VMI, a pool's first VM.

Source: scale of pkg/virt-controller/watch/replicaset/replicaset.go; scaleOut and indexVMSpec of
pkg/virt-controller/watch/pool/pool.go.
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta, OwnerReference
from virtcatalog.api.decode import clone
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.identity import generated_name, owner_uid, vmi_uid
from virtcatalog.releases import Release

_REVISION_LABEL = "kubevirt.io/vm-pool-revision-name"
_FINALIZER = "pool.kubevirt.io/finalizer"
_FIRST = 0


def vmi_of_replica_set(held: VirtualMachineInstanceReplicaSet) -> VirtualMachineInstance:
    """Return a VMI that the ReplicaSet makes; the end of its name, which the API server draws, is always the same."""
    template, namespace = held.spec.template, held.metadata.namespace
    own = template.metadata
    name = generated_name(namespace, own.name or own.generate_name or held.metadata.name)
    metadata = clone(own)
    metadata.name, metadata.generate_name, metadata.namespace = name, "", namespace
    metadata.uid = vmi_uid(namespace, name)
    metadata.owner_references = [
        _owner("kubevirt.io/v1", "VirtualMachineInstanceReplicaSet", held.metadata),
    ]
    return VirtualMachineInstance(
        api_version="kubevirt.io/v1", kind="VirtualMachineInstance", metadata=metadata, spec=clone(template.spec)
    )


def first_vm(pool: VirtualMachinePool, release: Release) -> VirtualMachine:
    """Return the first VM that a new pool makes, `<pool>-0`."""
    template = pool.spec.virtual_machine_template
    namespace, revision = pool.metadata.namespace, f"{pool.metadata.name}-1"
    spec = _numbered(pool, _FIRST, release)
    spec.template.metadata.labels = {**spec.template.metadata.labels, _REVISION_LABEL: revision}
    return VirtualMachine(
        api_version="kubevirt.io/v1",
        kind="VirtualMachine",
        metadata=ObjectMeta(
            name=f"{pool.metadata.name}-{_FIRST}",
            namespace=namespace,
            labels={**template.metadata.labels, _REVISION_LABEL: revision},
            annotations=dict(template.metadata.annotations),
            finalizers=[_FINALIZER],
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
