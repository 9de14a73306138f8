"""Objects that go away: when, for what, who still uses them, and whether the last release promised that they stay."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import INSTANCETYPE_KINDS
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import DEPRECATED_LABEL, REPLACED_BY
from virtcatalog.api.names import SUNSET as SUNSET_ANNOTATION
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.labels import deprecation
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject, VmCheck
from virtcatalog.errors import listed
from virtcatalog.kubevirt.instancetype.references import named_objects
from virtcatalog.publish.promise import breaches

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
    "have no stored revision of it are refused. `virtcatalog release` refuses it once the object is published.",
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
BROKEN = Rule(
    "broken-promise",
    "error",
    "What the last release published would change, or go, here or in an environment.",
    "VMs that exist keep the revision that they were created with, and new VMs of the same name get another machine, "
    "or none. `virtcatalog build` refuses it; it cannot be allowed.",
    "Publish a changed class as a new `version`, and deprecate what goes away, with a replacement and a sunset. Where "
    "nobody uses it yet, publish it so: `virtcatalog release VERSION --accept NAME`.",
)
RULES = (SUNSET, LEFT_OUT, MISSING, DEPRECATED, NONE, USED, BROKEN)

_Key = tuple[bool, str]
"""Whether it is an instance type, and its name."""


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check deprecated objects, and what the last release published."""
    objects = _by_name(inventory)
    for subject in objects.values():
        if _deprecated(subject):
            yield from _deprecation(subject, objects.get((subject.is_instancetype, _replacement(subject))))
            yield from _sunset(subject, inventory)
    for breach in breaches(inventory.catalog) if inventory.catalog is not None else ():  # only a release has a date
        place = breach.problem
        environments = (breach.environment,) if breach.environment else ()
        yield BROKEN.at(place, place.message, field=place.field, about=place.object, environments=environments)


class Vms(VmCheck):
    """Looks at the VMs that use deprecated objects."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__(inventory)
        self._deprecated = {key: subject for key, subject in _by_name(inventory).items() if _deprecated(subject)}
        self._users: dict[tuple[str, _Key], dict[str, None]] = {}

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Note which deprecated objects it uses, and what is wrong with that."""
        for kind, _, name in named_objects(vm.manifest) if vm.kind == VirtualMachine.__name__ else ():
            key = kind in INSTANCETYPE_KINDS, name
            deprecated = self._deprecated.get(key)
            if deprecated is not None:
                self._users.setdefault((vm.environment, key), {})[manifest_name(vm.manifest)] = None
                advice = deprecation(deprecated.manifest)
                part = "instancetype" if deprecated.is_instancetype else "preference"
                yield vm.finding(USED, f"{name} is deprecated{f': {advice}' if advice else ''}", f"spec.{part}.name")

    def finish(self) -> Iterator[Finding]:
        """Yield what environments leave out too early, with the VMs that use it there."""
        for key, subject in self._deprecated.items():
            sunset, inventory = subject.annotations.get(SUNSET_ANNOTATION, ""), self.inventory
            if subject.origin != "catalog" or (sunset and sunset <= inventory.today.isoformat()):
                continue
            for overlay in inventory.overlays:
                if _has(replace(overlay, deprecated=True), subject) and not _has(overlay, subject):
                    users = listed(list(self._users.get((overlay.name, key), ()))) or "no VM known here"
                    until = f"stays until {sunset}" if sunset else "has no sunset yet"
                    yield LEFT_OUT.at(
                        overlay.source,
                        f"leaves out {subject.name}, which is deprecated and {until}: that removes it; "
                        f"it is used by {users}",
                        field=f"{overlay.name}.deprecated",
                        about=subject.name,
                        environments=(overlay.name,),
                    )


def _by_name(inventory: Inventory) -> dict[_Key, Subject]:
    return {(subject.is_instancetype, subject.name): subject for subject in inventory.declared}


def _deprecation(subject: Subject, replacement: Subject | None) -> Iterator[Finding]:
    name = _replacement(subject)
    if not name:
        yield subject.finding(NONE, "is deprecated, and nothing says what to use instead")
    elif replacement is None:
        yield subject.finding(MISSING, f"is to be replaced by {name}, which is not there")
    elif _deprecated(replacement):
        yield subject.finding(DEPRECATED, f"is to be replaced by {name}, which is deprecated itself")


def _sunset(subject: Subject, inventory: Inventory) -> Iterator[Finding]:
    """A deprecated object past its sunset, with the environments that still have it."""
    sunset, today = subject.annotations.get(SUNSET_ANNOTATION, ""), inventory.today.isoformat()
    if sunset and sunset < today:
        finding = subject.finding(SUNSET, f"was to be removed on {sunset}")
        yield replace(
            finding, environments=tuple(overlay.name for overlay in inventory.overlays if _has(overlay, subject))
        )


def _has(overlay: Overlay, subject: Subject) -> bool:
    """Whether an environment has an object of the catalog, as either kind."""
    kinds = (subject.kind, subject.kind.replace("Cluster", ""))
    return any(overlay.includes({**subject.manifest, "kind": kind}) for kind in kinds)


def _deprecated(subject: Subject) -> bool:
    return subject.labels.get(DEPRECATED_LABEL) == "true"


def _replacement(subject: Subject) -> str:
    return subject.annotations.get(REPLACED_BY, "")
