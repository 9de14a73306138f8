"""Which pair of an instance type and a preference leaves the least of a VM: proposed by an index, proven by shrinking.

What is tried is in the order of what it could save at best; so what is left out could not have been better, and the
result is that of trying every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from msgspec.structs import replace

from virtcatalog.adopt.added import Added
from virtcatalog.adopt.candidates import Candidates, Instancetype, Member, Preference, layout, usable
from virtcatalog.adopt.shrink import Names, Original, Pair, Shrunk, shrink
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.instancetype.find import find_preference
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.preference.topology import check_spread

Rank = tuple[int, bool, int, list[tuple[Any, ...]]]
"""The smallest manifest first; among those as small, one with a preference, that changes the least else."""
Ranked = tuple[Rank, Shrunk]
Group = Instancetype | Preference


class Search:
    """What one VM can adopt."""

    def __init__(self, original: Original, candidates: Candidates) -> None:
        vm, vmi = original.result.vm_object, original.result.vmi_object
        assert vm is not None
        assert vmi is not None  # the VM is admitted
        self.original, self.candidates, self.vm, self.vmi = original, candidates, vm, vmi
        self.namespace = namespace_or_default(vm.metadata.namespace)
        self.topology = requested_topology(vmi.spec.domain.cpu, vmi.spec.domain.resources)
        memory = vmi.spec.domain.memory
        self.memory = memory.guest.value if memory is not None and memory.guest is not None else 0
        self.against: tuple[Reason, ...] = ()
        """Why KubeVirt would refuse the VM with the nearest instance type."""
        self._added = Added(original, candidates)
        hints = candidates.hints(spoken_of(original.manifest))
        self._hints = dict(hints)
        self._best: dict[int, tuple[int, tuple[Any, ...]]] = {}
        self._usable_members = candidates.usable_by(self.namespace, vmi.spec.architecture, hints)
        self._tried: dict[tuple[int, int], Ranked | None] = {}
        self._named = find_preference(vm, candidates.cluster)

    def best(self) -> Shrunk | None:
        """Return the smallest VM with the same domain, else the nearest one; None when nothing can be adopted."""
        if self.vm.spec.instancetype is not None and self.vm.spec.preference is not None:
            return None
        best = self._smallest(self._pairs(), lambda shrunk: not shrunk.domain)
        if best is not None:
            return best[1] if any(best[1].names) else None
        return self._nearest()

    def again(self, names: Names) -> Shrunk | None:
        """Return what the pair of these objects makes of the VM."""
        instancetype, preference = (self.candidates.groups.get(name) if name else None for name in names)
        assert not isinstance(instancetype, Preference)
        assert not isinstance(preference, Instancetype)
        tried = self._try(Pair(instancetype, preference))
        return tried[1] if tried is not None else None

    def _smallest(
        self, pairs: Iterable[Pair], fits: Callable[[Shrunk], bool], best: Ranked | None = None
    ) -> Ranked | None:
        """Try pairs, the ones that could be the best first, until no other could be better than what was found."""
        for at_best, pair in sorted(((self._at_best(pair), pair) for pair in pairs), key=lambda each: each[0]):
            if best is not None and at_best >= best[0]:
                break
            if self._added.changes_domain(pair.preference):
                continue
            tried = self._try(pair)
            if tried is not None and fits(tried[1]) and (best is None or tried[0] < best[0]):
                best = tried
        return best

    def _pairs(self) -> Iterator[Pair]:
        """Pairs with the VM's vCPUs, their topology, memory and features."""
        if self.vm.spec.instancetype is not None:
            yield from (Pair(None, preference) for preference in self._preferences(self.candidates.preferences))
            return
        preferences = self._laid_out(self.topology.vcpus).get(self.topology, ())
        for instancetype in self.candidates.sized(self.topology.vcpus, self.memory):
            if self._usable(instancetype) and not instancetype.differing_features(self.vmi):
                yield from (Pair(instancetype, preference) for preference in preferences)

    def _preferences(self, preferences: Iterable[Preference]) -> list[Preference | None]:
        """Those of the preferences that the VM can name, and none."""
        if self.vm.spec.preference is not None:
            return [None]
        return [None, *filter(self._members, preferences)]

    def _laid_out(self, vcpus: int) -> dict[Any, list[Preference | None]]:
        """The preferences that the VM can name by the topology that so many vCPUs get from them; None has its own."""
        own = layout(vcpus, self._named)
        found = {} if self.vm.spec.preference is not None else self.candidates.layouts(vcpus)
        made = {topology: self._preferences(preferences)[1:] for topology, preferences in found.items()}
        made.setdefault(own, []).insert(0, None)
        return made

    def _usable(self, instancetype: Instancetype) -> bool:
        return bool(self._members(instancetype)) and instancetype.changes_only_size(self.vmi)

    def _nearest(self) -> Shrunk | None:
        """Beside the nearest size that KubeVirt takes, the preference with the smallest manifest.

        It keeps the domain but for the size; where preferences lay out vCPUs in several ways, the one that is taken
        changes the domain least.
        """
        for instancetype in self._near():
            found: list[Ranked] = []
            layouts = self._laid_out(instancetype.vcpus)
            for topology in sorted(layouts, key=self.topology.__ne__):
                best = self._smallest([Pair(instancetype, preference) for preference in layouts[topology]], _any)
                if best is not None:
                    found.append(best)
                    if topology == self.topology:
                        break
                elif self._try(Pair(instancetype, None)) is None:
                    break  # KubeVirt refuses the size
            if found:
                return min(found, key=lambda each: (len(each[1].domain), each[0]))[1]
        return None

    def _near(self) -> list[Instancetype]:
        """The nearest first: those that lack nothing, and each feature decided in another way counts as a doubling.

        Of those as near, one that has the Pod request as much of its memory as the VM's does.
        """
        vcpus, memory, overcommitted = self.topology.vcpus, self.memory, self._overcommitted()
        near = [
            (
                instancetype.vcpus < vcpus or instancetype.memory < memory,
                instancetype.differing_features(self.vmi) + instancetype.distance(vcpus, memory),
                bool(instancetype.spec.memory.overcommit_percent) != overcommitted,
                instancetype.members[0],
                instancetype,
            )
            for instancetype in self.candidates.instancetypes
            if self._usable(instancetype)
        ]
        return [each for *_, each in sorted(near, key=lambda one: one[:4])]

    def _overcommitted(self) -> bool:
        requested = self.vmi.spec.domain.resources.requests.get("memory")
        return requested is not None and requested.value < self.memory

    def _try(self, pair: Pair) -> Ranked | None:
        """Return what a pair makes of the VM, with its rank; None if KubeVirt refuses that."""
        key = id(pair.instancetype), id(pair.preference)
        if key not in self._tried:
            self._tried[key] = self._shrunk(pair)
        return self._tried[key]

    def _shrunk(self, pair: Pair) -> Ranked | None:
        """All preferences of a group are tried, for their requirements differ, but one instance type."""
        instancetype, preference = pair
        if instancetype is not None and preference is not None and check_spread(instancetype.spec, preference.spec):
            return None
        instancetypes: list[Member | None] = [*self._members(instancetype)[:1]] if instancetype else [None]
        preferences: list[Member | None] = [*self._members(preference)] if preference else [None]
        for members in product(instancetypes, preferences):
            names = Names(*(member.reference if member is not None else None for member in members))
            try:
                found = shrink(self.original, pair, names, self.candidates.cluster)
            except UnsupportedError as error:  # the VM is fine, but not with this pair, as far as can be told
                self._refuse(names, (Reason(error.field, error.message, "launcher"),))
                continue
            if isinstance(found, Shrunk):
                order = [self._order(member) for member in members if member is not None]
                return (found.size, preference is None, len(found.outside), order), found
            self._refuse(names, found.reasons)
        return None

    def _refuse(self, names: Names, reasons: tuple[Reason, ...]) -> None:
        """Remember why KubeVirt refuses the VM with the first instance type that is tried alone."""
        only = names.instancetype
        if not self.against and only is not None and names.preference is None:
            said = f"with {only.kind} {only.name}"
            self.against = tuple(replace(reason, message=f"{said}: {reason.message}") for reason in reasons)

    def _at_best(self, pair: Pair) -> Rank:
        """The rank that a pair has if everything leaves the VM that it could."""
        best = [self._best_of(group) for group in pair if group is not None]
        return (
            self.original.size - sum(saved for saved, _ in best),
            pair.preference is None,
            0,
            [one for _, one in best],
        )

    def _best_of(self, group: Group) -> tuple[int, tuple[Any, ...]]:
        """How many values an object of a group saves at best, and the place of the first of them."""
        known = self._best.get(id(group))
        if known is None:
            known = self._best[id(group)] = self.original.saved(group), self._order(self._members(group)[0])
        return known

    def _members(self, group: Group) -> list[Member]:
        """The objects of a group that the VM can name, the best first."""
        known = self._usable_members.get(group)
        if known is None:
            members = usable(group.members, self.namespace, self.vmi.spec.architecture)
            known = self._usable_members[group] = sorted(members, key=self._order)
        return known

    def _order(self, member: Member) -> tuple[Any, ...]:
        return member.deprecated, member.namespaced, -self._hints.get(member.name, 0), member.name


def _any(_: Shrunk) -> bool:
    return True


def spoken_of(vm: dict[str, Any]) -> str:
    """Return what a VM speaks of."""
    return str(vm).lower()
