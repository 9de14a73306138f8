"""The instance type and preference under which a VM that says everything itself keeps its domain and gets shorter."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from math import inf
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from virtcatalog.adopt.candidates import Candidates, Instancetype, Member, Preference, Reference, hint, usable
from virtcatalog.adopt.data import put
from virtcatalog.adopt.shrink import POOLED, Names, Original, Pair, Shrunk, count, shrink
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import vm_spec
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.instancetype.find import find_preference
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.pipeline import Result, create_vmi, expand
from virtcatalog.kubevirt.reasons import field_of_holder

Outcome = Literal["adopted", "unchanged", "nearest", "refused", "unsupported"]
_NEAR_INSTANCETYPES = 6
_NEAR_PREFERENCES = 3


class Size(NamedTuple):
    """What a VM has of what instance types come in."""

    vcpus: int
    memory: int
    """Bytes."""


class Adoption(NamedTuple):
    """What a VM can adopt.

    `outcome` is "adopted" when `found` makes the same domain, "nearest" when it makes another (or there is nothing at
    all, then `found` is None), "unchanged" when there is nothing left to adopt, "refused" or "unsupported" when the VM
    itself has no domain; then `against` says why. `wanted` is the VM's size where the nearest type has another.
    """

    outcome: Outcome
    found: Shrunk | None
    before: int
    against: tuple[Reason, ...] | tuple[UnsupportedError] = ()
    wanted: Size | None = None


def adopt_alike(vm: dict[str, Any], other: Adoption, candidates: Candidates) -> Adoption:
    """Find what `adopt` finds for a VM, given what it has found for another one that is alike."""
    if other.found is None and other.outcome in ("nearest", "unchanged"):
        return other._replace(before=count(vm))
    again = adopt(vm, candidates, other.found.names if other.found is not None else None)
    return again if again.outcome == other.outcome else adopt(vm, candidates)


def adopt(vm: dict[str, Any], candidates: Candidates, like: Names | None = None) -> Adoption:
    """Find what a VM can adopt; the manifest is not changed.

    `like` is what one that is alike adopts: only the objects that say the same as these are tried.
    """
    size, kind = count(vm), vm.get("kind")
    if kind == "VirtualMachinePool":
        return _adopt_in_pool(vm, candidates, like)
    if kind in ("VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"):
        message = f"a {kind} has no field for an instance type or preference; VirtualMachines and their pools have"
        return Adoption("unsupported", None, size, (UnsupportedError("kind", message),))
    try:
        result = expand(vm, candidates.cluster)
        if not result.admitted:
            return Adoption("refused", None, size, result.reasons)
        search = _Search(Original(vm, result), candidates)
        found = search.best() if like is None else search.again(like)
    except UnsupportedError as error:
        return Adoption("unsupported", None, size, (error,))
    if found is None:
        named = vm["spec"].get("instancetype") or vm["spec"].get("preference")
        return Adoption("unchanged" if named else "nearest", None, size)
    if not found.domain:
        return Adoption("adopted", found, size)
    return Adoption("nearest", found, size, wanted=search.lacking(found))


def _adopt_in_pool(pool: dict[str, Any], candidates: Candidates, like: Names | None) -> Adoption:
    """Find what the VMs of a pool can adopt, and put it into the pool's template."""
    result = create_vmi(pool, candidates.cluster)
    if not result.admitted:
        return Adoption("refused", None, count(pool), result.reasons)
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": pool.get("metadata") or {},
        "spec": vm_spec(pool),
    }
    made = adopt(vm, candidates, like)
    return made._replace(found=made.found and _pooled(made.found, pool), against=tuple(map(_in_pool, made.against)))


def _pooled(found: Shrunk, pool: dict[str, Any]) -> Shrunk:
    return found._replace(
        manifest=put(pool, (*POOLED, "spec"), found.manifest["spec"]),
        removed=[each._replace(path=(*POOLED, *each.path)) for each in found.removed],
        kept=[each._replace(path=(*POOLED, *each.path)) for each in found.kept],
        added=[(*POOLED, *path) for path in found.added],
    )


