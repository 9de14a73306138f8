"""Verdicts as a SARIF log, at the lines that are the reason."""

from __future__ import annotations

from typing import Any

from virtcatalog import escaping
from virtcatalog.errors import counted, some
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.moving import LEVEL, WORDS, Moved
from virtcatalog.review.report import Report
from virtcatalog.review.rows import MEANINGS, details, meaning, noun, severity
from virtcatalog.sarif import log, result

_DEFAULT = "repository-default"
_MIGRATION = "vm-migration"


def sarif(report: Report) -> str:
    """A SARIF 2.1.0 log: a rule for each level, a result for each group of VMs and environment.

    A VM that does not just migrate to the new release's launcher has a result of its own, at its own line.
    """
    rules = [{"id": f"vm-{level}", "shortDescription": {"text": words}} for level, words in MEANINGS.items()]
    rules.append({"id": _DEFAULT, "shortDescription": {"text": "a default of the repository counts"}})
    rules += [{"id": f"{_MIGRATION}-{fate}", "shortDescription": {"text": WORDS[fate][0]}} for fate in LEVEL]
    results = [_result(group) for group in grouped(report.fleet.verdicts)]
    results += [
        result(_DEFAULT, len(MEANINGS), "note", default.sentence, default.file, default.line, default.column)
        for default in report.defaults
    ]
    results += [_of_move(moved) for moved in report.fleet.moves if moved.fate in LEVEL]
    properties = {
        "sentence": report.headline,
        "deprecated": report.deprecated,
        "requests": report.requests.all_lines,
        "shortages": report.shortages,
        "migrations": report.migrations,
    }
    return escaping.as_json(log("virtcatalog diff", rules, results, properties))


def _result(group: Group) -> dict[str, Any]:
    verdict = group.verdict
    where = f"{verdict.environment}: " if verdict.environment else ""
    who = f"{counted(len(group.vms), noun(verdict))}, {some(group.vms, 5)}"
    text = f"{where}{who}: {'; '.join((meaning(verdict), *details(verdict)))}"
    cause = next((cause for cause in verdict.because if cause.file), None)
    file, line = (cause.file, cause.line) if cause else ("", 0)
    index = list(MEANINGS).index(verdict.level)
    return result(f"vm-{verdict.level}", index, severity(verdict), text, file, line)


def _of_move(moved: Moved) -> dict[str, Any]:
    where = f"{moved.environment}: " if moved.environment else ""
    text = f"{where}{moved.vm}: {WORDS[moved.fate][0]}: {'; '.join(moved.reasons)}"
    file, _, line = moved.place.rpartition(":")
    place = (file, int(line)) if line.isdecimal() else (moved.place, 0)
    index = len(MEANINGS) + 1 + list(LEVEL).index(moved.fate)
    return result(f"{_MIGRATION}-{moved.fate}", index, "warning", text, *place)
