"""A finding: which rule, how bad, where, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

import msgspec

from virtcatalog.errors import Place, Problem, Severity, within

#: The gravest first.
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)


class Rule(msgspec.Struct, frozen=True):
    """One thing that `virtcatalog check` looks for; `at` makes a finding of it.

    `summary` is one sentence on what is wrong, `why` what happens to users then, `remedy` what to do about it.
    """

    id: str
    severity: Severity
    summary: str
    why: str
    remedy: str

    def at(
        self, place: Place, message: str, *, field: str = "", about: str = "", environments: tuple[str, ...] = ()
    ) -> Finding:
        """Return a finding of this rule."""
        return Finding(
            file=place.file,
            line=place.line,
            column=place.column,
            object=about,
            field=field,
            message=message,
            rule=self.id,
            severity=self.severity,
            environments=environments,
        )


class Finding(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One place where a rule does not hold. Lines and columns count from 1; 0 means an unknown place.

    `environments` are those of the catalog that have the fault, none for what does not depend on them.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    object: str = ""
    field: str = ""
    message: str
    rule: str
    severity: Severity
    environments: tuple[str, ...] = ()

    @property
    def problem(self) -> Problem:
        """What is wrong, where and in which environments, without the rule."""
        message = within(self.message, self.environments)
        return Problem(self.file, self.line, self.column, self.object, self.field, message)

    def __str__(self) -> str:
        return f"{' '.join(str(self.problem).splitlines())} [{self.severity}: {self.rule}]"


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings sorted and without repetition, with all their environments in the order of the input."""
    environments_of: dict[Finding, dict[str, None]] = {}
    for finding in findings:
        environments_of.setdefault(msgspec.structs.replace(finding, environments=()), {}).update(
            dict.fromkeys(finding.environments)
        )
    return sorted(
        msgspec.structs.replace(finding, environments=tuple(names)) for finding, names in environments_of.items()
    )


def fails(findings: Iterable[Finding], least: Severity) -> bool:
    """Whether any of the findings is as grave as the least that counts."""
    grave = SEVERITIES[: SEVERITIES.index(least) + 1]
    return any(finding.severity in grave for finding in findings)
