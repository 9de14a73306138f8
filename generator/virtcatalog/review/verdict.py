"""The verdict on a VM: what a change does to it now, and what its next start gives. All that is reported is made of it.

Counts, sentences, rows, the exit status and `--fail-on` are functions of verdicts, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from virtcatalog.errors import LEVELS, Level
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

ANEW: Final = "if created anew"
LOST: Final = "deleted with the VM"
"""What a risk of disks says that go with a VM."""
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


class Requests(msgspec.Struct, frozen=True):
    """What a VM's Pod requests before and after, and from when on; None is no Pod.

    Those of a pool or ReplicaSet are of all its VMs: `vms` after the change, `vms_before` before it where these are
    not as many. One that is deleted has the `vms` that it had.
    """

    before: Requested | None
    after: Requested | None
    when: When
    vms: int = 1
    vms_before: int | None = None


class Part(msgspec.Struct, frozen=True):
    """How many VMs of a pool or ReplicaSet something happens to; None for some of them, which nobody can count.

    It is 0 where the pool or ReplicaSet itself is refused.
    """

    kind: PartKind
    number: int | None
    of: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a change does to a VM of an environment.

    `place` is where the VM stands (`file:line`), as far as it is known; `template` says that it is a VM template of the
    catalog, of which no VM needs to exist. `reasons` are those of `now`. `anew` is what becomes of a VM that keeps a
    stored type or preference once that is refreshed or the VM is created anew. `changes` are in words for people, the
    gravest first. Of a pool or ReplicaSet `part` is to how many of its VMs `now` happens, and `held` how many `next` is
    about. A pool restarts `restarts` of its VMs now by itself, and deletes and creates anew those of `replaced`. `sync`
    is what Argo CD or Flux makes of it, where one of them applies the VM's manifest, and that changes.
    """

    vm: str = ""
    environment: str = ""
    place: str = ""
    template: bool = False
    now: Now = "unchanged"
    part: Part | None = None
    reasons: tuple[str, ...] = ()
    next: Next = "same"
    held: Part | None = None
    restarts: Part | None = None
    replaced: Part | None = None
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
    def loses_disks(self) -> bool:
        """Whether disks are deleted with the VM, or with VMs of the pool."""
        return len(self.risks_of_guests) < len(self.risks)

    @property
    def risks_of_guests(self) -> tuple[Risk, ...]:
        """The risks of guests that start again: all but that disks are deleted with a VM."""
        return tuple(risk for risk in self.risks if not risk.reason.startswith(LOST))

    @property
    def levels(self) -> tuple[Level, ...]:
        """All that it is, the gravest first; what a kept VM becomes anew counts where that breaks."""
        names: set[str] = {self.now, self.next, *(("kept", self.anew) if self.anew in BREAKS else ())}
        if self.next in ("changed", "refused", "crash"):
            names |= {"boot" if risk.kind == "boot" else "risk" for risk in self.risks_of_guests}
        if self.template and self.next == "none":
            names.add("changed")
        return tuple(level for level in LEVELS if level in names)

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
