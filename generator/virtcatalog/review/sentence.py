"""The sentence that a report begins and ends with: how many VMs meet what, and which where they are few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, get_args

from msgspec.structs import replace

from virtcatalog.errors import counted, listed
from virtcatalog.review.verdict import ANEW, BREAKS, Next, Now, Part, PartKind, RiskKind, Verdict
from virtcatalog.review.wording import KEPT, NEXT, NOW, RESTARTED, WITH_DISKS, Forms, of_words

CAME: tuple[Now, ...] = ("migrate", "live")
"""With these there is nothing left for the next start."""
_UNTIL_RESTART: tuple[Now, ...] = ("restart", "pending")
"""With these the change comes once someone restarts the VM."""
_RISKY_RESTART = "may not boot after the restart that it needs", "may not boot after the restart that they need"
_RISKY: dict[Now, Forms] = {
    "restart": _RISKY_RESTART,
    "pending": _RISKY_RESTART,
    "create": ("created and may not boot",) * 2,
    "start": ("started and may not boot",) * 2,
}
"""What is counted of those that may not boot then."""
ANEW_FORMS: dict[Next, Forms] = {
    "refused": ("cannot be created", "cannot be created"),
    "unknown": ("is unknown", "are unknown"),
    "crash": ("crashes", "crash"),
}
"""What is counted of VMs that are created anew, of one and of many."""
_MOST_NAMED = 2


def sentence(touched: Sequence[Verdict], vms: int) -> str:
    """`12 of 340 VMs: 1 refused, 2 need a restart by hand, 9 change while they run; at their next start 23 change`.

    One VM or two are named: `1 of 340 VMs: shop/web needs a restart by hand`. Of VMs that need a restart that is all:
    the change comes with it.
    """
    if not touched:
        return f"{counted(vms, 'VM')}: nothing changes"
    unapplied = sum(verdict.sync is not None and verdict.sync.outcome == "not applied" for verdict in touched)
    names = _Names(touched)
    clauses = (
        _at_once(touched, vms, names),
        _at_next_start(touched, names),
        _kept(touched, names),
        _risks(touched),
        f"not applied by the sync: {counted(unapplied, 'VM')}" if unapplied else "",
    )
    return "; ".join(filter(None, clauses))


class _Names:
    """The names of the VMs that are touched, as long as they are few; a single one is `it` once it is named."""

    def __init__(self, touched: Sequence[Verdict]) -> None:
        names = {verdict.vm for verdict in touched}
        self._are_few = len(names) == len(touched) <= _MOST_NAMED
        self._is_one = len(touched) == 1
        self._is_named = False

    def of(self, verdict: Verdict) -> str:
        """Return what a VM is called, "" where there are too many."""
        if not self._are_few:
            return ""
        if self._is_one and self._is_named:
            return "it"
        self._is_named = True
        return verdict.vm


def _at_once(touched: Sequence[Verdict], vms: int, names: _Names) -> str:
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
            words += _count(risky, "restarts", (f"{RESTARTED} and may not boot",) * 2, names)
            words += _count(_others(by_pools, risky), "restarts", (RESTARTED,) * 2, names)
            here = _others(here, by_pools)
        if now == "delete":
            words += _deleted(here, forms, names)
            continue
        if now in _RISKY:
            risky = [
                verdict for verdict in here if _may_not_boot(verdict) and (now in _UNTIL_RESTART or begins(verdict))
            ]
            words += _count(risky, "part", _RISKY[now], names)
            here = _others(here, risky)
        words += _count(here, "part", forms, names)
    moved = sum(verdict.now != "unchanged" for verdict in touched)
    return f"{moved:,} of {total}: {', '.join(words)}" if moved else f"none of {total} is touched now"


def _deleted(verdicts: Sequence[Verdict], forms: Forms, names: _Names) -> Iterator[str]:
    """How many are deleted: first those that are gone with their disks, and of these those that a pool replaces."""
    for loses_disks, disks in ((True, WITH_DISKS), (False, ("", ""))):
        deleted = f"{forms[0]}{disks[0]}", f"{forms[1]}{disks[1]}"
        anew = f"{deleted[0]} and created anew", f"{deleted[1]} and created anew"
        here = [verdict for verdict in verdicts if verdict.loses_disks == loses_disks]
        yield from _count([verdict for verdict in here if verdict.replaced is not None], "replaced", anew, names)
        gone = [_without_replaced(verdict) for verdict in here]
        yield from _count([verdict for verdict in gone if verdict is not None], "part", deleted, names)


def _without_replaced(verdict: Verdict) -> Verdict | None:
    """The verdict on the VMs that a pool deletes, and does not create anew; None where it creates all of them."""
    part, replaced = verdict.part, verdict.replaced
    if part is None or replaced is None:
        return verdict
    if part.number is None or replaced.number is None or part.number == replaced.number:
        return None
    return replace(verdict, part=replace(part, number=part.number - replaced.number))


def _at_next_start(touched: Sequence[Verdict], names: _Names) -> str:
    later = [verdict for verdict in touched if not _comes_at_once(verdict)]
    by_name = {name: [verdict for verdict in later if verdict.next == name] for name in NEXT}
    words = [words for name, forms in NEXT.items() for words in _count(by_name[name], "held", forms, names)]
    starting = list(chain(*by_name.values()))
    boot = number_of(verdict for verdict in starting if _may_not_boot(verdict))
    if not words:
        came = [verdict for verdict in touched if verdict.now in CAME and _may_not_boot(verdict)]
        return ", ".join(
            _count(came, "held", ("may not boot at its next start", "may not boot at their next start"), names)
        )
    number = number_of(starting)
    risky = " and may not boot" if boot == number else f", {boot:,} of them may not boot" if boot else ""
    return f"at {'its' if number == 1 else 'their'} next start {', '.join(words)}{risky}"


def _kept(touched: Sequence[Verdict], names: _Names) -> str:
    """How many keep what KubeVirt has stored, and how many of all could not be created anew, or might not boot then."""
    kept = [verdict for verdict in touched if verdict.next == "kept"]
    keeps = ", ".join(_count(kept, "held", KEPT, names))
    anew = [verdict for verdict in touched if verdict.next == "kept" or verdict.anew != "same"]
    broken = [
        words
        for name in BREAKS
        for words in _count([verdict for verdict in anew if verdict.anew == name], "held", ANEW_FORMS[name], names)
    ]
    boot = [verdict for verdict in kept if any(risk.kind == "boot" for risk in verdict.risks)]
    broken += _count(boot, "held", ("may not boot", "may not boot"), names)
    return "; ".join(filter(None, (keeps, f"{ANEW}, {', '.join(broken)}" if broken else "")))


def _risks(touched: Sequence[Verdict]) -> str:
    """How many guests risk what, but that they may not boot, or lose what is deleted with them."""
    stay = [verdict for verdict in touched if verdict.now != "delete" or verdict.held is not None]
    others = [replace(verdict, risks=verdict.risks_of_guests) for verdict in stay]
    risks = [f"{kind} ({counted(number, 'VM')})" for kind, number in by_risk(others).items() if kind != "boot"]
    return f"risks: {', '.join(risks)}" if risks else ""


def _comes_at_once(verdict: Verdict) -> bool:
    """Whether the change is there before the next start, or what happens now says all of that start, too."""
    until = verdict.restarts is not None or verdict.replaced is not None or verdict.now in (*CAME, *_UNTIL_RESTART)
    return ((until or begins(verdict)) and verdict.next == "changed") or verdict.now == verdict.next == "unknown"


def _may_not_boot(verdict: Verdict) -> bool:
    return verdict.next != "kept" and any(risk.kind == "boot" for risk in verdict.risks)


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


def _others(verdicts: Sequence[Verdict], without: Sequence[Verdict]) -> list[Verdict]:
    left_out = set(map(id, without))
    return [verdict for verdict in verdicts if id(verdict) not in left_out]


def _count(
    verdicts: Sequence[Verdict],
    which: Literal["part", "held", "restarts", "replaced"],
    forms: Forms,
    names: _Names,
) -> Iterator[str]:
    """Say what becomes of so many VMs, pools and ReplicaSets, and how many VMs of these two are meant."""
    alone = [verdict for verdict in verdicts if getattr(verdict, which) is None]
    parts = [part for verdict in verdicts if (part := getattr(verdict, which)) is not None]
    named = [(verdict, names.of(verdict)) for verdict in verdicts]
    if all(name for _, name in named) and named:
        yield from _named([(name, getattr(verdict, which)) for verdict, name in named], forms)
        return
    for kind in get_args(PartKind):
        refused = sum(part.kind == kind and part.number == 0 for part in parts)
        if refused:
            yield f"{f'a {kind}' if refused == 1 else f'{refused:,} {kind}s'} {forms[refused != 1]}"
    of_holders = list(_of_holders(parts))
    if alone and of_holders:
        yield _clause([counted(len(alone), "VM"), *(words for words, _ in of_holders)], forms[1])
    elif alone:
        yield f"{len(alone):,} {forms[len(alone) != 1]}"
    elif of_holders:
        are_many = len(of_holders) > 1 or of_holders[0][1] != 1
        yield _clause([words for words, _ in of_holders], forms[are_many])


def _of_holders(parts: Sequence[Part]) -> Iterator[tuple[str, int | None]]:
    """Say how many VMs of all pools are meant, and of all ReplicaSets; and that number."""
    for kind in get_args(PartKind):
        alike = [part for part in parts if part.kind == kind and part.number != 0]
        if alike:
            numbers = [part.number for part in alike if part.number is not None]
            number = sum(numbers) if len(numbers) == len(alike) else None
            holders = f"a {kind}" if len(alike) == 1 else f"{len(alike):,} {kind}s"
            yield f"{of_words(number, sum(part.of for part in alike), 'the')} of {holders}", number


def _named(parts: Sequence[tuple[str, Part | None]], forms: Forms) -> Iterator[str]:
    """The same of VMs that have names."""
    words, is_one = [], len(parts) == 1
    for name, part in parts:
        if name == "it" and part is not None and part.number != 0:
            words.append(of_words(part.number, part.of, "its"))
            is_one = is_one and part.number == 1
        elif part is None or name == "it":
            words.append(name)
        elif part.number == 0:
            words.append(f"{part.kind} {name}")
        else:
            words.append(f"{of_words(part.number, part.of, 'the')} of {part.kind} {name}")
            is_one = is_one and part.number == 1
    yield _clause(words, forms[not is_one])


def _clause(whom: Sequence[str], form: str) -> str:
    """What is said of whom: of `all of its 4 VMs`, which cannot be created, that none of them can."""
    if len(whom) == 1 and whom[0].startswith("all ") and form.startswith("cannot be "):
        vms = whom[0].removeprefix("all ")
        whose = "" if vms.startswith("of ") else "of the "
        return f"none {whose}{vms} {form.replace('not', '', 1)}"
    return f"{listed(whom)} {form}"
