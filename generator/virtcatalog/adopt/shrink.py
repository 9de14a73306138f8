"""A VM with an instance type and a preference in place of its own fields, proven by expanding it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from virtcatalog.adopt.attempt import DOMAIN, Attempt, Original, count
from virtcatalog.adopt.candidates import Instancetype, Preference, Reference
from virtcatalog.adopt.rules import FIELD_PATTERNS, Rules
from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import vm_spec
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.difference import Difference
from virtcatalog.manifests.fields import get, matches, outermost, put, without

_MAX_SOCKETS: Path = (*DOMAIN, "cpu", "maxSockets")
_REQUIRED = frozenset({*((*DOMAIN, "devices")[:end] for end in range(1, 6))})
_ROUNDS = 12


class Pair(NamedTuple):
    """What a VM may adopt; None where the VM names an object of its own, or gets none."""

    instancetype: Instancetype | None
    preference: Preference | None


class Names(NamedTuple):
    """The references to the objects of a pair."""

    instancetype: Reference | None
    preference: Reference | None


class RemovedField(NamedTuple):
    """A removed field, and the object `by` that sets it now, in the field `source` of its spec."""

    path: Path
    value: Any
    by: Reference
    source: str


class RemainingField(NamedTuple):
    """A field that had to stay: without it, the VM would have the value `instead`."""

    path: Path
    value: Any
    instead: Any


class Change(NamedTuple):
    """A difference of the domain: an XPath from its root, the old and the new value; None where there is nothing."""

    place: str
    old: str | None
    new: str | None


POOLED: Path = ("spec", "virtualMachineTemplate")
"""The path of the VirtualMachine in a pool."""


class ShrunkVm(NamedTuple):
    """A VM with a pair in place of its fields.

    `domain` lists where its libvirt domain differs from the original's; it is empty when the pair can be adopted.
    `outside` lists where its VMI differs and the domain does not show it. `size` is the number of its values.
    """

    names: Names
    manifest: dict[str, Any]
    removed: list[RemovedField]
    remaining: list[RemainingField]
    added: list[Path]
    domain: list[Change]
    outside: list[Difference]
    size: int


def shrink(original: Original, pair: Pair, names: Names, cluster: Cluster) -> ShrunkVm | Result:
    """Remove from a VM the fields that a pair sets to the same values; returns the refusal if KubeVirt refuses the VM.

    Fields that KubeVirt does not admit beside an instance type are removed in any case. All other candidates are
    removed at first, and those that change the VMI are put back, so that a handful of expansions decides on all. Last,
    fields that were put back are removed one by one: two spellings of a field can make the same domain.
    """
    trial = _Trial(original, pair, names, cluster)
    result = trial.settle()
    if not result.admitted:
        return result
    trial.drop_respelled()
    trial.pin_sockets()
    return trial.shrunk()


class _Trial:
    def __init__(self, original: Original, pair: Pair, names: Names, cluster: Cluster) -> None:
        self.original, self.names, self.cluster = original, names, cluster
        self.manifest = original.manifest
        self.sources: dict[Path, tuple[Reference, str]] = {}
        self.forced: set[Path] = set()
        self.optional: set[Path] = set()
        self.filled: set[Path] = set()  # maps that stay though nothing is left in them
        self.restored: dict[Path, Any] = {}
        self.pinned: int | None = None
        if pair.preference is not None and names.preference is not None:
            self.optional |= self._targets(pair.preference.preferred, names.preference)
        if pair.instancetype is not None and names.instancetype is not None:
            self.optional |= self._targets(pair.instancetype.implied, names.instancetype)
            self.forced |= self._targets(pair.instancetype.decided, names.instancetype)
            self.optional -= self.forced
        self.current = self._attempt()

    def _targets(self, rules: Rules, by: Reference) -> set[Path]:
        paths = set()
        for pattern, source in rules.items():
            for path in self.original.find(pattern):
                paths.add(path)
                self.sources[path] = by, source
        return paths

    def active(self) -> set[Path]:
        """The removed fields, without those inside of others."""
        return outermost(self.forced | self.optional)

    def settle(self) -> Result:
        """Remove what may go; put back what the VMI needs, until nothing that could be put back differs."""
        for _ in range(_ROUNDS - 1):
            if not self.current.result.admitted or not self._restore():
                break
            self.current = self._attempt()
        if self.current.result.admitted:
            self._drop_needless_maps()
        return self.current.result

    def _drop_needless_maps(self) -> None:
        """Remove the empty maps that were put back in vain: the VMI is no nearer to the original with them."""
        for path in sorted(self.filled, key=str):
            self.filled.discard(path)
            attempt = self._attempt()
            if attempt.result.admitted and attempt.vmi == self.current.vmi:
                self.current = attempt
            else:
                self.filled.add(path)

    def _attempt(self) -> Attempt:
        smaller, emptied = without(self.manifest, self.active(), self.filled | _REQUIRED)
        for key, name in zip(("instancetype", "preference"), self.names, strict=True):
            if name is not None:
                smaller = put(smaller, ("spec", key), name.matcher())
        if self.pinned is not None:
            smaller = put(smaller, _MAX_SOCKETS, self.pinned)
        return Attempt(self.original, smaller, emptied, expand(smaller, self.cluster))

    def _restore(self) -> bool:
        restored = False
        active = self.active()
        for difference in self.current.vmi:
            path = difference.path
            above = [path[:end] for end in range(len(path), 0, -1)]
            empty = next((emptied for emptied in above if emptied in self.current.emptied), None)
            if empty is not None:  # which alone may do: `cdrom: {}` is a drive whose bus a preference gives
                self.filled.add(empty)
                restored = True
                continue
            fault = next((active_path for active_path in above if active_path in active), None)
            faults = [fault] if fault is not None else [inside for inside in active if inside[: len(path)] == path]
            for fault in faults:
                if fault in self.optional:
                    self.optional.discard(fault)
                    self.restored[fault] = get(self.current.shape, fault)
                    restored = True
        return restored

    def drop_respelled(self) -> None:
        """Remove fields of the machine that were put back, where the domain is the same without them."""
        if not self.current.keeps_domain:
            return
        for path in sorted(restored for restored in self.restored if restored[: len(DOMAIN)] == DOMAIN):
            self.optional.add(path)
            attempt = self._attempt()
            if attempt.keeps_domain:
                self.current = attempt
                del self.restored[path]
            else:
                self.optional.discard(path)

    def pin_sockets(self) -> None:
        """Give the VM `maxSockets` where the instance type would allow CPU hotplug that it did not have.

        KubeVirt gives none to a VM that writes cores or threads without sockets.
        """
        after = self.current.shape
        gained = get(self.original.shape, _MAX_SOCKETS) is None and get(after, _MAX_SOCKETS) is not None
        if not gained or get(self.current.manifest, _MAX_SOCKETS) is not None:
            return
        self.pinned = get(after, (*_MAX_SOCKETS[:-1], "sockets"))
        attempt = self._attempt()
        if attempt.result.admitted and len(attempt.domain) < len(self.current.domain):
            self.current = attempt
        else:
            self.pinned = None

    def shrunk(self) -> ShrunkVm:
        """Return the VM as it is now."""
        removed = [
            RemovedField(path, get(self.manifest, path), *self.sources[path]) for path in sorted(self.active(), key=str)
        ]
        remaining = [
            RemainingField(path, get(self.manifest, path), self.restored[path])
            for path in sorted(self.restored, key=str)
        ]
        return ShrunkVm(
            self.names,
            self.current.manifest,
            removed,
            remaining,
            [_MAX_SOCKETS] if self.pinned is not None else [],
            # Differences refer to whole domains: they must not hold those of thousands of VMs.
            [Change(difference.place, difference.old, difference.new) for difference in self.current.domain],
            self.current.vmi,
            count(self.current.manifest),
        )


def still_inline(shrunk: ShrunkVm) -> Iterator[Path]:
    """Yield the fields that some instance type or preference could set, but neither object of this pair does."""
    reported = {*(field.path for field in shrunk.remaining), *shrunk.added}
    vm = {"spec": vm_spec(shrunk.manifest)}
    prefix = POOLED if vm["spec"] is not shrunk.manifest["spec"] else ()
    paths = {(*prefix, *path) for paths_of in matches(vm, FIELD_PATTERNS).values() for path in paths_of}
    yield from sorted(outermost(paths) - reported, key=str)
