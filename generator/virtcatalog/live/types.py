"""Instance types and preferences that the cluster has not as Git: a VM waits for them, though itself it is in sync."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import vm_spec
from virtcatalog.errors import place
from virtcatalog.kubevirt.matchers import KINDS, MATCHERS, NAMESPACED_KINDS
from virtcatalog.live.verdict import Field, Reason
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data, Identity, identity, namespace_of
from virtcatalog.review.side import Side, Vm

SPECS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "instancetype": VirtualMachineInstancetypeSpec,
    "preference": VirtualMachinePreferenceSpec,
}


def as_stored(spec: Any, which: str) -> Any:
    """Return the spec of an instance type or preference as KubeVirt stores it; as it is, if its API does not have it.

    `which` is the matcher of a VM that names such objects.
    """
    try:
        return to_manifest(convert(spec, SPECS[which]))
    except msgspec.ValidationError:
        return spec


def not_known(matcher: str, name: str, unread: str) -> Reason:
    """Return that nobody knows what an instance type or preference of a VM is now; `unread` says why."""
    return Reason(kind="unread", message=f"what its {matcher} {name} is now is not known: {unread}")


class Types:
    """The instance types and preferences of a cluster beside those of an environment in Git."""

    def __init__(
        self, side: Side, in_git: Iterable[Data], there: Mapping[Identity, Data], unread: Callable[[str], str]
    ) -> None:
        """`unread` says why it is not known which objects of a kind the cluster has, "" where it is."""
        self._side, self._there, self._unread = side, there, unread
        self._in_git = {identity(obj): obj for obj in in_git if obj.get("kind") in KINDS}
        self._unlike: dict[Identity, Reason | None] = {}

    def reasons(self, vm: Vm) -> Iterator[Reason]:
        """Yield what is so of a VM or pool of Git because its type or preference is not in the cluster as in Git."""
        spec = vm_spec(vm.manifest)
        for matcher, kind_of in MATCHERS.items():
            named = spec.get(matcher) if isinstance(spec, dict) else None
            if not isinstance(named, dict) or not named.get("name"):
                continue
            kind = kind_of(str(named.get("kind") or "")) or ""
            which = (kind, namespace_of(vm.manifest) if kind in NAMESPACED_KINDS else "", str(named["name"]))
            if which in self._in_git and which not in self._unlike:
                self._unlike[which] = self._compared(matcher, which)
            reason = self._unlike.get(which)
            if reason is not None:
                yield reason

    def _compared(self, matcher: str, which: Identity) -> Reason | None:
        wanted, there = self._in_git[which], self._there.get(which)
        origin = self._side.views.origin(wanted) if self._side.views is not None else None
        if origin is not None and origin.open:
            values = ", ".join(value.sentence for value in origin.open)
            return Reason(kind="unread", message=f"what Git asks for in its {matcher} {which[2]}: {values}")
        if there is None:
            if unread := self._unread(which[0]):
                return not_known(matcher, which[2], unread)
            return Reason(kind="behind", message=f"its {matcher} {which[2]} is only in Git")
        find = self._side.field_of(which, wanted)
        old, new = (as_stored(obj.get("spec") or {}, matcher) for obj in (there, wanted))
        fields = tuple(
            Field(change.field, change.old, change.new, place=place(find(change.field)) if find is not None else "")
            for change in differences(old, new, ("spec",))
        )
        message = f"its {matcher} {which[2]} is another one in Git"
        return Reason(kind="behind", message=message, fields=fields) if fields else None
