"""What a change does to the VMs: of VMs that are alike one is expanded, on both sides, and only if it can change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from virtcatalog.api.names import namespace_or_default
from virtcatalog.fleet.alike import Alike
from virtcatalog.fleet.cache import Cache
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.review.assumed import assumed_words, claims_once, naming_types, turned_off
from virtcatalog.review.cached import judge_all
from virtcatalog.review.causes import Causes
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.comparisons import Comparisons
from virtcatalog.review.declared import DeclaredVms, diff_of
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.fleet import Fleet, key_of
from virtcatalog.review.groups import of_one
from virtcatalog.review.judge import Case, Outcomes, at_next_start
from virtcatalog.review.kubevirtcr import by_gates, gate_remarks
from virtcatalog.review.moving import Moves
from virtcatalog.review.outcome import compare
from virtcatalog.review.pinned import Pinned, assumed, pins, recreated
from virtcatalog.review.side import Side
from virtcatalog.review.users import User


class Referenced(NamedTuple):
    """The objects that a VM refers to, None where that cannot be told; whether `all_known`."""

    references: list[Identity] | None
    all_known: bool
    can_change: bool
    assumed: Pinned


class References:
    """What the VMs of a fleet refer to, on the sides of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.alike = Alike(comparison.base, comparison.head, labels_matter=comparison.labels_matter)
        self._by_names: dict[tuple[Identity, ...], Referenced] = {}

    def of(self, dumped: DumpedVm) -> Referenced:
        """Return what a VM refers to."""
        refers = dumped.header.references
        if refers is None:
            return self._find(references(recreated(dumped.vm), self.comparison.base))
        referenced = self._by_names.get(refers)
        if referenced is None:
            referenced = self._by_names[refers] = self._find(list(refers))
        return referenced

    def pinned(self, dumped: DumpedVm, referenced: Referenced) -> Pinned:
        """Return the revisions that a VM is pinned to."""
        namespace, named = namespace_or_default(dumped.header.namespace), dumped.header.revisions
        if not named:
            return referenced.assumed
        if any(self.comparison.base.controller_revision(namespace, name) for _, name in named):
            return pins(dumped.vm, self.comparison.base)
        return Pinned(frozenset([matcher for matcher, _ in named]))

    def _find(self, refers: list[Identity] | None) -> Referenced:
        comparison = self.comparison
        return Referenced(
            refers, comparison.is_known(refers), comparison.can_change(refers), assumed(refers, comparison.base)
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
        fleet: Collection[DumpedVm] = (),
    ) -> None:
        """`shared` is what else is in clusters, by where that is, "" for everywhere; `environments` the only ones.

        Without these all are looked at that VMs can be in. `fleet` are the VMs that `vms` is to be asked about.
        """
        sides = base, head
        vms: list[Data] = []
        if not any(side.catalog for side in sides):
            vms = [*(vm.manifest for side in sides for vm in side.vms), *naming_types(fleet)]
        self.fleet = Fleet()
        self.comparisons = Comparisons(
            sides, conditions or (Conditions(), Conditions()), shared or {}, environments, vms
        )
        self._environments = {name for side in sides for name in side.objects}
        self._causes, self._moves = Causes(base, head), Moves()
        self._declared = DeclaredVms(sides, self.comparisons, self._causes, self._moves, fleet, self.fleet)

    def templates(self) -> None:
        """Compare the VM templates of both sides, and the VMs that stand there themselves."""
        self._declared.judge_all()

    def vms(
        self,
        fleet: Collection[DumpedVm],
        cache: Cache | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Compare what happens to the VMs of a fleet, in each environment that they can be in."""
        homeless = self.comparisons.homeless(fleet)
        references_in: dict[tuple[str, str], References] = {}
        cases: dict[tuple[int, bytes, Pinned], Case] = {}
        names: dict[tuple[int, bytes, Pinned], list[str]] = {}
        for dumped in fleet:
            name = dumped.header.name
            for environment in self.comparisons.environments_of(dumped):
                if environment not in self._environments:
                    self.fleet.unknown[name] = None
                    continue
                self.fleet.vms += 1
                references_here = references_in.get((environment, dumped.where))
                if references_here is None:
                    comparison = self.comparisons.of(environment, dumped.where, homeless)
                    same = (other for other in references_in.values() if other.comparison is comparison)
                    references_here = next(same, None) or References(comparison)
                    references_in[environment, dumped.where] = references_here
                referenced = references_here.of(dumped)
                pinned = references_here.pinned(dumped, referenced)
                use, comparison = "stored" if pinned.matchers else "following", references_here.comparison
                refers = referenced.references or ()
                user = User(name, dumped.where, dumped.is_pool)
                self.fleet.count(environment, comparison, user, refers, use)
                if not referenced.all_known:
                    self.fleet.unknown[name] = None
                elif referenced.can_change:
                    vm = dumped.vm
                    fresh = recreated(vm)
                    key = id(comparison), references_here.alike.key(fresh, comparison.namespaces), pinned
                    if key not in cases:
                        cases[key], names[key] = Case(vm, fresh, pinned, referenced.references, comparison), []
                    names[key].append(name)
        verdicts = judge_all(list(cases.values()), cache, executor)
        for case, members, verdict in zip(cases.values(), names.values(), verdicts, strict=True):
            if verdict.now not in ("start", "create"):
                self.fleet.moves += self._moves.of(case.vm, members, case.comparison)
            if verdict.touched:
                comparison = case.comparison
                verdict = turned_off(verdict, comparison)
                because = by_gates(self._causes.around(comparison, case.references or (), case.vm, verdict), verdict)
                verdict = replace(verdict, environment=comparison.environment, because=because)
                self.fleet.verdicts += (replace(of_one(verdict, name.rpartition("/")[2]), vm=name) for name in members)
                self.fleet.diffs[key_of(replace(verdict, vm=members[0]))] = partial(_diff_of_case, case)

    def done(self) -> Fleet:
        """Return what was collected."""
        types = (comparison.assumed_types for comparison in self.comparisons.all())
        self.fleet.verdicts, claims = claims_once(self.fleet.verdicts)
        gates, networks = self._declared.gates.assumed, self._declared.networks
        self.fleet.assumed = assumed_words(gates, set().union(*types), claims, networks)
        return self.fleet

    def gate_remarks(self) -> list[str]:
        """Say of each feature gate that comes or goes, and changes no VM, why that is."""
        return gate_remarks(self.comparisons.all(), self.fleet.verdicts)


def _diff_of_case(case: Case) -> str:
    """How the domain of a VM changes whose manifest stays as it is: at its next start, or when it is created anew."""
    if case.comparison.gone(case.references):  # that is said, and what follows from it is no other change
        return ""
    pair = at_next_start(case, Outcomes())
    if pair is None:
        return diff_of(case.fresh, case.fresh, case.comparison)
    change = compare(*pair)
    return change.make_diff() if change is not None else ""
