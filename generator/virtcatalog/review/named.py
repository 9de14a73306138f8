"""What VMs meet in an environment by what they name: found once for all that name the same."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.kinds import vm_spec
from virtcatalog.kubevirt.alike import Alike
from virtcatalog.kubevirt.instancetype.references import references, refers_to_own_namespace
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.identity import Data, Identity, namespace_of
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.stored import Pinned, assumed, recreated


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
        self._met: dict[tuple[str, ...], Met] = {}
        self._local = Local()

    def of(self, vm: Data) -> Met:
        """Return what a VM meets."""
        names = matchers_of(vm)
        if names is None:
            return self._find(vm)
        if self._local.refers(vm, names):
            names = (*names, namespace_of(vm))
        met = self._met.get(names)
        if met is None:
            met = self._met[names] = self._find(vm)
        return met

    def _find(self, vm: Data) -> Met:
        refers = references(recreated(vm), self.comparison.base)
        return Met(
            refers,
            self.comparison.is_known(refers),
            self.comparison.can_change(refers),
            assumed(refers, self.comparison.base),
        )


class Local:
    """Whether VMs name instance types or preferences of their own namespaces."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...] | None, bool] = {}

    def refers(self, vm: Data, names: tuple[str, ...] | None) -> bool:
        """Whether a VM does, whose matchers have these names."""
        if names is None:
            return refers_to_own_namespace(vm)
        found = self._known.get(names)
        if found is None:
            found = self._known[names] = refers_to_own_namespace(vm)
        return found


def matchers_of(vm: Data) -> tuple[str, ...] | None:
    """Return the kind and name of each of a VM's matchers; None where these are not all that decides what it means."""
    spec = vm_spec(vm)
    if not isinstance(spec, dict):
        return None
    found: list[str] = []
    for matcher in MATCHERS:
        given = spec.get(matcher)
        if not given:
            found.append("")
        elif not isinstance(given, dict) or given.get("inferFromVolume"):
            return None
        else:
            found += (str(given.get("kind") or ""), str(given.get("name") or ""), str(given.get("name")))
    return tuple(found)
