"""Verdicts counted, and the sentence that a report begins and ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

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
_RISKY: dict[Now, tuple[str, str]] = {
    "restart": _RISKY_RESTART,
    "pending": _RISKY_RESTART,
    "create": ("created and may not boot",) * 2,
    "start": ("started and may not boot",) * 2,
}
"""What is counted of those that may not boot then."""
ANEW_FORMS: dict[Next, tuple[str, str]] = {
    "refused": ("cannot be created", "cannot be created"),
    "unknown": ("is unknown", "are unknown"),
    "crash": ("crashes", "crash"),
}
"""What is counted of VMs that are created anew, of one and of many."""
_KEPT = "keeps what it has", "keep what they have"
_WITH_DISKS = " with its disks", " with their disks"
_MOST_NAMED = 2


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
            restarted = "restarted automatically now"
            words += _count(risky, "restarts", (f"{restarted} and may not boot",) * 2, names)
            words += _count(_others(by_pools, risky), "restarts", (restarted,) * 2, names)
            here = _others(here, by_pools)
        if now == "delete":
            words += _deleted(here, forms, names)
            continue
        if now in _RISKY:
            risky = [
                verdict for verdict in here if _may_not_boot(verdict) and (now in _UNTIL_RESTART or _begins(verdict))
            ]
            words += _count(risky, "part", _RISKY[now], names)
            here = _others(here, risky)
        words += _count(here, "part", forms, names)
    moved = sum(verdict.now != "unchanged" for verdict in touched)
    return f"{moved:,} of {total}: {', '.join(words)}" if moved else f"none of {total} is touched now"


def _deleted(verdicts: Sequence[Verdict], forms: tuple[str, str], names: _Names) -> Iterator[str]:
    """How many are deleted: first those that are gone with their disks, and of these those that a pool replaces."""
    for loses_disks, disks in ((True, _WITH_DISKS), (False, ("", ""))):
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
    boot = _number(verdict for verdict in starting if _may_not_boot(verdict))
    if not words:
        came = [verdict for verdict in touched if verdict.now in _CAME and _may_not_boot(verdict)]
        return ", ".join(
            _count(came, "held", ("may not boot at its next start", "may not boot at their next start"), names)
        )
    number = _number(starting)
    risky = " and may not boot" if boot == number else f", {boot:,} of them may not boot" if boot else ""
    return f"at {'its' if number == 1 else 'their'} next start {', '.join(words)}{risky}"


def _kept(touched: Sequence[Verdict], names: _Names) -> str:
    """How many keep what KubeVirt has stored, and how many of all could not be created anew, or might not boot then."""
    kept = [verdict for verdict in touched if verdict.next == "kept"]
    keeps = ", ".join(_count(kept, "held", _KEPT, names))
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
    risks = [f"{kind} ({counted(number, 'VM')})" for kind, number in _by_risk(others).items() if kind != "boot"]
    return f"risks: {', '.join(risks)}" if risks else ""


def _comes_at_once(verdict: Verdict) -> bool:
    """Whether the change is there before the next start, or what happens now says all of that start, too."""
    until = verdict.restarts is not None or verdict.replaced is not None or verdict.now in (*_CAME, *_UNTIL_RESTART)
    return ((until or _begins(verdict)) and verdict.next == "changed") or verdict.now == verdict.next == "unknown"


def _begins(verdict: Verdict) -> bool:
    """Whether the machine starts now, or all of a pool do: what its next start gives is what it starts with."""
    return verdict.now in ("create", "start") and (verdict.part is None or verdict.part.number == verdict.part.of)


def _may_not_boot(verdict: Verdict) -> bool:
    return verdict.next != "kept" and any(risk.kind == "boot" for risk in verdict.risks)


def _others(verdicts: Sequence[Verdict], without: Sequence[Verdict]) -> list[Verdict]:
    left_out = set(map(id, without))
    return [verdict for verdict in verdicts if id(verdict) not in left_out]


def _count(
    verdicts: Sequence[Verdict],
    which: Literal["part", "held", "restarts", "replaced"],
    forms: tuple[str, str],
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
        vms = [counted(len(alone), "VM"), *(words for words, _ in of_holders)]
        yield f"{listed(vms)} {forms[1]}"
    elif alone:
        yield f"{len(alone):,} {forms[len(alone) != 1]}"
    elif of_holders:
        yield f"{listed([words for words, _ in of_holders])} {forms[len(of_holders) > 1 or of_holders[0][1] != 1]}"


def _of_holders(parts: Sequence[Part]) -> Iterator[tuple[str, int | None]]:
    """Say how many VMs of all pools are meant, and of all ReplicaSets; and that number."""
    for kind in get_args(PartKind):
        alike = [part for part in parts if part.kind == kind and part.number != 0]
        if alike:
            numbers = [part.number for part in alike if part.number is not None]
            number = sum(numbers) if len(numbers) == len(alike) else None
            holders = f"a {kind}" if len(alike) == 1 else f"{len(alike):,} {kind}s"
            yield f"{_of(number, sum(part.of for part in alike), 'the')} of {holders}", number


def _named(parts: Sequence[tuple[str, Part | None]], forms: tuple[str, str]) -> Iterator[str]:
    """The same of VMs that have names."""
    words, is_one = [], len(parts) == 1
    for name, part in parts:
        if name == "it" and part is not None and part.number != 0:
            words.append(_of(part.number, part.of, "its"))
            is_one = is_one and part.number == 1
        elif part is None or name == "it":
            words.append(name)
        elif part.number == 0:
            words.append(f"{part.kind} {name}")
        else:
            words.append(f"{_of(part.number, part.of, 'the')} of {part.kind} {name}")
            is_one = is_one and part.number == 1
    yield f"{listed(words)} {forms[not is_one]}"


def _number(verdicts: Iterable[Verdict]) -> int:
    """How many VMs that is, all of pools and ReplicaSets that stay among them."""
    return sum(1 + _more([verdict.held] if verdict.held is not None else ()) for verdict in verdicts)


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
        disks = _WITH_DISKS[part.number != 1] if verdict.loses_disks else ""
        words = f"{_of(part.number, part.of, 'its')} {be}{NOW[now][part.number != 1]}{disks}"
        if verdict.restarts is not None and now != "restart":
            left = verdict.restarts
            stay = "those that it chooses" if left.number is None else f"the other {left.number:,}"
            return f"{words}, {stay} {'is' if left.number == 1 else 'are'} restarted automatically now"
        if verdict.replaced is not None:
            return f"{words} {_created(verdict.replaced, part)}"
        if verdict.next != "kept" or held is None:
            return words
        return f"{words}, the {'other' if held.number == 1 else 'others'} {_KEPT[held.number != 1]}"
    forms = {**NEXT, "kept": _KEPT}.get(verdict.next)
    if held is None or forms is None:
        return ""
    return f"{_of(held.number, held.of, 'its')} {forms[held.number != 1]}"


def _created(replaced: Part, deleted: Part) -> str:
    if replaced.number == deleted.number:
        return "and created anew"
    return f"and {replaced.number:,} of them created anew"


def _of(number: int | None, of: int, whose: str) -> str:
    if number == of:
        return f"{whose} VM" if of == 1 else f"all {of:,} VMs" if whose == "the" else f"all of its {of:,} VMs"
    return f"{'some' if number is None else format(number, ',')} of {whose} {counted(of, 'VM')}"


def summary(verdicts: Iterable[Verdict], vms: int) -> Summary:
    """Count the verdicts on so many VMs."""
    touched = [verdict for verdict in verdicts if verdict.touched]
    later = [
        verdict for verdict in touched if verdict.next != "changed" or not (verdict.now in _CAME or _begins(verdict))
    ]
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
