"""A VM without what an instance type and a preference say in its place, proven by expanding it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from virtcatalog.adopt.candidates import Instancetype, Preference, Reference
from virtcatalog.adopt.data import find, get, matches, outermost, put, without
from virtcatalog.adopt.rules import KNOWN, KNOWN_FIELDS, TEMPLATE, Rules
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import vm_spec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.annotations import NAMING
from virtcatalog.kubevirt.launcher import difference as domains
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.difference import Difference, alike, differences

_DOMAIN: Path = (*TEMPLATE, "spec", "domain")
_MAX_SOCKETS: Path = (*_DOMAIN, "cpu", "maxSockets")
_TOPOLOGY = frozenset((*_DOMAIN, "cpu", name) for name in ("sockets", "cores", "threads"))
_GUEST: Path = (*_DOMAIN, "memory", "guest")
_REQUEST: Path = (*_DOMAIN, "resources", "requests", "memory")
_REQUIRED = frozenset({*((*_DOMAIN, "devices")[:end] for end in range(1, 6))})
_NAMING_PATHS = frozenset((*TEMPLATE, "metadata", "annotations", key) for key in NAMING.values())
_AMOUNTS = frozenset({"memory", "resources"})
_ROUNDS = 12


class Pair(NamedTuple):
    """What a VM may adopt; None where it keeps what it names already, or gets nothing."""

    instancetype: Instancetype | None
    preference: Preference | None


class Names(NamedTuple):
    """The objects that stand for a pair."""

    instancetype: Reference | None
    preference: Reference | None


class Removed(NamedTuple):
    """A field that went, and what says it now: `source` is a field of the spec of `by`; "" when it follows from it."""

    path: Path
    value: Any
    by: Reference
    source: str


class Kept(NamedTuple):
    """A field that had to stay: the objects would give the VM `instead`."""

    path: Path
    value: Any
    instead: Any


class Change(NamedTuple):
    """Where the domain is another one: an XPath from its root, and what was there and is there; None for nothing."""

    place: str
    old: str | None
    new: str | None


POOLED: Path = ("spec", "virtualMachineTemplate")
"""Where a pool has what a VirtualMachine has at the top."""


class Original:
    """An admitted VM as it is, and what it becomes."""

    def __init__(self, manifest: dict[str, Any], result: Result) -> None:
        self.manifest, self.result = manifest, result
        self.shape = _shape(result)
        self.size = count(manifest)
        self._found = matches(manifest, KNOWN_FIELDS)
        self._values: dict[Path, int] = {}

    def find(self, pattern: Path) -> Iterable[Path]:
        """Return the fields of the VM that a pattern matches."""
        return self._found.get(pattern, ()) if pattern in KNOWN else find(self.manifest, pattern)

    def saved(self, group: Instancetype | Preference) -> int:
        """Return how many values less the VM has, at best, when it names one of a group for what that says."""
        return sum(map(self._count, group.fields)) - min(len(member.reference.matcher()) for member in group.members)

    def _count(self, pattern: Path) -> int:
        values = self._values.get(pattern)
        if values is None:
            values = sum(count(get(self.manifest, path)) for path in self.find(pattern))
            self._values[pattern] = values
        return values


class Shrunk(NamedTuple):
    """A VM with a pair in place of its fields.

    `domain` is where its libvirt domain differs from the original's: nowhere when the pair can be adopted.
    `outside` is where its VMI differs and the domain does not show it.
    """

    names: Names
    manifest: dict[str, Any]
    removed: list[Removed]
    kept: list[Kept]
    added: list[Path]
    domain: list[Change]
    outside: list[Difference]
    size: int


def shrink(original: Original, pair: Pair, names: Names, cluster: Cluster) -> Shrunk | Result:
    """Take from a VM what a pair says, as long as its VMI stays as it is; returns the refusal if KubeVirt refuses that.

    What KubeVirt does not admit beside an instance type goes in any case. Of the other fields everything is left out at
    first, and what that changes is put back, so that a handful of expansions tells for all of them; at last those put
    back are tried one by one, for a machine's field may be spelled in two ways and make the same domain.
    """
    trial = _Trial(original, pair, names, cluster)
    result = trial.settle()
    if not result.admitted:
        return result
    trial.drop_respelled()
    trial.pin_sockets()
    return trial.shrunk()


class _Attempt:
    """A VM with some fields left out, what it becomes, and how that differs from what it was.

    `emptied` are the maps and lists that are left out for being empty.
    """

    def __init__(self, original: Original, manifest: dict[str, Any], emptied: set[Path], result: Result) -> None:
        self.original, self.manifest, self.emptied, self.result = original, manifest, emptied, result

    @cached_property
    def shape(self) -> dict[str, Any]:
        """Its VMI, at the paths of the VM."""
        return _shape(self.result)

    @cached_property
    def vmi(self) -> list[Difference]:
        """Where its VMI differs."""
        found = differences(self.original.shape, self.shape, named=False, same=_same)
        guest = get(self.shape, _GUEST)
        return [one for one in found if one.path not in _NAMING_PATHS and not _means_the_same(one, guest)]

    @property
    def keeps_domain(self) -> bool:
        """Whether its domain, if it has one, is the same."""
        return self.result.admitted and domain(self.result) == domain(self.original.result)

    @cached_property
    def domain(self) -> list[domains.Difference]:
        """Where its domain differs."""
        if self.keeps_domain:
            return []
        old, new = self.original.result.domain, self.result.domain
        assert old is not None
        assert new is not None  # both VMs are admitted
        return list(domains.differences(old, new))


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
        self.now = self._attempt()

    def _targets(self, rules: Rules, by: Reference) -> set[Path]:
        found = set()
        for pattern, source in rules.items():
            for path in self.original.find(pattern):
                found.add(path)
                self.sources[path] = by, source
        return found

    def active(self) -> set[Path]:
        """The fields that are left out, without those inside of others."""
        return outermost(self.forced | self.optional)

    def settle(self) -> Result:
        """Leave out what may go; put back what the VMI needs, until nothing that could be put back differs."""
        for _ in range(_ROUNDS - 1):
            if not self.now.result.admitted or not self._restore():
                break
            self.now = self._attempt()
        if self.now.result.admitted:
            self._drop_needless_maps()
        return self.now.result

    def _drop_needless_maps(self) -> None:
        """Leave out the empty maps that were put back in vain: the VMI is no nearer to the original with them."""
        for path in sorted(self.filled, key=str):
            self.filled.discard(path)
            attempt = self._attempt()
            if attempt.result.admitted and attempt.vmi == self.now.vmi:
                self.now = attempt
            else:
                self.filled.add(path)

    def _attempt(self) -> _Attempt:
        smaller, emptied = without(self.manifest, self.active(), self.filled | _REQUIRED)
        for key, name in zip(("instancetype", "preference"), self.names, strict=True):
            if name is not None:
                smaller = put(smaller, ("spec", key), name.matcher())
        if self.pinned is not None:
            smaller = put(smaller, _MAX_SOCKETS, self.pinned)
        return _Attempt(self.original, smaller, emptied, expand(smaller, self.cluster))

    def _restore(self) -> bool:
        restored = False
        active = self.active()
        for difference in self.now.vmi:
            path = difference.path
            above = [path[:end] for end in range(len(path), 0, -1)]
            fault = next((one for one in above if one in active), None)
            if fault is not None:
                faults = [fault]
            else:
                empty = next((one for one in above if one in self.now.emptied), None)
                if empty is not None and empty not in self.filled:
                    self.filled.add(empty)
                    restored = True
                faults = [one for one in active if one[: len(path)] == path]
            for fault in faults:
                if fault in self.optional:
                    self.optional.discard(fault)
                    self.restored[fault] = get(self.now.shape, fault)
                    restored = True
        return restored

    def drop_respelled(self) -> None:
        """Leave out fields of the machine that were put back, where the domain is the same without them."""
        if not self.now.keeps_domain:
            return
        for path in sorted(one for one in self.restored if one[: len(_DOMAIN)] == _DOMAIN):
            self.optional.add(path)
            attempt = self._attempt()
            if attempt.keeps_domain:
                self.now = attempt
                del self.restored[path]
            else:
                self.optional.discard(path)

    def pin_sockets(self) -> None:
        """Give the VM `maxSockets` where the instance type would make room for CPU hotplug that it never had.

        KubeVirt gives none to a VM that writes cores or threads without sockets.
        """
        then, now = self.original.shape, self.now.shape
        lacked = get(then, _MAX_SOCKETS) is None and get(then, (*_MAX_SOCKETS[:-1], "sockets")) is None
        if not lacked or get(now, _MAX_SOCKETS) is None or get(self.now.manifest, _MAX_SOCKETS) is not None:
            return
        self.pinned = get(now, (*_MAX_SOCKETS[:-1], "sockets"))
        attempt = self._attempt()
        if attempt.result.admitted and len(attempt.domain) < len(self.now.domain):
            self.now = attempt
        else:
            self.pinned = None

    def shrunk(self) -> Shrunk:
        """Return what has come of it."""
        removed = [
            Removed(path, get(self.manifest, path), *self.sources[path]) for path in sorted(self.active(), key=str)
        ]
        kept = [Kept(path, get(self.manifest, path), self.restored[path]) for path in sorted(self.restored, key=str)]
        return Shrunk(
            self.names,
            self.now.manifest,
            removed,
            kept,
            [_MAX_SOCKETS] if self.pinned is not None else [],
            # Whole domains, which differences lead through, are not kept of thousands of VMs.
            [Change(difference.place, difference.old, difference.new) for difference in self.now.domain],
            self.now.vmi,
            count(self.now.manifest),
        )


def count(data: Any) -> int:
    """Count the values in a manifest that its author had to write: scalars, and maps and lists without any."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return sum(map(count, parts)) if parts else 1


