"""What a change does to the VMs: of VMs that are alike one is expanded, on both sides, and only if it can change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from virtcatalog.api.kinds import is_halted
from virtcatalog.api.names import namespace_or_default
from virtcatalog.catalog.places import Source
from virtcatalog.environments import BASE, environments_for
from virtcatalog.fleet.cache import Cache
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.kubevirt.matchers import NAMESPACED_KINDS
from virtcatalog.manifests.dump import Packed
from virtcatalog.manifests.identity import Data, Identity, full_name
from virtcatalog.review.assumed import (
    Gates,
    assumed_words,
    claims_once,
    hinted,
    naming_types,
    networks_elsewhere,
    turned_off,
)
from virtcatalog.review.cached import Progress, judge_all
from virtcatalog.review.causes import Causes, place_of
from virtcatalog.review.comparison import Comparison, KnownField
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.groups import of_one
from virtcatalog.review.judge import (
    Case,
    diff_of,
    diff_of_case,
    judge,
    judge_applied,
    judge_created,
    judge_deleted,
    judge_opaque,
    judge_open,
    judge_template,
)
from virtcatalog.review.kubevirtcr import by_gates, gate_remarks, needed_new_gates
from virtcatalog.review.moving import Moved, Moves
from virtcatalog.review.pinned import Pinned, assumed, pins, recreated, stores
from virtcatalog.review.referenced import References
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.syncing import as_sent, synced_verdict
from virtcatalog.review.units import ANYWHERE, Units
from virtcatalog.review.users import Users
from virtcatalog.review.verdict import Cause, Verdict

#: The fields of a VM's spec that name its instance type and its preference, as ends of paths.
_MATCHERS = (("instancetype",), ("preference",))


class Upgrade(msgspec.Struct, frozen=True, kw_only=True):
    """Another KubeVirt release in some environments ("" is the base), and fields that begin or cease to count."""

    environments: tuple[str, ...]
    old: str
    new: str
    fields: tuple[KnownField, ...] = ()


class Fleet(msgspec.Struct, kw_only=True):
    """What happens to the VMs.

    `verdicts` are those on VMs and VM templates that are touched. There are so many `vms` to judge, each in each of its
    environments, and so many `templates`; `unknown` are those that refer to what a broken catalog does not tell.
    `moves` say which machines migrate to the launcher of another release. `users` are by object, and what deploys it.
    `diffs` makes the diff of what a verdict's VM becomes. `assumed` is what clusters are taken to have, in words.
    """

    verdicts: list[Verdict] = []
    vms: int = 0
    templates: int = 0
    unknown: list[str] = []
    moves: list[Moved] = []
    users: dict[tuple[str, Identity], Users] = {}
    diffs: dict[tuple[str, str, bool], Callable[[], str]] = {}
    assumed: tuple[str, ...] = ()

    def diff(self, verdict: Verdict) -> str:
        """Return how the domain of a verdict's VM changes, as a diff."""
        make = self.diffs.get((verdict.environment, verdict.vm, verdict.template))
        return make() if make is not None else ""


