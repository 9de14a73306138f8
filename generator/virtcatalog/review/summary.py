"""Verdicts counted, and the sentence that a report begins and ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, get_args

import msgspec

from virtcatalog.errors import counted, listed
from virtcatalog.review.verdict import ANEW, BREAKS, Next, Now, Part, PartKind, RiskKind, Verdict

NOW: dict[Now, tuple[str, str]] = {
    "refused": ("refused", "refused"),
    "unknown": ("unknown", "unknown"),
    "delete": ("deleted", "deleted"),
    "stop": ("stopped", "stopped"),
    "restart": ("needs a restart by hand", "need a restart by hand"),
    "pending": ("cannot migrate and needs a restart by hand", "cannot migrate and need a restart by hand"),
    "migrate": ("migrates", "migrate"),
    "live": ("changes while it runs", "change while they run"),
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
_UNTIL_RESTART: tuple[Now, ...] = ("restart", "pending")
"""With these the change comes once someone restarts the VM."""
_RISKY_RESTART = "may not boot after the restart that it needs", "may not boot after the restart that they need"
ANEW_FORMS: dict[Next, tuple[str, str]] = {
    "refused": ("cannot be created", "cannot be created"),
    "unknown": ("is unknown", "are unknown"),
    "crash": ("crashes", "crash"),
}
"""What is counted of VMs that are created anew, of one and of many."""
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
    sentence: str


def sentence(touched: Sequence[Verdict], vms: int) -> str:
    """`12 of 340 VMs: 1 refused, 2 need a restart by hand, 9 change while they run; at their next start 23 change`.

    Of VMs that need a restart that is all: the change comes with it.
    """
    if not touched:
        return f"{counted(vms, 'VM')}: nothing changes"
    unapplied = sum(verdict.sync is not None and verdict.sync.outcome == "not applied" for verdict in touched)
    clauses = (
        _at_once(touched, vms),
        _at_next_start(touched),
        _kept(touched),
        _risks(touched),
        f"not applied by the sync: {counted(unapplied, 'VM')}" if unapplied else "",
    )
    return "; ".join(filter(None, clauses))


def _at_once(touched: Sequence[Verdict], vms: int) -> str:
    """What happens when the change is applied, and to how many of all."""
    parts = [part for verdict in touched for part in (verdict.part, verdict.held) if part is not None]
    kinds = [kind for kind in get_args(PartKind) if any(part.kind == kind for part in parts)]
    total = counted(vms, " or ".join(["VM", *kinds]), listed(["VMs", *(f"{kind}s" for kind in kinds)]))
    words: list[str] = []
    for now, forms in NOW.items():
        here = [verdict for verdict in touched if verdict.now == now]
        if now == "restart":
            by_pools = [verdict for verdict in touched if verdict.restarts is not None]
            risky = [verdict for verdict in by_pools if _may_not_boot(verdict)]
            restarted = "restarted automatically now"
            words += _count(risky, "restarts", (f"{restarted} and may not boot",) * 2)
            words += _count(_others(by_pools, risky), "restarts", (restarted,) * 2)
            here = _others(here, by_pools)
        if now == "delete":
            with_disks = [verdict for verdict in here if any(risk.kind == "disks" for risk in verdict.risks)]
            words += _count(with_disks, "part", ("deleted with its disks", "deleted with their disks"))
            here = _others(here, with_disks)
        if now in _UNTIL_RESTART:
            risky = [verdict for verdict in here if _may_not_boot(verdict)]
            words += _count(risky, "part", _RISKY_RESTART)
            here = _others(here, risky)
        words += _count(here, "part", forms)
    moved = sum(verdict.now != "unchanged" for verdict in touched)
    return f"{moved:,} of {total}: {', '.join(words)}" if moved else f"none of {total} is touched now"


def _at_next_start(touched: Sequence[Verdict]) -> str:
    later = [verdict for verdict in touched if not _comes_at_once(verdict)]
    by_name = {name: [verdict for verdict in later if verdict.next == name] for name in NEXT}
    words = [words for name, forms in NEXT.items() for words in _count(by_name[name], "held", forms)]
    starting = list(chain(*by_name.values()))
    boot = _number(verdict for verdict in starting if _may_not_boot(verdict))
    came = _number(verdict for verdict in touched if verdict.now in _CAME and _may_not_boot(verdict))
    if came and not starting:
        return f"{came:,} may not boot at the next start"
    if not words:
        return ""
    number = _number(starting)
    risky = " and may not boot" if boot == number else f", {boot:,} of them may not boot" if boot else ""
    return f"at {'its' if number == 1 else 'their'} next start {', '.join(words)}{risky}"


def _kept(touched: Sequence[Verdict]) -> str:
    """How many keep what KubeVirt has stored, and how many of all could not be created anew, or might not boot then."""
    kept = [verdict for verdict in touched if verdict.next == "kept"]
    keeps = ", ".join(_count(kept, "held", _KEPT))
    anew = [verdict for verdict in touched if verdict.next == "kept" or verdict.anew != "same"]
    broken = [
        words
        for name in BREAKS
        for words in _count([verdict for verdict in anew if verdict.anew == name], "held", ANEW_FORMS[name])
    ]
    boot = [verdict for verdict in kept if any(risk.kind == "boot" for risk in verdict.risks)]
    broken += _count(boot, "held", ("may not boot", "may not boot"))
    return "; ".join(filter(None, (keeps, f"{ANEW}, {', '.join(broken)}" if broken else "")))


def _risks(touched: Sequence[Verdict]) -> str:
    """How many guests risk what, but that they may not boot, or lose what is deleted with them."""
    stay = [verdict for verdict in touched if verdict.now != "delete" or verdict.held is not None]
    risks = [f"{kind} ({counted(number, 'VM')})" for kind, number in _by_risk(stay).items() if kind != "boot"]
    return f"risks: {', '.join(risks)}" if risks else ""


def _comes_at_once(verdict: Verdict) -> bool:
    """Whether the change is there before the next start, or what happens now says that a restart brings it."""
    until = verdict.restarts is not None or verdict.now in (*_CAME, *_UNTIL_RESTART)
    return until and verdict.next == "changed"


def _may_not_boot(verdict: Verdict) -> bool:
    return verdict.next != "kept" and any(risk.kind == "boot" for risk in verdict.risks)


def _others(verdicts: Sequence[Verdict], without: Sequence[Verdict]) -> list[Verdict]:
    left_out = set(map(id, without))
    return [verdict for verdict in verdicts if id(verdict) not in left_out]


def _count(
    verdicts: Sequence[Verdict], which: Literal["part", "held", "restarts"], forms: tuple[str, str]
) -> Iterator[str]:
    parts = [part for verdict in verdicts if (part := getattr(verdict, which)) is not None]
    return _words(len(verdicts), parts, forms)


def _number(verdicts: Iterable[Verdict]) -> int:
    """How many VMs that is, all of pools and ReplicaSets that stay among them."""
    return sum(1 + _more([verdict.held] if verdict.held is not None else ()) for verdict in verdicts)


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
        if verdict.restarts is not None and now == "restart":
            return (
                f"{_of(part.number, part.of, 'its')} {'is' if part.number == 1 else 'are'} restarted automatically now"
            )
        be = ("is " if part.number == 1 else "are ") if now in _DONE else ""
        words = f"{_of(part.number, part.of, 'its')} {be}{NOW[now][part.number != 1]}"
        if verdict.restarts is not None and now != "restart":
            left = verdict.restarts
            stay = "those that it chooses" if left.number is None else f"the other {left.number:,}"
            return f"{words}, {stay} {'is' if left.number == 1 else 'are'} restarted automatically now"
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
    rest = vms - len(touched)
    return Summary(
        vms=vms,
        touched=len(touched),
        now=_in_order(now + Counter({"unchanged": rest}), get_args(Now)),
        next=_in_order(next_start + Counter({"same": rest}), get_args(Next)),
        later=_in_order(Counter(verdict.next for verdict in later), tuple(NEXT)),
        anew=_in_order(Counter(verdict.anew for verdict in anew), get_args(Next)),
        risks=_by_risk(touched),
        parts=_by_name((verdict.now, verdict.part) for verdict in touched),
        held=_by_name((verdict.next, verdict.held) for verdict in later),
        held_anew=_by_name((verdict.anew, verdict.held) for verdict in anew),
        unapplied=sum(verdict.sync is not None and verdict.sync.outcome == "not applied" for verdict in touched),
        sentence=sentence(touched, vms),
    )


def _by_risk(touched: Iterable[Verdict]) -> dict[str, int]:
    risks: Counter[str] = Counter()
    for verdict in touched:
        if verdict.risks and verdict.next != "kept":
            risks.update(dict.fromkeys({risk.kind for risk in verdict.risks}, _number([verdict])))
    return _in_order(risks, get_args(RiskKind))


def _by_name(parts: Iterable[tuple[str, Part | None]]) -> dict[str, tuple[Part, ...]]:
    by_name: dict[str, tuple[Part, ...]] = {}
    for name, part in parts:
        if part is not None:
            by_name[name] = (*by_name.get(name, ()), part)
    return by_name


def _in_order(numbers: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: numbers[name] for name in names if numbers.get(name)}
