"""The VMs of fleets: what each is called and names is at hand, all else is unpacked when it is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from virtcatalog.api.kinds import holds_vm, vm_spec
from virtcatalog.kubevirt.instancetype.references import refers_to_own_namespace
from virtcatalog.kubevirt.matchers import MATCHERS, NAMESPACED_KINDS
from virtcatalog.manifests.identity import Data, identity, namespace_of
from virtcatalog.manifests.packed import Packed
from virtcatalog.review.stored import revisions


class Matcher(NamedTuple):
    """What a VM names by one of its matchers."""

    matcher: str
    kind: str
    name: str


class Header(NamedTuple):
    """What a VM is called, and what it names.

    `namespace` is the one that it gives, "" if it gives none. `matchers` are None where a kind and a name are not all
    that decides what one of them means; `own` says whether one names what is in the VM's own namespace. `revisions`
    are the stored ones, by matcher.
    """

    name: str
    namespace: str
    matchers: tuple[Matcher, ...] | None
    own: bool
    revisions: tuple[tuple[str, str], ...]

    def outline(self) -> Data:
        """Return a VM of which no more is known than its namespace and what its matchers name."""
        spec = {each.matcher: {"kind": each.kind, "name": each.name} for each in self.matchers or ()}
        return {"kind": "VirtualMachine", "metadata": {"namespace": self.namespace}, "spec": spec}


def header_of(vm: Data) -> Header:
    """Return what is at hand of a VM."""
    namespace = (vm.get("metadata") or {}).get("namespace")
    name = f"{namespace_of(vm)}/{identity(vm)[2]}"
    matchers = _matchers_of(vm_spec(vm))
    if matchers is None:
        own = refers_to_own_namespace(vm)
    else:
        own = any(MATCHERS[matcher](kind) in NAMESPACED_KINDS for matcher, kind, _ in matchers)
    return Header(name, str(namespace or ""), matchers, own, revisions(vm))


def _matchers_of(spec: object) -> tuple[Matcher, ...] | None:
    if not isinstance(spec, dict):
        return None
    found = []
    for matcher in MATCHERS:
        given = spec.get(matcher)
        if not given:
            continue
        if not isinstance(given, dict) or given.get("inferFromVolume"):
            return None
        kind, name = given.get("kind") or "", given.get("name")
        if not (isinstance(kind, str) and isinstance(name, str) and name):
            return None
        found.append(Matcher(matcher, kind, name))
    return tuple(found)


class Dump:
    """VMs, and what else of their cluster is known; `where` that is: an environment, a cluster, or "" for neither."""

    def __init__(self, manifests: Iterable[Data], where: str = "") -> None:
        self.where, self.vms, self.others = where, Packed(), list[Data]()
        self.headers: list[Header] = []
        """Those of the VMs."""
        for each in manifests:
            if holds_vm(each):
                self.headers.append(header_of(each))
                self.vms.append(each)
            else:
                self.others.append(each)


class Given(NamedTuple):
    """A VM of a fleet, one of `vms`; `where` is what its dump says that it is."""

    header: Header
    where: str
    vms: Sequence[Data]
    at: int

    @property
    def vm(self) -> Data:
        """All of it, each time anew."""
        return self.vms[self.at]


class Vms(Collection[Given]):
    """The VMs of dumps."""

    def __init__(self, dumps: Sequence[Dump]) -> None:
        self._dumps = dumps

    def __len__(self) -> int:
        return sum(len(dump.vms) for dump in self._dumps)

    def __iter__(self) -> Iterator[Given]:
        return (
            Given(header, dump.where, dump.vms, at) for dump in self._dumps for at, header in enumerate(dump.headers)
        )

    def __contains__(self, item: object) -> bool:
        return any(item == each for each in self)


def given(dumps: Sequence[Dump]) -> Vms:
    """Return the VMs of dumps."""
    return Vms(dumps)


def others(dumps: Sequence[Dump]) -> dict[str, list[Data]]:
    """Return what dumps hold beside VMs, by where that is."""
    found: dict[str, list[Data]] = {}
    for dump in dumps:
        found.setdefault(dump.where, []).extend(dump.others)
    return found
