"""Many VMs on several CPUs: the results of `expand` in the order of the VMs, however many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from msgspec.structs import replace

from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.result import Result
from virtcatalog.pool import START, chunks, in_processes

Manifest = dict[str, Any]

WORTH_IT = 500 if START == "fork" else 2000
"""The number of VMs from which on other processes save more time than it takes to start them."""

CHUNK = 50
"""How many VMs are sent to a process at a time."""


def expand_many(vms: Iterable[Manifest], cluster: Cluster, jobs: int = 1) -> Iterator[Result | UnsupportedError]:
    """Yield what each VM becomes in the cluster, or why that cannot be told.

    Few VMs are expanded here, many in `jobs` processes. VMs are taken a few chunks ahead of the results, so that
    memory does not grow with their number. Except on Linux, the processes import the program's main module: call this
    below `if __name__ == "__main__"`. LostProcessError when one of the processes is killed.
    """
    vms = iter(vms)
    first = list(islice(vms, WORTH_IT)) if jobs > 1 else []
    vms = chain(first, vms)
    if len(first) < WORTH_IT:
        yield from (_expand(vm, cluster) for vm in vms)
        return
    for results in in_processes(_expand_chunk, chunks(vms, CHUNK), jobs, start=_start, given=(cluster,)):
        for each in results:
            yield each if isinstance(each, UnsupportedError) else replace(each, cluster=cluster)


_clusters: list[Cluster] = []


def _start(cluster: Cluster) -> None:
    _clusters.append(cluster)


def _expand_chunk(vms: list[Manifest]) -> list[Result | UnsupportedError]:
    return [_expand(vm, _clusters[-1]) for vm in vms]


def _expand(vm: Manifest, cluster: Cluster) -> Result | UnsupportedError:
    try:
        return expand(vm, cluster)
    except UnsupportedError as error:
        return error
