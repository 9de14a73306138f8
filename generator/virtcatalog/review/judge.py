"""What happens to a VM of a fleet: what changes for it and when, and what becomes of its machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.kubevirt.admission.vm import RECEIVER
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.fate import Fate, fate
from virtcatalog.review.machines import machine_words
from virtcatalog.review.outcome import Outcome, VmChange, compare, nameless, outcome
from virtcatalog.review.stored import Pinned, stores

Effect = Literal["created", "started", "stored"]
"""When a VM meets a change: when it is created, at its next start, or not while it keeps the revisions that KubeVirt
has stored for it."""

Verdict = list[tuple[Effect, VmChange]]
_MOST_SAID = 3


class Judged(NamedTuple):
    """What changes for a VM when it is created or started, and what becomes of its machine that runs."""

    verdict: Verdict
    fate: Fate


class Case(msgspec.Struct, frozen=True):
    """A VM of a fleet, the same as if it were created now, and what it refers to."""

    vm: Data
    fresh: Data
    pinned: Pinned
    references: list[Identity] | None
    comparison: Comparison


def judge(case: Case) -> Judged:
    """Return what changes for the VM, when it meets that, and what becomes of its machine."""
    outcomes = _Outcomes()
    return Judged(_verdict(case, outcomes), _fate(case, outcomes))


class _Outcomes:
    """What became of the VM of a case, and of the same as if it were created now: found once in each cluster.

    What differs between two of them is found once, too.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Outcome] = {}
        self._compared: dict[tuple[int, int], VmChange | None] = {}

    def of(self, vm: Data, cluster: Cluster) -> Outcome:
        """Return the outcome of one of a case's VMs in one of its clusters, which all stay as long as the case does."""
        key = id(vm), id(cluster)
        if key not in self._found:
            self._found[key] = outcome(vm, cluster)
        return self._found[key]

    def compare(self, old: Outcome, new: Outcome, name: str = "") -> VmChange | None:
        """Return what differs between two of these outcomes, for a VM of that name."""
        key = id(old), id(new)
        if key not in self._compared:
            self._compared[key] = compare(old, new)
        change = self._compared[key]
        return nameless(change, name) if change is not None else None


def applied(old: Data, new: Data, comparison: Comparison) -> Fate:
    """What becomes of a machine when another manifest is applied to its VM."""
    found = fate(old, new, comparison.base, comparison.head)
    if found.kind != "nothing":
        return found
    return _fate_later(compare(outcome(old, comparison.base), outcome(new, comparison.head)))


def _fate(case: Case, outcomes: _Outcomes) -> Fate:
    """What becomes of the machine; of stored revisions that are not given, those of before are meant."""
    comparison = case.comparison
    given = len(case.pinned.contents) == len(case.pinned.matchers)
    vm = case.vm if given else case.fresh
    old, new = (outcomes.of(case.fresh, cluster) for cluster in (comparison.base, comparison.head))
    keeps = _keeps(case, outcomes.of(vm, comparison.base) if given and not case.pinned.turned else old)
    found = Fate() if keeps else fate(vm, vm, comparison.base, comparison.head)
    if found.kind == "nothing" and comparison.all_change:
        found = _fate_later(
            outcomes.compare(old, new) if not case.references else _with_stored_revisions(case, outcomes)
        )
    if found.kind != "nothing" or comparison.changed.isdisjoint(case.references or ()):
        return found
    gone = comparison.gone(case.references)
    results = old.result, new.result
    machines = [result.vmi_object if result is not None and result.admitted else None for result in results]
    anew = machine_words(*machines)
    return Fate("kept", (*gone, *((f"created anew: {anew[0]}", *anew[1:]) if anew and not gone else ())))


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


def _fate_later(change: VmChange | None) -> Fate:
    """What a machine meets when it is started again, in its domain alone: another release makes others."""
    if change is None or change.kind not in ("refused", "crash", "domain", "vmi"):
        return Fate()
    breaks = change.kind in ("refused", "crash")
    said = change.summary[:_MOST_SAID]
    return Fate("refused", tuple(f"at its next start: {each}" for each in said)) if breaks else Fate("next", said)


def _verdict(case: Case, outcomes: _Outcomes) -> Verdict:
    comparison, pinned, name = case.comparison, case.pinned, identity(case.vm)[2]
    known = case.references or []
    old, new = (outcomes.of(case.fresh, cluster) for cluster in (comparison.base, comparison.head))
    change = with_removed(outcomes.compare(old, new, name), comparison.removed(known))
    given = len(pinned.contents) == len(pinned.matchers)
    # What has not changed is the same, stored or not, unless what is stored is given and may be another.
    if not pinned.matchers or (not given and comparison.changed.isdisjoint(known)):
        return [("started", change)] if change else []
    if any(each in comparison.changed and _matcher(each) not in pinned.matchers for each in known):
        return [("started", change)] if change else []
    lasting = _with_stored_revisions(case, outcomes, name) if comparison.all_change else None
    if change is not None and lasting is not None and lasting.signature == change.signature:
        change = None
    found: tuple[tuple[Effect, VmChange | None], ...] = (("started", lasting), ("stored", change))
    return [(effect, each) for effect, each in found if each is not None]


def with_removed(change: VmChange | None, removed: Sequence[str]) -> VmChange | None:
    """Add the objects that the VM refers to and that are gone, also to a VM that was refused before.

    KubeVirt's webhook goes on without them, and what it says then is about what they would have given.
    """
    if not removed:
        return change
    said = tuple(f"there is no {each} any more" for each in removed)
    if change is None:
        return VmChange(kind="reason", summary=said, signature=("reason", *said))
    return replace(change, summary=(*said, *change.summary), signature=(*change.signature, *said))


def _with_stored_revisions(case: Case, outcomes: _Outcomes, name: str = "") -> VmChange | None:
    """What changes for a VM that keeps its revisions: those given, else what they were made of."""
    comparison = case.comparison
    given = len(case.pinned.contents) == len(case.pinned.matchers)
    vm, after = (case.vm, comparison.head) if given else (case.fresh, comparison.before)
    return outcomes.compare(outcomes.of(vm, comparison.base), outcomes.of(vm, after), name)


def _matcher(reference: Identity) -> str:
    return "instancetype" if reference[0].endswith("Instancetype") else "preference"
