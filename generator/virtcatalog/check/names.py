"""Names and labels: what Kubernetes takes, what readers expect, what is taken already, what the spec says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES, name_fault, pair_fault
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import PREFIX, requirement_labels, spec_labels
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject

INVALID_NAME = Rule(
    "invalid-name",
    "error",
    "A name, label or annotation of an object beside the catalog is none that Kubernetes takes.",
    "The API server refuses the object.",
    "Use lower-case letters, digits, `-` and `.` in names; labels have at most 63 letters, digits, `-`, `_` and `.`.",
)
NAME_GRAMMAR = Rule(
    "name-grammar",
    "warning",
    "An instance type is not named `series.size` or `series.size.variant`.",
    "Consoles and people read series and size off the name, as they do with common-instancetypes: `u1.2xmedium`.",
    "Leave `name` out of the class, or make a name of that form with it.",
)
RESERVED_NAME = Rule(
    "reserved-name",
    "error",
    "An object beside the catalog has the name of one that KubeVirt's operator deploys.",
    "The operator replaces the object by its own, again and again.",
    "Choose another name, or disable the operator's deployment (`spec.configuration.commonInstancetypesDeployment` of "
    "the KubeVirt CR) and say `operator: {commonInstancetypes: disabled}` in `catalog.yaml`.",
)
DUPLICATE = Rule(
    "duplicate-object",
    "error",
    "Two objects have the same kind, namespace and name.",
    "Only one of them can be in the cluster: the one that was applied last.",
    "Rename or remove one of the two.",
)
DRIFT = Rule(
    "label-drift",
    "error",
    "A label of an object beside the catalog says something else than its spec.",
    "Consoles and scripts select objects by these labels, and offer what the VM does not get.",
    "Correct the label or the spec. In a catalog these labels are derived and cannot drift.",
)
RULES = (INVALID_NAME, NAME_GRAMMAR, RESERVED_NAME, DUPLICATE, DRIFT)

_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_GRAMMAR = re.compile(rf"[a-z]([-a-z0-9]*[a-z0-9])?\.{_PART}(\.{_PART})?")
_VENDOR = f"{PREFIX}vendor"


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check the names and labels of instance types and preferences."""
    subjects: dict[tuple[str, str, str, str], Subject] = {}
    for subject in inventory.objects:
        if subject.origin == "environment":
            continue
        if subject.origin == "import":
            yield from _imported(inventory, subject)
        if subject.is_instancetype and not _GRAMMAR.fullmatch(subject.name):
            yield subject.finding(NAME_GRAMMAR, f"the name {subject.name!r} is not series.size or series.size.variant")
        for kind in _kinds(subject):
            first = subjects.setdefault((subject.where, kind, subject.namespace, subject.name), subject)
            if first is not subject:
                where = first.place("")
                yield subject.finding(DUPLICATE, f"is there twice, first at {where}")


def _kinds(subject: Subject) -> tuple[str, ...]:
    """The kinds it is deployed as: the catalog renders both scopes."""
    return (subject.kind, subject.kind.replace("Cluster", "")) if subject.origin == "catalog" else (subject.kind,)


def _imported(inventory: Inventory, subject: Subject) -> Iterator[Finding]:
    if fault := name_fault(subject.name):
        yield subject.finding(INVALID_NAME, fault, "metadata.name")
    for field, pairs in (("labels", subject.labels), ("annotations", subject.annotations)):
        for key, value in pairs.items():
            if fault := pair_fault(field, key, value):
                yield subject.finding(INVALID_NAME, fault, f"metadata.{field}[{key}]")
    reserved = RESERVED_INSTANCETYPES if subject.is_instancetype else RESERVED_PREFERENCES
    deployed = inventory.catalog is None or inventory.catalog.operator_deployment
    if (
        deployed
        and subject.name in reserved
        and "Cluster" in subject.kind
        and subject.labels.get(_VENDOR) != "kubevirt.io"
    ):
        yield subject.finding(RESERVED_NAME, f"KubeVirt's operator deploys {subject.name!r} itself", "metadata.name")
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
