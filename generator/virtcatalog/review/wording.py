"""What becomes of VMs in a few words, of one and of many, and of how many of a pool or ReplicaSet."""

from __future__ import annotations

from virtcatalog.errors import counted
from virtcatalog.review.verdict import Next, Now, Part, Verdict

Forms = tuple[str, str]
"""What is said of one VM and of many."""
NOW: dict[Now, Forms] = {
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
NEXT: dict[Next, Forms] = {
    "refused": ("is refused", "are refused"),
    "unknown": ("is unknown", "are unknown"),
    "crash": ("crashes", "crash"),
    "changed": ("changes", "change"),
}
"""What is counted of the next start, of one VM and of many."""
RESTARTED = "restarted automatically now"
KEPT: Forms = "keeps what it has", "keep what they have"
WITH_DISKS: Forms = " with its disks", " with their disks"


def part_words(verdict: Verdict) -> str:
    """Say what happens to how many VMs of a pool or ReplicaSet: `2 of its 4 VMs are deleted`; "" for what is one VM."""
    part, held, now = verdict.part, verdict.held, verdict.now
    if part is not None and part.number != 0:
        of_part = of_words(part.number, part.of, "its")
        if verdict.restarts is not None and now == "restart":
            return f"{of_part} {_are(part)} {RESTARTED}"
        be = f"{_are(part)} " if now in _DONE else ""
        disks = WITH_DISKS[part.number != 1] if verdict.loses_disks else ""
        words = f"{of_part} {be}{NOW[now][part.number != 1]}{disks}"
        if (restarted := verdict.restarts) is not None:
            others = "those that it chooses" if restarted.number is None else f"the other {restarted.number:,}"
            return f"{words}, {others} {_are(restarted)} {RESTARTED}"
        if verdict.replaced is not None:
            return f"{words} {_created(verdict.replaced, part)}"
        if verdict.next != "kept" or held is None:
            return words
        return f"{words}, the {'other' if held.number == 1 else 'others'} {KEPT[held.number != 1]}"
    forms = {**NEXT, "kept": KEPT}.get(verdict.next)
    if held is None or forms is None:
        return ""
    return f"{of_words(held.number, held.of, 'its')} {forms[held.number != 1]}"


def _are(part: Part) -> str:
    return "is" if part.number == 1 else "are"


def _created(replaced: Part, deleted: Part) -> str:
    if replaced.number == deleted.number:
        return "and created anew"
    return f"and {replaced.number:,} of them created anew"


def of_words(number: int | None, of: int, whose: str) -> str:
    """Say how many of so many VMs of a pool or ReplicaSet are meant: `2 of the 4 VMs`, `all of its 4 VMs`."""
    if number == of:
        return f"{whose} VM" if of == 1 else f"all {of:,} VMs" if whose == "the" else f"all of its {of:,} VMs"
    return f"{'some' if number is None else format(number, ',')} of {whose} {counted(of, 'VM')}"
