"""The claims behind a VMI's volumes, as virt-controller reports them in the VMI's status.

Source: pkg/virt-controller/watch/vmi/storage.go, pkg/storage/types/pvc.go and
pkg/host-disk/host-disk.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

import msgspec

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.errors import DomainError

_name = attrgetter("name")
_MIB = 2**20


class Claim(msgspec.Struct, frozen=True):
    """A PersistentVolumeClaim: its volume mode, what it requests, what it got, who may have it and its identity.

    `assumed` says that its size is the host profile's, for want of anything that tells it.
    """

    block: bool
    request: Quantity | None
    capacity: Quantity | None
    preallocated: bool = False
    access_modes: tuple[str, ...] = ()
    uid: str = ""
    assumed: bool = False


def backing_volumes(
    vmi: VirtualMachineInstance, cluster: Cluster, vm: VirtualMachine | None
) -> dict[str, BackingVolume]:
    """Return volume name to the claim behind it; DomainError for a claim too small to hold a disk."""
    volumes: dict[str, BackingVolume] = {}
    claims = Claims(vmi, cluster, vm)
    mounted = set(map(_name, vmi.spec.domain.devices.filesystems))
    for position, volume in enumerate(vmi.spec.volumes):
        if volume.container_disk is not None:
            continue
        source = volume.persistent_volume_claim
        if source is not None:
            name, hotplug = source.claim_name, source.hotpluggable
        elif volume.data_volume is not None:
            name, hotplug = volume.data_volume.name, volume.data_volume.hotpluggable
        elif volume.ephemeral is not None and volume.ephemeral.persistent_volume_claim is not None:
            claim = claims.find(volume.ephemeral.persistent_volume_claim.claim_name)
            volumes[volume.name] = BackingVolume(block=claim.block, has_claim=False)
            continue
        else:
            continue
        claim = claims.find(name)
        host_disk = not claim.block and not hotplug and volume.name not in mounted
        if host_disk:
            _check_size(claim, position, name)
        volumes[volume.name] = BackingVolume(
            block=claim.block,
            hotplug=hotplug,
            host_disk=host_disk,
            preallocated=claim.preallocated,
            capacity=_disk_capacity(claim),
            filesystem_overhead=cluster.host.storage.filesystem_overhead,
        )
    return volumes


class Claims:
    """The claims that the volumes of a VMI name.

    `vm`, when there is one, has data volume templates; the cluster's host says what a missing claim counts as.
    """

    def __init__(self, vmi: VirtualMachineInstance, cluster: Cluster, vm: VirtualMachine | None) -> None:
        self._namespace, self._cluster = namespace_or_default(vmi.metadata.namespace), cluster
        templates = vm.spec.data_volume_templates if vm is not None else ()
        self._templates = {template.metadata.name: template for template in reversed(templates)}

    def find(self, name: str) -> Claim:
        """Return a claim, or the one that its DataVolume or template will make, or what a missing one counts as."""
        pvc = self._cluster.pvc(self._namespace, name)
        if pvc is not None:
            request = pvc.spec.resources.requests.get("storage")
            capacity = request if pvc.status is None else pvc.status.capacity.get("storage")
            block = pvc.spec.volume_mode == "Block"
            preallocated = _is_preallocated(pvc.metadata.annotations)
            return Claim(block, request, capacity, preallocated, tuple(pvc.spec.access_modes), pvc.metadata.uid)
        data_volume = self._cluster.data_volume(self._namespace, name) or self._templates.get(name)
        if data_volume is None:
            size = Quantity.parse(self._cluster.host.storage.missing_claim_size)
            return Claim(block=False, request=size, capacity=size, assumed=True)
        wanted = data_volume.spec.pvc or data_volume.spec.storage
        storage = wanted.resources.requests.get("storage") if wanted is not None else None
        request, assumed = storage or Quantity.parse(self._cluster.host.storage.missing_claim_size), storage is None
        preallocated = bool(data_volume.spec.preallocation) or _is_preallocated(data_volume.metadata.annotations)
        if wanted is None:
            return Claim(block=False, request=request, capacity=request, preallocated=preallocated, assumed=assumed)
        block = wanted.volume_mode == "Block"
        return Claim(block, request, request, preallocated, tuple(wanted.access_modes), assumed=assumed)


def _is_preallocated(annotations: Mapping[str, str]) -> bool:
    return bool(annotations) and any(
        value == "true" and ("/storage.preallocation" in name or "/storage.thick-provisioned" in name)
        for name, value in annotations.items()
    )


def _disk_capacity(claim: Claim) -> int | None:
    """What the disk can hold, in bytes; None when the claim does not tell it in plain numbers."""
    if claim.request is None or claim.capacity is None:
        return None
    request = claim.request.int64
    capacity = request if claim.capacity is claim.request else claim.capacity.int64
    return None if request is None or capacity is None else min(request, capacity)


def _check_size(claim: Claim, position: int, name: str) -> None:
    """A host disk has whole mebibytes, and at least one; `position` is that of its volume."""
    request, capacity = claim.request, claim.capacity
    if request is None and capacity is None:
        raise DomainError(f"spec.volumes[{position}]", f"claim {name} neither requests storage nor has a capacity")
    if (request is not None and request.value < _MIB) or (capacity is not None and capacity.value < _MIB):
        raise DomainError(f"spec.volumes[{position}]", f"claim {name} is smaller than 1Mi, the least that a disk needs")
