"""What a change does to the VMs: of VMs that are alike one is expanded, on both sides, and only if it can change."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from virtcatalog.api.names import namespace_or_default
from virtcatalog.fleet.cache import Cache
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.kubevirt.matchers import NAMESPACED_KINDS
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.packed import Packed
from virtcatalog.placement import BASE, environments_for
from virtcatalog.review.comparison import Comparison, KnownField
from virtcatalog.review.fate import FATES, Fate, FateKind
from virtcatalog.review.given import Given
from virtcatalog.review.judge import Case, Effect, applied, judge, with_removed
from virtcatalog.review.named import Meeting
from virtcatalog.review.outcome import KINDS, Kind, VmChange, added_or_removed, compare, outcome
from virtcatalog.review.requests import RequestChange, Requests
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.stored import assumed, pins, recreated
from virtcatalog.review.told import Progress, judge_all


class Member(msgspec.Struct, frozen=True):
    """A VM that changes, and when; `template` for VM templates of the catalog."""

    name: str
    effect: Effect
    template: bool = False


class Group(msgspec.Struct, kw_only=True):
    """VMs of one environment that change alike; `diff` is that of the first one, whose name stands in it."""

    kind: Kind
    environment: str = ""
    summary: tuple[str, ...]
    diff: str = ""
    members: list[Member] = []


class Users(msgspec.Struct):
    """Who refers to an object: VM templates, VMs that take it as it is now, VMs that keep a stored revision."""

    templates: set[str] = set()
    following: set[str] = set()
    stored: set[str] = set()

    def add(self, other: Users) -> None:
        """Take in who refers to it elsewhere."""
        self.templates |= other.templates
        self.following |= other.following
        self.stored |= other.stored

    def counted(self) -> dict[str, int]:
        """Return how many there are of each."""
        return {name: len(getattr(self, name)) for name in self.__struct_fields__}


class Upgrade(msgspec.Struct, frozen=True, kw_only=True):
    """Another KubeVirt release in some environments ("" is the base), and fields that begin or cease to count."""

    environments: tuple[str, ...]
    old: str
    new: str
    fields: tuple[KnownField, ...] = ()


class Row(msgspec.Struct, kw_only=True):
    """VMs of one environment whose machines meet the same fate, for the same reason: objects, or what else changed."""

    kind: FateKind
    environment: str = ""
    said: tuple[str, ...] = ()
    because: tuple[Identity, ...] = ()
    members: list[str] = []


class Fleet(msgspec.Struct, kw_only=True):
    """What happens to the VMs.

    `rows` are those whose machines a change can touch, gravest first; `located` how many VMs each environment has.
    `unknown` are VMs that refer to what a broken catalog does not tell; `users` are by environment and object.
    """

    groups: list[Group] = []
    rows: list[Row] = []
    located: dict[str, int] = {}
    templates: int = 0
    vms: int = 0
    unknown: list[str] = []
    users: dict[tuple[str, Identity], Users] = {}
    requests: tuple[RequestChange, ...] = ()

    @property
    def changed(self) -> int:
        """How many VMs change, now or at their next start, in whichever environment; and how many VM templates."""
        return len(
            {
                (member.name, member.template)
                for group in self.groups
                for member in group.members
                if member.effect != "stored"
            }
        )


class Reviewer:
    """Collects what happens to VMs between two sides."""

    def __init__(
        self,
        base: Side,
        head: Side,
        conditions: tuple[Conditions, Conditions] | None = None,
        shared: Mapping[str, Sequence[Data]] | None = None,
        environments: Sequence[str] = (),
    ) -> None:
        """`shared` is what else is in clusters, by where that is, "" for everywhere; `environments` the only ones.

        Without these all are looked at that VMs can be in.
        """
        self._sides = base, head
        self._conditions = conditions or (Conditions(), Conditions())
        self._shared = shared or {}
        self._only = environments
        self._comparisons: dict[tuple[str, str, tuple[str, ...]], Comparison] = {}
        self._groups: dict[tuple[str, ...], Group] = {}
        self._rows: dict[tuple[str, Fate, tuple[Identity, ...]], Row] = {}
        self._places: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        self._unknown_names: set[str] = set()
        self._requests = Requests()
        self._told = {name for side in self._sides for name in side.objects}
        self.fleet = Fleet()

    def templates(self) -> None:
        """Compare the VM templates of both sides, in each environment that they are for."""
        before, after = ({(vm.key, vm.environment): vm for vm in side.vms} for side in self._sides)
        # A side without environments is the same in each of the other's.
        for mine, others, side in ((before, after, self._sides[0]), (after, before, self._sides[1])):
            if not side.overlays:
                for key, environment in others.keys() - mine.keys():
                    if (key, "") in mine:
                        mine[key, environment] = replace(mine[key, ""], environment=environment)
                for key in {key for key, environment in others if environment}:
                    mine.pop((key, ""), None)
        for each in dict.fromkeys([*before, *after]):
            self._template(before.get(each), after.get(each))
        self.fleet.templates = len({key for key, _ in before.keys() | after.keys()})

    def vms(
        self,
        fleet: Collection[Given],
        watch: Progress[Case] = iter,
        cache: Cache | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Compare what happens to the VMs of a fleet, in each environment that they can be in."""
        homeless = self._homeless(fleet)
        meetings: dict[tuple[str, str], Meeting] = {}
        cases: dict[tuple[int, bytes], Case] = {}
        names: dict[tuple[int, bytes], list[str]] = {}
        for each in fleet:
            name = each.header.name
            for environment in self._environments_of(each):
                if environment not in self._told:
                    self._unknown(name)
                    continue
                self.fleet.located[environment] = self.fleet.located.get(environment, 0) + 1
                meeting = meetings.get((environment, each.where))
                if meeting is None:
                    comparison = self._comparison(environment, each.where, homeless)
                    same = (known for known in meetings.values() if known.comparison is comparison)
                    meeting = meetings[environment, each.where] = next(same, None) or Meeting(comparison)
                met = meeting.of(each)
                pinned = meeting.pinned(each, met)
                self._count(environment, name, met.references or (), "stored" if pinned.matchers else "following")
                if not met.known:
                    self._unknown(name)
                elif met.can_change:
                    vm, comparison = each.vm, meeting.comparison
                    fresh = recreated(vm)
                    parts = json.dumps([sorted(pinned.matchers), pinned.contents]).encode()
                    key = id(comparison), meeting.alike.key(fresh, comparison.namespaces) + parts
                    if key not in cases:
                        cases[key], names[key] = Case(vm, fresh, pinned, met.references, comparison), []
                    names[key].append(name)
        told = judge_all(list(cases.values()), watch, cache, executor)
        judged = zip(cases.values(), names.values(), told, strict=True)
        for case, members, (verdict, fate) in judged:
            because = tuple(reference for reference in case.references or () if reference in case.comparison.changed)
            self._row(case.comparison.environment, fate, because).members += members
            for effect, change in verdict:
                # What is only assumed to keep its revision counts: it asks so once it is created anew.
                if effect == "started" or (case.pinned.assumed and change.kind not in ("refused", "crash")):
                    cause = case.comparison.cause(case.references)
                    for name in members:
                        where = case.comparison.environment, name.partition("/")[0]
                        self._requests.add(where, cause, *change.asks)
                group = self._group(change, case.comparison.environment)
                group.members += (Member(name, effect) for name in members)
        self.fleet.vms += len(fleet)

    def done(self) -> Fleet:
        """Return what was collected: the gravest changes first, then those of most VMs."""
        order = list(KINDS)
        groups = sorted(self._groups.values(), key=lambda group: (order.index(group.kind), -len(group.members)))
        self.fleet.groups = groups
        self.fleet.requests = tuple(self._requests.changes())
        grave = list(FATES)
        rows = [row for row in self._rows.values() if row.kind != "nothing"]
        self.fleet.rows = sorted(rows, key=lambda row: (row.environment, grave.index(row.kind), -len(row.members)))
        return self.fleet

    def fleets(self, fleet: Collection[Given]) -> Iterator[tuple[str, Sequence[Data], Comparison]]:
        """Yield the VMs of each environment that they are in, and what they meet there."""
        found: dict[int, tuple[str, Packed, Comparison]] = {}
        for each in fleet:
            for environment in self._environments_of(each):
                if environment in self._told:
                    comparison = self._comparison(environment, each.where)
                    if id(comparison) not in found:
                        found[id(comparison)] = environment, Packed(), comparison
                    found[id(comparison)][1].append(each.vm)
        yield from found.values()

    @property
    def limits_room(self) -> bool:
        """Whether anything that VMs met can be too small for them."""
        clusters = [comparison.head for comparison in self._comparisons.values()]
        return any(cluster.nodes or cluster.quotas or cluster.limit_ranges for cluster in clusters)

    def upgrades(self) -> Iterator[Upgrade]:
        """Yield what environments run another release after the change, those together that have the same upgrade."""
        found: dict[tuple[str, str], dict[str, set[KnownField]]] = {}
        for environment in dict.fromkeys(name for side in self._sides for name in side.objects):
            comparison = self._comparison(environment)
            old, new = comparison.base.release.name, comparison.head.release.name
            if old != new:
                found.setdefault((old, new), {})[environment] = set(comparison.known_fields())
        for (old, new), fields in found.items():
            every = tuple(sorted(set().union(*fields.values())))
            yield Upgrade(environments=tuple(fields), old=old, new=new, fields=every)

    def _template(self, old: Vm | None, new: Vm | None) -> None:
        vm = new or old
        assert vm is not None
        comparison = self._comparison(vm.environment)
        found = [references(vm.manifest, cluster) for cluster in (comparison.base, comparison.head)]
        refers = None if None in found else list(dict.fromkeys(each for side in found for each in side or ()))
        if not comparison.is_known(refers):
            self._unknown(vm.key)
            return
        self._count(vm.environment, vm.key, refers or (), "templates")
        if old is not None and new is not None:
            change = None
            if not self._sides[1].catalog:
                self._manifest(old, new, comparison, refers)
            if old.manifest != new.manifest or comparison.can_change(refers):
                outcomes = outcome(old.manifest, comparison.base), outcome(new.manifest, comparison.head)
                change = with_removed(compare(*outcomes, identity(vm.manifest)[2]), comparison.removed(refers))
        elif new is not None:
            change = added_or_removed(outcome(new.manifest, comparison.head))
        else:
            change = added_or_removed(outcome(vm.manifest, comparison.base), gone=True)
        if change is not None:
            self._group(change, vm.environment).members.append(Member(vm.key, "created", template=True))
            same = old is not None and new is not None and old.manifest == new.manifest
            cause = comparison.cause(refers) if same else "the VM template"
            self._requests.add((vm.environment, ""), cause, *change.asks, template=True)

    def _manifest(self, old: Vm, new: Vm, comparison: Comparison, refers: list[Identity] | None) -> None:
        """A VM of a folder of manifests is one that runs, and to which its manifest is applied."""
        self.fleet.located[new.environment] = self.fleet.located.get(new.environment, 0) + 1
        if old.manifest == new.manifest and not comparison.can_change(refers):
            return
        if old.manifest == new.manifest:
            fresh = recreated(new.manifest)
            pinned = pins(new.manifest, comparison.base) or assumed(refers, comparison.base)
            fate = judge(Case(new.manifest, fresh, pinned, refers, comparison)).fate
        else:
            fate = applied(old.manifest, new.manifest, comparison)
        because = tuple(each for each in refers or () if each in comparison.changed)
        self._row(new.environment, fate, because).members.append(new.key)

    def _group(self, change: VmChange, environment: str) -> Group:
        key = (environment, *change.signature)
        group = self._groups.get(key)
        if group is None:
            summary, diff = change.summary, change.make_diff()
            group = self._groups[key] = Group(kind=change.kind, environment=environment, summary=summary, diff=diff)
        return group

    def _row(self, environment: str, found: Fate, because: tuple[Identity, ...]) -> Row:
        key = environment, found, because
        if key not in self._rows:
            said = found.said
            self._rows[key] = Row(kind=found.kind, environment=environment, said=said, because=because)
        return self._rows[key]

    def _count(self, environment: str, name: str, refers: Iterable[Identity], how: str) -> None:
        for each in refers:
            users = self.fleet.users.get((environment, each))
            if users is None:
                users = self.fleet.users[environment, each] = Users()
            getattr(users, how).add(name)

    def _unknown(self, name: str) -> None:
        if name not in self._unknown_names:
            self._unknown_names.add(name)
            self.fleet.unknown.append(name)

    def _homeless(self, fleet: Collection[Given]) -> tuple[str, ...]:
        """The namespaces of VMs that name types of their own, where a side has such that do not say where they are."""
        published = chain.from_iterable(objects for side in self._sides for objects in side.objects.values())
        if not any(each["kind"] in NAMESPACED_KINDS and not each["metadata"].get("namespace") for each in published):
            return ()
        found = {namespace_or_default(each.header.namespace) for each in fleet if each.names_own}
        return tuple(sorted(found - {"default"}))

    def _environments_of(self, given: Given) -> list[str]:
        """Where a VM is now; where it will be if nothing says that."""
        header = given.header
        if header.references is None:
            return self._places_of(given)
        key = header.namespace, given.where, tuple([kind for kind, _, _ in header.references])
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._places_of(given)
        return found

    def _places_of(self, given: Given) -> list[str]:
        by_side = [environments_for(given.vm, side.overlays, given.where, self._only) for side in self._sides]
        return next((each for each in by_side if each not in ([], [BASE])), by_side[0])

    def _comparison(self, environment: str, where: str = "", namespaces: tuple[str, ...] = ()) -> Comparison:
        where = where if self._shared.get(where) else ""
        key = environment, where, namespaces
        if key not in self._comparisons:
            shared = [*self._shared.get("", ()), *(self._shared[where] if where else ())]
            self._comparisons[key] = Comparison(self._sides, environment, self._conditions, shared, namespaces)
        return self._comparisons[key]
