"""What the VMs of a fleet adopt: VMs that are alike are searched for once; in several processes if wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Protocol

from virtcatalog.adopt.adopt import Adoption, adopt, adopt_alike
from virtcatalog.adopt.candidates import Candidates, Hints
from virtcatalog.adopt.search import text_of
from virtcatalog.fleet.alike import Alike
from virtcatalog.fleet.cache import digest
from virtcatalog.fleet.pool import Executor, chunks

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
    return chain.from_iterable(executor.each(_adopt_chunk, chunks(keyed, _CHUNK), candidates))


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
