"""The cluster as the VMs of each environment of Git meet it: with those objects of Git that it does not have yet.

Instance types and preferences that it has otherwise are reasons: a VM waits for them, though itself it is in sync.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CATALOG_KINDS, NAMESPACED_KINDS, vm_spec
from virtcatalog.errors import place
from virtcatalog.fleet.cache import digest
from virtcatalog.fleet.inputs import encoded
from virtcatalog.fleet.recall import Objects
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.live.revisions import Past
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.live.verdict import Field, Reason
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data, Identity, identity, namespace_of
from virtcatalog.review.side import Side, Vm

SPECS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "instancetype": VirtualMachineInstancetypeSpec,
    "preference": VirtualMachinePreferenceSpec,
}


def as_stored(spec: Any, which: str) -> Any:
    """Return the spec of an instance type or preference as KubeVirt stores it; as it is, if its API does not have it.

    `which` is the matcher of a VM that names such objects.
    """
    try:
        return to_manifest(convert(spec, SPECS[which]))
    except msgspec.ValidationError:
        return spec


def not_known(matcher: str, name: str, unread: str) -> Reason:
    """Return that nobody knows what an instance type or preference of a VM is now; `unread` says why."""
    return Reason(kind="unread", message=f"what its {matcher} {name} is now is not known: {unread}")


class Types:
    """The instance types and preferences of a cluster beside those of an environment in Git."""

    def __init__(
        self, side: Side, in_git: Iterable[Data], there: Mapping[Identity, Data], unread: Callable[[str], str]
    ) -> None:
        """`unread` says why it is not known which objects of a kind the cluster has, "" where it is."""
        self._side, self._there, self._unread = side, there, unread
        self._in_git = {identity(obj): obj for obj in in_git if obj.get("kind") in CATALOG_KINDS}
        self._unlike: dict[Identity, Reason | None] = {}

    def reasons(self, vm: Vm) -> Iterator[Reason]:
        """Yield what is so of a VM or pool of Git because its type or preference is not in the cluster as in Git."""
        spec = vm_spec(vm.manifest)
        for matcher, kind_of in MATCHERS.items():
            named = spec.get(matcher) if isinstance(spec, dict) else None
            if not isinstance(named, dict) or not named.get("name"):
                continue
            kind = kind_of(str(named.get("kind") or "")) or ""
            which = (kind, namespace_of(vm.manifest) if kind in NAMESPACED_KINDS else "", str(named["name"]))
            if which in self._in_git and which not in self._unlike:
                self._unlike[which] = self._compared(matcher, which)
            reason = self._unlike.get(which)
            if reason is not None:
                yield reason

    def _compared(self, matcher: str, which: Identity) -> Reason | None:
        wanted, there = self._in_git[which], self._there.get(which)
        origin = self._side.views.origin(wanted) if self._side.views is not None else None
        if origin is not None and origin.open:
            values = ", ".join(value.sentence for value in origin.open)
            return Reason(kind="unread", message=f"what Git asks for in its {matcher} {which[2]}: {values}")
        if there is None:
            if unread := self._unread(which[0]):
                return not_known(matcher, which[2], unread)
            return Reason(kind="behind", message=f"its {matcher} {which[2]} is only in Git")
        find = self._side.field_of(which, wanted)
        old, new = (as_stored(obj.get("spec") or {}, matcher) for obj in (there, wanted))
        fields = tuple(
            Field(change.field, change.old, change.new, place=place(find(change.field)) if find is not None else "")
            for change in differences(old, new, ("spec",))
        )
        message = f"its {matcher} {which[2]} is another one in Git"
        return Reason(kind="behind", message=message, fields=fields) if fields else None


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
