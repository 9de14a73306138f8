"""Objects that go away: when, for what, and who still uses them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from virtcatalog.api.annotations import DEPRECATED_LABEL
from virtcatalog.catalog.labels import PREFIX
from virtcatalog.catalog.model import (
    CLUSTER_INSTANCETYPE,
    CLUSTER_PREFERENCE,
    INSTANCETYPE_KINDS,
    PREFERENCE_KINDS,
)
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject

SUNSET = Rule(
    "sunset-passed",
    "warning",
    "A deprecated object is still there after the day on which it was to be removed.",
    "Users were told that it goes, and new VMs keep using it.",
    "Remove the object, or set a later `sunset`.",
)
MISSING = Rule(
    "replacement-missing",
    "error",
    "A deprecated object names a replacement that does not exist.",
    "Users cannot follow the advice. In the catalog's own files this is an `invalid-declaration`.",
    "Name an object of the same kind that exists.",
)
DEPRECATED = Rule(
    "replacement-deprecated",
    "warning",
    "The replacement of a deprecated object is deprecated itself.",
    "Users who follow the advice have to move twice.",
    "Name the object that lasts.",
)
NONE = Rule(
    "no-replacement",
    "note",
    "A deprecated object names no replacement.",
    "Users do not learn what to use instead.",
    "Set `deprecated.replacedBy`, or allow the finding where nothing takes its place.",
)
USED = Rule(
    "uses-deprecated",
    "warning",
    "A VM uses a deprecated instance type or preference.",
    "It cannot be created any more once the object is removed.",
    "Use the replacement.",
)
RULES = (SUNSET, MISSING, DEPRECATED, NONE, USED)

_REPLACED_BY = f"{PREFIX}replacedBy"
_SUNSET = f"{PREFIX}sunset"


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check deprecated objects and the VMs that use them."""
    objects = [each for each in inventory.objects if each.origin != "environment"]
    known = {(each.is_instancetype, each.name): each for each in objects}
    for each in objects:
        if _deprecated(each):
            yield from _deprecation(each, known.get((each.is_instancetype, _replacement(each))), inventory.today)
    for vm in inventory.vms:
        for part, default, kinds in (
            ("instancetype", CLUSTER_INSTANCETYPE, INSTANCETYPE_KINDS),
            ("preference", CLUSTER_PREFERENCE, PREFERENCE_KINDS),
        ):
            matcher = vm.spec.get(part) or {}
            kind = str(matcher.get("kind") or default)
            used = known.get((part == "instancetype", matcher.get("name", "")))
            if used is not None and kind.lower() in (each.lower() for each in kinds) and _deprecated(used):
                instead = f": use {_replacement(used)}" if _replacement(used) else ""
                yield vm.finding(USED, f"{used.name} is deprecated{instead}", f"spec.{part}.name")


def _deprecation(each: Subject, replacement: Subject | None, today: date) -> Iterator[Finding]:
    name, sunset = _replacement(each), each.annotations.get(_SUNSET, "")
    if not name:
        yield each.finding(NONE, "is deprecated, and nothing says what to use instead")
    elif replacement is None:
        yield each.finding(MISSING, f"is to be replaced by {name}, which is not there")
    elif _deprecated(replacement):
        yield each.finding(DEPRECATED, f"is to be replaced by {name}, which is deprecated itself")
    if sunset and sunset < today.isoformat():
        yield each.finding(SUNSET, f"was to be removed on {sunset}")


def _deprecated(each: Subject) -> bool:
    return each.labels.get(DEPRECATED_LABEL) == "true"


def _replacement(each: Subject) -> str:
    return each.annotations.get(_REPLACED_BY, "")
