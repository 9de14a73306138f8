"""What becomes of a machine follows from KubeVirt's own answer by a table: for every pair of the conformance cases."""

from __future__ import annotations

from collections import Counter
from typing import Any

from conformance import rollouts
from sampling import sample
from virtcatalog.kubevirt.rollout.outcome import Rollout
from virtcatalog.review.running import now_of


def expected(answer: dict[str, Any], found: Rollout) -> str:
    """The table: what KubeVirt answers, the gravest first, and what the machine meets.

    That a VM needed a restart before already, KubeVirt does not answer: that is ours.
    """
    if not answer["admission"]["allowed"] or answer["error"]:
        return "refused"
    if answer["stopped"]:
        return "stop"
    if answer["restart"] and found.restart_before is None:
        return "restart"
    if not answer["live"] and not answer["migratedVolumes"]:
        return "unchanged"
    migration = answer["migration"]
    if migration["required"] == "no":
        return "live"
    return "migrate" if migration["action"] == "migrate" or migration["migratable"] else "pending"


def test_what_becomes_of_a_machine_follows_from_kubevirts_answer() -> None:
    differing, numbers = {}, Counter[str]()
    pairs = sample(rollouts.pairs(), 7)
    for pair in pairs:
        found = rollouts.rollout(pair)
        now = now_of(found)
        numbers[now] += 1
        if now != expected(pair.expected, found):
            differing[pair.name] = (now, expected(pair.expected, found))
    # Those of which the answer itself is not KubeVirt's: see test_conformance.py.
    allowed = {pair.name for pair in pairs if pair.name in differing and rollouts.check(pair)}
    assert {name: pair for name, pair in differing.items() if name not in allowed} == {}
    assert len(allowed) <= 3
    assert min(numbers[now] for now in ("refused", "stop", "restart", "pending", "migrate", "live", "unchanged")) > 0
    assert len(rollouts.pairs()) >= 2411
