"""Who uses what: the VMs of a fleet counted by instance type, preference and namespace, with the names of a few.

VMs are counted one at a time: memory holds counts and a few names, however many VMs there are.
"""

from __future__ import annotations

from bisect import insort

import msgspec

from virtcatalog.api.kinds import INSTANCETYPE_KINDS, vm_spec
from virtcatalog.catalog.model import Catalog
from virtcatalog.environments import BASE, environments_for
from virtcatalog.kubevirt.instancetype.references import named_objects
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.identity import Data, Identity, identity, namespace_of
from virtcatalog.publish.rendered import Which
from virtcatalog.render.features import natural

FEW = 3
"""How many VMs of a namespace are named."""
ROWS = 100
"""How many namespaces a page lists; the others are counted together."""


class Users(msgspec.Struct):
    """VMs of a namespace: how many, and the names of the first of them."""

    count: int = 0
    names: list[str] = []

    def add(self, name: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.names) < FEW or natural(name) < natural(self.names[-1]):
            insort(self.names, name, key=natural)
            del self.names[FEW:]


class Place(msgspec.Struct, frozen=True):
    """A namespace, of an environment or cluster if that is known, and those in it that use something."""

    where: str
    namespace: str
    users: Users


class Usage(msgspec.Struct, frozen=True):
    """Who uses one thing; `more` counts the namespaces that are not listed, and their VMs."""

    count: int = 0
    places: tuple[Place, ...] = ()
    more: tuple[int, int] = (0, 0)


class Fleet:
    """VMs, counted.

    `anonymous` names neither VMs nor namespaces. `total` are all VMs, `others` those that name something which the
    catalog does not have where they are, `inferring` those that leave it to a volume, `plain` those that name nothing.
    """

    def __init__(self, catalog: Catalog, *, anonymous: bool = False) -> None:
        self.anonymous = anonymous
        self.total = self.others = self.inferring = self.plain = 0
        self._overlays = catalog.overlays
        self._here: dict[str, set[Identity]] = {
            name: {identity(manifest) for manifest in catalog.objects(name)}
            for name in (BASE, *(overlay.name for overlay in catalog.overlays))
        }
        self._users: dict[Which, dict[tuple[str, str], Users]] = {}

    def add(self, vm: Data, where: str = "") -> None:
        """Count a VirtualMachine; `where` is the environment or cluster that it is from, "" if unknown.

        Other manifests do not count: the VMs of a pool are VirtualMachines, too.
        """
        if vm.get("kind") != "VirtualMachine" or str(vm.get("apiVersion")).rpartition("/")[0] != "kubevirt.io":
            return
        self.total += 1
        references = named_objects(vm)
        environments = environments_for(vm, self._overlays, where) if references else []
        resolved = [
            reference
            for reference in references
            if any(self._has(environment, reference) for environment in environments)
        ]
        for kind, _, name in resolved:
            section = "instancetypes" if kind in INSTANCETYPE_KINDS else "preferences"
            place = ("", "") if self.anonymous else (where, namespace_of(vm))
            users = self._users.setdefault((section, name), {}).setdefault(place, Users())
            users.add("" if self.anonymous else str((vm.get("metadata") or {}).get("name") or ""))
        self.others += len(resolved) < len(references)
        spec = vm_spec(vm)
        matchers = [spec.get(matcher) for matcher in MATCHERS] if isinstance(spec, dict) else []
        self.inferring += any(isinstance(matcher, dict) and matcher.get("inferFromVolume") for matcher in matchers)
        self.plain += not any(matchers)

    def counts(self, section: str) -> dict[str, int]:
        """Return how many VMs use each instance type or preference."""
        return {
            name: sum(users.count for users in places.values())
            for (own, name), places in self._users.items()
            if own == section
        }

    def usage(self, section: str, name: str) -> Usage:
        """Return who uses something, namespaces with the most VMs first."""
        by_place = self._users.get((section, name), {})
        if self.anonymous:
            return Usage(sum(users.count for users in by_place.values()))
        places = sorted(
            (Place(where, namespace, users) for (where, namespace), users in by_place.items()),
            key=lambda place: (-place.users.count, place.where, natural(place.namespace)),
        )
        rest = places[ROWS:]
        return Usage(
            sum(place.users.count for place in places),
            tuple(places[:ROWS]),
            (len(rest), sum(place.users.count for place in rest)),
        )

    def _has(self, environment: str, reference: Identity) -> bool:
        if environment != BASE:
            return reference in self._here[environment]
        # In a catalog without environments nothing says in which namespace the namespaced kinds are.
        kind, _, name = reference
        return not self._overlays and (kind, "", name) in self._here[BASE]
