"""What each VM of a fleet adopts: of VMs that are alike one is searched for, in several processes if wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from virtcatalog.adopt.adopt import Adoption, adopt, adopt_alike
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.search import spoken_of
from virtcatalog.kubevirt.alike import Alike
from virtcatalog.pool import Executor, chunks

VM = dict[str, Any]
_Keyed = tuple[Any, int, VM]
"""A VM with its place in the fleet and its key: what it is, and which of several names it speaks of."""
_CHUNK = 20
_WORTH_IT = 50
"""The number of VMs from which on other processes save more time than it takes to start them."""


def adopt_all(
    vms: Sequence[VM], candidates: Candidates, executor: Executor | None = None
) -> Iterator[tuple[int, Adoption]]:
    """Yield what each VM adopts with its place in `vms`; those that are alike come one after the other.

    What is found for the first of them is proven for each other one, by expanding it. LostProcessError when one of the
    executor's processes is killed.
    """
    alike = Alike(candidates.cluster)
    keyed = [
        ((alike.key(vm, candidates.namespaces), sorted(candidates.hints(spoken_of(vm)).items())), number, vm)
        for number, vm in enumerate(vms)
    ]
    keyed.sort(key=lambda each: each[:2])
    if executor is None or not executor.worth(len(vms), _WORTH_IT):
        return _adopt(keyed, candidates)
    return chain.from_iterable(executor.each(_adopt_chunk, chunks(keyed, _CHUNK), candidates))


def _adopt_chunk(keyed: Sequence[_Keyed], candidates: Candidates) -> list[tuple[int, Adoption]]:
    return list(_adopt(keyed, candidates))


def _adopt(keyed: Sequence[_Keyed], candidates: Candidates) -> Iterator[tuple[int, Adoption]]:
    for _, group in groupby(keyed, key=lambda each: each[0]):
        first: Adoption | None = None
        for _, number, vm in group:
            if first is None:
                first = adopt(vm, candidates)
                yield number, first
            else:
                yield number, adopt_alike(vm, first, candidates)
