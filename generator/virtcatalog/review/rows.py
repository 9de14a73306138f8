"""A verdict in words: the same in every form of a report."""

from __future__ import annotations

import re

from msgspec.structs import replace

from virtcatalog.errors import SWITCHED_OFF, Level, Severity, counted, some
from virtcatalog.review.groups import Group
from virtcatalog.review.running import BY_HAND
from virtcatalog.review.verdict import ANEW, BREAKS, Next, Verdict
from virtcatalog.review.wording import part_words

#: What a level is called where VMs are listed; `--fail-on` takes the same words.
MEANINGS: dict[Level, str] = {
    "refused": "KubeVirt refuses it",
    "unknown": "virtcatalog cannot tell",
    "crash": "virt-launcher crashes on it",
    "delete": "the VM is deleted",
    "stop": f"the VM is {SWITCHED_OFF}",
    "boot": "an installed guest may not boot",
    "restart": "it needs a restart by hand",
    "pending": "it needs a live migration, which it cannot do, or a restart",
    "risk": "an installed guest may notice",
    "migrate": "a live migration brings it",
    "live": "it changes while it runs",
    "kept": "it stays as it is, restarts included",
    "changed": "its next start differs",
    "create": "the VM is created",
    "start": "the VM is started",
}
_MOST_CAUSES = 3
_GONE = re.compile(r"(?:domain\.devices\.disks|volumes)\[([^]]+)\] is gone")
_FIRST = 2
"""So many changes are said before the reason why they need a restart."""
_BOOT = "may not boot"
_ANEW_WORDS: dict[Next, str] = {
    "refused": "cannot be created anew",
    "crash": "crashes if created anew",
    "unknown": "unknown if created anew",
}
_HAPPENS_ANEW: dict[Next, str] = {"refused": " are refused", "crash": " crash"}
_ERRORS, _NOTES = ("refused", "unknown", "crash"), ("kept", "changed")
_ALARMING = (*_ERRORS, "boot")
_SIGNS: dict[str, str] = {"create": "+", "start": "+", "delete": "-", "stop": "-"}


def sign(verdict: Verdict) -> str:
    """`!` for what breaks, `+` and `-` for what comes and goes, `=` for what stays as it is, `~` for what changes."""
    if verdict.level in _ALARMING:
        return "!"
    return "=" if verdict.level == "kept" else _SIGNS.get(verdict.now, "~")


def severity(verdict: Verdict) -> Severity:
    """How bad it is, as findings are."""
    return "error" if verdict.level in _ERRORS else "note" if verdict.level in _NOTES else "warning"


def word(verdict: Verdict) -> str:
    """What the verdict is, the gravest first; `changed` needs no word beside another, `risk` none beside `boot`."""
    breaks = verdict.anew in BREAKS
    levels = [level for level in (replace(verdict, anew="same") if breaks else verdict).levels if level != "changed"]
    may_not_boot = any(risk.kind == "boot" for risk in verdict.risks)
    words = [_level(level, verdict) for level in levels if level != "risk" or "boot" not in levels]
    if words[:2] == [_BOOT, "restart"]:
        words[:2] = [f"{_BOOT} after a restart"]
    if breaks:
        words.append(_ANEW_WORDS[verdict.anew])
    elif verdict.next == "kept" and may_not_boot:
        words.append(f"{_BOOT} if created anew")
    return ", ".join(words) or "changed"


def _level(level: Level, verdict: Verdict) -> str:
    """A level in a word, of a pool with how many VMs of it that is."""
    part, restarts = verdict.part, verdict.restarts
    number = "" if restarts is None else "some" if restarts.number is None else str(restarts.number)
    if level == "restart" and number:
        return f"restart {number} {'VM' if number == '1' else 'VMs'} now"
    if level == "delete" and verdict.replaced is not None:
        return "delete, create anew"
    if level == "delete" and part is not None and part.number != part.of:
        return f"delete {part.number} of {part.of} VMs{f', restart {number} now' if number else ''}"
    return _BOOT if level == "boot" else level


def meaning(verdict: Verdict) -> str:
    """What happens to a VM, or to how many of a pool or ReplicaSet."""
    return part_words(verdict) or MEANINGS[verdict.level]


def noun(verdict: Verdict) -> str:
    """What such a verdict is on."""
    part = verdict.part or verdict.held
    return "VM template" if verdict.template else part.kind if part is not None else "VM"


def change_lines(verdict: Verdict, most: int | None = None) -> list[str]:
    """Say what changes and what its guest risks, why the machine meets that, and what the sync makes of it.

    Of many lines the first few, with `most`.
    """
    of_holder = part_words(verdict)
    return [of_holder, *details(verdict, most and most - 1)] if of_holder else details(verdict, most)


def details(verdict: Verdict, most: int | None = None) -> list[str]:
    """Say the same but for what `meaning` says."""
    if part_words(verdict):
        reasons = tuple(reason.removeprefix(BY_HAND) for reason in verdict.reasons)
        verdict = replace(verdict, reasons=reasons, risks=verdict.risks_of_guests)
    return _of_kept(verdict, most) if verdict.next == "kept" else shortened(_lines(verdict), most)


