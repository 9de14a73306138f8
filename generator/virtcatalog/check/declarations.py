"""A catalog or manifest that cannot be read: its problems as findings, so that they come out like all others."""

from __future__ import annotations

from collections.abc import Iterable

from virtcatalog.check.finding import Finding, Rule
from virtcatalog.errors import Problem

DECLARATION = Rule(
    "invalid-declaration",
    "error",
    "A file of the catalog, or a manifest, is not what its schema says, or contradicts another.",
    "Nothing is rendered from it. Among these are unknown and misspelt keys, values of a wrong type, fields that the "
    "KubeVirt release that `catalog.yaml` names does not know, names that Kubernetes refuses, that are declared twice "
    "or that KubeVirt's operator deploys itself, and `null` in lists. The other rules are not looked at before the "
    "catalog can be read; this one cannot be allowed.",
    "Correct the declaration: the message says what is wanted there, and `virtcatalog schema` prints the schemas that "
    "editors use.",
)

DEFAULTS = Rule(
    "repository-default",
    "note",
    "`virtcatalog.toml` leaves something out of this check, or chooses what it is about.",
    "Whoever changes the repository can change that file, and what is left out is not looked at. It never fails, and "
    "cannot be allowed.",
    "Say it on the command line where a change is not to choose: `-e '*'` looks at all environments.",
)


def of_defaults(places: Iterable[Problem]) -> list[Finding]:
    """Return a note for every default of the repository that counts."""
    return [DEFAULTS.at(problem, problem.message, field=problem.field) for problem in places]


def unreadable(problems: Iterable[Problem]) -> list[Finding]:
    """Return the problems of loading as findings."""
    return [DECLARATION.at(problem, problem.message, field=problem.field, about=problem.object) for problem in problems]
