"""The revisions that KubeVirt stored for a VM of a dump, and the VM as if it had none."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from virtcatalog.api.kinds import vm_spec, with_vm_spec
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.revision import OBJECT_NAME_LABEL
from virtcatalog.kubevirt.matchers import MATCHERS, matcher_of
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, Identity, namespace_of


class Pinned(msgspec.Struct, frozen=True):
    """Which of a VM's matchers have a stored revision, and those revisions that the cluster's objects hold.

    They are `assumed` where nothing is known but that the VM runs. The VM has `turned` when its status names one of
    another object than its spec, which KubeVirt passes over.
    """

    matchers: frozenset[str] = frozenset()
    contents: tuple[str, ...] = ()
    assumed: bool = False
    turned: bool = False

    def __bool__(self) -> bool:
        return bool(self.matchers)


def recreated(vm: Data) -> Data:
    """Return the VM as if it were created now: without stored revisions and status."""
    spec, fresh = vm_spec(vm), {}
    if not isinstance(spec, dict):
        return vm
    for key, value in spec.items():
        pinned = key in MATCHERS and isinstance(value, dict) and "revisionName" in value
        fresh[key] = {name: value[name] for name in value if name != "revisionName"} if pinned else value
    return {key: value for key, value in with_vm_spec(vm, fresh).items() if key != "status"}


def revisions(vm: Data) -> tuple[tuple[str, str], ...]:
    """Return the matchers that have a stored revision, each with its name: the one that the VM's spec names, else the
    one that its status does for the same object.
    """
    spec, status, pinned = vm_spec(vm), vm.get("status"), []
    for matcher in MATCHERS:
        reference = map_at(spec, matcher)
        if not reference:
            continue
        name = reference.get("revisionName")
        if not name and status:
            stored = map_at(status, f"{matcher}Ref")
            if stored.get("name") in (None, reference.get("name")):
                name = map_at(stored, "controllerRevisionRef").get("name")
        if name:
            pinned.append((matcher, str(name)))
    return tuple(pinned)


def pins(vm: Data, cluster: Cluster) -> Pinned:
    """Return the revisions that a VM is pinned to."""
    namespace = namespace_of(vm)
    matchers, contents, turned = set(), [], False
    for matcher, name in revisions(vm):
        matchers.add(matcher)
        revision = cluster.controller_revision(namespace, name)
        if revision is not None:
            contents.append(json.dumps((revision.data or {}).get("spec"), sort_keys=True))
            reference = map_at(vm_spec(vm), matcher)
            if not reference.get("revisionName"):
                turned |= revision.metadata.labels.get(OBJECT_NAME_LABEL) != reference.get("name")
    return Pinned(frozenset(matchers), tuple(contents), turned=turned)


def assumed(references: Iterable[Identity] | None, cluster: Cluster) -> Pinned:
    """Return what a VM is pinned to of which nothing says so: once it runs, KubeVirt has stored what it names.

    Under the other reference policies KubeVirt has expanded it, and a VM that still names something has just come.
    """
    if not stores(cluster):
        return Pinned()
    return Pinned(frozenset(matcher_of(kind) for kind, *_ in references or ()), assumed=True)


def pinned_in_git(vm: Data, references: Iterable[Identity] | None, cluster: Cluster) -> Pinned:
    """Return what a VM of a folder is pinned to: its manifest has no more of it than the revisions that it names."""
    named, stored = pins(vm, cluster), assumed(references, cluster)
    return msgspec.structs.replace(named, matchers=named.matchers | stored.matchers) if named else stored


def stores(cluster: Cluster) -> bool:
    """Whether KubeVirt stores what a VM names, rather than expanding it."""
    return cluster.configuration.instancetype_reference_policy == "reference"
