"""Fields that a cluster never changes once an object is there: a sync that does fails, and what is the way out.

Source: containerized-data-importer, pkg/apiserver/webhooks (datavolume-validate.go, dataimportcron-validate.go);
KubeVirt, admitters/vmi-update-admitter.go, migration-update-admitter.go, vmpool-admitter.go, pkg/storage/admitters
(vmsnapshot.go, vmrestore.go, vmexport.go), api/backup/v1alpha1; Kubernetes, pkg/apis/GROUP/validation, and what its
defaults (pkg/apis/GROUP/v1/defaults.go) and pkg/registry/core/service/storage leave as it is. Jobs are left out: what
runs once is deleted in many ways before it is applied again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import SYNC_OPTIONS
from virtcatalog.manifests.difference import Difference, alike, differences
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.model import Environment, Repository, Resource
from virtcatalog.repositories.syncing import option_set

_DATA: Final = "give it another name and have VMs use that, or delete it first, with its data"
_ANEW: Final = "delete it first, or give it another name"
_SPEC: Final[Path] = ("spec",)
_SELECTOR: Final[Path] = ("spec", "selector")
_FROZEN: Final[dict[tuple[str, str], tuple[str, tuple[Path, ...]]]] = {
    ("cdi.kubevirt.io", "DataVolume"): (_DATA, (_SPEC,)),
    ("cdi.kubevirt.io", "DataImportCron"): (_ANEW, (_SPEC,)),
    ("kubevirt.io", "VirtualMachineInstance"): (_ANEW, (_SPEC,)),
    ("kubevirt.io", "VirtualMachineInstanceMigration"): (_ANEW, (_SPEC,)),
    ("pool.kubevirt.io", "VirtualMachinePool"): (_ANEW, (_SELECTOR,)),
    ("snapshot.kubevirt.io", "VirtualMachineSnapshot"): (_ANEW, (_SPEC,)),
    ("snapshot.kubevirt.io", "VirtualMachineRestore"): (_ANEW, (_SPEC,)),
    ("export.kubevirt.io", "VirtualMachineExport"): (_ANEW, (_SPEC,)),
    ("backup.kubevirt.io", "VirtualMachineBackup"): (_ANEW, (_SPEC,)),
    ("backup.kubevirt.io", "VirtualMachineBackupTracker"): (_ANEW, (_SPEC,)),
    ("", "PersistentVolumeClaim"): (_DATA, (_SPEC,)),
    ("", "Secret"): (_ANEW, (("type",),)),
    ("", "Service"): (_ANEW, (("spec", "clusterIP"), ("spec", "loadBalancerClass"))),
    ("apps", "ControllerRevision"): ("give it another name", (("data",),)),
    ("apps", "DaemonSet"): (_ANEW, (_SELECTOR,)),
    ("apps", "Deployment"): (_ANEW, (_SELECTOR,)),
    ("apps", "ReplicaSet"): (_ANEW, (_SELECTOR,)),
    ("apps", "StatefulSet"): (
        _ANEW,
        tuple(("spec", key) for key in ("selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates")),
    ),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): (_ANEW, (("roleRef",),)),
    ("rbac.authorization.k8s.io", "RoleBinding"): (_ANEW, (("roleRef",),)),
    ("resource.k8s.io", "ResourceClaim"): (_ANEW, (_SPEC,)),
    ("resource.k8s.io", "ResourceClaimTemplate"): (_ANEW, (_SPEC,)),
    ("scheduling.k8s.io", "PriorityClass"): (_ANEW, (("value",), ("preemptionPolicy",))),
    ("storage.k8s.io", "StorageClass"): (
        _ANEW,
        (("provisioner",), ("parameters",), ("reclaimPolicy",), ("volumeBindingMode",)),
    ),
}
"""By group and kind: what to do instead, and the parts that never change."""
_DEFAULTS: Final[dict[tuple[str, str], str]] = {
    ("Secret", "type"): "Opaque",
    ("PersistentVolumeClaim", "spec.volumeMode"): "Filesystem",
    ("StatefulSet", "spec.podManagementPolicy"): "OrderedReady",
    ("ClusterRoleBinding", "roleRef.apiGroup"): "rbac.authorization.k8s.io",
    ("RoleBinding", "roleRef.apiGroup"): "rbac.authorization.k8s.io",
    ("PriorityClass", "preemptionPolicy"): "PreemptLowerPriority",
    ("StorageClass", "reclaimPolicy"): "Delete",
    ("StorageClass", "volumeBindingMode"): "Immediate",
}
"""By kind and field: what is there where a manifest says nothing."""
_STORAGE: Final = ("spec", "resources", "requests", "storage")
_CHECKPOINTS: Final = (("checkpoints",), ("finalCheckpoint",))


class FrozenChange(NamedTuple):
    """A change of a field that cannot change, of an object as it is deployed by a unit; `advice` is the way out."""

    unit: Environment
    resource: Resource
    field: str
    advice: str


def frozen_changes(before: Repository, after: Repository) -> Iterator[FrozenChange]:
    """Yield the changes between two states of a repository that API servers refuse whatever else is there."""
    old = {key: resource.data for key, (_, resource) in _deployed(before).items()}
    for key, (unit, resource) in _deployed(after).items():
        if key in old and old[key] != resource.data:
            for field, advice in frozen_fields(old[key], resource.data):
                yield FrozenChange(unit, resource, field, advice)


def frozen_fields(old: Data, new: Data) -> Iterator[tuple[str, str]]:
    """Yield the fields of an object that change and cannot, each with the way out."""
    group, kind = str(new.get("apiVersion")).rpartition("/")[0], str(new.get("kind"))
    options = option_set(map_at(new, "metadata", "annotations").get(SYNC_OPTIONS))
    if {"Replace=true", "Force=true"} <= options:
        return  # Argo CD deletes and creates it
    if kind in ("Secret", "ConfigMap") and not group and old.get("immutable") is True:
        yield from ((field, _ANEW) for field in _immutable_fields(old, new))
    advice, parts = _FROZEN.get((group, kind), ("", ()))
    if kind == "PersistentVolumeClaim":
        old, new = _with_data_source(old), _with_data_source(new)
    for part in parts:
        for difference in _differing(old, new, part):
            if not _is_default(kind, difference) and not _may_change(kind, difference, old, new):
                yield difference.field, advice


def _immutable_fields(old: Data, new: Data) -> Iterator[str]:
    """Yield what changes of a Secret or ConfigMap that says `immutable: true`.

    `stringData` is written into `data`, and stays there when it leaves the manifest.
    """
    for part in ("immutable", *(() if new.get("kind") == "Secret" else ("data", "binaryData"))):
        yield from (difference.field for difference in _differing(old, new, (part,)))
    if new.get("kind") != "Secret":
        return
    before, after = _content(old), _content(new)
    for key, text in before.items():
        if key not in after and key in map_at(old, "data"):
            yield field_path(("data", key))
        elif key in after and after[key] != text:
            yield _field_of(new, key)
    yield from (_field_of(new, key) for key in after if key not in before)


def _content(secret: Data) -> dict[str, Any]:
    """What a Secret holds, in base64."""
    texts = {key: b64encode(str(text).encode()).decode() for key, text in map_at(secret, "stringData").items()}
    return {**map_at(secret, "data"), **texts}


def _field_of(secret: Data, key: str) -> str:
    return field_path(("stringData" if key in map_at(secret, "stringData") else "data", key))


def _with_data_source(claim: Data) -> Data:
    """A claim with both fields that say where its data are from: Kubernetes writes the one into the other."""
    spec = map_at(claim, "spec")
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if isinstance(reference, dict) and reference.get("namespace"):
        return claim
    both = {"dataSource": source or reference, "dataSourceRef": reference or source}
    return {**claim, "spec": {**spec, **both}} if source or reference else claim


def _is_default(kind: str, difference: Difference) -> bool:
    """Whether a field comes or goes with the value that it has anyway."""
    default = _DEFAULTS.get((kind, difference.field))
    return default is not None and {difference.old or default, difference.new or default} == {default}


def _may_change(kind: str, difference: Difference, old: Data, new: Data) -> bool:
    match kind:
        case "PersistentVolumeClaim":
            before, after = _amount(difference.old), _amount(difference.new)
            grows = difference.path == _STORAGE and before is not None and after is not None and before < after
            # The cluster's default class and the volume that it is bound to may be those already.
            comes = difference.old is None and difference.path[1:] in (("storageClassName",), ("volumeName",))
            return grows or comes or difference.path == ("spec", "volumeAttributesClassName")
        case "Service":
            types = {map_at(manifest, "spec").get("type") for manifest in (old, new)}
            if difference.path == ("spec", "loadBalancerClass"):
                return types != {"LoadBalancer"}
            # An address that is not in the manifest is the one that the Service has.
            comes = difference.old is None and difference.new != "None"
            return "ExternalName" in types or difference.new is None or comes
        case "DataVolume":
            is_multistage = not {"vddk", "imageio"}.isdisjoint(map_at(new, "spec", "source"))
            return is_multistage and difference.path[1:2] in _CHECKPOINTS
    return False


def _differing(old: Data, new: Data, path: Path) -> Iterator[Difference]:
    old_value, new_value = (get(manifest, path) for manifest in (old, new))
    yield from differences(old_value, new_value, path, same=_is_same)


def _is_same(old: Any, new: Any, path: Path) -> bool:
    if alike(old, new, path):
        return True
    amounts = _amount(old), _amount(new)
    return None not in amounts and amounts[0] == amounts[1]


def _amount(value: Any) -> Quantity | None:
    try:
        return Quantity.parse(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    except ValueError:
        return None


def _deployed(repository: Repository) -> dict[tuple[str, str, Identity], tuple[Environment, Resource]]:
    return {
        (unit.name, unit.cluster, identity(resource.data)): (unit, resource)
        for unit in repository.environments
        for resource in unit.resources
    }
