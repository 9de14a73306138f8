"""The verdict on a VM, made here and nowhere else: of its rollout, and of what it is expanded to before and after."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from virtcatalog.api.kinds import is_halted, replicas
from virtcatalog.kubevirt.admission.vm import RECEIVER
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.kubevirt.matchers import matcher_of
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.groups import of_all
from virtcatalog.review.holders import all_of, none_of, running_held, with_next
from virtcatalog.review.outcome import Outcome, VmChange, applied_to_expanded, compare, outcome, with_data_volumes_of
from virtcatalog.review.pinned import Pinned, pinned_in_git, recreated, stores
from virtcatalog.review.pools import disk_risks, identity_risks
from virtcatalog.review.requests import requests_of, requests_of_staying
from virtcatalog.review.risks import risks
from virtcatalog.review.running import Running, running
from virtcatalog.review.verdict import ANEW, BREAKS, Next, Now, Requests, Risk, Verdict

_DISKS_STAY = "DataVolumes that are there stay as they are: their templates count when they are made"


class Case(msgspec.Struct, frozen=True):
    """A VM whose manifest stays as it is, the same as if it were created now, and what it refers to."""

    vm: Data
    fresh: Data
    pinned: Pinned
    references: list[Identity] | None
    comparison: Comparison

    @property
    def revisions_are_here(self) -> bool:
        """Whether all revisions that KubeVirt has stored for it are among the cluster's objects."""
        return len(self.pinned.contents) == len(self.pinned.matchers)


