"""Finds the instance type and preference that make a VM's manifest shorter and keep its domain."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from virtcatalog.adopt.attempt import Original, count
from virtcatalog.adopt.candidates import Candidates, Instancetype
from virtcatalog.adopt.data import put
from virtcatalog.adopt.search import Search
from virtcatalog.adopt.shrink import POOLED, Names, ShrunkVm
from virtcatalog.api.kinds import vm_spec
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.pipeline import create_vmi, expand
from virtcatalog.kubevirt.reasons import field_of_holder

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
    itself has no domain; `reasons` are why. `wanted` is the VM's size where the nearest type has another. `before`
    is the number of values in the VM's manifest.
    """

    outcome: Outcome
    shrunk: ShrunkVm | None
    before: int
    reasons: tuple[Reason, ...] | tuple[UnsupportedError] = ()
    wanted: Size | None = None


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
        # Only a VM without an instance type has no size to keep.
        names_instancetype = search.vm.spec.instancetype is not None
        return (
            Adoption("unchanged", None, size) if names_instancetype else Adoption("nearest", None, size, search.reasons)
        )
    if not shrunk.domain:
        return Adoption("adopted", shrunk, size)
    return Adoption("nearest", shrunk, size, wanted=_missing_size(search, shrunk, candidates))


def _missing_size(search: Search, shrunk: ShrunkVm, candidates: Candidates) -> Size | None:
    """Return the VM's size, None if its new instance type has that size or the VM names one itself."""
    group = candidates.groups.get(shrunk.names.instancetype) if shrunk.names.instancetype is not None else None
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
        shrunk=adoption.shrunk and _pooled(adoption.shrunk, pool), reasons=tuple(map(_in_pool, adoption.reasons))
    )


def _pooled(shrunk: ShrunkVm, pool: dict[str, Any]) -> ShrunkVm:
    return shrunk._replace(
        manifest=put(pool, (*POOLED, "spec"), shrunk.manifest["spec"]),
        removed=[field._replace(path=(*POOLED, *field.path)) for field in shrunk.removed],
        remaining=[field._replace(path=(*POOLED, *field.path)) for field in shrunk.remaining],
        added=[(*POOLED, *path) for path in shrunk.added],
    )


def _in_pool(reason: Reason | UnsupportedError) -> Any:
    field = field_of_holder(reason.field, "VirtualMachinePool")
    if isinstance(reason, UnsupportedError):
        return UnsupportedError(field, reason.message)
    return replace(reason, field=field)
