"""Fields that a cluster never changes once an object is there: a sync that does fails, and what is the way out.

Source: containerized-data-importer, pkg/apiserver/webhooks (datavolume-validate.go, dataimportcron-validate.go);
KubeVirt, admitters/vmi-update-admitter.go, migration-update-admitter.go, vmpool-admitter.go, pkg/storage/admitters
(vmsnapshot.go, vmrestore.go, vmexport.go), api/backup/v1alpha1; Kubernetes, pkg/apis/core/validation (PVCs, Secrets,
ConfigMaps) and pkg/apis/apps/validation (ControllerRevisions).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import SYNC_OPTIONS
from virtcatalog.manifests.difference import Difference, alike, differences
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.model import Environment, Repository, Resource
from virtcatalog.repositories.syncing import option_set

_DATA: Final = "give it another name and have VMs use that, or delete it first, with its data"
_ANEW: Final = "delete it first, or give it another name"
_FROZEN: Final[dict[tuple[str, str], tuple[Path, str]]] = {
    ("cdi.kubevirt.io", "DataVolume"): (("spec",), _DATA),
    ("cdi.kubevirt.io", "DataImportCron"): (("spec",), _ANEW),
    ("kubevirt.io", "VirtualMachineInstance"): (("spec",), _ANEW),
    ("kubevirt.io", "VirtualMachineInstanceMigration"): (("spec",), _ANEW),
    ("pool.kubevirt.io", "VirtualMachinePool"): (("spec", "selector"), _ANEW),
    ("snapshot.kubevirt.io", "VirtualMachineSnapshot"): (("spec",), _ANEW),
    ("snapshot.kubevirt.io", "VirtualMachineRestore"): (("spec",), _ANEW),
    ("export.kubevirt.io", "VirtualMachineExport"): (("spec",), _ANEW),
    ("backup.kubevirt.io", "VirtualMachineBackup"): (("spec",), _ANEW),
    ("backup.kubevirt.io", "VirtualMachineBackupTracker"): (("spec",), _ANEW),
    ("", "PersistentVolumeClaim"): (("spec",), _DATA),
    ("apps", "ControllerRevision"): (("data",), "give it another name"),
}
"""By group and kind: the part that never changes, and what to do instead."""
_IMMUTABLE: Final = ("immutable", "data", "binaryData", "stringData")
"""What never changes of Secrets and ConfigMaps that say `immutable: true`."""
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
        changed = (difference.field for part in _IMMUTABLE for difference in _differing(old, new, (part,)))
        yield from ((field, _ANEW) for field in changed)
    path, advice = _FROZEN.get((group, kind), ((), ""))
    for difference in _differing(old, new, path) if path else ():
        if not _may_change(kind, difference, new):
            yield difference.field, advice


def _may_change(kind: str, difference: Difference, new: Data) -> bool:
    match kind:
        case "PersistentVolumeClaim":
            before, after = _amount(difference.old), _amount(difference.new)
            grows = difference.path == _STORAGE and before is not None and after is not None and before < after
            return grows or difference.path == ("spec", "volumeAttributesClassName")
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