def _in_pool(said: Reason | UnsupportedError) -> Any:
    field = field_of_holder(said.field, "VirtualMachinePool")
    if isinstance(said, UnsupportedError):
        return UnsupportedError(field, said.message)
    return replace(said, field=field)


Ranked = tuple[tuple[Any, ...], Shrunk]


class _Search:
    def __init__(self, original: Original, candidates: Candidates) -> None:
        vm, vmi = original.result.vm_object, original.result.vmi_object
        assert vm is not None
        assert vmi is not None  # the VM is admitted
        self.original, self.candidates, self.vm, self.vmi = original, candidates, vm, vmi
        self.namespace = vm.metadata.namespace or "default"
        self.words = json.dumps(original.manifest).lower()
        self.topology = requested_topology(vmi)
        memory = vmi.spec.domain.memory
        self.memory = memory.guest.value if memory is not None and memory.guest is not None else 0
        self.added: dict[str, Result] = {}
        self.named = find_preference(vm, candidates.cluster)

    def best(self) -> Shrunk | None:
        """Return the smallest VM with the same domain, else the nearest one; None when nothing can be adopted."""
        if self.vm.spec.instancetype is not None and self.vm.spec.preference is not None:
            return None
        best = self._smallest()
        if best is not None:
            return best if any(best.names) else None
        return self._nearest()

    def again(self, names: Names) -> Shrunk | None:
        """Return what the pair of these objects makes of the VM."""
        instancetype, preference = (self.candidates.groups.get(name) if name else None for name in names)
        assert not isinstance(instancetype, Preference)
        assert not isinstance(preference, Instancetype)
        tried = self._try(Pair(instancetype, preference))
        return tried[1] if tried is not None else None

    def lacking(self, found: Shrunk) -> Size | None:
        """Return the VM's size, None if the instance type that was found has it or the VM names one itself."""
        group = self.candidates.groups.get(found.names.instancetype) if found.names.instancetype is not None else None
        if not isinstance(group, Instancetype) or (group.vcpus, group.memory) == (self.topology.vcpus, self.memory):
            return None
        return Size(self.topology.vcpus, self.memory)

    def _nearest(self) -> Shrunk | None:
        """Beside the nearest size that KubeVirt takes, the best of the preferences that change the domain least."""
        near = sorted(self._preferences(), key=self._changes)[:_NEAR_PREFERENCES]
        if None not in near:
            near.append(None)
        for instancetype in self._near():
            pairs = (Pair(instancetype, preference) for preference in near)
            tried = [each for each in (self._try(pair) for pair in pairs if any(pair)) if each is not None]
            if tried:
                return min(tried, key=lambda each: (len(each[1].domain), *each[0]))[1]
        return None

    def _smallest(self) -> Shrunk | None:
        """Try the pairs, those that could make the smallest manifest first, until no other could make a smaller one."""
        best: Ranked | None = None
        for bound, pair in sorted(self._pairs(), key=lambda each: each[0]):
            if best is not None and bound > best[1].size:
                break
            if self._changes_domain(pair.preference):
                continue
            tried = self._try(pair)
            if tried is not None and not tried[1].domain and (best is None or tried[0] < best[0]):
                best = tried
        return best[1] if best is not None else None

    def _pairs(self) -> Iterator[tuple[int, Pair]]:
        """Pairs with the VM's vCPUs, their topology, memory and features, each with the size that it makes at least."""
        preferences = self._preferences()
        for instancetype in self._fitting():
            for preference in preferences:
                if instancetype is None or instancetype.topology(self._spec(preference)) == self.topology:
                    pair = Pair(instancetype, preference)
                    names = Names(self._first(instancetype), self._first(preference))
                    yield self.original.bound(pair, names), pair

    def _spec(self, preference: Preference | None) -> VirtualMachinePreferenceSpec | None:
        return self.named if preference is None else preference.spec

    def _preferences(self) -> list[Preference | None]:
        """Every preference that the VM can name, and none."""
        if self.vm.spec.preference is not None:
            return [None]
        groups = self.candidates.preferences
        return [None, *(group for group in groups if usable(group.members, self.namespace))]

    def _changes_domain(self, preference: Preference | None) -> bool:
        """Whether a preference changes the domain when it is simply added to the VM: then it does so in any pair."""
        result = self._added(preference)
        return result.admitted and result.domain_xml != self.original.result.domain_xml

    def _changes(self, preference: Preference | None) -> float:
        """In how many lines of the domain a preference changes it when it is simply added to the VM."""
        old, new = self.original.result.domain_xml, self._added(preference).domain_xml
        if old is None or new is None:
            return inf
        before, after = Counter(old.splitlines()), Counter(new.splitlines())
        return ((before - after) + (after - before)).total()

    def _added(self, preference: Preference | None) -> Result:
        """The VM with a preference added; one that is refused now may yet be admitted beside an instance type."""
        if preference is None:
            return self.original.result
        result = self.added.get(preference.scanned)
        if result is None:
            vm = put(self.original.manifest, ("spec", "preference"), {"name": preference.scanned})
            try:
                result = expand(vm, self.candidates.scan_cluster)
            except UnsupportedError as error:
                result = Result(refused_by="launcher", reasons=(Reason(error.field, error.sentence, "launcher"),))
            self.added[preference.scanned] = result
        return result

    def _fitting(self) -> Iterable[Instancetype | None]:
        """Instance types with the VM's vCPUs, memory and features; None when the VM names one itself."""
        if self.vm.spec.instancetype is not None:
            return [None]
        return [
            each
            for each in self._usable()
            if each.vcpus == self.topology.vcpus
            and each.memory == self.memory
            and not each.differing_features(self.vmi)
        ]

    def _near(self) -> Iterable[Instancetype | None]:
        """The nearest first; each feature that one decides otherwise than the VM weighs as much as a doubling."""
        if self.vm.spec.instancetype is not None:
            return [None]
        vcpus, memory = self.topology.vcpus, self.memory
        near = [
            (each.differing_features(self.vmi) + each.distance(vcpus, memory), each.members[0], each)
            for each in self._usable()
        ]
        return [each for *_, each in sorted(near, key=lambda one: one[:2])[:_NEAR_INSTANCETYPES]]

    def _usable(self) -> Iterator[Instancetype]:
        for each in self.candidates.instancetypes:
            if usable(each.members, self.namespace) and each.changes_only_size(self.vmi):
                yield each

    def _try(self, pair: Pair) -> Ranked | None:
        """Return what a pair makes of the VM, with its rank, the lowest being the best; None if KubeVirt refuses that.

        All preferences of a group are tried, for their requirements differ, but one instance type.
        """
        instancetypes = self._members(pair.instancetype)[:1] if pair.instancetype else [None]
        preferences = self._members(pair.preference) if pair.preference else [None]
        for instancetype, preference in product(instancetypes, preferences):
            names = Names(instancetype and instancetype.reference, preference and preference.reference)
            try:
                found = shrink(self.original, pair, names, self.candidates.cluster)
            except UnsupportedError:  # the VM is fine, but not with this pair, as far as can be told
                continue
            if isinstance(found, Shrunk):
                return self._rank(found, pair, [each for each in (instancetype, preference) if each]), found
        return None

    def _members(self, group: Instancetype | Preference) -> list[Member]:
        return sorted(usable(group.members, self.namespace), key=self._order)

    def _first(self, group: Instancetype | Preference | None) -> Reference | None:
        return self._members(group)[0].reference if group is not None else None

    def _order(self, member: Member) -> tuple[Any, ...]:
        return member.deprecated, member.namespaced, -hint(member.name, self.words), member.name

    def _rank(self, found: Shrunk, pair: Pair, members: list[Member]) -> tuple[Any, ...]:
        """The smallest manifest first; among those as small, one with a preference, that changes the least else."""
        names = [self._order(member) for member in members]
        return found.size, pair.preference is None, len(found.outside), names
