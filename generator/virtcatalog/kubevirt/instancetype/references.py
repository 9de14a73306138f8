"""The instance type and preference that a VM refers to: by name, or inferred from its volume."""

from __future__ import annotations

from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kinds import NAMESPACED_KINDS, vm_spec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.infer import infer_matchers
from virtcatalog.kubevirt.matchers import MATCHERS, matched_objects
from virtcatalog.manifests.identity import Data, Identity, namespace_of


def references(vm: Data, cluster: Cluster) -> list[Identity] | None:
    """Return the instance type and the preference that a VM names or infers; None when that cannot be told."""
    spec = vm_spec(vm)
    if not isinstance(spec, dict):
        return None
    identities = []
    for matcher, kind_of in MATCHERS.items():
        matcher_data = spec.get(matcher)
        if not matcher_data:
            continue
        if not isinstance(matcher_data, dict) or matcher_data.get("inferFromVolume"):
            return _inferred(vm, cluster)
        kind = kind_of(str(matcher_data.get("kind") or ""))
        if kind is None:
            return None
        identities.append(_reference(kind, str(matcher_data.get("name")), vm))
    return identities


def refers_to_own_namespace(vm: Data) -> bool:
    """Whether the VM names an instance type or preference of its own namespace."""
    return any(kind in NAMESPACED_KINDS for kind in named_kinds(vm))


def named_kinds(vm: Data) -> set[str]:
    """Return the kinds of the instance type and the preference that a VM names; without what it infers."""
    return {kind for kind, *_ in named_objects(vm)}


def named_objects(vm: Data) -> list[Identity]:
    """Return the instance type and the preference that a VM names, as far as it does; without what it infers."""
    spec = vm_spec(vm)
    matchers = [(matcher, spec.get(matcher)) for matcher in MATCHERS] if isinstance(spec, dict) else []
    identities = [named_object(vm, matcher, data) for matcher, data in matchers if isinstance(data, dict)]
    return [data for data in identities if data is not None]


def named_object(vm: Data, matcher: str, data: Data) -> Identity | None:
    """Return what one of a VM's matchers names, None if it does not."""
    name, kind = data.get("name"), MATCHERS[matcher](str(data.get("kind") or ""))
    return _reference(kind, str(name), vm) if name and kind is not None else None


def _inferred(manifest: Data, cluster: Cluster) -> list[Identity] | None:
    try:
        stripped = {"metadata": manifest.get("metadata"), "spec": vm_spec(manifest)}
        vm = decode_manifest(stripped, VirtualMachine)
    except ManifestError:
        return None
    if infer_matchers(vm, cluster):
        return None
    return [_reference(kind, name, manifest) for kind, name in matched_objects(vm)]


def _reference(kind: str, name: str, vm: Data) -> Identity:
    return kind, namespace_of(vm) if kind in NAMESPACED_KINDS else "", name
