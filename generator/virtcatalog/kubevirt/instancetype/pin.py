"""The ControllerRevisions that KubeVirt stores for a VM, made beforehand.

A VM pinned to them does not follow its instance type and preference any more.
Source: pkg/instancetype/revision/store.go.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import namespace_or_default
from virtcatalog.kubevirt.instancetype.find import named_instancetype, named_preference
from virtcatalog.kubevirt.instancetype.revision import GROUP, OBJECT_NAME_LABEL, OBJECT_VERSION_LABEL, VERSION
from virtcatalog.kubevirt.matchers import instancetype_kind, preference_kind

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster, Instancetype, Preference

_NAMESPACE = UUID("8f0f7f0e-0d6b-5d0e-9d43-6c1f4d0a3b52")


class Pin(msgspec.Struct, frozen=True):
    """The `revisionName` of a VM's matchers ("" where there is no matcher) and the revisions that have to be made."""

    instancetype: str = ""
    preference: str = ""
    revisions: tuple[dict[str, Any], ...] = ()


class Holder(NamedTuple):
    """Whom the revisions are for and belong to; without a uid they belong to nobody."""

    api_version: str
    kind: str
    name: str
    uid: str = ""


def pin(vm: VirtualMachine, cluster: Cluster, holder: Holder | None = None) -> Pin:
    """Return the revisions that hold the VM's instance type and preference as they are now.

    They are the VM's own, or those of the `holder` that makes it and others of its template. A matcher that has a
    revisionName keeps it; one that infers has to be inferred before (`infer_matchers`). NotFoundError when there is no
    such object. An object without a uid (a manifest, never applied) gets one of its content, so that another content
    gives another name.
    """
    names, revisions = {"instancetype": "", "preference": ""}, []
    if (instancetype := vm.spec.instancetype) is not None:
        names["instancetype"] = instancetype.revision_name
        if not instancetype.revision_name:
            obj = named_instancetype(vm, instancetype, cluster)
            revisions.append(_revision(vm, holder, str(instancetype_kind(instancetype.kind)), obj))
            names["instancetype"] = revisions[-1]["metadata"]["name"]
    if (preference := vm.spec.preference) is not None:
        names["preference"] = preference.revision_name
        if not preference.revision_name:
            wanted = named_preference(vm, preference, cluster)
            revisions.append(_revision(vm, holder, str(preference_kind(preference.kind)), wanted))
            names["preference"] = revisions[-1]["metadata"]["name"]
    return Pin(**names, revisions=tuple(revisions))


def _revision(vm: VirtualMachine, holder: Holder | None, kind: str, obj: Instancetype | Preference) -> dict[str, Any]:
    metadata = obj.metadata
    content = [kind, metadata.namespace, metadata.name, to_manifest(obj.spec)]
    uid = metadata.uid or str(uuid5(_NAMESPACE, json.dumps(content)))
    return revision_of(vm, kind, obj, uid, metadata.generation or 1, holder)


def revision_of(
    vm: VirtualMachine,
    kind: str,
    obj: Instancetype | Preference,
    uid: str,
    generation: int,
    holder: Holder | None = None,
) -> dict[str, Any]:
    """Return the ControllerRevision in which virt-controller keeps an object for a VM (CreateControllerRevision)."""
    holder = holder or Holder("kubevirt.io/v1", "VirtualMachine", vm.metadata.name, vm.metadata.uid)
    metadata, spec = obj.metadata, to_manifest(obj.spec)
    identity: dict[str, Any] = {"name": metadata.name, "uid": uid, "generation": generation}
    if metadata.namespace:
        identity["namespace"] = metadata.namespace
    revision_metadata: dict[str, Any] = {
        "name": f"{holder.name}-{metadata.name}-{VERSION}-{uid}-{generation}",
        "namespace": namespace_or_default(vm.metadata.namespace),
        "labels": {
            f"{GROUP}/object-generation": str(generation),
            f"{GROUP}/object-kind": kind,
            OBJECT_NAME_LABEL: metadata.name,
            f"{GROUP}/object-uid": uid,
            OBJECT_VERSION_LABEL: VERSION,
        },
    }
    if holder.uid:  # an owner that does not exist would have the garbage collector remove the revision
        revision_metadata["ownerReferences"] = [_owner(holder)]
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": revision_metadata,
        "data": {"apiVersion": f"{GROUP}/{VERSION}", "kind": kind, "metadata": identity, "spec": spec},
        "revision": 0,
    }


def _owner(holder: Holder) -> dict[str, Any]:
    return {
        "apiVersion": holder.api_version,
        "kind": holder.kind,
        "name": holder.name,
        "uid": holder.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
