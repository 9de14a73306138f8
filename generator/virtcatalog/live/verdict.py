"""What drift is, as data: reasons by kind, and one verdict a VM. docs/drift.md has a row for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from virtcatalog.errors import SWITCHED_OFF
from virtcatalog.live.managers import Writer

Kind = Literal[
    "unread",
    "refused",
    "only-in-git",
    "deleted-in-git",
    "unmanaged",
    "edited",
    "behind",
    "stopped",
    "started",
    "down",
    "deleting",
    "stopping",
    "restart",
    "migration",
    "following",
    "pinned",
    "disks",
    "domain",
    "paused",
    "migrating",
    "in-sync",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""From the gravest on."""
Wins = Literal["", "git", "hand", "controller"]


class Words(NamedTuple):
    """What a kind is called in a table, and in a sentence of one and of many VMs."""

    short: str
    one: str
    many: str


WORDS: Final[dict[Kind, Words]] = {
    "unread": Words("not known", "is not known", "are not known"),
    "refused": Words("refused", "is refused as Git has it", "are refused as Git has them"),
    "only-in-git": Words("only in Git", "is only in Git", "are only in Git"),
    "deleted-in-git": Words("gone from Git", "is gone from Git", "are gone from Git"),
    "unmanaged": Words("not in Git", "is in no repository", "are in no repository"),
    "edited": Words("edited", "was edited by hand", "were edited by hand"),
    "behind": Words("not synced", "waits to be synced", "wait to be synced"),
    "stopped": Words("stopped", f"was {SWITCHED_OFF}", f"were {SWITCHED_OFF}"),
    "started": Words("started", "was switched on", "were switched on"),
    "down": Words("does not run", "should run and does not", "should run and do not"),
    "deleting": Words("being deleted", "is being deleted", "are being deleted"),
    "stopping": Words("stopping", "is being stopped", "are being stopped"),
    "restart": Words("restart", "waits for a restart", "wait for a restart"),
    "migration": Words("migration", "waits for a migration", "wait for a migration"),
    "following": Words(
        "not there yet", "has not yet what comes while it runs", "have not yet what comes while they run"
    ),
    "pinned": Words("old revision", "keeps an old type or preference", "keep an old type or preference"),
    "disks": Words("old disk", "keeps a disk of an older template", "keep disks of older templates"),
    "domain": Words("domain", "runs another domain", "run another domain"),
    "paused": Words("paused", "is paused", "are paused"),
    "migrating": Words("migrating", "is being migrated", "are being migrated"),
    "in-sync": Words("in sync", "is in sync", "are in sync"),
}
CALM: Final = frozenset({"in-sync", "migrating"})
"""What is no drift."""


IN_GIT: Final = "git"
"""The place of a field of Git's manifest, until it is known where in Git that is."""


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field that differs: what it is and what it should be, None for absence; who wrote it; where Git has it.

    `applied` is what Git had when it was last applied, where that is known.
    """

    field: str
    now: object = None
    wanted: object = None
    writer: Writer | None = None
    place: str = ""
    applied: object = None


class Reason(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that is so of a VM.

    `message` says it where the fields do not; `wins` is what becomes of it if nobody does anything; `since` is when it
    began, as far as that is known (RFC 3339).
    """

    kind: Kind
    message: str = ""
    fields: tuple[Field, ...] = ()
    wins: Wins = ""
    since: str = ""


class Noise(msgspec.Struct, frozen=True, omit_defaults=True):
    """A difference that means nothing, and why."""

    field: str
    why: str
    now: object = None
    wanted: object = None


class Stages(msgspec.Struct, frozen=True):
    """How each stage of a VM stands to the one before it, in a word or two; "" where there is none."""

    git: str = ""
    vm: str = ""
    vmi: str = ""
    domain: str = ""


NO_MACHINE: Final = frozenset({"", "none", "off", "unread"})
"""What the stage `vmi` is called where there is no machine to look at."""
POOL: Final = "VirtualMachinePool"


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What is so of a VM, or of a pool; `kind` says of which.

    `reasons` are the gravest first, and none where it is in sync. `runs` are the catalog's releases of the type
    and preference that it runs with, by their kind, as far as the catalog's history has them.
    """

    vm: str
    kind: str = "VirtualMachine"
    environment: str = ""
    place: str = ""
    stages: Stages = Stages()
    reasons: tuple[Reason, ...] = ()
    noise: tuple[Noise, ...] = ()
    runs: dict[str, str] = {}

    @property
    def verdict(self) -> Kind:
        """The gravest of all that is so."""
        return self.reasons[0].kind if self.reasons else "in-sync"


def ordered(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return reasons, the gravest first."""
    return tuple(sorted(reasons, key=lambda reason: KINDS.index(reason.kind)))


def counted(drifts: Iterable[Drift]) -> dict[Kind, int]:
    """Return how many VMs have each verdict, the gravest first."""
    numbers = Counter(drift.verdict for drift in drifts)
    return {kind: numbers[kind] for kind in KINDS if numbers[kind]}


def status(drifts: Iterable[Drift], *, partial: bool) -> int:
    """Return the exit status: 0 all is in sync, 1 something drifts, 2 not all of it is known."""
    verdicts = {drift.verdict for drift in drifts}
    if partial or "unread" in verdicts:
        return 2
    return int(not verdicts <= CALM)
