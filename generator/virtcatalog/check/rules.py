"""Every rule, by id, in the order in which docs/findings.md lists them; and one run of all checks."""

from __future__ import annotations

from collections.abc import Iterator
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
from virtcatalog.progress import tracked

_VM_CHECKS = (releases.Vms, values.Vms, vms.Vms, deprecation.Vms)
_CHECKS = (releases, names, labels, values, scalars, webhooks, probes, usability, fitting, vms, deprecation, promise)

RULES = MappingProxyType(
    {
        rule.id: rule
        for rules in (
            (declarations.DECLARATION, declarations.DEFAULTS),
            *(check.RULES for check in _CHECKS),
            allowances.RULES,
        )
        for rule in rules
    }
)


def check(inventory: Inventory) -> list[Finding]:
    """Return all findings, sorted by place, without those that the catalog allows.

    ManifestError when VMs cannot be read, which happens only now.
    """
    findings = together(_findings(inventory))
    return sorted(allowances.apply(findings, inventory.allow, RULES))


def _findings(inventory: Inventory) -> Iterator[Finding]:
    for module in _CHECKS:
        yield from module.check(inventory)
    vm_checks = [rules(inventory) for rules in _VM_CHECKS]
    for places in tracked(inventory.vms, inventory.number, "VMs"):
        for vm in places:
            for vm_check in vm_checks:
                yield from vm_check.check(vm)
    for vm_check in vm_checks:
        yield from vm_check.finish()
