"""The cluster as the VMs of each environment of Git meet it: with those objects of Git that it does not have yet."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from virtcatalog.fleet.cache import digest
from virtcatalog.fleet.inputs import encoded
from virtcatalog.fleet.recall import Objects
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.live.revisions import Past
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.live.types import Types
from virtcatalog.manifests.identity import identity
from virtcatalog.review.side import Side, Vm


class ClusterView(NamedTuple):
    """A cluster as VMs of one environment of Git meet it.

    `objects` are the digests of what it has, `types` the instance types and preferences that Git has otherwise.
    """

    cluster: Cluster
    objects: Objects
    types: Types


class Clusters:
    """What the VMs of each environment meet: the objects of the cluster, and those of Git that it does not have yet.

    `around` is what all answers depend on beside that.
    """

    def __init__(self, side: Side, snapshot: Snapshot, conditions: Conditions, past: Past) -> None:
        self._side, self._snapshot = side, snapshot
        release = choose_release(conditions, "", snapshot.others).release
        self._conditions = replace(conditions, release=release)
        self._there = {identity(manifest): manifest for manifest in snapshot.others}
        self._has_kubevirt = any(kind == "KubeVirt" for kind, _, _ in self._there)
        self._views: dict[int, ClusterView] = {}
        self.around = digest(snapshot.extent, encoded([[release, sorted(specs.items())] for release, specs in past]))

    def of(self, vm: Vm | None) -> ClusterView:
        """Return what a VM of Git meets, None what one does that Git has not."""
        objects = self._side.objects_in(vm.environment, vm.unit) if vm is not None else ()
        key = id(objects) if vm is not None else 0
        if key not in self._views:
            missing = (manifest for manifest in objects if identity(manifest) not in self._there)
            added = [manifest for manifest in missing if manifest.get("kind") != "KubeVirt" or not self._has_kubevirt]
            manifests = [*added, *self._snapshot.others]
            cluster = Cluster.under(manifests, self._conditions)
            types = Types(self._side, objects, self._there, self._snapshot.unread)
            self._views[key] = ClusterView(cluster, Objects(manifests, cluster.conditions), types)
        return self._views[key]
