"""What `build` would refuse: the catalog breaks what its last release promised."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.publish.promise import breaches

BROKEN = Rule(
    "broken-promise",
    "error",
    "What the last release published would change, or go, here or in an environment.",
    "VMs that exist keep the revision that they were created with, and new VMs of the same name get another machine, "
    "or none. `virtcatalog build` refuses it; it cannot be allowed.",
    "Publish a changed class as a new `version`, and deprecate what goes away, with a replacement and a sunset. Where "
    "nobody uses it yet, publish it so: `virtcatalog release VERSION --accept NAME`.",
)
RULES = (BROKEN,)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Yield what `build` would refuse. No date counts: only a release has one."""
    for breach in breaches(inventory.catalog) if inventory.catalog is not None else ():
        place = breach.problem
        environments = (breach.environment,) if breach.environment else ()
        yield BROKEN.at(place, place.message, field=place.field, about=place.object, environments=environments)
