"""What VMs meet in an environment by what they name: found once for all that name the same."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.names import namespace_or_default
from virtcatalog.fleet.alike import Alike
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import Identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.dumps import Given
from virtcatalog.review.stored import Pinned, assumed, pins, recreated


class Met(NamedTuple):
    """The objects that a VM refers to, None where that cannot be told; whether all of them are `known`."""

    references: list[Identity] | None
    known: bool
    can_change: bool
    assumed: Pinned


class Meeting:
    """What the VMs of a fleet meet in one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.alike = Alike(comparison.base, comparison.head, labels_matter=comparison.labels_matter)
        self._met: dict[tuple[Identity, ...], Met] = {}

    def of(self, given: Given) -> Met:
        """Return what a VM meets."""
        refers = given.header.references
        if refers is None:
            return self._find(references(recreated(given.vm), self.comparison.base))
        met = self._met.get(refers)
        if met is None:
            met = self._met[refers] = self._find(list(refers))
        return met

    def pinned(self, given: Given, met: Met) -> Pinned:
        """Return the revisions that a VM is pinned to."""
        namespace, named = namespace_or_default(given.header.namespace), given.header.revisions
        if not named:
            return met.assumed
        if any(self.comparison.base.controller_revision(namespace, name) for _, name in named):
            return pins(given.vm, self.comparison.base)
        return Pinned(frozenset([matcher for matcher, _ in named]))

    def _find(self, refers: list[Identity] | None) -> Met:
        comparison = self.comparison
        return Met(refers, comparison.is_known(refers), comparison.can_change(refers), assumed(refers, comparison.base))
