"""What VMs adopt: the instance type and preference that make a manifest shorter and keep its domain.

VMs of a fleet that are alike are searched for once; in several processes if wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Literal, NamedTuple, Protocol

from msgspec.structs import replace

from virtcatalog.adopt.attempt import Original, count
from virtcatalog.adopt.candidates import Candidates, Hints, Instancetype
from virtcatalog.adopt.search import Search, text_of
from virtcatalog.adopt.shrink import POOLED, Names, ShrunkVm
from virtcatalog.api.kinds import vm_spec
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.fleet.alike import Alike
from virtcatalog.fleet.cache import digest
from virtcatalog.fleet.pool import Executor, chunks
from virtcatalog.kubevirt.pipeline import create_vmi, expand
from virtcatalog.kubevirt.reasons import field_of_holder
from virtcatalog.manifests.fields import put

Outcome = Literal["adopted", "unchanged", "nearest", "refused", "unsupported"]


class Size(NamedTuple):
    """The vCPUs and memory of a VM."""

    vcpus: int
    memory: int
    """Bytes."""


class Adoption(NamedTuple):
    """What a VM can adopt.

    `outcome` is "adopted" when `shrunk` has the same domain, "nearest" when it has another one (or nothing fits at all:
    then `shrunk` is None), "unchanged" when there is nothing left to adopt, "refused" or "unsupported" when the VM
    itself has no domain; `reasons` are why. `missing_size` is the VM's size where the nearest type has another.
    `before` is the number of values in the VM's manifest.
    """

    outcome: Outcome
    shrunk: ShrunkVm | None
    before: int
    reasons: tuple[Reason, ...] | tuple[UnsupportedError] = ()
    missing_size: Size | None = None


def adopt_alike(vm: dict[str, Any], adoption: Adoption, candidates: Candidates) -> Adoption:
    """Return the result of `adopt` for a VM; `adoption` is the result for a VM that is alike."""
    if adoption.shrunk is None and adoption.outcome in ("nearest", "unchanged"):
        return adoption._replace(before=count(vm))
    adopted = adopt(vm, candidates, adoption.shrunk.names if adoption.shrunk is not None else None)
    return adopted if adopted.outcome == adoption.outcome else adopt(vm, candidates)


def adopt(vm: dict[str, Any], candidates: Candidates, like: Names | None = None) -> Adoption:
    """Find what a VM can adopt; the manifest is not changed.

    With `like`, what a VM that is alike adopts, only these objects and those with the same specs are tried.
    """
    size, kind = count(vm), vm.get("kind")
    if kind == "VirtualMachinePool":
        return _adopt_in_pool(vm, candidates, like)
    if kind in ("VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"):
        message = f"a {kind} has no field for an instance type or preference; VirtualMachines and their pools have"
        return Adoption("unsupported", None, size, (UnsupportedError("kind", message),))
    try:
        result = expand(vm, candidates.cluster)
        if not result.admitted:
            return Adoption("refused", None, size, result.reasons)
        search = Search(Original(vm, result), candidates)
        shrunk = search.best() if like is None else search.with_objects(like)
    except UnsupportedError as error:
        return Adoption("unsupported", None, size, (error,))
    if shrunk is None:
        if search.vm.spec.instancetype is not None:
            return Adoption("unchanged", None, size, search.reasons)
        return Adoption("nearest", None, size, search.reasons)  # no instance type gives the VM its size
    if not shrunk.domain:
        return Adoption("adopted", shrunk, size)
    return Adoption("nearest", shrunk, size, missing_size=_missing_size(search, shrunk, candidates))


def _missing_size(search: Search, shrunk: ShrunkVm, candidates: Candidates) -> Size | None:
    """Return the VM's size, None if its new instance type has that size or the VM names one itself."""
    group = candidates.groups.get(shrunk.names.instancetype) if shrunk.names.instancetype is not None else None
    size = Size(search.topology.vcpus, search.memory)
    return None if not isinstance(group, Instancetype) or size == (group.vcpus, group.memory) else size


def _adopt_in_pool(pool: dict[str, Any], candidates: Candidates, like: Names | None) -> Adoption:
    """Find what the VMs of a pool can adopt, and put it into the pool's template."""
    result = create_vmi(pool, candidates.cluster)
    if not result.admitted:
        return Adoption("refused", None, count(pool), result.reasons)
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": pool.get("metadata") or {},
        "spec": vm_spec(pool),
    }
    adoption = adopt(vm, candidates, like)
    return adoption._replace(
        shrunk=adoption.shrunk and _pooled(adoption.shrunk, pool), reasons=tuple(map(_in_pool, adoption.reasons))
    )


def _pooled(shrunk: ShrunkVm, pool: dict[str, Any]) -> ShrunkVm:
    return shrunk._replace(
        manifest=put(pool, (*POOLED, "spec"), shrunk.manifest["spec"]),
        removed=[field._replace(path=(*POOLED, *field.path)) for field in shrunk.removed],
        remaining=[field._replace(path=(*POOLED, *field.path)) for field in shrunk.remaining],
        added=[(*POOLED, *path) for path in shrunk.added],
        outside=[difference._replace(path=(*POOLED, *difference.path)) for difference in shrunk.outside],
    )


def _in_pool(reason: Reason | UnsupportedError) -> Any:
    field = field_of_holder(reason.field, "VirtualMachinePool")
    if isinstance(reason, UnsupportedError):
        return UnsupportedError(field, reason.message)
    return replace(reason, field=field)


VM = dict[str, Any]
_Key = tuple[bytes, Hints]
"""The key of VMs that are alike, and the names that their texts hold."""
_Keyed = tuple[_Key, int, VM]
"""A VM with its key and its place in the fleet."""
_CHUNK = 20
_WORTH_IT = 50
"""The number of VMs from which on other processes save more time than it takes to start them."""


class Vms(Protocol):
    """VMs by their places: a list of them, or an object that reads a VM when it is taken."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> VM: ...


def adopt_all(vms: Vms, candidates: Candidates, executor: Executor | None = None) -> Iterator[tuple[int, Adoption]]:
    """Yield the place in `vms` and the adoption of every VM; VMs that are alike come one after the other.

    The result for the first of these is proven for the others by expanding them. Every VM is read twice, and dropped
    once it is done. LostProcessError when one of the executor's processes is killed.
    """
    alike = Alike(candidates.cluster)
    groups: dict[_Key, list[int]] = {}
    for number in range(len(vms)):
        vm = vms[number]
        key = digest(alike.key(vm, candidates.namespaces)), candidates.hints(text_of(vm))
        groups.setdefault(key, []).append(number)
    keyed = ((key, number, vms[number]) for key, numbers in groups.items() for number in numbers)
    if executor is None or not executor.worth(len(vms), _WORTH_IT):
        return _adopt(keyed, candidates)
    return chain.from_iterable(executor.results(_adopt_chunk, chunks(keyed, _CHUNK), candidates))


def _adopt_chunk(keyed: Sequence[_Keyed], candidates: Candidates) -> list[tuple[int, Adoption]]:
    return list(_adopt(iter(keyed), candidates))


def _adopt(keyed: Iterator[_Keyed], candidates: Candidates) -> Iterator[tuple[int, Adoption]]:
    for _, group in groupby(keyed, key=lambda keyed_vm: keyed_vm[0]):
        first: Adoption | None = None
        for _, number, vm in group:
            if first is None:
                first = adopt(vm, candidates)
                yield number, first
            else:
                yield number, adopt_alike(vm, first, candidates)
