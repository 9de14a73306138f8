"""docs/findings.md: what every rule is about."""

from __future__ import annotations

from collections.abc import Mapping

from virtcatalog.check.finding import Rule

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


def page(rules: Mapping[str, Rule]) -> str:
    """Return the page as Markdown."""
    rows = "".join(f"| [{rule.id}](#{rule.id}) | {rule.severity} | {rule.summary} |\n" for rule in rules.values())
    return _HEAD + rows + "".join(map(_section, rules.values()))


def _section(rule: Rule) -> str:
    return f"\n## {rule.id}\n\n*{rule.severity.capitalize()}.* {rule.summary}\n\n{rule.why}\n\n{rule.remedy}\n"
