"""What KubeVirt's operator deploys by itself, for VMs of which nobody named a catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from virtcatalog.cli.console import summary
from virtcatalog.cli.vms import Batch, unplaced
from virtcatalog.manifests.identity import identity

if TYPE_CHECKING:
    from virtcatalog.kubevirt.conditions import Conditions


def with_upstream(batches: Sequence[Batch], met: Sequence[Conditions]) -> list[Batch]:
    """Return the batches with common-instancetypes among the objects, where VMs refer to it and no catalog is named.

    They are those of the release that the batch meets, unless its KubeVirt CR has the operator deploy none.
    """
    found, told = [], set()
    for batch, conditions in zip(batches, met, strict=True):
        name, objects = _deployed(batch, conditions) if batch.alone else ("", [])
        told.add(name)
        found.append(batch._replace(objects=[*batch.objects, *map(unplaced, objects)]))
    for name in sorted(told - {""}):
        summary(f"no catalog is named: {name} counts, as KubeVirt's operator deploys it")
    return found


def _deployed(batch: Batch, conditions: Conditions) -> tuple[str, list[dict[str, Any]]]:
    manifests = [each.manifest for each in batch.objects]
    there = {_named(manifest) for manifest in manifests}
    if not any(_wanted(vm, manifests) - there for vm in batch.manifests()):
        return "", []
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.kubevirt.conditions import choose_release

    name = choose_release(conditions, batch.kubevirt, manifests).release.common_instancetypes
    if any(_declines(manifest) for manifest in manifests):
        return "", []
    made = [each for each in load_catalog(name).objects() if "Cluster" in each["kind"]]
    return name, [each for each in made if _named(each) not in there]


def _named(manifest: dict[str, Any]) -> tuple[str, str]:
    kind, _, name = identity(manifest)
    return kind, name


def _wanted(vm: dict[str, Any], objects: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Kinds and names of common-instancetypes that a VM names, or a volume that it infers from may name."""
    from virtcatalog.api.kinds import vm_spec
    from virtcatalog.api.reserved import INSTANCETYPES, PREFERENCES

    spec, found = vm_spec(vm), set()
    for key, names in (("instancetype", INSTANCETYPES), ("preference", PREFERENCES)):
        matcher = spec.get(key) if isinstance(spec, dict) else None
        if not isinstance(matcher, dict):
            continue
        named = [matcher.get("name")]
        if matcher.get("inferFromVolume"):
            templates = spec.get("dataVolumeTemplates")
            volumes = [*objects, *(templates if isinstance(templates, list) else ())]
            named += [_labels(volume).get(f"instancetype.kubevirt.io/default-{key}") for volume in volumes]
        kind = f"VirtualMachineCluster{key.capitalize()}"
        found |= {(kind, name) for name in named if isinstance(name, str) and name in names}
    return found


def _labels(manifest: Any) -> dict[str, Any]:
    """The labels of what may be no manifest: nobody has looked at a VM's templates yet."""
    metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return labels if isinstance(labels, dict) else {}


def _declines(manifest: dict[str, Any]) -> bool:
    """Whether this is a KubeVirt CR that has the operator deploy none."""
    if manifest["kind"] != "KubeVirt":
        return False
    configuration = (manifest.get("spec") or {}).get("configuration") or {}
    return (configuration.get("commonInstancetypesDeployment") or {}).get("enabled") is False
