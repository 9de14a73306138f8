"""Many VMs on several CPUs: the results of `expand` in the order of the VMs, however many there are."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import Cause, UnsupportedError, Warning
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.hosts import HostProfile
from virtcatalog.kubevirt.pipeline import Result, expand

Manifest = dict[str, Any]

# Forked processes start many times as fast as spawned ones, and only Linux forks safely.
_START = "fork" if sys.platform == "linux" else "spawn"

WORTH_IT = 500 if _START == "fork" else 2000
"""The number of VMs from which on other processes save more time than it takes to start them."""

_CHUNK = 50
_AHEAD = 3


def expand_many(
    vms: Iterable[Manifest], cluster: Cluster, objects: Iterable[Manifest], jobs: int = 1
) -> Iterator[Result | UnsupportedError]:
    """Yield what each VM becomes in the cluster, which is made of `objects`, or why that cannot be told.

    Few VMs are expanded here, many in `jobs` processes. VMs are taken a few chunks ahead of the results, so that
    memory does not grow with their number. Except on Linux, the processes import the program's main module: call this
    below `if __name__ == "__main__"`.
    """
    vms = iter(vms)
    first = list(islice(vms, WORTH_IT)) if jobs > 1 else []
    vms = chain(first, vms)
    if len(first) < WORTH_IT:
        for vm in vms:
            yield _expand(vm, cluster)
        return
    chunks = _chunks(vms)
    made_of = (list(objects), cluster.release.name, cluster.architecture, cluster.host)
    with get_context(_START).Pool(jobs, initializer=_start, initargs=made_of) as pool:
        waiting = deque(pool.apply_async(_expand_chunk, (chunk,)) for chunk in islice(chunks, _AHEAD * jobs))
        while waiting:
            results = _DECODER.decode(waiting.popleft().get())
            waiting.extend(pool.apply_async(_expand_chunk, (chunk,)) for chunk in islice(chunks, 1))
            for each in results:
                yield _received(each)


class _Expanded(msgspec.Struct, frozen=True, array_like=True):
    """A result as it goes from one process to another, the objects in MessagePack; or why there is none."""

    refused_by: str | None = None
    causes: list[Cause] = []
    reasons: list[Cause] = []
    message: str = ""
    warnings: list[Warning] = []
    vm_object: bytes = b""
    vmi_object: bytes = b""
    domain_xml: str | None = None
    unsupported: str | None = None


_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)
_DECODER = msgspec.msgpack.Decoder(list[_Expanded])


class _Transferred(Result):
    """A result from another process: it has the domain's text, and no element; its objects are read when asked for."""

    _KINDS: dict[str, type[msgspec.Struct]] = {"vm_object": VirtualMachine, "vmi_object": VirtualMachineInstance}

    def __init__(self, expanded: _Expanded) -> None:
        self.refused_by, self.message, self.domain = expanded.refused_by, expanded.message, None
        self.causes, self.reasons, self.warnings = expanded.causes, expanded.reasons, expanded.warnings
        self.__dict__["domain_xml"] = expanded.domain_xml
        self._expanded = expanded

    def __getattr__(self, name: str) -> Any:
        if name not in self._KINDS:
            raise AttributeError(name)
        packed = getattr(self._expanded, name)
        value = convert(msgspec.msgpack.decode(packed), self._KINDS[name]) if packed else None
        setattr(self, name, value)
        return value


def _expand(vm: Manifest, cluster: Cluster) -> Result | UnsupportedError:
    try:
        return expand(vm, cluster)
    except UnsupportedError as error:
        return error


_clusters: list[Cluster] = []


def _start(objects: list[Manifest], release: str, architecture: str, host: HostProfile) -> None:
    _clusters.append(Cluster(objects, release=release, architecture=architecture, host=host))


def _expand_chunk(vms: list[Manifest]) -> bytes:
    return _ENCODER.encode([_transferable(_expand(vm, _clusters[-1])) for vm in vms])


def _transferable(result: Result | UnsupportedError) -> _Expanded:
    if isinstance(result, UnsupportedError):
        return _Expanded(message=result.message, unsupported=result.field)
    return _Expanded(
        result.refused_by,
        result.causes,
        result.reasons,
        result.message,
        result.warnings,
        _pack(result.vm_object),
        _pack(result.vmi_object),
        result.domain_xml,
    )


def _received(expanded: _Expanded) -> Result | UnsupportedError:
    if expanded.unsupported is not None:
        return UnsupportedError(expanded.unsupported, expanded.message)
    return _Transferred(expanded)


def _pack(obj: msgspec.Struct | None) -> bytes:
    return b"" if obj is None else _ENCODER.encode(obj)


def _chunks(vms: Iterator[Manifest]) -> Iterator[list[Manifest]]:
    while chunk := list(islice(vms, _CHUNK)):
        yield chunk
