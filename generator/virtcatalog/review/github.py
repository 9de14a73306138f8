"""A report as annotations of a pull request."""

from __future__ import annotations

from virtcatalog import escaping
from virtcatalog.errors import counted, some
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.report import Report
from virtcatalog.review.rows import details, meaning, noun, severity, why
from virtcatalog.review.side import Side
from virtcatalog.review.users import consequences


def github(report: Report) -> str:
    """Workflow commands: an error for what breaks, a notice for what comes later, and for every object."""
    lines = [_command("error", problem.file, problem.line, "catalog", problem.message) for problem in report.problems]
    lines.append(_command("notice", "", 0, "virtcatalog", report.headline))
    lines += [
        _command("notice", default.file, default.line, "default", default.sentence) for default in report.defaults
    ]
    lines += [_command("notice", "", 0, title, " ".join(sentences)) for title, sentences in report.upgrade_words]
    lines += map(_of_vms, grouped(report.fleet.verdicts))
    lines += [_command("warning", "", 0, "migration", line) for line in report.migrations[1:]]
    lines += [_command("notice", "", 0, "deprecated", line) for line in report.deprecated]
    lines += [_command("notice", "", 0, "requests", line) for line in report.requests.short]
    lines += [_command("error", "", 0, "shortage", line) for line in report.shortages]
    for change in report.objects:
        if change.same_as:
            continue
        place = report.head.declared_at(change.manifest)
        file, line = (_in_checkout(place.file, report.head), place.line) if place else ("", 0)
        text = " ".join(consequences(change, report.fleet.users))
        lines.append(_command("notice", file, line, f"{change.name} {change.change}", text or change.change))
    return "".join(lines)


def _of_vms(group: Group) -> str:
    verdict = group.verdict
    cause = next((cause for cause in verdict.because if cause.file), None)
    file, line = (cause.file, cause.line) if cause else ("", 0)
    message = f"{some(group.vms, 5)}: {'; '.join(filter(None, (*details(verdict), why(group))))}"
    who = counted(len(group.vms), noun(verdict))
    title = f"{who}: {meaning(verdict)}"
    return _command("notice" if severity(verdict) == "note" else severity(verdict), file, line, title, message)


def _in_checkout(file: str, side: Side) -> str:
    """The path of a file of the checked out tree; "" when the side is a revision."""
    return file if ":" not in side.label else ""


def _command(level: str, file: str, line: int, title: str, message: str) -> str:
    return escaping.github(level, message, {"file": file, "line": str(line or "") if file else "", "title": title})
