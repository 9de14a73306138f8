"""The instance type and preference that a VM refers to: by name, or inferred from its volume."""

from __future__ import annotations

from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kinds import vm_spec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.infer import infer_matchers
from virtcatalog.kubevirt.matchers import MATCHERS, NAMESPACED_KINDS, instancetype_kind, preference_kind
from virtcatalog.manifests.identity import Data, Identity, namespace_of


def references(vm: Data, cluster: Cluster) -> list[Identity] | None:
    """Return the instance type and the preference that a VM names or infers; None when that cannot be told."""
    spec = vm_spec(vm)
    if not isinstance(spec, dict):
        return None
    found = []
    for matcher, kind_of in MATCHERS.items():
        given = spec.get(matcher)
        if not given:
            continue
        if not isinstance(given, dict) or given.get("inferFromVolume"):
            return _inferred(vm, cluster)
        kind = kind_of(str(given.get("kind") or ""))
        if kind is None:
            return None
        found.append(_reference(kind, str(given.get("name")), vm))
    return found


def refers_to_own_namespace(vm: Data) -> bool:
    """Whether the VM names an instance type or preference of its own namespace."""
    return not NAMESPACED_KINDS.isdisjoint(named_kinds(vm))


def named_kinds(vm: Data) -> set[str]:
    """Return the kinds of the instance type and the preference that a VM names; without what it infers."""
    return {kind for kind, *_ in named_objects(vm)}


def named_objects(vm: Data) -> list[Identity]:
    """Return the instance type and the preference that a VM names, as far as it does; without what it infers."""
    spec = vm_spec(vm)
    given = [(matcher, spec.get(matcher)) for matcher in MATCHERS] if isinstance(spec, dict) else []
    found = [named_object(vm, matcher, each) for matcher, each in given if isinstance(each, dict)]
    return [each for each in found if each is not None]


def named_object(vm: Data, matcher: str, given: Data) -> Identity | None:
    """Return what one of a VM's matchers names, None if it does not."""
    name, kind = given.get("name"), MATCHERS[matcher](str(given.get("kind") or ""))
    return _reference(kind, str(name), vm) if name and kind is not None else None


def _inferred(manifest: Data, cluster: Cluster) -> list[Identity] | None:
    try:
        named = {"metadata": manifest.get("metadata"), "spec": vm_spec(manifest)}
        vm = decode_manifest(named, VirtualMachine)
    except ManifestError:
        return None
    if infer_matchers(vm, cluster):
        return None
    matchers = ((vm.spec.instancetype, instancetype_kind), (vm.spec.preference, preference_kind))
    found = [(matcher, kind_of(matcher.kind)) for matcher, kind_of in matchers if matcher is not None]
    return [_reference(kind, matcher.name, manifest) for matcher, kind in found if kind is not None]


def _reference(kind: str, name: str, vm: Data) -> Identity:
    return kind, namespace_of(vm) if kind in NAMESPACED_KINDS else "", name
