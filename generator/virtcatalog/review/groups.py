"""VMs of which all the same is to be said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from virtcatalog.errors import counted
from virtcatalog.review.verdict import Cause, Risk, Verdict, gravity

NAME: Final = "{name}"
_IDENTITY = re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_NO_WORD = re.compile(r"[-.\d]")
_SHORT = 2


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
            members.setdefault(_key(verdict), []).append(verdict)
    groups = [_group(verdict, alike) for verdict, alike in members.items()]
    return sorted(groups, key=lambda group: (gravity(group.verdict), group.verdict.template, -len(group.vms)))


def _group(verdict: Verdict, alike: list[Verdict]) -> Group:
    """VMs that are alike: what is said of one alone has its name."""
    first = alike[0]
    common = first if len(alike) == 1 else _of_first(verdict, first, len(alike) - 1)
    elsewhere = sum(other.because != first.because for other in alike)
    return Group(common, tuple(other.vm for other in alike), elsewhere)


def _of_first(verdict: Verdict, first: Verdict, others: int) -> Verdict:
    """What is said of all, with the name of the first in place of each one's own."""
    name, alike = first.vm.rpartition("/")[2], f" (and of {counted(others, 'more VM')})"

    def named(text: str) -> str:
        return text.replace(NAME, name) + alike if NAME in text else text

    return _reworded(replace(verdict, vm=first.vm, place=first.place, because=first.because), named)


def _key(verdict: Verdict) -> Verdict:
    """What is the same in the verdicts on VMs that are alike."""
    name = verdict.vm.rpartition("/")[2]
    because = tuple(dict.fromkeys(Cause(_without(cause.name, name)) for cause in verdict.because))
    return of_all(replace(verdict, vm="", place="", requests=None, because=because), name)


def of_all(verdict: Verdict, name: str) -> Verdict:
    """Return what a verdict on a VM of that name says of every VM that is alike."""
    return _reworded(verdict, lambda text: _without(text, name))


def of_one(verdict: Verdict, name: str) -> Verdict:
    """Return what such a verdict says of the VM of that name."""
    return _reworded(verdict, lambda text: text.replace(NAME, name))


def _reworded(verdict: Verdict, reword: Callable[[str], str]) -> Verdict:
    """The verdict with each of its texts in other words."""
    return replace(
        verdict,
        reasons=tuple(map(reword, verdict.reasons)),
        changes=tuple(map(reword, verdict.changes)),
        risks=tuple(Risk(risk.kind, reword(risk.reason)) for risk in verdict.risks),
    )


def _without(text: str, name: str) -> str:
    """A text about a VM without its name and the identities that no other VM has: MACs and uuids."""
    text = _IDENTITY.sub("…", text)
    # A plain word as a name is too likely a word of libvirt's.
    if len(name) <= _SHORT or not _NO_WORD.search(name) or name not in text:
        return text
    return re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", NAME, text)
