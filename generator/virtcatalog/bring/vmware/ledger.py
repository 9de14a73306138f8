"""What became of everything that the sources say, summed up over all VMs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from virtcatalog.bring.imports import Fate, Verdict
from virtcatalog.bring.vmware.machine import Attribute

_NUMBER = re.compile(r"\[\d+\]")
_RANKS: tuple[Fate, ...] = ("lost", "unproven", "host", "carried")


class Line(NamedTuple):
    """An attribute that has the same fate in `times` places; `vm`, `attribute` and `why` are those of the first."""

    fate: Fate
    path: str
    times: int
    vm: str
    attribute: Attribute
    why: str


class Ledger:
    """Counts fates by the attribute's path, and for what is lost by the reason, too. It grows with these alone."""

    def __init__(self) -> None:
        self.counts: Counter[Fate] = Counter()
        self._times: Counter[tuple[str, Fate, str]] = Counter()
        self._first: dict[tuple[str, Fate, str], tuple[str, Attribute, str]] = {}

    def add(self, vm: str, fates: Iterable[tuple[Attribute, Verdict]]) -> None:
        """Count what became of a VM's attributes."""
        for attribute, (fate, why) in fates:
            self.counts[fate] += 1
            key = attribute.path, fate, why if fate == "lost" else ""
            self._times[key] += 1
            if key not in self._first:
                self._first[key] = vm, attribute, why

    def lines(self) -> list[Line]:
        """Return what was counted: what is lost first, and of that what is lost most often."""
        times: Counter[tuple[str, Fate, str]] = Counter()
        first: dict[tuple[str, Fate, str], tuple[str, Attribute, str]] = {}
        for (path, fate, why), number in self._times.items():
            key = _NUMBER.sub("", path), fate, why
            times[key] += number
            first.setdefault(key, self._first[path, fate, why])
        lines = [Line(fate, path, number, *first[path, fate, why]) for (path, fate, why), number in times.items()]
        return sorted(lines, key=lambda line: (_RANKS.index(line.fate), -line.times, line.path))
