"""Objects that go away: when, for what, and who still uses them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from virtcatalog.api.annotations import DEPRECATED_LABEL
from virtcatalog.api.decode import manifest_name
from virtcatalog.catalog.labels import PREFIX
from virtcatalog.catalog.model import INSTANCETYPE_KINDS, PREFERENCE_KINDS, Overlay
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.errors import listed
from virtcatalog.kubevirt.instancetype.references import named_objects

SUNSET = Rule(
    "sunset-passed",
    "warning",
    "A deprecated object is still declared after the day on which it was to be removed.",
    "Users were told that it goes, and new VMs keep using it.",
    "Remove the object, or set a later `sunset`.",
)
LEFT_OUT = Rule(
    "removed-early",
    "warning",
    "An environment leaves out a deprecated object before its sunset.",
    "That removes it, whatever is said of its sunset: VMs that name it can no longer be created there, and those that "
    "have no stored revision of it cannot start. `virtcatalog release` refuses it once the object is published.",
    "Let the environment keep what is deprecated: it is labelled, and says what to use instead. `deprecated: false` is "
    "for when every sunset has passed.",
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
RULES = (SUNSET, LEFT_OUT, MISSING, DEPRECATED, NONE, USED)

_REPLACED_BY = f"{PREFIX}replacedBy"
_SUNSET = f"{PREFIX}sunset"


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check deprecated objects and the VMs that use them."""
    objects = [each for each in inventory.objects if each.origin != "environment"]
    known = {(each.is_instancetype, each.name): each for each in objects}
    for each in objects:
        if _deprecated(each):
            yield from _deprecation(each, known.get((each.is_instancetype, _replacement(each))))
            yield from _sunset(each, inventory)
    for vm in inventory.vms:
        for kind, _, name in named_objects(vm.manifest):
            used = known.get((kind in INSTANCETYPE_KINDS, name))
            if used is not None and _deprecated(used):
                instead = f": use {_replacement(used)}" if _replacement(used) else ""
                part = "instancetype" if used.is_instancetype else "preference"
                yield vm.finding(USED, f"{name} is deprecated{instead}", f"spec.{part}.name")


def _deprecation(each: Subject, replacement: Subject | None) -> Iterator[Finding]:
    name = _replacement(each)
    if not name:
        yield each.finding(NONE, "is deprecated, and nothing says what to use instead")
    elif replacement is None:
        yield each.finding(MISSING, f"is to be replaced by {name}, which is not there")
    elif _deprecated(replacement):
        yield each.finding(DEPRECATED, f"is to be replaced by {name}, which is deprecated itself")


def _sunset(each: Subject, inventory: Inventory) -> Iterator[Finding]:
    """What is there too long, and in which environments; what some leave out too early, and who uses it there."""
    sunset, today = each.annotations.get(_SUNSET, ""), inventory.today.isoformat()
    if sunset and sunset < today:
        found = each.finding(SUNSET, f"was to be removed on {sunset}")
        yield replace(found, environments=tuple(overlay.name for overlay in inventory.overlays if _has(overlay, each)))
    if each.origin != "catalog" or (sunset and sunset <= today):
        return
    for overlay in inventory.overlays:
        if _has(replace(overlay, deprecated=True), each) and not _has(overlay, each):
            users = [vm for vm in inventory.vms if vm.environment == overlay.name and _names(vm, each)]
            named = listed(list(dict.fromkeys(manifest_name(vm.manifest) for vm in users))) or "no VM known here"
            until = f"stays until {sunset}" if sunset else "has no sunset yet"
            message = f"leaves out {each.name}, which is deprecated and {until}: that removes it; it is used by {named}"
            field = f"{overlay.name}.deprecated"
            yield LEFT_OUT.at(overlay.source, message, field=field, about=each.name, environments=(overlay.name,))


def _has(overlay: Overlay, each: Subject) -> bool:
    """Whether an environment has an object of the catalog, as either kind."""
    kinds = (each.kind, each.kind.replace("Cluster", ""))
    return any(overlay.includes({**each.manifest, "kind": kind}) for kind in kinds)


def _names(vm: Subject, each: Subject) -> bool:
    kinds = INSTANCETYPE_KINDS if each.is_instancetype else PREFERENCE_KINDS
    return any(kind in kinds and name == each.name for kind, _, name in named_objects(vm.manifest))


def _deprecated(each: Subject) -> bool:
    return each.labels.get(DEPRECATED_LABEL) == "true"


def _replacement(each: Subject) -> str:
    return each.annotations.get(_REPLACED_BY, "")
