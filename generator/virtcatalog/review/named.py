"""What VMs meet in an environment by what they name: found once for all that name the same."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.kubevirt.alike import Alike
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.given import Given, Matcher
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
        self._met: dict[tuple[tuple[Matcher, ...], str], Met] = {}

    def of(self, given: Given) -> Met:
        """Return what a VM meets."""
        header = given.header
        if header.matchers is None:
            return self._find(recreated(given.vm))
        key = header.matchers, header.namespace if header.own else ""
        met = self._met.get(key)
        if met is None:
            met = self._met[key] = self._find(header.outline())
        return met

    def pinned(self, given: Given, met: Met) -> Pinned:
        """Return the revisions that a VM is pinned to."""
        namespace, named = given.header.namespace or "default", given.header.revisions
        if not named:
            return met.assumed
        if any(self.comparison.base.controller_revision(namespace, name) for _, name in named):
            return pins(given.vm, self.comparison.base)
        return Pinned(frozenset([matcher for matcher, _ in named]))

    def _find(self, vm: Data) -> Met:
        refers = references(vm, self.comparison.base)
        return Met(
            refers,
            self.comparison.is_known(refers),
            self.comparison.can_change(refers),
            assumed(refers, self.comparison.base),
        )
