"""The matchers of a VM that is being created, held against the objects that there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from virtcatalog.kubevirt.matchers import MATCHERS, NAMESPACED_KINDS
from virtcatalog.manifests.identity import identity

Manifest = dict[str, Any]


def completed(vm: Manifest, objects: Iterable[Manifest]) -> Manifest:
    """Return the VM with the kind of each matcher that names none, where only a namespaced object has the name.

    Without a kind, KubeVirt takes the cluster-wide object of that name.
    """
    spec = dict(vm["spec"])
    kinds: dict[str, set[str]] = {}
    for kind, _, name in map(identity, objects):
        kinds.setdefault(name, set()).add(kind)
    for key, kind_of in MATCHERS.items():
        matcher = spec.get(key, {})
        if matcher.get("kind") or not matcher.get("name"):
            continue
        found = {each for each in kinds.get(matcher["name"], ()) if kind_of(each)}
        if found and found <= NAMESPACED_KINDS:
            spec[key] = {"kind": found.pop().lower(), **matcher}
    return {**vm, "spec": spec}
