"""VMs of which all the same is to be said."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from virtcatalog.review.outcome import without_name
from virtcatalog.review.verdict import Cause, Risk, Verdict, gravity


class Group(msgspec.Struct, frozen=True):
    """VMs of one environment of which all the same is to be said, and why; `verdict` names the first of them.

    `elsewhere` are so many VMs whose lines that change them are others than the first one's.
    """

    verdict: Verdict
    vms: tuple[str, ...]
    elsewhere: int = 0


def grouped(verdicts: Iterable[Verdict]) -> list[Group]:
    """Return the VMs that are touched, the gravest first, then those of most VMs."""
    members: dict[Verdict, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.touched:
            members.setdefault(_of_all(verdict), []).append(verdict)
    groups = [_group(verdict, alike) for verdict, alike in members.items()]
    return sorted(groups, key=lambda group: (gravity(group.verdict), group.verdict.template, -len(group.vms)))


def _group(verdict: Verdict, alike: list[Verdict]) -> Group:
    """VMs that are alike: what is said of one alone has its name."""
    first = alike[0]
    said = first if len(alike) == 1 else replace(verdict, vm=first.vm, place=first.place, because=first.because)
    elsewhere = sum(other.because != first.because for other in alike)
    return Group(said, tuple(other.vm for other in alike), elsewhere)


def _of_all(verdict: Verdict) -> Verdict:
    """What a verdict says of every VM that is alike."""
    name = verdict.vm.rpartition("/")[2]
    return replace(
        verdict,
        vm="",
        place="",
        requests=None,
        reasons=tuple(without_name(reason, name) for reason in verdict.reasons),
        changes=tuple(without_name(change, name) for change in verdict.changes),
        risks=tuple(Risk(risk.kind, without_name(risk.reason, name)) for risk in verdict.risks),
        because=tuple(dict.fromkeys(Cause(without_name(cause.name, name)) for cause in verdict.because)),
    )
