"""The verdict on a VM: what a change does to it now, and what its next start gives. All that is reported is made of it.

Counts, sentences, rows, the exit status and `--fail-on` are functions of verdicts, so that they cannot disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, get_args

import msgspec

from virtcatalog.errors import LEVELS, Level, counted, listed
from virtcatalog.gitops.outcome import Synced

Now = Literal[
    "refused",
    "unknown",
    "delete",
    "stop",
    "restart",
    "pending",
    "migrate",
    "live",
    "create",
    "start",
    "unchanged",
]
"""What happens to the machine when the change is applied.

`refused`: the update is rejected, or the controller cannot go on with it. `unknown`: virtcatalog cannot tell.
`restart`: the VM goes on as it is until someone restarts it. `pending`: it needs a live migration that it cannot do.
`migrate`: an automatic live migration brings it. `live`: it comes while the VM runs.
"""
Next = Literal["refused", "unknown", "crash", "kept", "changed", "none", "same"]
"""What the next start gives, against what it gave before; `kept` is a stored type or preference that stays until it is
refreshed, `none` that there is no next start.
"""
When = Literal["now", "next start", "created anew"]
PartKind = Literal["pool", "ReplicaSet"]
RiskKind = Literal["boot", "disks", "network", "devices", "tpm", "nvram", "clock", "activation", "migration"]

NOW: dict[Now, tuple[str, str]] = {
    "refused": ("refused", "refused"),
    "unknown": ("cannot be told", "cannot be told"),
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
    "unknown": ("cannot be told", "cannot be told"),
    "crash": ("crashes", "crash"),
    "changed": ("changes", "change"),
}
"""What is counted of the next start, of one VM and of many."""
ANEW = "if created anew"
BREAKS: tuple[Next, ...] = ("refused", "unknown", "crash")
"""What counts of a VM that is created anew, too."""


class Risk(msgspec.Struct, frozen=True):
    """What an installed guest may not survive, and why."""

    kind: RiskKind
    reason: str


class Cause(msgspec.Struct, frozen=True):
    """What changes so that a VM does, and the line that changes it; no `file` where that is not known."""

    name: str
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """`file:line`, "" if it is not known."""
        return f"{self.file}:{self.line}" if self.line else self.file


class Requested(msgspec.Struct, frozen=True):
    """What a VM's Pod requests, in the scheduler's units, and how much of its memory is the guest's."""

    amounts: dict[str, int]
    guest: int

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.amounts.items())), self.guest))


class Requests(msgspec.Struct, frozen=True):
    """What a VM's Pod requests before and after, and from when on; None is no Pod.

    Those of a pool or ReplicaSet are of all its `vms`, of the larger number where that changes.
    """

    before: Requested | None
    after: Requested | None
    when: When
    vms: int = 1


class Part(msgspec.Struct, frozen=True):
    """To how many VMs of a pool or ReplicaSet `now` happens; None for some of them, which nobody can count."""

    kind: PartKind
    number: int | None
    of: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a change does to a VM of an environment.

    `place` is where the VM stands (`file:line`), as far as it is known; `template` says that it is a VM template of the
    catalog, of which no VM needs to exist. `reasons` are those of `now`. `anew` is what becomes of a VM that keeps a
    stored type or preference once that is refreshed or the VM is created anew. `changes` are in words for people, the
    gravest first. `part` is there for a pool or ReplicaSet whose VMs something happens to now. `sync` is what Argo CD
    or Flux makes of it, where one of them applies the VM's manifest, and that changes.
    """

    vm: str = ""
    environment: str = ""
    place: str = ""
    template: bool = False
    now: Now = "unchanged"
    part: Part | None = None
    reasons: tuple[str, ...] = ()
    next: Next = "same"
    anew: Next = "same"
    changes: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()
    because: tuple[Cause, ...] = ()
    requests: Requests | None = None
    sync: Synced | None = None

    @property
    def touched(self) -> bool:
        """Whether the change does anything to the VM, now or later."""
        return self.now != "unchanged" or self.next != "same"

    @property
    def levels(self) -> tuple[Level, ...]:
        """All that it is, the gravest first; what a kept VM becomes anew counts where that breaks."""
        found: set[str] = {self.now, self.next, *(("kept", self.anew) if self.anew in BREAKS else ())}
        if self.next in ("changed", "refused", "crash"):
            found |= {"boot" if risk.kind == "boot" else "risk" for risk in self.risks}
        if self.template and self.next == "none":
            found.add("changed")
        return tuple(level for level in LEVELS if level in found)

    @property
    def level(self) -> Level:
        """The gravest of these; "any" for a VM that is not touched."""
        return next(iter(self.levels), "any")


def gravity(verdict: Verdict) -> tuple[int, ...]:
    """What verdicts are sorted by, the gravest first."""
    return tuple(map(LEVELS.index, verdict.levels)) or (LEVELS.index("any"),)


def reaches(verdicts: Iterable[Verdict], level: Level) -> bool:
    """Whether any verdict is of that level or graver."""
    worst = LEVELS.index(level)
    return any(verdict.touched and LEVELS.index(verdict.level) <= worst for verdict in verdicts)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How many VMs there are, and how many a change does what to: now, at the next start, and with which risks.

    `later` are those of `next` to which the change has not come by then, live or with a migration. `parts` are those of
    `now` that are pools and ReplicaSets: each counts as one, and the sentence says how many VMs of it are meant.
    """

    vms: int
    touched: int
    now: dict[str, int]
    next: dict[str, int]
    later: dict[str, int]
    anew: dict[str, int]
    risks: dict[str, int]
    parts: dict[str, tuple[Part, ...]]

    @property
    def sentence(self) -> str:
        """`12 of 340 VMs: 1 refused, 2 restart, 9 live; at their next start 23 change, 3 of them may not boot`."""
        return "; ".join(self._parts())

    def _parts(self) -> list[str]:
        if not self.touched:
            return [f"{counted(self.vms, 'VM')}: nothing changes"]
        at_once = {name: self.now[name] for name in NOW if name in self.now}
        words = ", ".join(part for name, number in at_once.items() for part in self._at_once(name, number))
        moved = sum(at_once.values())
        kinds = [kind for kind in get_args(PartKind) if any(part.kind == kind for part in chain(*self.parts.values()))]
        one, many = " or ".join(["VM", *kinds]), listed(["VMs", *(f"{kind}s" for kind in kinds)])
        total = counted(self.vms, one, many)
        parts = [f"{moved:,} of {total}: {words}" if moved else f"none of {total} is touched now"]
        later = _later("at its next start", "at their next start", self.later, self.risks)
        parts += [part for part in (later, self._kept(), self._risks()) if part]
        return parts

    def _at_once(self, name: Now, number: int) -> Iterator[str]:
        """How many VMs meet that, and how many of those of pools and of ReplicaSets."""
        parts = self.parts.get(name, ())
        if number > len(parts):
            yield f"{number - len(parts):,} {NOW[name][number - len(parts) != 1]}"
        for kind in get_args(PartKind):
            alike = [part for part in parts if part.kind == kind]
            if alike:
                numbers = [part.number for part in alike if part.number is not None]
                moved = sum(numbers) if len(numbers) == len(alike) else None
                holders = f"a {kind}" if len(alike) == 1 else f"{len(alike):,} {kind}s"
                yield f"{_of(moved, sum(part.of for part in alike), 'the')} of {holders} {NOW[name][moved != 1]}"

    def _kept(self) -> str:
        number, broken = self.next.get("kept", 0), _counts(self.anew, BREAKS)
        keeps = f"{number:,} {'keeps what it has' if number == 1 else 'keep what they have'}" if number else ""
        return "; ".join(filter(None, (keeps, broken and f"{ANEW}, {broken}")))

    def _risks(self) -> str:
        """How many guests risk what, but that they may not boot."""
        risks = [f"{kind} ({counted(number, 'VM')})" for kind, number in self.risks.items() if kind != "boot"]
        return f"risks: {', '.join(risks)}" if risks else ""


