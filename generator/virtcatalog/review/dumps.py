"""The VMs of fleets: what each is called and names is at hand, all else is unpacked when it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from virtcatalog.api.kinds import holds_vm
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.inputs import identities_of
from virtcatalog.fleet.pool import forked
from virtcatalog.kubevirt.instancetype.references import refers_to_own_namespace
from virtcatalog.manifests.dump import Packed, others_in, read_dump, vms_in
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.stream import Stream
from virtcatalog.review.pinned import revisions

#: From so many VMs on a second process saves more time than it takes to start it.
WORTH_IT = 2000
_CHUNK = 200
_POOL, _POOL_REVISION = "VirtualMachinePool", "kubevirt.io/vm-pool-revision-name"


class Header(NamedTuple):
    """What a VM is called, and what it names.

    `namespace` is the one that it gives, "" if it gives none. `references` are the instance type and the preference,
    None where more than their names decides which ones are meant. `revisions` are the stored ones, by matcher. `pool`
    is the VirtualMachinePool that it is one of, or that it is itself.
    """

    name: str
    namespace: str
    references: tuple[Identity, ...] | None
    revisions: tuple[tuple[str, str], ...]
    pool: str = ""


def header_of(vm: Data) -> Header:
    """Return what is at hand of a VM."""
    kind, namespace, name = identity(vm)
    refers, home = identities_of(vm), namespace_or_default(namespace)
    pool = name if kind == _POOL else _pool_of(vm)
    return Header(
        f"{home}/{name}",
        str(namespace),
        None if refers is None else tuple(refers),
        revisions(vm),
        f"{home}/{pool}" if pool else "",
    )


def _pool_of(vm: Data) -> str:
    """The name of the pool that made a VM, "" if none did: it labels a VM with its own name and generation."""
    labels = vm["metadata"].get("labels")
    revision = labels.get(_POOL_REVISION) if isinstance(labels, dict) else None
    return revision.rpartition("-")[0] if isinstance(revision, str) else ""


class Dump:
    """VMs, and what else of their cluster is known; `where` that is: an environment, a cluster, or "" for neither."""

    def __init__(self, manifests: Iterable[Data], where: str = "") -> None:
        self.where, self.vms, self.others = where, Packed(), list[Data]()
        self.headers: list[Header] = []
        """Those of the VMs."""
        for manifest in manifests:
            if holds_vm(manifest):
                self.headers.append(header_of(manifest))
                self.vms.append(manifest)
            else:
                self.others.append(manifest)

    def extend(self, other: Dump) -> None:
        """Add what another one holds."""
        self.headers += other.headers
        self.vms.extend(other.vms)
        self.others += other.others


def dump_of(stream: Stream, where: str = "") -> Dump:
    """Read a file, with several processes if it holds many VMs; ManifestError as `read_dump`."""
    processes = forked()
    if not processes.worth(stream.number, WORTH_IT):
        return Dump(read_dump(stream), where)
    dump = Dump(others_in(stream), where)
    problems: list[Problem] = []
    for part in processes.results(_read_some, range(0, stream.pieces, _CHUNK), stream):
        if isinstance(part, Dump):
            dump.extend(part)
        else:
            problems += part
    if problems:
        raise ManifestError(*problems)
    return dump


def _read_some(first: int, stream: Stream) -> Dump | tuple[Problem, ...]:
    """In another process, which sends no exceptions."""
    try:
        return Dump(vms_in(stream.vms(first, first + _CHUNK)))
    except ManifestError as error:
        return error.problems


class DumpedVm(NamedTuple):
    """A VM of a fleet, one of `vms`; `where` is what its dump says that it is."""

    header: Header
    where: str
    vms: Sequence[Data]
    at: int

    @property
    def vm(self) -> Data:
        """All of it, each time anew."""
        return self.vms[self.at]

    @property
    def is_pool(self) -> bool:
        """Whether it is a pool."""
        return self.header.pool == self.header.name

    @property
    def names_own(self) -> bool:
        """Whether it names an instance type or preference of its own namespace."""
        references = self.header.references
        return refers_to_own_namespace(self.vm) if references is None else any(home for _, home, _ in references)


def vms_of(dumps: Iterable[Dump]) -> list[DumpedVm]:
    """Return the VMs of dumps: those of a pool stand for it where a dump has them, else the pool stands for them."""
    vms = []
    for dump in dumps:
        pools = {header.pool for header in dump.headers if header.pool and header.pool != header.name}
        for at, header in enumerate(dump.headers):
            if header.name not in pools or header.pool != header.name:
                vms.append(DumpedVm(header, dump.where, dump.vms, at))
    return vms


def others(dumps: Sequence[Dump]) -> dict[str, list[Data]]:
    """Return what dumps hold beside VMs, by where that is."""
    objects: dict[str, list[Data]] = {}
    for dump in dumps:
        objects.setdefault(dump.where, []).extend(dump.others)
    return objects
