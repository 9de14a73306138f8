"""Labels that restate the spec, of objects that virtcatalog did not render: they may have drifted from it."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import PREFIX, requirement_labels, spec_labels
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory

DRIFT = Rule(
    "label-drift",
    "error",
    "A label of an object beside the catalog says something else than its spec.",
    "Consoles and scripts select objects by these labels, and offer what the VM does not get.",
    "Correct the label or the spec. In a catalog these labels are derived and cannot drift.",
)
RULES = (DRIFT,)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Compare the labels of imported objects with their specs."""
    for subject in inventory.objects:
        if subject.origin != "import":
            continue
        restated = spec_labels(subject.spec) if subject.is_instancetype else requirement_labels(subject.spec)
        for key, expected in restated.items():
            stated = subject.labels.get(PREFIX + key)
            if stated is not None and not _agree(stated, expected):
                message = f"the label says {stated!r}, the spec {expected or 'nothing of the kind'!r}"
                yield subject.finding(DRIFT, message, f"metadata.labels[{PREFIX}{key}]")


def _agree(stated: str, expected: str) -> bool:
    """Whether a label restates a value: as it is, as the same amount, or as a flag that there is one."""
    if stated == expected or (stated == "true" and expected) or (stated in ("", "false") and not expected):
        return True
    try:
        return Quantity.parse(stated) == Quantity.parse(expected)
    except ValueError:
        return False
