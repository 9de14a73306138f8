"""What VMs meet on both sides: a comparison for each environment and cluster, and in which of these a VM is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from virtcatalog.api.kinds import NAMESPACED_KINDS
from virtcatalog.api.names import namespace_or_default
from virtcatalog.environments import BASE, environments_for
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.dump import Packed
from virtcatalog.manifests.identity import Data
from virtcatalog.review.comparison import Comparison, KnownField
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.fleet import Upgrade
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.units import ANYWHERE, Units


class Comparisons:
    """The comparisons of two sides, each made once."""

    def __init__(
        self,
        sides: tuple[Side, Side],
        conditions: tuple[Conditions, Conditions],
        shared: Mapping[str, Sequence[Data]],
        environments: Sequence[str],
        vms: Sequence[Data],
    ) -> None:
        """`shared` is what else is in clusters, by where that is, "" for everywhere; `environments` the only ones.

        `vms` may name what KubeVirt's operator deploys.
        """
        self._sides, self._conditions, self._shared = sides, conditions, shared
        self._only, self._vms = environments, vms
        self._comparisons: dict[tuple[Any, ...], Comparison] = {}
        self._environments: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}

    def all(self) -> Collection[Comparison]:
        """Return those that were made so far."""
        return self._comparisons.values()

    def of(
        self,
        environment: str,
        where: str = "",
        namespaces: tuple[str, ...] = (),
        units: Units = (ANYWHERE, ANYWHERE),
    ) -> Comparison:
        """Return what VMs of an environment meet; `where` says what else their cluster has."""
        where = where if self._shared.get(where) else ""
        key: tuple[Any, ...] = environment, where, namespaces
        if all(side.views is not None for side in self._sides):
            # Units of repositories that meet the same have it in the same list.
            views = (id(side.objects_in(environment, unit)) for side, unit in zip(self._sides, units, strict=True))
            key = *views, where, namespaces
        if key not in self._comparisons:
            shared = [*self._shared.get("", ()), *(self._shared[where] if where else ())]
            self._comparisons[key] = Comparison(
                self._sides, environment, self._conditions, shared, namespaces, units, self._vms
            )
        return self._comparisons[key]

    def of_declared(self, old: Vm | None, new: Vm | None) -> Comparison:
        """Return what a VM of the sides themselves meets."""
        vm = new or old
        assert vm is not None
        return self.of(vm.environment, units=_units(old, new))

    def environments_of(self, dumped: DumpedVm) -> list[str]:
        """Return where a VM is now; where it will be if nothing says that."""
        header = dumped.header
        if header.references is None:
            return self._find_environments(dumped)
        key = header.namespace, dumped.where, tuple([kind for kind, _, _ in header.references])
        environments = self._environments.get(key)
        if environments is None:
            environments = self._environments[key] = self._find_environments(dumped)
        return environments

    def homeless(self, fleet: Collection[DumpedVm]) -> tuple[str, ...]:
        """Return the namespaces of VMs that name types of their own, where a side has some that name no namespace."""
        published = chain.from_iterable(objects for side in self._sides for objects in side.objects.values())
        if not any(obj["kind"] in NAMESPACED_KINDS and not obj["metadata"].get("namespace") for obj in published):
            return ()
        namespaces = {namespace_or_default(vm.header.namespace) for vm in fleet if vm.names_own}
        return tuple(sorted(namespaces - {"default"}))

    def others(self, comparison: Comparison) -> Iterator[Data]:
        """Yield the VMs that were there before and meet the same."""
        base = self._sides[0]
        here = base.objects_in(comparison.environment, comparison.units[0])
        yield from (vm.manifest for vm in base.vms if base.objects_in(vm.environment, vm.unit) is here and not vm.open)

    def fleets(self, fleet: Collection[DumpedVm]) -> Iterator[tuple[str, Sequence[Data], Comparison]]:
        """Yield the VMs of each environment that they are in, and what they meet there."""
        there = {name for side in self._sides for name in side.objects}
        fleets: dict[int, tuple[str, Packed, Comparison]] = {}
        for vm in fleet:
            for environment in self.environments_of(vm):
                if environment in there:
                    comparison = self.of(environment, vm.where)
                    if id(comparison) not in fleets:
                        fleets[id(comparison)] = environment, Packed(), comparison
                    fleets[id(comparison)][1].append(vm.vm)
        yield from fleets.values()

    @property
    def limits_room(self) -> bool:
        """Whether anything that VMs met can be too small for them."""
        return any(comparison.head.limits_pods for comparison in self.all())

    def upgrades(self) -> Iterator[Upgrade]:
        """Yield what environments run another release after the change, those together that have the same upgrade."""
        upgraded: dict[tuple[str, str], dict[str, set[KnownField]]] = {}
        for environment in dict.fromkeys(name for side in self._sides for name in side.objects):
            comparison = self.of(environment)
            old, new = str(comparison.base.release), str(comparison.head.release)
            if old != new:
                upgraded.setdefault((old, new), {})[environment] = set(comparison.known_fields())
        for (old, new), fields in upgraded.items():
            every = tuple(sorted(set().union(*fields.values())))
            yield Upgrade(environments=tuple(fields), old=old, new=new, fields=every)

    def previews(self) -> Iterator[str]:
        """Yield the names of the releases on either side that are previews, each once."""
        clusters = chain.from_iterable((comparison.base, comparison.head) for comparison in self.all())
        yield from dict.fromkeys(cluster.release.name for cluster in clusters if cluster.release.preview)

    def _find_environments(self, dumped: DumpedVm) -> list[str]:
        by_side = [environments_for(dumped.vm, side.overlays, dumped.where, self._only) for side in self._sides]
        return next((environments for environments in by_side if environments not in ([], [BASE])), by_side[0])


def _units(old: Vm | None, new: Vm | None) -> Units:
    """The units of repositories that have a VM; of a side that does not have it, what it meets nearby."""
    before, after = (vm.unit if vm is not None else ANYWHERE for vm in (old, new))
    return before if old is not None else after.nearby, after if new is not None else before.nearby
