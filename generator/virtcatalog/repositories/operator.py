"""What KubeVirt's operator deploys by itself: common-instancetypes, which no repository has to hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from virtcatalog.api.kinds import vm_spec
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, identity

_DEFAULT = "instancetype.kubevirt.io/default-"


def deployed(release_types: str, vms: Iterable[Data], objects: Sequence[Data]) -> list[Data]:
    """Return the types and preferences of the operator that are not among the objects, if VMs need any.

    They are the catalog that a release calls its `common_instancetypes`; none where a KubeVirt CR among the objects
    has the operator deploy none.
    """
    present = {_kind_and_name(manifest) for manifest in objects}
    inferred = _inferred(objects)
    if any(map(_declines, objects)) or not any(_named_types(vm, inferred) - present for vm in vms):
        return []
    return [manifest for manifest in _published(release_types) if _kind_and_name(manifest) not in present]


@cache
def _published(name: str) -> tuple[Data, ...]:
    from virtcatalog.catalog.load import load_catalog

    return tuple(manifest for manifest in load_catalog(name).objects() if "Cluster" in manifest["kind"])


def _kind_and_name(manifest: Data) -> tuple[str, str]:
    kind, _, name = identity(manifest)
    return kind, name


def _named_types(vm: Data, inferred: Mapping[str, frozenset[str]]) -> set[tuple[str, str]]:
    """Kinds and names of the operator's objects that a VM names, or a volume that it infers from may name."""
    from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES

    spec, types = vm_spec(vm), set()
    for key, names in (("instancetype", RESERVED_INSTANCETYPES), ("preference", RESERVED_PREFERENCES)):
        matcher = map_at(spec, key)
        candidates = {str(matcher.get("name"))}
        if matcher.get("inferFromVolume"):
            templates = spec.get("dataVolumeTemplates")
            candidates |= inferred[key] | _inferred(templates if isinstance(templates, list) else ())[key]
        types |= {(f"VirtualMachineCluster{key.capitalize()}", name) for name in candidates & names}
    return types


def _inferred(volumes: Iterable[Any]) -> dict[str, frozenset[str]]:
    """What volumes have VMs infer: the names of types and of preferences."""
    labels = [map_at(volume, "metadata", "labels") for volume in volumes]
    return {
        key: frozenset(
            str(volume_labels[f"{_DEFAULT}{key}"]) for volume_labels in labels if f"{_DEFAULT}{key}" in volume_labels
        )
        for key in ("instancetype", "preference")
    }


def _declines(manifest: Data) -> bool:
    """Whether this is a KubeVirt CR that has the operator deploy none."""
    if manifest["kind"] != "KubeVirt":
        return False
    return map_at(manifest, "spec", "configuration", "commonInstancetypesDeployment").get("enabled") is False
