"""Many VMs on several CPUs: the results of `expand` in the order of the VMs, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from msgspec.structs import replace

from virtcatalog.errors import UnsupportedError
from virtcatalog.fleet.pool import START, Executor, chunks
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.result import Result

Manifest = dict[str, Any]

WORTH_IT = 500 if START == "fork" else 2000
"""The number of VMs from which on other processes save more time than it takes to start them."""

CHUNK = 48
"""How many VMs are sent to a process at a time."""


def expand_many(
    vms: Iterable[Manifest], cluster: Cluster, executor: Executor | None = None
) -> Iterator[Result | UnsupportedError]:
    """Yield what each VM becomes in the cluster, or why that cannot be told.

    Few VMs are expanded here, many by the executor, if there is one. VMs are taken a few chunks ahead of the results,
    so that memory does not grow with their number. Except on Linux, processes import the program's main module: call
    this below `if __name__ == "__main__"`. LostProcessError when one of the processes is killed.
    """
    vms = iter(vms)
    first = list(islice(vms, WORTH_IT)) if executor else []
    vms = chain(first, vms)
    if executor is None or not executor.worth(len(first), WORTH_IT):
        yield from _expanded(vms, cluster)
        return
    for results in executor.results(_expand_chunk, chunks(vms, CHUNK), cluster):
        for result in results:
            yield result if isinstance(result, UnsupportedError) else replace(result, cluster=cluster)


def _expand_chunk(vms: list[Manifest], cluster: Cluster) -> list[Result | UnsupportedError]:
    return list(_expanded(vms, cluster))


def _expanded(vms: Iterable[Manifest], cluster: Cluster) -> Iterator[Result | UnsupportedError]:
    for vm in vms:
        try:
            yield expand(vm, cluster)
        except UnsupportedError as error:
            yield error
