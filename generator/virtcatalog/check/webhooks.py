"""What KubeVirt's webhooks for instance types and preferences refuse, or warn of."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.kubevirt.admission.instancetypes import validate_instancetype, validate_preference, warnings

REFUSED = Rule(
    "webhook-refusal",
    "error",
    "KubeVirt's webhook refuses the instance type or preference.",
    "The object cannot be applied, and a sync that holds it fails.",
    "Change the field that the finding names.",
)
DEPRECATED_FIELD = Rule(
    "deprecated-field",
    "warning",
    "The instance type or preference uses a field or value that KubeVirt has deprecated.",
    "KubeVirt warns whoever applies it, and a later release will not know it.",
    "Use what the finding names instead.",
)
RULES = (REFUSED, DEPRECATED_FIELD)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Ask the webhooks about every object."""
    for subject in inventory.objects:
        if subject.is_instancetype:
            causes = validate_instancetype(convert(subject.spec, VirtualMachineInstancetypeSpec))
        else:
            causes = validate_preference(convert(subject.spec, VirtualMachinePreferenceSpec))
        for cause in causes:
            yield subject.finding(REFUSED, cause.message, cause.field)
        for warning in warnings(subject.manifest):
            yield subject.finding(DEPRECATED_FIELD, warning.message, warning.field)
