"""Findings that `catalog.yaml` allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from virtcatalog.catalog.model import Allowance
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.errors import nearest

UNUSED = Rule(
    "unused-allowance",
    "warning",
    "An entry of `allow` in `catalog.yaml` matches no finding.",
    "What it excused is gone, or it is misspelt; the next thing that it happens to match would go unseen.",
    "Remove the entry, or correct its `objects`.",
)
UNKNOWN = Rule(
    "unknown-rule",
    "error",
    "An entry of `allow` in `catalog.yaml` names a rule that does not exist, or that cannot be allowed.",
    "The entry allows nothing.",
    "Name one of the rules of this page.",
)
RULES = (UNUSED, UNKNOWN)

_NEVER = frozenset(("invalid-declaration", "broken-promise", UNUSED.id, UNKNOWN.id))


def apply(findings: Iterable[Finding], allow: Iterable[Allowance], rules: Mapping[str, Rule]) -> list[Finding]:
    """Return the findings that are not allowed, and what is wrong with the allowances."""
    matched: set[int] = set()
    allowances = list(allow)
    remaining = []
    for finding in findings:
        matching = [index for index, allowance in enumerate(allowances) if _covers(allowance, finding)]
        matched.update(matching)
        if not matching:
            remaining.append(finding)
    for index, allowance in enumerate(allowances):
        if allowance.rule not in rules or allowance.rule in _NEVER:
            allowable = rules.keys() - _NEVER
            why = "cannot be allowed" if allowance.rule in _NEVER else f"is no rule{nearest(allowance.rule, allowable)}"
            remaining.append(UNKNOWN.at(allowance.source, f"{allowance.rule!r} {why}", field=f"allow[{index}].rule"))
        elif index not in matched:
            message = f"there is no finding of {allowance.rule} that this allows"
            remaining.append(UNUSED.at(allowance.source, message, field=f"allow[{index}]"))
    return remaining


def allowed(finding: Finding, allow: Iterable[Allowance]) -> bool:
    """Whether an allowance is for the finding."""
    return any(_covers(allowance, finding) for allowance in allow)


def _covers(allowance: Allowance, finding: Finding) -> bool:
    if allowance.rule != finding.rule or finding.rule in _NEVER:
        return False
    name = finding.object.rpartition("/")[2]
    return not allowance.objects or any(
        fnmatchcase(name, pattern) or fnmatchcase(finding.object, pattern) for pattern in allowance.objects
    )
