"""The smallest VM of an instance type or preference, and what its guest has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.items import Item
from virtcatalog.catalog.places import Source
from virtcatalog.check.minimal import host_of, lone_vm
from virtcatalog.check.subject import Subject
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.identity import Data
from virtcatalog.units import memory


class Example(NamedTuple):
    """The smallest VM that has an instance type or a preference, with its expansion in a cluster."""

    vm: Data
    cluster: Cluster
    result: Result


def example(item: Item, objects: Iterable[Data], conditions: Conditions) -> Example:
    """Expand the smallest VM that has an instance type or a preference, in a cluster with these objects."""
    assert item.manifest is not None
    subject = Subject(manifest=item.manifest, origin="import", place=lambda _field: Source(""))
    vm = lone_vm(subject)
    vm["metadata"]["name"] = "example"
    host = [host_of(subject).manifest] if item.sort == "preferences" else []
    cluster = Cluster.under([*objects, item.manifest, *host], conditions)
    return Example(vm, cluster, expand(vm, cluster))


def guest(result: Result) -> Iterator[tuple[str, str]]:
    """Yield titles and values, for people: what the guest of an admitted VM has, and what its Pod requests."""
    assert result.vmi is not None
    domain = result.vmi["spec"]["domain"]
    cpu, guest = domain.get("cpu") or {}, domain.get("memory") or {}
    sockets, cores, threads = (cpu.get(key) or 1 for key in ("sockets", "cores", "threads"))
    yield "Guest CPUs", f"{sockets * cores * threads}: sockets {sockets}, cores {cores}, threads {threads}"
    if (cpu.get("maxSockets") or 0) > sockets:
        yield "Up to", f"{cpu['maxSockets'] * cores * threads} by hotplug"
    for title, key in (("Guest memory", "guest"), ("Up to", "maxGuest")):
        if guest.get(key):
            amount = memory(Quantity.parse(guest[key]).value)
            yield title, amount if key == "guest" else f"{amount} by hotplug"
    for container in ((result.pod or {}).get("spec") or {}).get("containers") or ():
        if container.get("name") == "compute":
            requests = (container.get("resources") or {}).get("requests") or {}
            yield (
                "Pod requests",
                ", ".join(
                    f"{key} {memory(Quantity.parse(value).value) if key == 'memory' else value}"
                    for key, value in requests.items()
                    if key in ("cpu", "memory")
                ),
            )
