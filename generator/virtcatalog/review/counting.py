"""Verdicts counted: VMs that stay, also those of pools, and what their guests risk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from virtcatalog.review.verdict import Now, Part, RiskKind, Verdict

CAME: tuple[Now, ...] = ("migrate", "live")
"""With these there is nothing left for the next start."""


def begins(verdict: Verdict) -> bool:
    """Whether the machine starts now, or all of a pool do: what its next start gives is what it starts with."""
    return verdict.now in ("create", "start") and (verdict.part is None or verdict.part.number == verdict.part.of)


def number_of(verdicts: Iterable[Verdict]) -> int:
    """Return how many VMs the next start of these is about: of a pool or ReplicaSet those that stay."""
    return sum(_vms(verdict.held) for verdict in verdicts)


def _vms(held: Part | None) -> int:
    """How many VMs of a pool or ReplicaSet, as many as it may be; 1 where it is none."""
    if held is None:
        return 1
    return held.of if held.number is None else held.number


def by_risk(touched: Iterable[Verdict]) -> dict[str, int]:
    """Return how many VMs have a guest that risks what; those that keep what they have risk nothing."""
    risks: Counter[str] = Counter()
    for verdict in touched:
        if verdict.risks and verdict.next != "kept":
            risks.update(dict.fromkeys({risk.kind for risk in verdict.risks}, number_of([verdict])))
    return in_order(risks, get_args(RiskKind))


def in_order(numbers: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    """Return the numbers that are not 0, in the order of these names."""
    return {name: numbers[name] for name in names if numbers.get(name)}