class Reviewer:
    """Collects what happens to VMs between two sides."""

    def __init__(
        self,
        base: Side,
        head: Side,
        conditions: tuple[Conditions, Conditions] | None = None,
        shared: Mapping[str, Sequence[Data]] | None = None,
        environments: Sequence[str] = (),
        fleet: Collection[DumpedVm] = (),
    ) -> None:
        """`shared` is what else is in clusters, by where that is, "" for everywhere; `environments` the only ones.

        Without these all are looked at that VMs can be in. `fleet` are the VMs that `vms` is to be asked about.
        """
        self._sides = base, head
        self._conditions = conditions or (Conditions(), Conditions())
        self._shared = shared or {}
        self._only = environments
        self._comparisons: dict[tuple[Any, ...], Comparison] = {}
        self._places: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        self._templates: set[str] = set()
        self._unknown_names: set[str] = set()
        self._causes = Causes(base, head)
        self._gates = Gates()
        self._networks: set[str] = set()
        self._moves = Moves()
        self._vms: list[Data] = []
        """Those that may name what KubeVirt's operator deploys."""
        if not any(side.catalog for side in self._sides):
            self._vms = [*(vm.manifest for side in self._sides for vm in side.vms), *naming_types(fleet)]
        self._environments = {name for side in self._sides for name in side.objects}
        self._fleet = fleet
        self.fleet = Fleet()

    @cached_property
    def _dumped(self) -> set[tuple[str, str]]:
        """The environments and the names of the fleet's VMs."""
        return {(environment, vm.header.name) for vm in self._fleet for environment in self._environments_of(vm)}

    def templates(self) -> None:
        """Compare the VM templates of both sides, in each environment that they are for."""
        before, after = ({(vm.key, vm.environment): vm for vm in side.vms} for side in self._sides)
        # A side without environments is the same in each of the other's.
        for mine, others, side in ((before, after, self._sides[0]), (after, before, self._sides[1])):
            if not side.overlays and side.repository is None:
                for key, environment in others.keys() - mine.keys():
                    if (key, "") in mine:
                        mine[key, environment] = replace(mine[key, ""], environment=environment)
                for key in {key for key, environment in others if environment}:
                    mine.pop((key, ""), None)
        for which in dict.fromkeys([*before, *after]):
            self._declared(before.get(which), after.get(which))
        self.fleet.templates = len(self._templates)
        self._hidden()

    def vms(
        self,
        fleet: Collection[DumpedVm],
        watch: Progress[Case] = iter,
        cache: Cache | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Compare what happens to the VMs of a fleet, in each environment that they can be in."""
        homeless = self._homeless(fleet)
        references_in: dict[tuple[str, str], References] = {}
        cases: dict[tuple[int, bytes, Pinned], Case] = {}
        names: dict[tuple[int, bytes, Pinned], list[str]] = {}
        for dumped in fleet:
            name = dumped.header.name
            for environment in self._environments_of(dumped):
                if environment not in self._environments:
                    self._unknown(name)
                    continue
                self.fleet.vms += 1
                references_here = references_in.get((environment, dumped.where))
                if references_here is None:
                    comparison = self._comparison(environment, dumped.where, homeless)
                    same = (other for other in references_in.values() if other.comparison is comparison)
                    references_here = next(same, None) or References(comparison)
                    references_in[environment, dumped.where] = references_here
                referenced = references_here.of(dumped)
                pinned = references_here.pinned(dumped, referenced)
                how = "stored" if pinned.matchers else "following"
                self._count(environment, references_here.comparison, name, referenced.references or (), how)
                if not referenced.known:
                    self._unknown(name)
                elif referenced.can_change:
                    vm, comparison = dumped.vm, references_here.comparison
                    fresh = recreated(vm)
                    key = id(comparison), references_here.alike.key(fresh, comparison.namespaces), pinned
                    if key not in cases:
                        cases[key], names[key] = Case(vm, fresh, pinned, referenced.references, comparison), []
                    names[key].append(name)
        found = judge_all(list(cases.values()), watch, cache, executor)
        for case, members, verdict in zip(cases.values(), names.values(), found, strict=True):
            if verdict.now not in ("start", "create"):
                self.fleet.moves += self._moves.of(case.vm, members, case.comparison)
            if verdict.touched:
                comparison = case.comparison
                verdict = turned_off(verdict, comparison)
                because = by_gates(self._causes.around(comparison, case.references or (), case.vm, verdict), verdict)
                verdict = replace(verdict, environment=comparison.environment, because=because)
                self.fleet.verdicts += (replace(of_one(verdict, name.rpartition("/")[2]), vm=name) for name in members)
                self.fleet.diffs[comparison.environment, members[0], False] = partial(diff_of_case, case)

    def done(self) -> Fleet:
        """Return what was collected."""
        types = (comparison.assumed_types for comparison in self._comparisons.values())
        self.fleet.verdicts, claims = claims_once(self.fleet.verdicts)
        self.fleet.assumed = assumed_words(self._gates.assumed, set().union(*types), claims, self._networks)
        return self.fleet

    def gate_remarks(self) -> list[str]:
        """Say of each feature gate that comes or goes, and changes no VM, why that is."""
        return gate_remarks(self._comparisons.values(), self.fleet.verdicts)

    def fleets(self, fleet: Collection[DumpedVm]) -> Iterator[tuple[str, Sequence[Data], Comparison]]:
        """Yield the VMs of each environment that they are in, and what they meet there."""
        found: dict[int, tuple[str, Packed, Comparison]] = {}
        for each in fleet:
            for environment in self._environments_of(each):
                if environment in self._environments:
                    comparison = self._comparison(environment, each.where)
                    if id(comparison) not in found:
                        found[id(comparison)] = environment, Packed(), comparison
                    found[id(comparison)][1].append(each.vm)
        yield from found.values()

    @property
    def limits_room(self) -> bool:
        """Whether anything that VMs met can be too small for them."""
        return any(comparison.head.limits_pods for comparison in self._comparisons.values())

    def upgrades(self) -> Iterator[Upgrade]:
        """Yield what environments run another release after the change, those together that have the same upgrade."""
        found: dict[tuple[str, str], dict[str, set[KnownField]]] = {}
        for environment in dict.fromkeys(name for side in self._sides for name in side.objects):
            comparison = self._comparison(environment)
            old, new = str(comparison.base.release), str(comparison.head.release)
            if old != new:
                found.setdefault((old, new), {})[environment] = set(comparison.known_fields())
        for (old, new), fields in found.items():
            every = tuple(sorted(set().union(*fields.values())))
            yield Upgrade(environments=tuple(fields), old=old, new=new, fields=every)

    def previews(self) -> Iterator[str]:
        """Yield the names of the releases on either side that are previews, each once."""
        clusters = chain.from_iterable((each.base, each.head) for each in self._comparisons.values())
        yield from dict.fromkeys(cluster.release.name for cluster in clusters if cluster.release.preview)

    def _declared(self, old: Vm | None, new: Vm | None) -> None:
        """Judge a VM that stands on the sides themselves: a VM template of a catalog, or a VM of a folder."""
        vm = new or old
        assert vm is not None
        comparison = self._comparison(vm.environment, units=self._units(old, new))
        is_template = any(side.catalog for side in self._sides)
        before, after = (
            references(side.manifest, cluster) if side is not None else []
            for side, cluster in ((old, comparison.base), (new, comparison.head))
        )
        refers = None if before is None or after is None else list(dict.fromkeys([*before, *after]))
        if is_template:
            self._templates.add(vm.key)
        else:
            self.fleet.vms += 1
        if not comparison.is_known(refers):
            self._unknown(vm.key)
            return
        shared = [reference for reference in before or () if reference in (after or ())]
        if is_template:
            self._count(vm.environment, comparison, vm.key, refers or (), "templates")
        else:
            keeps = shared if stores(comparison.base) else []
            self._count(vm.environment, comparison, vm.key, keeps, "stored")
            follows = [each for each in after or () if each not in keeps]
            self._count(vm.environment, comparison, vm.key, follows, "following")
        if not is_template and old is not None and new is not None:
            self._move(old, new, comparison)
        stays = old is not None and new is not None and (old.manifest, old.open) == (new.manifest, new.open)
        is_open = tuple(dict.fromkeys(chain.from_iterable(side.open for side in (old, new) if side is not None)))
        if any(each.path[1:2] in _MATCHERS for each in is_open) and comparison.changed:
            refers = None
        if stays and not comparison.can_change(refers):
            return
        after_all = as_sent(old, new, self._sides, comparison) if old and new else new.manifest if new else None
        manifests = old.manifest if old else None, after_all
        may_assume = not (is_open or is_template or comparison.is_configured)
        if may_assume:
            comparison = self._gates.of(*manifests, comparison, self._others(comparison))
        if is_open:
            verdict = judge_open(is_open, is_deleted=new is None)
        elif is_template:
            verdict = judge_template(*manifests, comparison, after)
        else:
            verdict = self._manifest(*manifests, comparison, refers, shared)
            verdict = hinted(verdict) if may_assume else turned_off(verdict, comparison)
        if not verdict.touched:
            return
        if new is not None and not is_open and not is_template:
            self._networks |= {*networks_elsewhere(new.manifest, comparison.head)}
        because = self._because(old, new, verdict, comparison, refers)
        environment, place = vm.environment, place_of(vm.place, self._sides[new is not None].label)
        verdict = replace(verdict, vm=vm.key, environment=environment, place=place, because=because)
        sync = synced_verdict(verdict, old, new, self._sides, comparison)
        self.fleet.verdicts.append(replace(verdict, sync=sync))
        if not is_open:
            self.fleet.diffs[environment, vm.key, is_template] = partial(diff_of, *manifests, comparison)

    def _because(
        self, old: Vm | None, new: Vm | None, verdict: Verdict, comparison: Comparison, refers: list[Identity] | None
    ) -> tuple[Cause, ...]:
        """What makes the verdict on a VM of a side: its own manifest, what it refers to, and the KubeVirt CR."""
        vm = new or old
        assert vm is not None
        differs = old is None or new is None or (old.manifest, old.open) != (new.manifest, new.open)
        because = self._causes.of_manifest(old, new, verdict) if differs else ()
        if not because or verdict.next == "kept" or verdict.anew != "same" or verdict.replaced is not None:
            gone = [each for each in refers or () if comparison.gone([each])]
            because += tuple(self._causes.naming(new, gone)) if new is not None else ()
            because += by_gates(self._causes.around(comparison, refers or (), vm.manifest, verdict), verdict)
        if differs and new is not None and not new.open:
            because += tuple(self._causes.gates(comparison, needed_new_gates(new.manifest, comparison)))
        return tuple(dict.fromkeys(because))

    def _move(self, old: Vm, new: Vm, comparison: Comparison) -> None:
        """Judge the machine of a VM of a folder, which runs; one that is in a dump, too, is judged by that."""
        name = full_name(old.manifest)
        if (old.environment, name) in self._dumped or old.open or new.open or is_halted(new.manifest):
            return
        place = place_of(new.place, self._sides[1].label)
        moves = self._moves.of(old.manifest, [name], comparison, place)
        self.fleet.moves += (replace(moved, vm=old.key) for moved in moves)

    def _manifest(
        self,
        old: Data | None,
        new: Data | None,
        comparison: Comparison,
        refers: list[Identity] | None,
        shared: list[Identity],
    ) -> Verdict:
        """A VM of a folder of manifests is one that runs, and to which its manifest is applied."""
        if old is None:
            assert new is not None
            return judge_created(new, comparison, refers)
        if new is None:
            return judge_deleted(old, comparison)
        if old != new:
            verdict = judge_applied(old, new, comparison, shared)
            if verdict.touched:
                return verdict
        fresh = recreated(new)
        # A manifest says nothing of what KubeVirt has stored beside the revisions that it names itself.
        pinned, stored = pins(new, comparison.base), assumed(refers, comparison.base)
        pinned = replace(pinned, matchers=pinned.matchers | stored.matchers) if pinned else stored
        return judge(Case(new, fresh, pinned, refers, comparison), is_applied=True)

    def _hidden(self) -> None:
        """Judge what holds VMs and is not rendered on one side or both: one that stays has the same digest."""
        before, after = (dict(side.opaque) for side in self._sides)
        for key in dict.fromkeys([*before, *after]):
            old, new = before.get(key), after.get(key)
            if (old and old.digest) == (new and new.digest):
                continue
            hidden, side = (new, self._sides[1]) if new is not None else (old, self._sides[0])
            assert hidden is not None
            place = place_of(Source(hidden.problem.file, hidden.problem.line), side.label)
            self.fleet.vms += 1
            self.fleet.verdicts.append(
                replace(judge_opaque(hidden.problem.message), vm=hidden.problem.object or key[0], place=place)
            )

    def _count(self, environment: str, comparison: Comparison, name: str, refers: Iterable[Identity], how: str) -> None:
        for each in refers:
            key = comparison.homes.get(each, environment), each
            users = self.fleet.users.get(key)
            if users is None:
                users = self.fleet.users[key] = Users()
            getattr(users, how).add(name)

    def _unknown(self, name: str) -> None:
        if name not in self._unknown_names:
            self._unknown_names.add(name)
            self.fleet.unknown.append(name)

    def _homeless(self, fleet: Collection[DumpedVm]) -> tuple[str, ...]:
        """The namespaces of VMs that name types of their own, where a side has such that do not say where they are."""
        published = chain.from_iterable(objects for side in self._sides for objects in side.objects.values())
        if not any(each["kind"] in NAMESPACED_KINDS and not each["metadata"].get("namespace") for each in published):
            return ()
        found = {namespace_or_default(each.header.namespace) for each in fleet if each.names_own}
        return tuple(sorted(found - {"default"}))

    def _environments_of(self, dumped: DumpedVm) -> list[str]:
        """Where a VM is now; where it will be if nothing says that."""
        header = dumped.header
        if header.references is None:
            return self._places_of(dumped)
        key = header.namespace, dumped.where, tuple([kind for kind, _, _ in header.references])
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._places_of(dumped)
        return found

    def _places_of(self, dumped: DumpedVm) -> list[str]:
        by_side = [environments_for(dumped.vm, side.overlays, dumped.where, self._only) for side in self._sides]
        return next((each for each in by_side if each not in ([], [BASE])), by_side[0])

    def _others(self, comparison: Comparison) -> Iterator[Data]:
        """Yield the VMs that were there before and meet the same."""
        base = self._sides[0]
        here = base.objects_in(comparison.environment, comparison.units[0])
        yield from (vm.manifest for vm in base.vms if base.objects_in(vm.environment, vm.unit) is here and not vm.open)

    def _units(self, old: Vm | None, new: Vm | None) -> Units:
        """The units of repositories that have a VM; of a side that does not have it, what it meets nearby."""
        before, after = (vm.unit if vm is not None else ANYWHERE for vm in (old, new))
        return before if old is not None else after.nearby, after if new is not None else before.nearby

    def _comparison(
        self,
        environment: str,
        where: str = "",
        namespaces: tuple[str, ...] = (),
        units: Units = (ANYWHERE, ANYWHERE),
    ) -> Comparison:
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
