"""Findings as text, JSON, GitHub annotations, JUnit and SARIF 2.1.0. Pure functions; the caller prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from virtcatalog import escaping
from virtcatalog.check.finding import SEVERITIES, Finding, Rule, objects, refused_for
from virtcatalog.errors import counted
from virtcatalog.sarif import log, result

if TYPE_CHECKING:
    from virtcatalog.check.subject import Inventory

#: So many findings that say the same of different objects have a line each.
_MANY_ALIKE = 10

_GITHUB_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def text(findings: Sequence[Finding], _rules: Mapping[str, Rule]) -> str:
    """A line a finding: `file:line:column: Kind/name: field: message [severity: rule]`; many alike, and VMs, below."""
    lines = []
    for first, repeats in alike(findings):
        lines.append(f"{first}\n")
        lines += [f"  {line}\n" for line in _below(first, repeats)]
    return "".join(lines)


def alike(findings: Sequence[Finding]) -> Iterator[tuple[Finding, list[Finding]]]:
    """Yield each finding with those that say the same of other objects: from one place of the catalog, or many."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        key = (finding.severity, finding.rule, finding.field, finding.message)
        groups.setdefault(key if finding.object else (str(number),), []).append(finding)
    for group in groups.values():
        places = {(finding.file, finding.line, finding.column) for finding in group}
        if len(group) > _MANY_ALIKE or (len(places) == 1 and group[0].line):
            yield group[0], group[1:]
        else:
            yield from ((finding, []) for finding in group)


def _below(first: Finding, repeats: Sequence[Finding]) -> list[str]:
    """The objects that the same is said of, and the VMs that are refused for it."""
    repetition = f"and the same of {counted(len(repeats), 'more object')}: {objects(repeats)}" if repeats else ""
    return [line for line in (repetition, refused_for((first, *repeats))) if line]


def as_json(findings: Sequence[Finding], _rules: Mapping[str, Rule]) -> str:
    """A list of objects, one a finding."""
    return escaping.as_json([msgspec.to_builtins(finding) for finding in findings])


def github(findings: Sequence[Finding], _rules: Mapping[str, Rule]) -> str:
    """Workflow commands that GitHub Actions shows as annotations in the pull request's files."""
    lines = []
    for finding, repeats in alike(findings):
        properties = {
            "file": finding.file,
            "line": str(finding.line or ""),
            "col": str(finding.column or ""),
            "title": finding.rule,
        }
        message = "; ".join((finding.problem.sentence, *_below(finding, repeats)))
        lines.append(escaping.github(_GITHUB_COMMANDS[finding.severity], message, properties))
    return "".join(lines)


def junit(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> str:
    """A test suite with one test case a rule; its findings are that case's failures, notes its output."""
    from lxml import etree

    failed = {finding.rule for finding in findings if finding.severity != "note"}
    suite = etree.Element("testsuite", name="virtcatalog check", tests=str(len(rules)), failures=str(len(failed)))
    for rule in rules.values():
        case = etree.SubElement(suite, "testcase", classname="virtcatalog.check", name=rule.id)
        of_rule = [finding for finding in findings if finding.rule == rule.id]
        if of_rule:
            grave = [finding for finding in of_rule if finding.severity != "note"]
            kind = "failure" if grave else "system-out"
            element = etree.SubElement(case, kind)
            if grave:
                element.set("message", rule.summary)
                element.set("type", grave[0].severity)
            lines = (line for finding in of_rule for line in (str(finding), *_below(finding, ())))
            element.text = "\n".join(map(escaping.xml, lines))
    suites = etree.Element("testsuites")
    suites.append(suite)
    written: bytes = etree.tostring(suites, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return escaping.xml_document(written.decode())


def sarif(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> str:
    """A SARIF 2.1.0 log for code scanning."""
    ids = list(rules)
    described = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.why},
            "help": {"text": rule.remedy},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in rules.values()
    ]
    results = [
        result(
            finding.rule,
            ids.index(finding.rule),
            finding.severity,
            "; ".join((finding.problem.sentence, *_below(finding, ()))),
            finding.file,
            finding.line,
            finding.column,
        )
        for finding in findings
    ]
    return escaping.as_json(log("virtcatalog", described, results))


FORMATS: dict[str, Callable[[Sequence[Finding], Mapping[str, Rule]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "junit": junit,
    "sarif": sarif,
}


def summary(findings: Sequence[Finding], inventory: Inventory | None) -> str:
    """Count the findings by severity, and what they were looked for in, in one line; None is what cannot be read."""
    return f"{_counted(findings)}{f' in {_checked(inventory)}' if inventory is not None else ''}"


def _checked(inventory: Inventory) -> str:
    objects = inventory.declared
    numbers = (
        (sum(subject.is_instancetype for subject in objects), "instance type"),
        (sum(subject.is_preference for subject in objects), "preference"),
        (inventory.number, "VM"),
    )
    return ", ".join(counted(number, noun) for number, noun in numbers if number) or "no objects and no VMs"


def _counted(findings: Sequence[Finding]) -> str:
    if not findings:
        return "no findings"
    counts = [(severity, sum(finding.severity == severity for finding in findings)) for severity in SEVERITIES]
    return ", ".join(counted(count, severity) for severity, count in counts if count)
