"""Verdicts counted, and the sentence that a report begins and ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import get_args

import msgspec

from virtcatalog.errors import counted, listed
from virtcatalog.review.verdict import ANEW, BREAKS, Next, Now, Part, PartKind, RiskKind, Verdict

NOW: dict[Now, tuple[str, str]] = {
    "refused": ("refused", "refused"),
    "unknown": ("unknown", "unknown"),
    "delete": ("deleted", "deleted"),
    "stop": ("stopped", "stopped"),
    "restart": ("needs a restart", "need a restart"),
    "pending": ("waits for a migration", "wait for a migration"),
    "migrate": ("migrates", "migrate"),
    "live": ("changes live", "change live"),
    "create": ("created", "created"),
    "start": ("started", "started"),
}
"""What is counted of `now`, gravest first, of one VM and of many."""
_DONE: tuple[Now, ...] = ("refused", "delete", "stop", "create", "start")
"""What is done to VMs; all others they do themselves."""
_CAME: tuple[Now, ...] = ("migrate", "live")
"""With these there is nothing left for the next start."""
NEXT: dict[Next, tuple[str, str]] = {
    "refused": ("is refused", "are refused"),
    "unknown": ("is unknown", "are unknown"),
    "crash": ("crashes", "crash"),
    "changed": ("changes", "change"),
}
"""What is counted of the next start, of one VM and of many."""
_KEPT = "keeps what it has", "keep what they have"


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

    @property
    def sentence(self) -> str:
        """`12 of 340 VMs: 1 refused, 2 restart, 9 live; at their next start 23 change, 3 of them may not boot`."""
        return "; ".join(self._clauses())

    def _clauses(self) -> list[str]:
        if not self.touched:
            return [f"{counted(self.vms, 'VM')}: nothing changes"]
        at_once = {name: self.now[name] for name in NOW if name in self.now}
        words = ", ".join(
            words for name, number in at_once.items() for words in _words(number, self.parts.get(name, ()), NOW[name])
        )
        moved = sum(at_once.values())
        all_parts = list(chain(*self.parts.values(), *self.held.values()))
        kinds = [kind for kind in get_args(PartKind) if any(part.kind == kind for part in all_parts)]
        one, many = " or ".join(["VM", *kinds]), listed(["VMs", *(f"{kind}s" for kind in kinds)])
        total = counted(self.vms, one, many)
        first = f"{moved:,} of {total}: {words}" if moved else f"none of {total} is touched now"
        unapplied = f"not applied by the sync: {counted(self.unapplied, 'VM')}" if self.unapplied else ""
        clauses = (first, self._at_next_start(), self._kept(), self._risks(), unapplied)
        return [clause for clause in clauses if clause]

    def _at_next_start(self) -> str:
        words = [
            words
            for name, forms in NEXT.items()
            for words in _words(self.later.get(name, 0), self.held.get(name, ()), forms)
        ]
        if not words:
            return ""
        number = sum(number + _more(self.held.get(name, ())) for name, number in self.later.items())
        boot = self.risks.get("boot", 0)
        risky = " and may not boot" if boot == number else f", {boot:,} of them may not boot" if boot else ""
        return f"at {'its' if number == 1 else 'their'} next start {', '.join(words)}{risky}"

    def _kept(self) -> str:
        """How many keep what KubeVirt has stored, and how many of all could not be created anew."""
        keeps = ", ".join(_words(self.next.get("kept", 0), self.held.get("kept", ()), _KEPT))
        broken = ", ".join(
            words
            for name in BREAKS
            for words in _words(self.anew.get(name, 0), self.held_anew.get(name, ()), NEXT[name])
        )
        return "; ".join(filter(None, (keeps, broken and f"{ANEW}, {broken}")))

    def _risks(self) -> str:
        """How many guests risk what, but that they may not boot."""
        risks = [f"{kind} ({counted(number, 'VM')})" for kind, number in self.risks.items() if kind != "boot"]
        return f"risks: {', '.join(risks)}" if risks else ""


def _words(number: int, parts: Sequence[Part], forms: tuple[str, str]) -> Iterator[str]:
    """Say what becomes of so many VMs, pools and ReplicaSets, and how many VMs of these two are meant."""
    if number > len(parts):
        yield f"{number - len(parts):,} {forms[number - len(parts) != 1]}"
    for kind in get_args(PartKind):
        alone = sum(part.kind == kind and part.number == 0 for part in parts)
        if alone:
            yield f"{f'a {kind}' if alone == 1 else f'{alone:,} {kind}s'} {forms[alone != 1]}"
        alike = [part for part in parts if part.kind == kind and part.number != 0]
        if alike:
            numbers = [part.number for part in alike if part.number is not None]
            moved = sum(numbers) if len(numbers) == len(alike) else None
            holders = f"a {kind}" if len(alike) == 1 else f"{len(alike):,} {kind}s"
            yield f"{_of(moved, sum(part.of for part in alike), 'the')} of {holders} {forms[moved != 1]}"


def _more(parts: Iterable[Part]) -> int:
    """How many more VMs there are in pools and ReplicaSets than pools and ReplicaSets; as many as it may be."""
    return sum((part.of if part.number is None else part.number) - 1 for part in parts)


def part_words(verdict: Verdict) -> str:
    """Say what happens to how many VMs of a pool or ReplicaSet: `2 of its 4 VMs are deleted`; "" for what is one VM."""
    part, held, now = verdict.part, verdict.held, verdict.now
    if part is not None and part.number != 0:
        be = ("is " if part.number == 1 else "are ") if now in _DONE else ""
        words = f"{_of(part.number, part.of, 'its')} {be}{NOW[now][part.number != 1]}"
        if verdict.next != "kept" or held is None:
            return words
        return f"{words}, the {'other' if held.number == 1 else 'others'} {_KEPT[held.number != 1]}"
    forms = {**NEXT, "kept": _KEPT}.get(verdict.next)
    if held is None or forms is None:
        return ""
    return f"{_of(held.number, held.of, 'its')} {forms[held.number != 1]}"


def _of(number: int | None, of: int, whose: str) -> str:
    if number == of:
        return f"{whose} VM" if of == 1 else f"all {of:,} VMs" if whose == "the" else f"all of its {of:,} VMs"
    return f"{'some' if number is None else format(number, ',')} of {whose} {counted(of, 'VM')}"


def summary(verdicts: Iterable[Verdict], vms: int) -> Summary:
    """Count the verdicts on so many VMs."""
    touched = [verdict for verdict in verdicts if verdict.touched]
    later = [verdict for verdict in touched if verdict.now not in _CAME or verdict.next != "changed"]
    anew = [verdict for verdict in touched if verdict.next == "kept" or verdict.anew != "same"]
    now, next_start = Counter(verdict.now for verdict in touched), Counter(verdict.next for verdict in touched)
    risks: Counter[str] = Counter()
    for verdict in touched:
        kinds = {risk.kind for risk in verdict.risks} if verdict.next != "kept" else ()
        number = 1 + _more([verdict.held] if verdict.held is not None else ())
        risks.update(dict.fromkeys(kinds, number))
    rest = vms - len(touched)
    return Summary(
        vms=vms,
        touched=len(touched),
        now=_in_order(now + Counter({"unchanged": rest}), get_args(Now)),
        next=_in_order(next_start + Counter({"same": rest}), get_args(Next)),
        later=_in_order(Counter(verdict.next for verdict in later), tuple(NEXT)),
        anew=_in_order(Counter(verdict.anew for verdict in anew), get_args(Next)),
        risks=_in_order(risks, get_args(RiskKind)),
        parts=_by_name((verdict.now, verdict.part) for verdict in touched),
        held=_by_name((verdict.next, verdict.held) for verdict in later),
        held_anew=_by_name((verdict.anew, verdict.held) for verdict in anew),
        unapplied=sum(verdict.sync is not None and verdict.sync.outcome == "not applied" for verdict in touched),
    )


def _by_name(parts: Iterable[tuple[str, Part | None]]) -> dict[str, tuple[Part, ...]]:
    by_name: dict[str, tuple[Part, ...]] = {}
    for name, part in parts:
        if part is not None:
            by_name[name] = (*by_name.get(name, ()), part)
    return by_name


def _in_order(numbers: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: numbers[name] for name in names if numbers.get(name)}
