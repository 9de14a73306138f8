"""How many VMs meet what: the numbers of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

import msgspec

from virtcatalog.review.sentence import CAME, begins, by_risk, in_order, sentence
from virtcatalog.review.verdict import Next, Now, Part, Verdict
from virtcatalog.review.wording import NEXT


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How many VMs there are, and how many a change does what to: now, at the next start, and with which risks.

    `later` are those of `next` to which the change has not come by then, live or with a migration. A pool or ReplicaSet
    counts as one, but for `risks`, which are of VMs. `parts` are how many of their VMs `now` happens to; `held` has the
    same of `later` and of what is kept, `held_anew` of `anew`. `unapplied` are those whose change Argo CD or Flux does
    not apply by itself.
    """

    vms: int
    touched: int
    now: dict[str, int]
    next: dict[str, int]
    later: dict[str, int]
    anew: dict[str, int]
    risks: dict[str, int]
    parts: dict[str, tuple[Part, ...]]
    held: dict[str, tuple[Part, ...]]
    held_anew: dict[str, tuple[Part, ...]]
    unapplied: int
    sentence: str


def summary(verdicts: Iterable[Verdict], vms: int) -> Summary:
    """Count the verdicts on so many VMs."""
    touched = [verdict for verdict in verdicts if verdict.touched]
    later = [
        verdict for verdict in touched if verdict.next != "changed" or not (verdict.now in CAME or begins(verdict))
    ]
    anew = [verdict for verdict in touched if verdict.next == "kept" or verdict.anew != "same"]
    now, next_start = Counter(verdict.now for verdict in touched), Counter(verdict.next for verdict in touched)
    rest = vms - len(touched)
    return Summary(
        vms=vms,
        touched=len(touched),
        now=in_order(now + Counter({"unchanged": rest}), get_args(Now)),
        next=in_order(next_start + Counter({"same": rest}), get_args(Next)),
        later=in_order(Counter(verdict.next for verdict in later), tuple(NEXT)),
        anew=in_order(Counter(verdict.anew for verdict in anew), get_args(Next)),
        risks=by_risk(touched),
        parts=_by_name((verdict.now, verdict.part) for verdict in touched),
        held=_by_name((verdict.next, verdict.held) for verdict in later),
        held_anew=_by_name((verdict.anew, verdict.held) for verdict in anew),
        unapplied=sum(verdict.sync is not None and verdict.sync.outcome == "not applied" for verdict in touched),
        sentence=sentence(touched, vms),
    )


def _by_name(parts: Iterable[tuple[str, Part | None]]) -> dict[str, tuple[Part, ...]]:
    by_name: dict[str, tuple[Part, ...]] = {}
    for name, part in parts:
        if part is not None:
            by_name[name] = (*by_name.get(name, ()), part)
    return by_name