def _lines(verdict: Verdict) -> list[str]:
    risks, changes, anew, sync = _parts(verdict)
    if anew:
        changes.append(f"{_from_creation(verdict)}: {'; '.join(anew)}")
    is_left = verdict.now == "refused" and verdict.part is None
    breaks = verdict.next in ("refused", "crash") and not verdict.template and (verdict.now != "refused" or is_left)
    if (breaks or (is_left and verdict.next == "changed")) and changes and verdict.replaced is None:
        return [*verdict.reasons, *risks, *sync, f"at its next start: {changes[0]}", *changes[1:]]
    if verdict.now == "restart" and verdict.next == "same":
        return [*verdict.reasons, *risks, *sync, "the machine is the same after it"]
    if verdict.now in ("restart", "pending"):
        return [*risks, *changes[:_FIRST], *verdict.reasons, *sync, *changes[_FIRST:]]
    return [*verdict.reasons, *risks, *changes, *sync]


def _of_kept(verdict: Verdict, most: int | None) -> list[str]:
    """Say that a VM stays as it is, and in one line all that it is once it is created anew."""
    risks, changes, _, sync = _parts(verdict)
    differs = "; ".join(shortened([*risks, *changes], most))
    return [*verdict.reasons, *sync, *([f"{_from_creation(verdict)}: {differs}"] if differs else [])]


def _from_creation(verdict: Verdict) -> str:
    """Which VMs have what a VM that is kept has not: those that are created later, or of which the revision goes."""
    kind = noun(verdict)
    is_refreshed = verdict.next == "kept" and verdict.anew == "changed" and not verdict.reasons
    if kind == "ReplicaSet":
        return "VMIs that it creates from now on"
    if kind != "pool":
        return f"{ANEW} or its stored revision is refreshed" if is_refreshed else ANEW
    also = ", or of which the stored revision is refreshed" if is_refreshed else ""
    return f"VMs that it creates from now on{also}{_HAPPENS_ANEW.get(verdict.anew, '')}"


def _parts(verdict: Verdict) -> tuple[list[str], list[str], list[str], list[str]]:
    """What the guest risks, what else changes, what does where it is created anew, and what the sync makes of it."""
    risks = [f"{risk.kind}: {risk.reason}" for risk in verdict.risks]
    lines = [change for change in verdict.changes if change not in verdict.reasons and not _is_said(change, verdict)]
    prefix = f"{ANEW}: "
    changes = [line for line in lines if not line.startswith(prefix)]
    anew = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
    sync = [f"{verdict.sync.tool}: {'; '.join(verdict.sync.reasons)}"] if verdict.sync and verdict.sync.reasons else []
    return risks, changes, anew, sync


def _is_said(change: str, verdict: Verdict) -> bool:
    """Whether a risk tells a change in its own words: `A → B`, or that a claim or a disk is gone."""
    claim = change.removesuffix(" is gone")
    if claim != change and any(risk.reason.startswith(f"{claim} ") for risk in verdict.risks):
        return True
    disk = _GONE.fullmatch(change)
    if disk is not None and any(risk.reason.startswith(f"disk {disk[1]!r} (") for risk in verdict.risks):
        return True
    values = change.rpartition(": ")[2]
    return " → " in values and any(values in risk.reason for risk in verdict.risks)


def causes(verdict: Verdict) -> list[tuple[str, str]]:
    """What changes, each with the places that change it: `file:4, 9`, "" where that is not known."""
    places: dict[str, dict[str, list[str]]] = {}
    for cause in verdict.because:
        lines = places.setdefault(cause.name, {}).setdefault(cause.file, [])
        if str(cause.line) not in lines:
            lines.append(str(cause.line))
    return [
        (name, "; ".join(f"{file}:{', '.join(lines)}" for file, lines in files.items() if file))
        for name, files in places.items()
    ]


def why(group: Group) -> str:
    """Say because of what, of many the first few."""
    named = [f"{name} ({places})" if places else name for name, places in causes(group.verdict)]
    return f"because of {some(named, _MOST_CAUSES)}{elsewhere(group)}" if named else ""


def elsewhere(group: Group) -> str:
    """Say that other VMs of a group are changed by lines of their own."""
    return f", the same for {counted(group.elsewhere, 'more VM')}" if group.elsewhere else ""


def who(group: Group, most: int) -> str:
    """Name the VMs of a group, the first few of many, and where they are."""
    environment = group.verdict.environment
    names = some(group.vms, most)
    kind = noun(group.verdict)
    if kind == "VM":
        kind = ""
    else:
        kind = f"{counted(len(group.vms), kind) if group.verdict.template or len(group.vms) > 1 else kind} "
    return f"{environment}: {kind}{names}" if environment else f"{kind}{names}"


def shortened(lines: list[str], most: int | None) -> list[str]:
    """The first few of many; all without `most`."""
    more = len(lines) - most if most is not None else 0
    return [*lines[:most], f"and {more} more"] if more > 0 else lines
