"""Manifests of a cluster's objects: decoded, without what the release does not know, and named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, decode_pruned, manifest_name, prune
from virtcatalog.api.findings import field_path
from virtcatalog.api.kinds import CLUSTER_KINDS, READ, kind_type, type_of, unserved
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.nodes import (
    AAQ,
    ApplicationAwareResourceQuota,
    LimitRange,
    Node,
    PartialObjectMetadata,
    ResourceQuota,
)
from virtcatalog.api.object import Status
from virtcatalog.api.operator import KubeVirt
from virtcatalog.errors import ManifestError, Problem, Warning
from virtcatalog.releases import Release, name_minor

_IN_PART: Mapping[tuple[str, str], type[Status]] = {
    ("v1", "Namespace"): PartialObjectMetadata,
    ("v1", "Node"): Node,
    ("v1", "ResourceQuota"): ResourceQuota,
    ("v1", "LimitRange"): LimitRange,
    ("aaq.kubevirt.io/v1alpha1", "AAQ"): AAQ,
    ("aaq.kubevirt.io/v1alpha1", "ApplicationAwareResourceQuota"): ApplicationAwareResourceQuota,
    ("aaq.kubevirt.io/v1alpha1", "ApplicationAwareClusterResourceQuota"): PartialObjectMetadata,
    ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition"): PartialObjectMetadata,
    ("snapshot.storage.k8s.io/v1", "VolumeSnapshot"): PartialObjectMetadata,
}
"""Kinds of others, of which only a part matters."""
CLUSTER_WIDE = frozenset({*CLUSTER_KINDS, "Namespace", "Node", "AAQ", "ApplicationAwareClusterResourceQuota"})
"""The kinds of objects that VMs refer to and that are in no namespace."""


def counts(manifest: Any) -> bool:
    """Whether a manifest, as far as it is one, is of a kind that makes a difference to VMs."""
    data = manifest if isinstance(manifest, dict) else {}
    version, kind = str(data.get("apiVersion")), str(data.get("kind"))
    return (version, kind) in _IN_PART or kind_type(version, kind) is not None


class Decoded(NamedTuple):
    """Objects of manifests: the last KubeVirt CR, those that VMs refer to by identity, manifests of other kinds.

    `pruned` is what the release does not know of objects, by identity; `problems` is what is wrong with manifests.
    """

    kubevirt: KubeVirt | None
    objects: dict[tuple[str, str, str], Any]
    others: tuple[dict[str, Any], ...]
    pruned: dict[tuple[str, str, str], tuple[Warning, ...]]
    problems: tuple[Problem, ...]


def decode_all(manifests: Iterable[dict[str, Any]], release: Release) -> Decoded:
    """Read the manifests of a cluster; of two with one identity the later counts."""
    kubevirt: KubeVirt | None = None
    objects: dict[tuple[str, str, str], Any] = {}
    others: list[dict[str, Any]] = []
    warnings: dict[tuple[str, str, str], tuple[Warning, ...]] = {}
    problems: list[Problem] = []
    for manifest in manifests:
        try:
            obj, pruned = decode(manifest, release)
        except ManifestError as error:
            problems += error.problems
            continue
        if obj is None:
            others.append(manifest)
            continue
        key = identity_of(manifest["kind"], obj)
        warnings[key] = tuple(pruned)
        if isinstance(obj, KubeVirt):
            kubevirt = obj
        else:
            objects[key] = obj
    unknown = {key: pruned_fields for key, pruned_fields in warnings.items() if pruned_fields}
    return Decoded(kubevirt, objects, tuple(others), unknown, tuple(problems))


def identity_of(kind: str, obj: Any) -> tuple[str, str, str]:
    """What an object is found by; there is one KubeVirt CR, wherever it is."""
    if kind == "KubeVirt":
        return kind, "", ""
    return kind, "" if kind in CLUSTER_WIDE else namespace_or_default(obj.metadata.namespace), obj.metadata.name


def decode(manifest: dict[str, Any], release: Release) -> tuple[Any, list[Warning]]:
    """Read a manifest, None when VMs do not refer to its kind, and say what the release does not know of it."""
    version, kind = (manifest.get("apiVersion"), manifest.get("kind")) if isinstance(manifest, dict) else (None, None)
    if isinstance(version, str) and isinstance(kind, str):
        if (version, kind) in _IN_PART:
            return decode_manifest(manifest, _IN_PART[version, kind]), []
        struct = kind_type(version, kind)
        if struct is None and unserved(version, kind) is None:
            return None, []
        if struct is not None:
            manifest, pruned = prune_manifest(manifest, struct, release)
            if struct.__name__ not in READ:
                return decode_manifest(manifest), pruned
            obj, unknown = decode_pruned(manifest, struct)
            pruned += (
                Warning("Pruned", field_path(path), f"{message}; it is left out", manifest_name(manifest))
                for path, message in unknown
            )
            return obj, pruned + _pruned_revision(manifest, release)
    return decode_manifest(manifest), []


def _pruned_revision(manifest: dict[str, Any], release: Release) -> list[Warning]:
    """What the release does not know of the object that a ControllerRevision holds."""
    data = manifest.get("data") if manifest["kind"] == "ControllerRevision" else None
    if not isinstance(data, dict):
        return []
    struct = type_of(data)
    warnings = prune_manifest(data, struct, release)[1] if struct is not None else []
    return [replace(warning, field=f"data.{warning.field}", object=manifest_name(manifest)) for warning in warnings]


def prune_manifest(manifest: Any, kind: type[msgspec.Struct], release: Release) -> tuple[Any, list[Warning]]:
    """Return a manifest as the release's API server keeps it, and a warning for each field that it drops."""
    data, pruned = prune(manifest, kind, release.minor)
    if not pruned:
        return data, []
    return data, [
        Warning(
            "Pruned",
            field_path(path),
            f"KubeVirt {release} does not know the field, which came with {name_minor(since)}",
            manifest_name(manifest),
        )
        for path, since in pruned.items()
    ]