def _later(one: str, many: str, next_starts: Mapping[str, int], risks: Mapping[str, int]) -> str:
    said = _counts(next_starts, tuple(NEXT))
    if not said:
        return ""
    number = sum(next_starts.get(name, 0) for name in NEXT)
    boot = risks.get("boot", 0)
    risky = " and may not boot" if boot == number else f", {boot:,} of them may not boot" if boot else ""
    return f"{one if number == 1 else many} {said}{risky}"


def _counts(numbers: Mapping[str, int], names: Sequence[Next]) -> str:
    return ", ".join(f"{numbers[name]:,} {NEXT[name][numbers[name] != 1]}" for name in names if numbers.get(name))


def part_words(part: Part, now: Now) -> str:
    """Say what happens to how many VMs of a pool or ReplicaSet: `2 of its 4 VMs are deleted`."""
    is_one = part.number == 1
    be = ("is " if is_one else "are ") if now in _DONE else ""
    return f"{_of(part.number, part.of, 'its')} {be}{NOW[now][not is_one]}"


def _of(number: int | None, of: int, whose: str) -> str:
    if number == of:
        return f"{whose} VM" if of == 1 else f"all {of:,} VMs" if whose == "the" else f"all of its {of:,} VMs"
    return f"{'some' if number is None else format(number, ',')} of {whose} {counted(of, 'VM')}"


def summary(verdicts: Iterable[Verdict], vms: int) -> Summary:
    """Count the verdicts on so many VMs."""
    touched = [verdict for verdict in verdicts if verdict.touched]
    anew = [verdict for verdict in touched if verdict.next == "kept" or verdict.anew != "same"]
    now, next_start = Counter(verdict.now for verdict in touched), Counter(verdict.next for verdict in touched)
    later: Counter[str] = Counter(
        verdict.next for verdict in touched if verdict.now not in _CAME or verdict.next != "changed"
    )
    risks: Counter[str] = Counter()
    for verdict in touched:
        risks.update({risk.kind for risk in verdict.risks} if verdict.next != "kept" else ())
    parts: dict[str, tuple[Part, ...]] = {}
    for verdict in touched:
        if verdict.part is not None:
            parts[verdict.now] = (*parts.get(verdict.now, ()), verdict.part)
    rest = vms - len(touched)
    return Summary(
        vms=vms,
        touched=len(touched),
        now=_in_order(now + Counter({"unchanged": rest}), get_args(Now)),
        next=_in_order(next_start + Counter({"same": rest}), get_args(Next)),
        later=_in_order(later, tuple(NEXT)),
        anew=_in_order(Counter(verdict.anew for verdict in anew), get_args(Next)),
        risks=_in_order(risks, get_args(RiskKind)),
        parts=parts,
    )


def _in_order(found: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: found[name] for name in names if found.get(name)}