class Outcomes:
    """What became of VMs in clusters, each expanded once. VMs and clusters are those of one case, which keeps them."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[int, int], Outcome] = {}

    def of(self, vm: Data, cluster: Cluster) -> Outcome:
        """Return the outcome of a VM in a cluster."""
        key = id(vm), id(cluster)
        if key not in self._outcomes:
            self._outcomes[key] = outcome(vm, cluster)
        return self._outcomes[key]


def judge_alike(case: Case) -> Verdict:
    """Return the verdict on all VMs that are like the one of a case: `groups.NAME` stands for their names."""
    return of_all(judge(case), identity(case.vm)[2])


def judge(case: Case, *, is_applied: bool = False) -> Verdict:
    """Return the verdict on a VM of which nobody touches the manifest: only what is around it changes.

    One that a webhook refused is created once its manifest `is_applied` again, as those of a repository are.
    """
    outcomes, comparison = Outcomes(), case.comparison
    vm = case.vm if case.revisions_are_here else case.fresh
    keeps = _keeps(case, outcomes.of(vm, comparison.base))
    machine = Running() if keeps else _machine(vm, vm, comparison)
    pair = at_next_start(case, outcomes)
    change = compare(*pair) if pair is not None else None
    gone = comparison.gone(case.references)
    fresh = outcomes.of(case.fresh, comparison.head)
    follows = pair is not None and pair[1] is fresh
    verdict = _after(machine, (vm, vm), pair, without_objects(change, gone) if follows else change)
    if verdict.now == "create" and not is_applied:
        verdict = replace(verdict, now="unchanged", part=None)
    if not follows and not comparison.changed.isdisjoint(case.references or ()):
        if not verdict.touched:
            verdict = _kept(case, outcomes.of(case.fresh, comparison.base), fresh)
        elif pair is not None and verdict.next not in BREAKS:
            verdict = _with_anew(verdict, (vm, vm), (*pair, fresh), gone)
    return with_next(verdict, vm, vm)


def judge_applied(old: Data, new: Data, comparison: Comparison, shared: Sequence[Identity]) -> Verdict:
    """Return the verdict on a VM to which another manifest is applied; what both name is `shared`."""
    machine, gone = _machine(old, new, comparison), comparison.gone(shared)
    stored = stores(comparison.base)
    if machine.now == "refused":
        reasons = machine.reasons if stored else gone or machine.reasons
        return _refused(old, new, reasons, comparison)
    keeps = stored and machine.replaced is None
    before = outcome(old, comparison.base)
    is_there = machine.replaced is None and before.result is not None and before.result.refused_by != "vm"
    kept_disks = with_data_volumes_of(old, new) if is_there else new
    applied = applied_to_expanded(old, kept_disks, before) if is_there else kept_disks
    after = outcome(applied, comparison.keeping(shared) if keeps else comparison.head)
    change = compare(before, after)
    verdict = _after(machine, (old, new), (before, after), change if keeps else without_objects(change, gone))
    if (applied != new or (keeps and verdict.touched)) and verdict.next not in BREAKS:
        fresh = outcome(new, comparison.head)
        verdict = _with_anew(verdict, (old, new), (before, after, fresh), gone)
        if kept_disks != new and verdict.next == "kept":
            verdict = replace(verdict, reasons=(*verdict.reasons, _DISKS_STAY))
    verdict = with_next(verdict, old, new)
    if verdict.next == "changed":
        verdict = replace(verdict, risks=(*verdict.risks, *identity_risks(old, new, comparison.head)))
    return replace(verdict, risks=(*disk_risks(old, new, verdict), *verdict.risks))


def _refused(old: Data, new: Data, reasons: tuple[str, ...], comparison: Comparison) -> Verdict:
    """The verdict on a VM to which a manifest is not applied: it stays as it was, and all else around it changes.

    What its Pod requests then is not told: the change has to be another one.
    """
    refers = references(old, comparison.base)
    stays = Verdict()
    if comparison.can_change(refers):
        stays = judge(Case(old, recreated(old), pinned_in_git(old, refers, comparison.base), refers, comparison))
    reasons = (*reasons, *stays.reasons)
    left = replace(stays, restarts=None, replaced=None, requests=None)
    return replace(left, now="refused", part=none_of(new), reasons=reasons)


def _with_anew(
    verdict: Verdict, vms: tuple[Data, Data], outcomes: tuple[Outcome, Outcome, Outcome], gone: Sequence[str]
) -> Verdict:
    """A verdict that says also what the VM is if it is created anew, where types or preferences change, too.

    The outcomes are those before the change, at the next start and as created anew.
    """
    before, after, fresh = outcomes
    stays = verdict.next in ("same", "kept")
    anew = without_objects(compare(before if verdict.next == "kept" else after, fresh), gone)
    if anew is None:
        return verdict
    if verdict.now == "create" and next_of(anew) == "refused":
        verdict = replace(verdict, now="refused")
    requests = verdict.requests
    if replicas(vms[0]) != replicas(vms[1]):
        requests = requests_of_staying(before, before if stays else after, fresh, vms, verdict.now)
    elif requests is None:
        requests = requests_of(after, fresh, vms, "kept")
    if stays:
        return replace(verdict, next="kept", anew=next_of(anew), changes=anew.summary, requests=requests)
    lines = (f"{ANEW}: {line}" for line in anew.summary)
    return replace(verdict, anew=next_of(anew), changes=(*verdict.changes, *lines), requests=requests)


def next_of(change: VmChange | None) -> Next:
    """Return what the next start gives, of what changes then."""
    if change is None:
        return "same"
    match change.kind:
        case "refused" | "reason":
            return "refused"
        case "crash":
            return "crash"
        case "unsupported":
            return "unknown"
    return "changed"


def without_objects(change: VmChange | None, gone: Sequence[str]) -> VmChange | None:
    """Return a change that says which objects that the VM names are gone, and nothing of what follows from that."""
    if not gone:
        return change
    make_diff = change.make_diff if change is not None else str
    return VmChange(kind="refused", summary=tuple(gone), make_diff=make_diff)


def at_next_start(case: Case, outcomes: Outcomes) -> tuple[Outcome, Outcome] | None:
    """Return the VM as it is and as it is started next; None where it keeps all that changes."""
    comparison, pinned = case.comparison, case.pinned
    before = outcomes.of(case.fresh, comparison.base)
    never_stored = pinned.assumed and (before.result is None or not before.result.admitted)
    follows = any(
        reference in comparison.changed and matcher_of(reference[0]) not in pinned.matchers
        for reference in case.references or ()
    )
    if not pinned.matchers or never_stored or follows or pinned.turned:
        return before, outcomes.of(case.fresh, comparison.head)
    if not comparison.all_change:
        return None
    if case.revisions_are_here:
        return outcomes.of(case.vm, comparison.base), outcomes.of(case.vm, comparison.head)
    return before, outcomes.of(case.fresh, comparison.before)


def _machine(old: Data, new: Data, comparison: Comparison) -> Running:
    judge_running = running if new.get("kind") == "VirtualMachine" == old.get("kind") else running_held
    return judge_running(old, new, comparison.base, comparison.head)


def _after(
    machine: Running, vms: tuple[Data, Data], pair: tuple[Outcome, Outcome] | None, change: VmChange | None
) -> Verdict:
    """The verdict on a VM that is there: what happens to its machine, and what its next start gives."""
    now, part = machine.now, machine.part
    if change is not None and pair is not None and now == "unchanged":
        now = _recovers(change, pair[0], vms[1])
        part = all_of(vms[1]) if now != "unchanged" else None
    if machine.next in ("refused", "crash", "unknown"):
        return Verdict(
            now=now,
            part=part,
            reasons=machine.reasons,
            next=machine.next,
            restarts=machine.restarts,
            replaced=machine.replaced,
            changes=machine.breaks,
        )
    differs = change is not None or now in ("start", "stop") or replicas(vms[0]) != replicas(vms[1])
    verdict = Verdict(
        now=now,
        part=part,
        reasons=machine.reasons,
        next=next_of(change),
        restarts=machine.restarts,
        replaced=machine.replaced,
        changes=_changes(change),
        risks=_risks(*pair) if change is not None and pair is not None else (),
        requests=_requests(machine, pair, vms, now) if pair is not None and differs else None,
    )
    if machine.next != "kept" or change is None:
        return verdict
    return replace(verdict, next="kept", anew=verdict.next)


def _requests(machine: Running, pair: tuple[Outcome, Outcome], vms: tuple[Data, Data], now: Now) -> Requests | None:
    """What Pods request before and after, of a VM that is there."""
    before, after = pair
    if machine.next == "kept" and replicas(vms[0]) == replicas(vms[1]):
        return requests_of(before, after, vms, "kept")
    if machine.next == "kept":
        return requests_of_staying(before, before, after, vms, now)
    if now == "stop":
        return requests_of(before, None, vms, now)
    if now == "start":
        return requests_of(None, after, vms, now)
    return requests_of(before, after, vms, "start" if machine.restarts is not None else now)


def _recovers(change: VmChange, before: Outcome, vm: Data) -> Now:
    """A VM that could not start starts once it can."""
    if change.kind not in ("admitted", "recovered") or is_halted(vm) or before.result is None:
        return "unchanged"
    return "create" if before.result.refused_by == "vm" else "start"


def _kept(case: Case, before: Outcome, after: Outcome) -> Verdict:
    """The verdict on a VM that goes on with the revisions that KubeVirt has stored for it."""
    change = without_objects(compare(before, after), case.comparison.gone(case.references))
    requests = None
    # What a VM of which nothing is known but that it runs has stored is what it asks for, until it is created anew.
    if change is not None and case.pinned.assumed and change.kind not in ("refused", "crash", "reason"):
        requests = requests_of(before, after, (case.vm, case.vm), "kept")
    anew = next_of(change)
    risks_anew = _risks(before, after) if anew == "changed" else ()
    return Verdict(next="kept", anew=anew, changes=_changes(change), risks=risks_anew, requests=requests)


def _keeps(case: Case, old: Outcome) -> bool:
    """Whether a machine that runs cannot meet the change: it is one of types and preferences alone, and of these
    KubeVirt goes by what it has stored since the VM was started (pkg/instancetype/controller/vm/controller.go, Sync).
    """
    vm = old.result.vm_object if old.result is not None and old.result.admitted else None
    return (
        vm is not None
        and vm.spec.run_strategy != RECEIVER
        and not case.comparison.all_change
        and not case.pinned.turned
        and case.references is not None
        and stores(case.comparison.base)
    )


def _risks(before: Outcome, after: Outcome) -> tuple[Risk, ...]:
    old, new = (of.result if of.result and of.result.admitted else None for of in (before, after))
    return risks(old, new) if old is not None and new is not None else ()


def _changes(change: VmChange | None) -> tuple[str, ...]:
    return change.summary if change is not None else ()
