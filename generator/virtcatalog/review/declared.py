"""Verdicts on VMs that stand on the sides themselves: VM templates of a catalog, and VMs of a folder or repository."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from itertools import chain

from msgspec.structs import replace

from virtcatalog.api.kinds import is_halted
from virtcatalog.catalog.places import Source
from virtcatalog.gitops.outcome import Change, Synced, sent, synced
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import Data, Identity, full_name
from virtcatalog.repositories.model import Environment
from virtcatalog.review.assumed import Gates, hinted, networks_elsewhere, turned_off
from virtcatalog.review.causes import Causes, place_of
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.comparisons import Comparisons
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.fleet import Fleet, key_of
from virtcatalog.review.judge import Case, judge, judge_applied
from virtcatalog.review.kubevirtcr import by_gates, needed_new_gates
from virtcatalog.review.moving import Moves
from virtcatalog.review.onesided import judge_created, judge_deleted, judge_opaque, judge_open, judge_template
from virtcatalog.review.outcome import compare, outcome
from virtcatalog.review.pinned import pinned_in_git, recreated, stores
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.users import User
from virtcatalog.review.verdict import Cause, Verdict

#: The fields of a VM's spec that name its instance type and its preference, as ends of paths.
_MATCHERS = (("instancetype",), ("preference",))


class DeclaredVms:
    """Judges the VMs of two sides, each beside what it was, into a fleet."""

    def __init__(
        self,
        sides: tuple[Side, Side],
        comparisons: Comparisons,
        causes: Causes,
        moves: Moves,
        dumped: Collection[DumpedVm],
        fleet: Fleet,
    ) -> None:
        """`dumped` are VMs of a cluster, which tell more of a machine that runs than a manifest does."""
        self._sides, self._comparisons, self._causes, self._moves = sides, comparisons, causes, moves
        self._fleet, self._dump = fleet, dumped
        self._templates: set[str] = set()
        self.gates = Gates()
        self.networks: set[str] = set()

    def judge_all(self) -> None:
        """Judge all of them, in each environment that they are for."""
        before, after = ({vm.which: vm for vm in side.vms} for side in self._sides)
        # A side without environments is the same in each of the other's.
        for vms, others, side in ((before, after, self._sides[0]), (after, before, self._sides[1])):
            if not side.overlays and side.repository is None:
                for kind, key, environment in others:
                    if (kind, key, environment) not in vms and (kind, key, "") in vms:
                        vms[kind, key, environment] = replace(vms[kind, key, ""], environment=environment)
                for kind, key in {(kind, key) for kind, key, environment in others if environment}:
                    vms.pop((kind, key, ""), None)
        for which in dict.fromkeys([*before, *after]):
            self._judge(before.get(which), after.get(which))
        self._fleet.templates = len(self._templates)
        self._hidden()

    @cached_property
    def _dumped(self) -> set[tuple[str, str]]:
        """The environments and the names of the VMs of a cluster."""
        comparisons = self._comparisons
        return {(environment, vm.header.name) for vm in self._dump for environment in comparisons.environments_of(vm)}

    def _judge(self, old: Vm | None, new: Vm | None) -> None:
        """Judge a VM template of a catalog, or a VM of a folder."""
        vm = new or old
        assert vm is not None
        comparison = self._comparisons.of_declared(old, new)
        is_template = any(side.catalog for side in self._sides)
        before, after = (
            references(side.manifest, cluster) if side is not None else []
            for side, cluster in ((old, comparison.base), (new, comparison.head))
        )
        refers = None if before is None or after is None else list(dict.fromkeys([*before, *after]))
        if is_template:
            self._templates.add(vm.key)
        else:
            self._fleet.vms += 1
        if not comparison.is_known(refers):
            self._fleet.unknown[vm.key] = None
            return
        shared = [reference for reference in before or () if reference in (after or ())]
        if is_template:
            self._fleet.count(vm.environment, comparison, User(vm.key), refers or (), "templates")
        else:
            user = User(vm.key, vm.environment, vm.manifest["kind"] == "VirtualMachinePool")
            keeps = shared if stores(comparison.base) else []
            self._fleet.count(vm.environment, comparison, user, keeps, "stored")
            follows = [reference for reference in after or () if reference not in keeps]
            self._fleet.count(vm.environment, comparison, user, follows, "following")
        if not is_template and old is not None and new is not None:
            self._move(old, new, comparison)
        stays = old is not None and new is not None and (old.manifest, old.open) == (new.manifest, new.open)
        open_fields = tuple(dict.fromkeys(chain.from_iterable(side.open for side in (old, new) if side is not None)))
        if any(field.path[1:2] in _MATCHERS for field in open_fields) and comparison.changed:
            refers = None
        if stays and not comparison.can_change(refers):
            return
        applied = as_sent(old, new, self._sides, comparison) if old and new else new.manifest if new else None
        manifests = old.manifest if old else None, applied
        may_assume = not (open_fields or is_template or comparison.is_configured)
        if may_assume:
            comparison = self.gates.of(*manifests, comparison, self._comparisons.others(comparison))
        if open_fields:
            verdict = judge_open(open_fields, is_deleted=new is None)
        elif is_template:
            verdict = judge_template(*manifests, comparison, after)
        else:
            verdict = self._manifest(*manifests, comparison, refers, shared)
            verdict = hinted(verdict) if may_assume else turned_off(verdict, comparison)
        if not verdict.touched:
            return
        if new is not None and not open_fields and not is_template:
            self.networks |= {*networks_elsewhere(new.manifest, comparison.head)}
        because = self._because(old, new, verdict, comparison, refers)
        environment, place = vm.environment, place_of(vm.place, self._sides[new is not None].label)
        verdict = replace(verdict, vm=vm.key, environment=environment, place=place, because=because)
        sync = synced_verdict(verdict, old, new, self._sides, comparison)
        self._fleet.verdicts.append(replace(verdict, sync=sync))
        if not open_fields:
            self._fleet.diffs[key_of(verdict)] = partial(diff_of, *manifests, comparison)

    def _because(
        self, old: Vm | None, new: Vm | None, verdict: Verdict, comparison: Comparison, refers: list[Identity] | None
    ) -> tuple[Cause, ...]:
        """What makes the verdict on a VM of a side: its own manifest, what it refers to, and the KubeVirt CR."""
        vm = new or old
        assert vm is not None
        differs = old is None or new is None or (old.manifest, old.open) != (new.manifest, new.open)
        because = self._causes.of_manifest(old, new, verdict) if differs else ()
        around = verdict.next == "kept" or verdict.anew != "same" or verdict.replaced is not None
        if not because or around or (verdict.now == "refused" and verdict.next not in ("same", "none")):
            gone = [reference for reference in refers or () if comparison.gone([reference])]
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
        self._fleet.moves += (replace(moved, vm=old.key) for moved in moves)

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
        pinned = pinned_in_git(new, refers, comparison.base)
        return judge(Case(new, recreated(new), pinned, refers, comparison), is_applied=True)

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
            self._fleet.vms += 1
            self._fleet.verdicts.append(
                replace(judge_opaque(hidden.problem.message), vm=hidden.problem.object or key[0], place=place)
            )


def synced_verdict(
    verdict: Verdict, old: Vm | None, new: Vm | None, sides: tuple[Side, Side], comparison: Comparison
) -> Synced | None:
    """Return what the sync of a VM's unit makes of a change; None where no object of Flux or Argo CD applies it."""
    unit = _unit(old, new, sides)
    if unit is None:
        return None
    manifests = old.manifest if old is not None else None, new.manifest if new is not None else None
    breaks = verdict.next in ("refused", "crash")
    return synced(Change(*manifests, comparison.base, comparison.head, verdict.now, breaks), unit)


def as_sent(old: Vm, new: Vm, sides: tuple[Side, Side], comparison: Comparison) -> Data:
    """Return the manifest of a VM that changes, as the tool of its unit sends it."""
    unit = _unit(old, new, sides)
    if unit is None or old.manifest == new.manifest:
        return new.manifest
    return sent(old.manifest, new.manifest, comparison.base, unit)


def _unit(old: Vm | None, new: Vm | None, sides: tuple[Side, Side]) -> Environment | None:
    """The unit that applies the change: of a VM that goes, the one that had it, as that is now if it is still there."""
    before, after = (side.repository for side in sides)
    if new is not None:
        return after.environments[new.unit.number] if after is not None and new.unit.number >= 0 else None
    if old is None or before is None or old.unit.number < 0:
        return None
    names = sides[1].units
    if after is not None and old.environment in names:
        return after.environments[names.index(old.environment)]
    return before.environments[old.unit.number]


def diff_of(old: Data | None, new: Data | None, comparison: Comparison) -> str:
    """Return how the domain of a VM changes from one manifest to another."""
    if old is None or new is None:
        return ""
    change = compare(outcome(old, comparison.base), outcome(new, comparison.head))
    return change.make_diff() if change is not None else ""
