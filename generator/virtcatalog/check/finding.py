"""A finding: which rule, how bad, where, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, get_args

import msgspec

from virtcatalog.errors import Place, Problem, Severity, counted, some, within

#: The gravest first.
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
#: So many objects are named where more have the same to be said of them.
_SHOWN: Final = 3


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


class Following(msgspec.Struct, frozen=True, order=True):
    """A VM that is refused for the fault of another object, and the place of the field that says so."""

    object: str
    file: str
    line: int


class Finding(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One place where a rule does not hold. Lines and columns count from 1; 0 means an unknown place.

    `environments` are those of the catalog that have the fault, none for what does not depend on them. `vms` are
    refused for this fault alone, so that they have no finding of their own.
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
    vms: tuple[Following, ...] = ()

    @property
    def problem(self) -> Problem:
        """What is wrong, where and in which environments, without the rule."""
        message = within(self.message, self.environments)
        return Problem(self.file, self.line, self.column, self.object, self.field, message)

    def refusing(self, refusal: Finding) -> Finding:
        """Return the fault as that of a VM, too, which KubeVirt refuses for it alone."""
        vm = Following(refusal.object, refusal.file, refusal.line)
        return msgspec.structs.replace(self, vms=(vm,), severity=refusal.severity)

    def __str__(self) -> str:
        return f"{' '.join(str(self.problem).splitlines())} [{self.severity}: {self.rule}]"


def refused_for(findings: Iterable[Finding]) -> str:
    """Say which VMs are refused for these findings; "" for none."""
    vms = sorted({vm for finding in findings for vm in finding.vms})
    return f"{counted(len(vms), 'VM is', 'VMs are')} refused for it: {objects(vms)}" if vms else ""


def objects(places: Sequence[Finding | Following]) -> str:
    """Name the first few objects, with their places."""
    names = [f"{place.object} ({place.file}:{place.line})" if place.file else place.object for place in places]
    return some(names, _SHOWN)


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings sorted and without repetition.

    Each has all its environments, in the order of the input, all its VMs, and the gravest severity.
    """
    groups: dict[Finding, list[Finding]] = {}
    for finding in findings:
        bare = msgspec.structs.replace(finding, environments=(), vms=(), severity=SEVERITIES[0])
        groups.setdefault(bare, []).append(finding)
    return sorted(
        msgspec.structs.replace(
            bare,
            environments=tuple(dict.fromkeys(name for finding in group for name in finding.environments)),
            vms=tuple(sorted({vm for finding in group for vm in finding.vms})),
            severity=min((finding.severity for finding in group), key=SEVERITIES.index),
        )
        for bare, group in groups.items()
    )


def fails(findings: Iterable[Finding], least: Severity) -> bool:
    """Whether any of the findings is as grave as the least that counts."""
    grave = SEVERITIES[: SEVERITIES.index(least) + 1]
    return any(finding.severity in grave for finding in findings)
