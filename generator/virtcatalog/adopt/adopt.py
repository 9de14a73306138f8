"""The instance type and preference under which a VM that says everything itself keeps its domain and gets shorter."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from virtcatalog.adopt.candidates import Candidates, Instancetype
from virtcatalog.adopt.data import put
from virtcatalog.adopt.search import Search
from virtcatalog.adopt.shrink import POOLED, Names, Original, Shrunk, count
from virtcatalog.api.kinds import vm_spec
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.pipeline import create_vmi, expand
from virtcatalog.kubevirt.reasons import field_of_holder

Outcome = Literal["adopted", "unchanged", "nearest", "refused", "unsupported"]


class Size(NamedTuple):
    """What a VM has of what instance types come in."""

    vcpus: int
    memory: int
    """Bytes."""


class Adoption(NamedTuple):
    """What a VM can adopt.

    `outcome` is "adopted" when `found` makes the same domain, "nearest" when it makes another (or there is nothing at
    all, then `found` is None), "unchanged" when there is nothing left to adopt, "refused" or "unsupported" when the VM
    itself has no domain; then `against` says why. `wanted` is the VM's size where the nearest type has another.
    """

    outcome: Outcome
    found: Shrunk | None
    before: int
    against: tuple[Reason, ...] | tuple[UnsupportedError] = ()
    wanted: Size | None = None


def adopt_alike(vm: dict[str, Any], other: Adoption, candidates: Candidates) -> Adoption:
    """Find what `adopt` finds for a VM, given what it has found for another one that is alike."""
    if other.found is None and other.outcome in ("nearest", "unchanged"):
        return other._replace(before=count(vm))
    again = adopt(vm, candidates, other.found.names if other.found is not None else None)
    return again if again.outcome == other.outcome else adopt(vm, candidates)


def adopt(vm: dict[str, Any], candidates: Candidates, like: Names | None = None) -> Adoption:
    """Find what a VM can adopt; the manifest is not changed.

    `like` is what one that is alike adopts: only the objects that say the same as these are tried.
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
        found = search.best() if like is None else search.again(like)
    except UnsupportedError as error:
        return Adoption("unsupported", None, size, (error,))
    if found is None:
        # Only a VM without an instance type has no size to keep.
        named = search.vm.spec.instancetype is not None
        return Adoption("unchanged", None, size) if named else Adoption("nearest", None, size, search.against)
    if not found.domain:
        return Adoption("adopted", found, size)
    return Adoption("nearest", found, size, wanted=_lacking(search, found, candidates))


def _lacking(search: Search, found: Shrunk, candidates: Candidates) -> Size | None:
    """Return the VM's size, None if the instance type that was found has it or the VM names one itself."""
    group = candidates.groups.get(found.names.instancetype) if found.names.instancetype is not None else None
    wanted = Size(search.topology.vcpus, search.memory)
    return None if not isinstance(group, Instancetype) or wanted == (group.vcpus, group.memory) else wanted


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
        found=adoption.found and _pooled(adoption.found, pool), against=tuple(map(_in_pool, adoption.against))
    )


def _pooled(found: Shrunk, pool: dict[str, Any]) -> Shrunk:
    return found._replace(
        manifest=put(pool, (*POOLED, "spec"), found.manifest["spec"]),
        removed=[each._replace(path=(*POOLED, *each.path)) for each in found.removed],
        kept=[each._replace(path=(*POOLED, *each.path)) for each in found.kept],
        added=[(*POOLED, *path) for path in found.added],
    )


def _in_pool(said: Reason | UnsupportedError) -> Any:
    field = field_of_holder(said.field, "VirtualMachinePool")
    if isinstance(said, UnsupportedError):
        return UnsupportedError(field, said.message)
    return replace(said, field=field)
