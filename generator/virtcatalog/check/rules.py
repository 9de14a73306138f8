"""Every rule, by id, in the order in which docs/findings.md lists them; that page; and one run of all checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from virtcatalog.check import (
    allowances,
    declarations,
    delivery,
    deprecation,
    fitting,
    likely,
    names,
    probes,
    releases,
    scalars,
    sync,
    usability,
    values,
    vms,
    webhooks,
)
from virtcatalog.check.finding import Finding, Rule, together
from virtcatalog.check.subject import Inventory
from virtcatalog.progress import tracked

_VM_CHECKS = (releases.Vms, values.Vms, vms.Vms, sync.Vms, deprecation.Vms)
_CHECKS = (
    releases,
    names,
    values,
    likely,
    scalars,
    webhooks,
    probes,
    usability,
    fitting,
    vms,
    sync,
    delivery,
    deprecation,
)

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
    findings = [finding for module in _CHECKS for finding in module.check(inventory)]
    yield from findings
    faults = [finding for finding in findings if not allowances.allowed(finding, inventory.allow)]
    vm_checks = [rules(replace(inventory, faults=faults)) for rules in _VM_CHECKS]
    for places in tracked(inventory.vms, inventory.number, "VMs"):
        for vm in places:
            for vm_check in vm_checks:
                yield from vm_check.check(vm)
    for vm_check in vm_checks:
        yield from vm_check.finish()


_HEAD = """\
# Findings of `virtcatalog check`

<!-- Written by `virtcatalog check --rules`; change the rules in generator/virtcatalog/check. -->

`virtcatalog check` finds out what can be known of a catalog before it is applied. Each finding has the id of its rule,
a severity and a place. Errors and warnings make the exit status 1; notes do so with `--fail-on note`.

A finding that is meant to be so is allowed in `catalog.yaml`, with a reason:

```yaml
allow:
  - rule: spread-remainder
    objects: [linux.rhel9.realtime]      # globs on names, or on Kind/name; every object if left out
    reason: The small sizes are not for real-time guests.
```

| Rule | Severity | What is wrong |
|---|---|---|
"""
_NEXT = "\nNext: [the catalog's language](catalog.md), or [CI](ci.md), where findings are annotations.\n"


def page(rules: Mapping[str, Rule]) -> str:
    """Return the page as Markdown."""
    rows = "".join(f"| [{rule.id}](#{rule.id}) | {rule.severity} | {rule.summary} |\n" for rule in rules.values())
    return _HEAD + rows + "".join(map(_section, rules.values())) + _NEXT


def _section(rule: Rule) -> str:
    return f"\n## {rule.id}\n\n*{rule.severity.capitalize()}.* {rule.summary}\n\n{rule.why}\n\n{rule.remedy}\n"
