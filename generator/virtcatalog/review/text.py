"""A report for a terminal, and as annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog import escaping
from virtcatalog.errors import counted, some
from virtcatalog.escaping import single_line
from virtcatalog.manifests.identity import identity
from virtcatalog.review import plan
from virtcatalog.review.outcome import KINDS
from virtcatalog.review.report import (
    Report,
    consequences,
    effects,
    headline,
    members,
    requests,
    shortages,
    sides,
    totals,
    upgrades,
)
from virtcatalog.review.side import Side


def text(report: Report, *, vms: bool = True, objects: bool = True) -> str:
    """The whole report: problems, VMs by what happens to them, objects with their diffs; or one of these two."""
    return "".join(_parts(report, vms=vms, objects=objects))


def stat(report: Report) -> str:
    """What there is of each, a line each."""
    defaults = "".join(f"{single_line(str(default))}\n" for default in report.defaults)
    return f"{defaults}{plan.text(report, lines=False)}{totals(report)}\n"


def github(report: Report) -> str:
    """Workflow commands: an error for what breaks, a warning for VMs that change, a notice for every object."""
    lines = [_command("error", problem.file, problem.line, "catalog", problem.message) for problem in report.problems]
    lines += [_command("notice", each.file, each.line, "default", each.sentence) for each in report.defaults]
    lines += [_command("notice", "", 0, title, " ".join(said)) for title, said in upgrades(report)]
    templates = {vm.key: vm for side in (report.base, report.head) for vm in side.vms}
    for group in report.fleet.groups:
        level = "error" if group.kind in ("refused", "crash") else "warning"
        message = f"{headline(group)} ({members(group)}). {effects(group)}".strip()
        first = next((templates[m.name] for m in group.members if m.template and m.name in templates), None)
        file, line = (first.place.file, first.place.line) if first else ("", 0)
        lines.append(_command(level, _in_checkout(file, report.head), line, KINDS[group.kind], message))
    for each in (line for found in plan.plans(report) for line in found.lines):
        level = "error" if each.kind == "refused" else "notice" if each.kind in ("kept", "next") else "warning"
        first_cause = next((cause for cause in each.because if cause.file), None)
        file, line = (first_cause.file, first_cause.line) if first_cause else ("", 0)
        message = f"{some(each.members, 5)}: {', '.join(each.said)}"
        lines.append(_command(level, file, line, f"{counted(len(each.members), 'running VM')}: {each.kind}", message))
    lines += [_command("error", "", 0, "shortage", line) for line in shortages(report)]
    for change in report.objects:
        if change.same_as:
            continue
        key = (identity(change.manifest)[0], "", identity(change.manifest)[2])
        place = report.head.places.get(key)
        file, line = (_in_checkout(place.file, report.head), place.line) if place else ("", 0)
        said = " ".join(consequences(change, report))
        lines.append(_command("notice", file, line, f"{change.name} {change.change}", said or change.change))
    return "".join(lines)


def _parts(report: Report, *, vms: bool, objects: bool) -> Iterator[str]:
    yield f"{' → '.join(sides(report))}\n"
    for side in (report.base, report.head):
        for problem in side.problems:
            yield f"{problem}\n"
        if side.problems:
            yield f"{side.label} is broken; what is sound is compared.\n"
    yield from (f"{single_line(str(default))}\n" for default in report.defaults)
    for title, lines in upgrades(report):
        yield f"\n{single_line(title)}\n"
        yield from (f"  {single_line(line)}\n" for line in lines)
    if report.host:
        yield f"\nhost profile: {report.host}\n"
    yield from _vms(report) if vms else ()
    yield from _objects(report) if objects else ()
    if report.hidden or report.fleet.unknown:
        yield f"\nnot compared: {single_line(', '.join([*report.hidden, *report.fleet.unknown]))}\n"
    yield f"\n{totals(report)}\n"


def _in_checkout(file: str, side: Side) -> str:
    """The path of a file of the checked out tree; "" when the side is a revision."""
    return file if ":" not in side.label else ""


def _command(level: str, file: str, line: int, title: str, message: str) -> str:
    return escaping.github(level, message, {"file": file, "line": str(line or "") if file else "", "title": title})


def _vms(report: Report) -> Iterator[str]:
    told = plan.text(report)
    yield f"\n{told}" if told else ""
    shown: dict[str, str] = {}
    for group in report.fleet.groups:
        yield f"\n{single_line(headline(group))}\n"
        yield f"  {single_line(members(group))}\n"
        when = effects(group)
        if when:
            yield f"  {when}\n"
        first = shown.setdefault(group.diff, headline(group))
        yield group.diff if first == headline(group) else f"  The same diff as: {single_line(first)}\n"
    lines = requests(report)
    if lines:
        yield "\nrequests:\n"
        yield from (f"  {single_line(line)}\n" for line in lines)
    short = shortages(report)
    if short:
        yield "\nshortages:\n"
        yield from (f"  {single_line(line)}\n" for line in short)


def _objects(report: Report) -> Iterator[str]:
    for change in report.objects:
        renamed = f" (was {change.old_name})" if change.old_name else ""
        where = f" in {', '.join(change.environments)}" if change.environments else ""
        yield f"\n{change.change} {single_line(change.name)}{renamed}{where}\n"
        for sentence in consequences(change, report):
            yield f"  {sentence}\n"
        yield f"  The same diff as {change.same_as}.\n" if change.same_as else change.diff
