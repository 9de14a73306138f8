"""The disks of a VM that were made by another template than it has now: nothing changes a DataVolume that is there.

Source: pkg/virt-controller/watch/vm/vm.go (handleDataVolumes).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.api.cdi import DataVolume, DataVolumeSpec
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Path
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import listed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.live.verdict import Field, Reason
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data

_SIZE: Final[Path] = ("resources", "requests", "storage")
_FIELDS: Final[tuple[Path, ...]] = (_SIZE, ("accessModes",), ("volumeMode",), ("storageClassName",))
"""What of a claim a template says for good: what it leaves open CDI and the storage fill in."""


def other_disks(vm: VirtualMachine, cluster: Cluster) -> Reason | None:
    """Return that DataVolumes of a VM are not what its templates make, None where none is; a claim may have grown."""
    namespace, fields, names = namespace_or_default(vm.metadata.namespace), [], []
    for number, template in enumerate(vm.spec.data_volume_templates):
        name = template.metadata.name
        data_volume = cluster.data_volume(namespace, name)
        claim = cluster.pvc(namespace, name)
        size = claim.spec.resources.requests.get("storage") if claim is not None else None
        unlike = list(_unlike(template.spec, data_volume, size)) if data_volume is not None else []
        names += [name] if unlike else []
        at = f"spec.dataVolumeTemplates[{number}].spec"
        fields += [Field(f"{at}.{field}", now, wanted) for field, now, wanted in unlike]
    if not fields:
        return None
    message = f"DataVolume {listed(names)} stays as it is, until the VM is deleted and created anew"
    return Reason(kind="disks", message=message, fields=tuple(fields))


def _unlike(template: DataVolumeSpec, data_volume: DataVolume, size: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields that a template has and its DataVolume has otherwise."""
    wanted: Data = to_manifest(template)
    there: Data = to_manifest(data_volume.spec)
    for part in ("storage", "pvc"):
        for path in _FIELDS:
            new, old = get(wanted, (part, *path)), get(there, (part, *path))
            if new is None or old is None or new == old:
                continue
            if path == _SIZE and (_amount(new) == _amount(old) or (size is not None and _amount(new) <= _amount(size))):
                continue
            yield ".".join((part, *map(str, path))), old, new


def _amount(value: Any) -> Quantity:
    return value if isinstance(value, Quantity) else Quantity.parse(str(value))