def _same(old: Any, new: Any, path: Path) -> bool:
    """Whether two amounts are the same, however they are written."""
    if old is None or new is None or not _AMOUNTS.intersection(path):
        return alike(old, new, path)
    try:
        return Quantity.parse(old) == Quantity.parse(new)
    except (ValueError, TypeError):
        return alike(old, new, path)


def _means_the_same(difference: Difference, guest: Any) -> bool:
    """Whether silence on one side is what the other side says.

    Sockets, cores and threads are 1 then, and the pod requests the guest's memory.
    """
    default = 1 if difference.path in _TOPOLOGY else guest if difference.path == _REQUEST else None
    return default is not None and {difference.old, difference.new} == {None, default}


def domain(result: Result) -> str | None:
    """Return the domain as text, which is equal for equal domains."""
    return result.domain_xml


def _shape(result: Result) -> dict[str, Any]:
    """What a VM becomes, at the paths of the VM: the VMI in the place of the template, and the volumes' templates."""
    vmi, vm = result.vmi_object, result.vm_object
    assert vmi is not None
    assert vm is not None
    made = to_manifest(vmi)
    metadata = {key: value for key, value in made["metadata"].items() if key in ("annotations", "labels")}
    shape: dict[str, Any] = {"template": {"metadata": metadata, "spec": made["spec"]}}
    if vm.spec.data_volume_templates:
        shape["dataVolumeTemplates"] = [
            to_manifest(data_volume_template) for data_volume_template in vm.spec.data_volume_templates
        ]
    return {"spec": shape}


def still_inline(shrunk: Shrunk) -> Iterator[Path]:
    """Yield fields that stayed although some instance type or preference could say them: this pair does not."""
    told = {*(kept.path for kept in shrunk.kept), *shrunk.added}
    vm = {"spec": vm_spec(shrunk.manifest)}
    prefix = POOLED if vm["spec"] is not shrunk.manifest["spec"] else ()
    found = {(*prefix, *path) for pattern in KNOWN for path in find(vm, pattern)}
    yield from sorted(outermost(found) - told, key=str)
