"""What becomes of running VMs as a SARIF log, at the declarations that are the reason."""

from __future__ import annotations

from typing import Any

from virtcatalog import escaping
from virtcatalog.errors import counted, some
from virtcatalog.review.fate import FATES, FateKind
from virtcatalog.review.plan import Line, plans
from virtcatalog.review.report import Report
from virtcatalog.sarif import log, result

_LEVELS: dict[FateKind, str] = {"refused": "error", "unsupported": "error", "kept": "note", "next": "note"}

_DEFAULT = "repository-default"


def sarif(report: Report) -> str:
    """A SARIF 2.1.0 log: a rule for each fate, a result for each group of VMs and environment."""
    rules = [{"id": f"vm-{kind}", "shortDescription": {"text": words}} for kind, words in FATES.items()]
    rules.append({"id": _DEFAULT, "shortDescription": {"text": "a default of the repository counts"}})
    results = [_result(line, plan.environment) for plan in plans(report) for line in plan.lines]
    results += [
        result(_DEFAULT, len(FATES), "note", default.sentence, default.file, default.line, default.column)
        for default in report.defaults
    ]
    return escaping.as_json(log("virtcatalog diff", rules, results))


def _result(line: Line, environment: str) -> dict[str, Any]:
    where = f"{environment}: " if environment else ""
    names = f"{counted(len(line.members), 'VM')}, {some(line.members, 5)}"
    text = f"{where}{names}: {', '.join((FATES[line.kind], *line.said))}"
    cause = next((each for each in line.because if each.file), None)
    file, number = (cause.file, cause.line) if cause else ("", 0)
    return result(
        f"vm-{line.kind}", list(FATES).index(line.kind), _LEVELS.get(line.kind, "warning"), text, file, number
    )
