"""The plan: what becomes of the machines that run, environment by environment, read in ten seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from virtcatalog.catalog.places import Source
from virtcatalog.errors import counted, some
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Identity, identity
from virtcatalog.review.fate import FATES, FateKind
from virtcatalog.review.fleet import Row
from virtcatalog.review.report import Report

#: What is counted in a headline, after the number of VMs.
_COUNTED: dict[FateKind, str] = {
    "refused": "refused",
    "unsupported": "cannot be told",
    "recreate": "to be created anew",
    "restart": "restart",
    "live": "live",
    "next": "change at the next start",
    "kept": "kept by stored revisions",
    "nothing": "stay as they are",
}
_OF_ONE: dict[FateKind, str] = {
    "next": "changes at the next start",
    "kept": "kept by its stored revision",
    "nothing": "stays as it is",
}
_BREAKS = ("refused", "crash")


class Cause(msgspec.Struct, frozen=True):
    """What changes so that a machine does, and where that is declared; no `file` where that is not known."""

    name: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.name} ({place})" if place else self.name


class Line(msgspec.Struct, frozen=True):
    """VMs that meet the same fate for the same reason."""

    kind: FateKind
    members: tuple[str, ...]
    said: tuple[str, ...]
    because: tuple[Cause, ...]


class Plan(msgspec.Struct, frozen=True):
    """One environment, "" where there are none: how many VMs it has, and what becomes of those that are touched."""

    environment: str
    located: int
    lines: tuple[Line, ...]

    @property
    def counts(self) -> dict[FateKind, int]:
        """How many VMs meet each fate; a VM is in one of them."""
        found = dict.fromkeys(FATES, 0)
        for line in self.lines:
            found[line.kind] += len(line.members)
        found["nothing"] = self.located - sum(found.values())
        return {kind: number for kind, number in found.items() if number}

    @property
    def headline(self) -> str:
        """One line: `production: 1 VM refused, 2 restart, 996 stay as they are`."""
        numbers = self.counts
        said = [
            f"{counted(number, 'VM') if first else f'{number:,}'} {_words(kind, number)}"
            for first, (kind, number) in zip((True, *(False,) * len(numbers)), numbers.items(), strict=False)
        ]
        return (f"{self.environment}: " if self.environment else "") + ", ".join(said)


def _words(kind: FateKind, number: int) -> str:
    return _OF_ONE.get(kind, _COUNTED[kind]) if number == 1 else _COUNTED[kind]


def plans(report: Report) -> list[Plan]:
    """Return the plan of each environment that has VMs."""
    rows: dict[str, list[Row]] = {}
    for row in report.fleet.rows:
        rows.setdefault(row.environment, []).append(row)
    return [
        Plan(environment, located, tuple(_line(row, report) for row in rows.get(environment, ())))
        for environment, located in report.fleet.located.items()
    ]


def rises(report: Report, level: str) -> bool:
    """Whether anything that is found is as grave as a level, or the report has something to say at all for "any"."""
    if level == "any" or report.problems:
        return report.differs or bool(report.problems)
    order = list(FATES)
    grave = order[: order.index(level) + 1]  # type: ignore[arg-type]
    return any(row.kind in grave for row in report.fleet.rows) or any(
        group.kind in _BREAKS for group in report.fleet.groups
    )


def as_data(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    return {
        "environment": plan.environment,
        "vms": plan.located,
        "counts": dict(plan.counts),
        "lines": [msgspec.to_builtins(line) for line in plan.lines],
    }


def text(report: Report, *, lines: bool = True) -> str:
    """The plans for a terminal; without their lines, no more than the counts."""
    return "".join(part for plan in plans(report) for part in _text(plan, lines=lines))


def _text(plan: Plan, *, lines: bool) -> Iterator[str]:
    from virtcatalog.escaping import single_line

    yield f"{single_line(plan.headline)}\n"
    width = max((len(line.kind) for line in plan.lines), default=0)
    for line in plan.lines if lines else ():
        start, rest = f"  {line.kind:{width}}  ", " " * (width + 4)
        parts = [part for part in (some(line.members, 3), ", ".join(line.said), why(line)) if part]
        row = ""
        for part in map(single_line, parts):
            if row and len(start) + len(row) + 2 + len(part) > _WIDTH:
                yield f"{start}{row}\n"
                start, row = rest, part
            else:
                row = f"{row}  {part}" if row else part
        yield f"{start}{row}\n"


_WIDTH = 120


def why(line: Line) -> str:
    """Say because of what."""
    return f"because of {', '.join(map(str, line.because))}" if line.because else ""


def _line(row: Row, report: Report) -> Line:
    causes = tuple(_cause(each, report) for each in row.because) or tuple(_elsewhere(row, report))
    return Line(row.kind, tuple(row.members), row.said, causes)


def _cause(which: Identity, report: Report) -> Cause:
    """An object that changes, at the line that does it: its own, a component's, or one of a catalog that it extends."""
    kind, _, name = which
    entry, field = report.head.entries.get((kind, "", name)), _changed_field(which, report)
    if entry is not None and field:
        return _at(name, entry.place(field), report.head.label)
    for side in (report.head, report.base):
        place = side.places.get((kind, "", name)) or side.places.get(which)
        if place is not None:
            return _at(name, place, side.label)
    return Cause(name)


def _changed_field(which: Identity, report: Report) -> str:
    """The first field that changes in an object that is on both sides; "" where there is none."""
    for change in report.objects:
        if change.change == "changed" and identity(change.manifest) == which:
            old, new = ((each or {}).get("spec", {}) for each in (change.old, change.new))
            return next((f"spec.{difference.field}" for difference in differences(old, new)), "")
    return ""


def _at(name: str, place: Source, label: str) -> Cause:
    """Where it is in the working tree: a side that is a revision is called `revision:path`."""
    revision, _, _ = label.rpartition(":")
    return Cause(name, place.file.removeprefix(f"{revision}:"), place.line)


def _elsewhere(row: Row, report: Report) -> Iterator[Cause]:
    """What changes a VM that refers to nothing that does: its own manifest, the release, the configuration."""
    changed = {vm.key: vm for vm in report.head.vms} if not report.head.catalog else {}
    if row.members and row.members[0] in changed:
        yield _at("its manifest", changed[row.members[0]].place, report.head.label)
    for upgrade in report.upgrades:
        if row.environment in upgrade.environments:
            yield Cause(f"KubeVirt {upgrade.old} → {upgrade.new}")
    if any(identity(change.manifest)[0] == "KubeVirt" for change in report.objects):
        yield Cause("the KubeVirt CR")
