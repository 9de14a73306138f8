"""Every rule, by id, in the order in which docs/findings.md lists them; and one run of all checks."""

from __future__ import annotations

from types import MappingProxyType

from virtcatalog.check import (
    allowances,
    declarations,
    deprecation,
    fitting,
    labels,
    names,
    probes,
    promise,
    releases,
    scalars,
    usability,
    values,
    vms,
    webhooks,
)
from virtcatalog.check.finding import Finding, together
from virtcatalog.check.subject import Inventory

_CHECKS = (releases, names, labels, values, scalars, webhooks, probes, usability, fitting, vms, deprecation, promise)

RULES = MappingProxyType(
    {
        rule.id: rule
        for rules in (
            (declarations.DECLARATION,),
            *(check.RULES for check in _CHECKS),
            allowances.RULES,
        )
        for rule in rules
    }
)


def check(inventory: Inventory) -> list[Finding]:
    """Return all findings, sorted by place, without those that the catalog allows."""
    found = together(finding for each in _CHECKS for finding in each.check(inventory))
    return sorted(allowances.apply(found, inventory.allow, RULES))
