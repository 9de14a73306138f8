"""Searches the pair of an instance type and a preference that leaves the smallest manifest of a VM.

An index proposes pairs, and shrinking the VM proves them. Pairs are tried in the order of what they could save at best.
The search ends where no other pair could be better, so the result is that of trying every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from msgspec.structs import replace

from virtcatalog.adopt.attempt import Original
from virtcatalog.adopt.candidates import Candidates, Instancetype, Member, Preference, layout, usable
from virtcatalog.adopt.effects import PreferenceEffects
from virtcatalog.adopt.shrink import Names, Pair, ShrunkVm, shrink
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.instancetype.find import find_preference
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.preference.topology import check_spread

Rank = tuple[int, bool, int, list[tuple[Any, ...]]]
"""The smallest manifest sorts first; of equal sizes, one with a preference, then the one that changes least else."""
Ranked = tuple[Rank, ShrunkVm]
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
        self.reasons: tuple[Reason, ...] = ()
        """Why KubeVirt would refuse the VM with the nearest instance type, or with those that are asked for."""
        self._requested: Names | None = None
        self._effects = PreferenceEffects(original, candidates)
        hints = candidates.hints(text_of(original.manifest))
        self._hints = dict(hints)
        self._savings: dict[int, tuple[int, tuple[Any, ...]]] = {}
        self._usable_members = candidates.usable_by(self.namespace, vmi.spec.architecture, hints)
        self._tried: dict[tuple[int, int], Ranked | None] = {}
        self._named = find_preference(vm, candidates.cluster)

    def best(self) -> ShrunkVm | None:
        """Return the smallest VM with the same domain, else the nearest one; None when nothing can be adopted."""
        if self.vm.spec.instancetype is not None and self.vm.spec.preference is not None:
            return None
        best = self._smallest(self._pairs(), lambda shrunk: not shrunk.domain)
        if best is not None:
            return best[1] if any(best[1].names) else None
        return self._nearest()

    def with_objects(self, names: Names) -> ShrunkVm | None:
        """Return what the VM becomes with the pair of these objects; None if KubeVirt refuses it."""
        instancetype, preference = (self.candidates.groups.get(name) if name else None for name in names)
        assert not isinstance(instancetype, Preference)
        assert not isinstance(preference, Instancetype)
        self._requested = names
        tried = self._try(Pair(instancetype, preference))
        return tried[1] if tried is not None else None

    def _smallest(self, pairs: Iterable[Pair], fits: Callable[[ShrunkVm], bool]) -> Ranked | None:
        """Try pairs, those that could be best first, until no other could be better than the best one so far."""
        best: Ranked | None = None
        for at_best, pair in sorted(
            ((self._best_rank(pair), pair) for pair in pairs), key=lambda ranked_pair: ranked_pair[0]
        ):
            if best is not None and at_best >= best[0]:
                break
            if self._effects.changes_domain(pair.preference):
                continue
            tried = self._try(pair)
            if tried is not None and fits(tried[1]) and (best is None or tried[0] < best[0]):
                best = tried
        return best

    def _pairs(self) -> Iterator[Pair]:
        """The pairs that have the VM's vCPUs, topology, memory and features."""
        if self.vm.spec.instancetype is not None:
            yield Pair(None, None)
            yield from (Pair(None, preference) for preference in self._usable_of(self.candidates.preferences))
            return
        preferences = self._laid_out(self.topology.vcpus).get(self.topology, ())
        for instancetype in self.candidates.sized(self.topology.vcpus, self.memory):
            if self._usable(instancetype) and not instancetype.differing_features(self.vmi):
                yield from (Pair(instancetype, preference) for preference in preferences)

    def _usable_of(self, preferences: Iterable[Preference]) -> Iterator[Preference]:
        """Those of the preferences that the VM can name."""
        return filter(self._members, preferences)

    def _laid_out(self, vcpus: int) -> dict[Any, list[Preference | None]]:
        """The preferences that the VM can name, and None for no preference, by the topology of so many vCPUs."""
        own_layout = layout(vcpus, self._named)
        layouts = {} if self.vm.spec.preference is not None else self.candidates.layouts(vcpus)
        laid_out: dict[Any, list[Preference | None]] = {own_layout: [None]}
        for topology, preferences in layouts.items():
            laid_out.setdefault(topology, []).extend(self._usable_of(preferences))
        return laid_out

    def _usable(self, instancetype: Instancetype) -> bool:
        return bool(self._members(instancetype)) and instancetype.changes_only_size(self.vmi)

    def _nearest(self) -> ShrunkVm | None:
        """The nearest size that KubeVirt admits, with the preference that leaves the smallest manifest.

        The domain stays as it is but for the size. Where preferences lay out vCPUs in several ways, the result is the
        one that changes the domain least.
        """
        for instancetype in self._near():
            ranked: list[Ranked] = []
            layouts = self._laid_out(instancetype.vcpus)
            for topology in sorted(layouts, key=self.topology.__ne__):
                best = self._smallest(
                    [Pair(instancetype, preference) for preference in layouts[topology]], lambda _: True
                )
                if best is not None:
                    ranked.append(best)
                    if topology == self.topology:
                        break
                elif self._try(Pair(instancetype, None)) is None:
                    break  # KubeVirt refuses the size
            if ranked:
                return min(ranked, key=lambda candidate: (len(candidate[1].domain), candidate[0]))[1]
        return None

    def _near(self) -> list[Instancetype]:
        """Instance types, the nearest first: those that lack nothing; another value of a feature is a doubling.

        Of equally near ones, the first is one whose Pod overcommits memory as the VM's does.
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
        return [instancetype for *_, instancetype in sorted(near, key=lambda candidate: candidate[:4])]

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
        """Try one instance type of its group with all preferences of theirs, whose requirements differ."""
        instancetype, preference = pair
        causes = check_spread(
            instancetype.spec if instancetype is not None else None, preference.spec if preference is not None else None
        )
        if causes:
            if self._requested is not None:
                self._refuse(
                    self._requested, tuple(Reason(cause.field, cause.message, "vm", cause.type) for cause in causes)
                )
            return None
        instancetypes: list[Member | None] = [*self._members(instancetype)[:1]] if instancetype else [None]
        preferences: list[Member | None] = [*self._members(preference)] if preference else [None]
        for members in product(instancetypes, preferences):
            names = Names(*(member.reference if member is not None else None for member in members))
            try:
                shrunk = shrink(self.original, pair, names, self.candidates.cluster)
            except UnsupportedError as error:  # with this pair, not without it
                self._refuse(names, (Reason(error.field, error.message, "launcher"),))
                continue
            if isinstance(shrunk, ShrunkVm):
                order = [self._order(member) for member in members if member is not None]
                return (shrunk.size, preference is None, len(shrunk.outside), order), shrunk
            self._refuse(names, shrunk.reasons)
        return None

    def _refuse(self, names: Names, reasons: tuple[Reason, ...]) -> None:
        """Remember why KubeVirt refuses the VM with what is asked for, or the first instance type tried alone."""
        is_alone = names.instancetype is not None and names.preference is None
        if not self.reasons and (is_alone or self._requested is not None):
            prefix = f"with {' and '.join(f'{name.kind} {name.name}' for name in names if name is not None)}"
            self.reasons = tuple(replace(reason, message=f"{prefix}: {reason.message}") for reason in reasons)

    def _best_rank(self, pair: Pair) -> Rank:
        """The rank of a pair that removes every field it could."""
        best = [self._best_saving(group) for group in pair if group is not None]
        return (
            self.original.size - sum(saved for saved, _ in best),
            pair.preference is None,
            0,
            [order for _, order in best],
        )

    def _best_saving(self, group: Group) -> tuple[int, tuple[Any, ...]]:
        """How many values an object of a group saves at best, and the sort key of the group's best member."""
        saving = self._savings.get(id(group))
        if saving is None:
            saving = self._savings[id(group)] = self.original.saved(group), self._order(self._members(group)[0])
        return saving

    def _members(self, group: Group) -> list[Member]:
        """The objects of a group that the VM can name, the best first."""
        usable_members = self._usable_members.get(group)
        if usable_members is None:
            members = usable(group.members, self.namespace, self.vmi.spec.architecture)
            usable_members = self._usable_members[group] = sorted(members, key=self._order)
        return usable_members

    def _order(self, member: Member) -> tuple[Any, ...]:
        return member.deprecated, member.namespaced, -self._hints.get(member.name, 0), member.name


def text_of(vm: dict[str, Any]) -> str:
    """Return the text of a VM in which names are looked for."""
    return str(vm).lower()
