"""Objects as a cluster stores them: what its API server drops, and how KubeVirt's webhooks write a VM anew.

The API server stores an object of a CRD as it was sent, but for fields that the CRD does not have and for nulls. The
webhook of VMs and VMIs replaces the whole of `spec` and `metadata` by what Go writes of them: quantities in their
shortest form, without what Go leaves out (vm-mutator.go and vmi-mutator.go, Mutate).
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.clock import Clock
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.golang import unmarshal
from virtcatalog.api.govalues import GoError
from virtcatalog.api.kinds import type_of
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.shape import List, Map, Shape, Struct, struct_of
from virtcatalog.errors import ManifestError, UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.decoding import prune_manifest
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.reading import read
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.releases import Release

_FREE = frozenset({ObjectMeta, Clock})
"""Types whose fields the CRDs do not prune, below `spec` (x-kubernetes-preserve-unknown-fields): nulls in them stay."""
_TIMESTAMP = "creationTimestamp"
_REFERENCES = {
    "cloudInitConfigDrive": ("secretRef", "networkDataSecretRef"),
    "cloudInitNoCloud": ("secretRef", "networkDataSecretRef"),
    "sysprep": ("configMap", "secret"),
}
"""Fields of volumes that refer to an object, in which the CRDs have a default: an empty name."""
_NOT_SPEC = frozenset({"apiVersion", "kind", "metadata", "status"})


def stored(manifest: Data, cluster: Cluster) -> Data | None:
    """Return an object of KubeVirt's or CDI's as the cluster stores it once it is created; None when it is refused.

    `status` is left out, and so are the UUID and serial of a VM's firmware that its webhook draws at random.
    """
    kind = type_of(manifest)
    if kind is not VirtualMachine and kind is not VirtualMachineInstance:
        return spelled(manifest, cluster.release)
    try:
        obj: Any = read(manifest, kind, cluster, [])
        if isinstance(obj, Result) or (mutate_vm if kind is VirtualMachine else mutate_vmi)(obj, cluster):
            return None
        if kind is VirtualMachine:
            _take_out_identity(obj, manifest)
        return _with_spec(manifest, marshalled(to_manifest(obj), kind, cluster.release))
    except (GoError, ManifestError, UnsupportedError):
        return None


def spelled(manifest: Data, release: Release) -> Data | None:
    """Return what `stored` does without what webhooks add or put in the place of something else."""
    kind = type_of(manifest)
    if kind is None:
        return None
    pruned = prune_manifest(manifest, kind, release)[0]
    try:
        if kind is VirtualMachine or kind is VirtualMachineInstance:
            return _with_spec(manifest, _without_empty_machine(marshalled(pruned, kind, release)))
        return _with_spec(manifest, _pruned(pruned, struct_of(kind)))
    except GoError:
        return None


def marshalled(data: Data, kind: type[Any], release: Release) -> Data:
    """Return what the webhook of a VM or VMI writes of one, which holds all that Go never leaves out."""
    written = unmarshal(data, kind)
    spec = written.get("spec")
    if release.traits.writes_null_timestamps and kind is VirtualMachine and spec:
        for holder in (spec["template"] or {}, *spec.get("dataVolumeTemplates", ())):
            holder.setdefault("metadata", {}).setdefault(_TIMESTAMP, None)
    return written


def _without_empty_machine(data: Data) -> Data:
    """An object in which an empty machine type, which Go would write, says nothing: the webhook sets another."""
    spec = data.get("spec") or {}
    domain = ((spec.get("template") or {}).get("spec") or spec).get("domain") or {}
    if domain.get("machine") == {"type": ""}:
        del domain["machine"]["type"]
    return data


def _with_spec(manifest: Data, data: Data) -> Data:
    """An object with its own metadata, as the API server writes that, and with the rest of some data."""
    metadata = unmarshal(manifest.get("metadata") or {}, ObjectMeta)
    rest = {key: value for key, value in data.items() if key not in _NOT_SPEC}
    set_schema_defaults(rest.get("spec"))
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "metadata": metadata, **rest}


def set_schema_defaults(spec: Any) -> None:
    """Set what the CRDs have defaults for, in the volumes of a VMI's spec, wherever that is in a spec."""
    while isinstance(spec, dict) and "volumes" not in spec:
        spec = _inner(spec)
    volumes = spec["volumes"] if isinstance(spec, dict) else None
    for volume in map(map_at, volumes if isinstance(volumes, list) else ()):
        sources = ((map_at(volume, source), names) for source, names in _REFERENCES.items())
        references = [source[name] for source, names in sources for name in names if name in source]
        for reference in (*references, volume.get("configMap")):
            map_at(reference).setdefault("name", "")
        map_at(volume, "containerPath").setdefault("readOnly", True)


def _inner(spec: Data) -> Any:
    """The spec in the template of a VM, ReplicaSet or pool."""
    return map_at(spec.get("template") or spec.get("virtualMachineTemplate")).get("spec")


def _take_out_identity(vm: VirtualMachine, manifest: Data) -> None:
    firmware = vm.spec.template.spec.domain.firmware
    sent = map_at(manifest, "spec", "template", "spec", "domain", "firmware")
    if firmware is not None:
        firmware.uuid, firmware.serial = sent.get("uuid") or "", sent.get("serial") or ""


def _pruned(value: Any, shape: Shape) -> Any:
    """A value without unknown fields and nulls, as the API server leaves it (PruneNonNullableNullsWithoutDefaults)."""
    if isinstance(shape, Struct) and isinstance(value, dict) and shape.kind not in _FREE:
        fields = shape.fields
        return {
            key: _pruned(item, fields[key].shape)
            for key, item in value.items()
            if key in fields and (item is not None or _is_nullable(fields[key].shape))
        }
    if isinstance(shape, Map) and isinstance(value, dict):
        return {key: _pruned(item, shape.value) for key, item in value.items() if item is not None}
    if isinstance(shape, List) and isinstance(value, list):
        return [_pruned(item, shape.item) for item in value]
    return value


def _is_nullable(shape: Shape) -> bool:
    return isinstance(shape, Struct) and shape.kind is ObjectMeta
