"""Fields of a virt-launcher Pod, and the sums that its memory is made of."""

from __future__ import annotations

from typing import Any

from virtcatalog.ask.field import as_text, follow, parse
from virtcatalog.ask.why import Path, View
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.overhead import Term, overhead
from virtcatalog.kubevirt.pod.resources import memory_request

#: What may be left out of a path, the likeliest first.
_STARTS: tuple[Path, ...] = (("spec", "containers", "compute", "resources"), ("spec", "containers", "compute"))
_STARTS += (("spec",), ())
_REQUEST: Path = (*_STARTS[0], "requests", "memory")
_OVERHEAD: Path = ("metadata", "annotations", "kubevirt.io/memory-overhead-bytes")


def of_pod_field(field: str) -> View:
    """Look at a field of the Pod; `spec.containers[compute].resources.` may be left out: `requests.memory`.

    VirtcatalogError where virt-controller makes no Pod of the VM as it is.
    """
    steps = parse(field)
    names: dict[int, str] = {}
    first = True

    def look(result: Result) -> str | None:
        nonlocal first
        if first and result.pod_error is not None:
            raise VirtcatalogError(f"{result.pod_error.field}: {result.pod_error.message}".removeprefix(": "))
        first = False
        found = _found(result.pod, steps, names) if result.pod is not None else None
        return None if found is None else as_text(found[1])

    return look


def terms(field: str, result: Result) -> tuple[Term, ...]:
    """What a field of a Pod is the sum of: the memory request and the overhead are one, other fields are none."""
    found = _found(result.pod, parse(field), {}) if result.pod is not None else None
    vmi, cluster = result.vmi_object, result.cluster
    if found is None or vmi is None or cluster is None:
        return ()
    path = found[0]
    if path[:3] == ("spec", "containers", 0):
        path = (*_STARTS[1], *path[3:])
    if path not in (_REQUEST, _OVERHEAD):
        return ()
    facts = cluster.computed(Facts)
    beside = overhead(vmi, facts)
    return tuple(beside if path == _OVERHEAD else memory_request(vmi, facts, beside))


def _found(pod: dict[str, Any], steps: Path, names: dict[int, str]) -> tuple[Path, Any] | None:
    for start in _STARTS:
        path = (*start, *steps)
        # A name that is met on a path that leads nowhere is none of the right one's.
        met = dict(names)
        found = follow(pod, path, met)
        if found is not None:
            names.update(met)
            return path, found
    return None
