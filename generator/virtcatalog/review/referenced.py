"""What VMs refer to in an environment: found once for all that name the same."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.names import namespace_or_default
from virtcatalog.fleet.alike import Alike
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import Identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.pinned import Pinned, assumed, pins, recreated


class Referenced(NamedTuple):
    """The objects that a VM refers to, None where that cannot be told; whether all of them are `known`."""

    references: list[Identity] | None
    known: bool
    can_change: bool
    assumed: Pinned


class References:
    """What the VMs of a fleet refer to, on the sides of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.alike = Alike(comparison.base, comparison.head, labels_matter=comparison.labels_matter)
        self._by_names: dict[tuple[Identity, ...], Referenced] = {}

    def of(self, dumped: DumpedVm) -> Referenced:
        """Return what a VM refers to."""
        refers = dumped.header.references
        if refers is None:
            return self._find(references(recreated(dumped.vm), self.comparison.base))
        referenced = self._by_names.get(refers)
        if referenced is None:
            referenced = self._by_names[refers] = self._find(list(refers))
        return referenced

    def pinned(self, dumped: DumpedVm, referenced: Referenced) -> Pinned:
        """Return the revisions that a VM is pinned to."""
        namespace, named = namespace_or_default(dumped.header.namespace), dumped.header.revisions
        if not named:
            return referenced.assumed
        if any(self.comparison.base.controller_revision(namespace, name) for _, name in named):
            return pins(dumped.vm, self.comparison.base)
        return Pinned(frozenset([matcher for matcher, _ in named]))

    def _find(self, refers: list[Identity] | None) -> Referenced:
        comparison = self.comparison
        return Referenced(
            refers, comparison.is_known(refers), comparison.can_change(refers), assumed(refers, comparison.base)
        )
