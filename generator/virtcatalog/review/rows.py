"""A verdict in words: the same in every form of a report."""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.errors import SWITCHED_OFF, Level, Severity, counted, some
from virtcatalog.review.groups import Group
from virtcatalog.review.summary import part_words
from virtcatalog.review.verdict import ANEW, BREAKS, Verdict

#: What a level is called where VMs are listed; `--fail-on` takes the same words.
MEANINGS: dict[Level, str] = {
    "refused": "KubeVirt refuses it",
    "unknown": "virtcatalog cannot tell",
    "crash": "virt-launcher crashes on it",
    "delete": "the VM is deleted",
    "stop": f"the VM is {SWITCHED_OFF}",
    "boot": "an installed guest may not boot",
    "restart": "it needs a restart",
    "pending": "it waits for a live migration that it cannot do",
    "risk": "an installed guest may notice",
    "migrate": "a live migration brings it",
    "live": "it changes while it runs",
    "kept": "it keeps what it has",
    "changed": "its next start differs",
    "create": "the VM is created",
    "start": "the VM is started",
}
_MOST_CAUSES = 3
_ERRORS, _NOTES = ("refused", "unknown", "crash"), ("kept", "changed")
_ALARMING = (*_ERRORS, "boot")
_SIGNS: dict[str, str] = {"create": "+", "start": "+", "delete": "-", "stop": "-"}


def sign(verdict: Verdict) -> str:
    """`!` for what breaks, `+` and `-` for what comes and goes, `~` for what changes."""
    if verdict.level in _ALARMING:
        return "!"
    return _SIGNS.get(verdict.now, "~")


def severity(verdict: Verdict) -> Severity:
    """How bad it is, as findings are."""
    return "error" if verdict.level in _ERRORS else "note" if verdict.level in _NOTES else "warning"


def word(verdict: Verdict) -> str:
    """What the verdict is, the gravest first; `changed` needs no word beside another, `risk` none beside `boot`."""
    breaks = verdict.anew in BREAKS
    levels = [level for level in (replace(verdict, anew="same") if breaks else verdict).levels if level != "changed"]
    words = ["boot risk" if level == "boot" else level for level in levels if level != "risk" or "boot" not in levels]
    return ", ".join([*words, f"{verdict.anew} anew"] if breaks else words) or "changed"


def what(verdict: Verdict) -> list[str]:
    """Say why the machine meets that, what its guest risks, what the sync makes of it, and what changes."""
    if of_holder := part_words(verdict):
        return [of_holder, *what(replace(verdict, part=None, held=None))]
    risks = [f"{risk.kind}: {risk.reason}" for risk in verdict.risks]
    changes = [change for change in verdict.changes if change not in verdict.reasons and not _is_said(change, verdict)]
    sync = [f"{verdict.sync.tool}: {'; '.join(verdict.sync.reasons)}"] if verdict.sync and verdict.sync.reasons else []
    if verdict.next == "kept":
        differs = [*risks, *changes]
        return [*verdict.reasons, *sync, *(f"{ANEW}: {line}" for line in differs[:1]), *differs[1:]]
    may_not_boot = any(risk.kind == "boot" for risk in verdict.risks)
    lines = [*risks, *verdict.reasons, *sync] if may_not_boot else [*verdict.reasons, *risks, *sync]
    breaks = verdict.next in ("refused", "crash") and not verdict.template and verdict.now != "refused"
    if breaks and changes:
        return [*lines, f"at its next start: {changes[0]}", *changes[1:]]
    if verdict.now == "restart" and verdict.next == "same":
        return [*lines, "the machine is the same after it"]
    return [*lines, *changes]


def _is_said(change: str, verdict: Verdict) -> bool:
    """Whether a risk tells a change in its own words: `A → B`."""
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
    return f", and likewise {counted(group.elsewhere, 'more VM')}" if group.elsewhere else ""


def who(group: Group, most: int) -> str:
    """Name the VMs of a group, the first few of many, and where they are."""
    environment = group.verdict.environment
    names = some(group.vms, most)
    kind = f"{counted(len(group.vms), 'VM template')} " if group.verdict.template else ""
    return f"{environment}: {kind}{names}" if environment else f"{kind}{names}"


def shortened(lines: list[str], most: int) -> list[str]:
    """The first few of many."""
    more = len(lines) - most
    return [*lines[:most], f"and {more} more"] if more > 0 else lines
