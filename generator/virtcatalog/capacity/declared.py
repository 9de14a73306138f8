"""nodes.yaml: kinds of node and their number, where no dump of a cluster is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from virtcatalog.api.findings import Path as FieldPath
from virtcatalog.api.names import metadata_faults
from virtcatalog.api.object import Object
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity.nodes import CELLS, DECLARED
from virtcatalog.limits import CAPACITY_NODES
from virtcatalog.manifests.typed import load_document, read_document

Manifest = dict[str, Any]

_MOST_CELLS = 64
_DEVICES = {f"devices.kubevirt.io/{name}": "1000" for name in ("kvm", "tun", "vhost-net", "vhost-vsock")}
#: What nodes have where their declaration leaves it out.
_USUAL = {"pods": "250", "ephemeral-storage": "1Pi"}
_LABELS = {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubevirt.io/schedulable": "true"}


class DeclaredTaint(Object):
    """A taint of the kind's nodes."""

    key: str
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    value: str = ""


class NodeKind(Object):
    """Nodes of one kind.

    `allocatable` is what a node has for Pods, by the names of Kubernetes: cpu and memory at least. With `numaNodes`
    above 1, a Pod's dedicated CPUs must fit in one of so many NUMA nodes: the kubelet's policy single-numa-node.
    """

    name: str
    count: int
    allocatable: dict[str, Quantity]
    labels: dict[str, str] = {}
    taints: list[DeclaredTaint] = []
    numa_nodes: int = 1


class NodesFile(Object):
    """The content of nodes.yaml."""

    nodes: list[NodeKind]


def load_nodes(file: str) -> list[Manifest]:
    """Return the Nodes that a file declares; ManifestError carries everything that is wrong with it."""
    return _nodes(load_document(file, NodesFile, _faults))


def read_nodes(text: str | bytes, file: str = "") -> list[Manifest]:
    """Return the Nodes that a text declares; errors are those of `load_nodes`."""
    return _nodes(read_document(text, file, NodesFile, _faults))


def _nodes(declared: NodesFile) -> list[Manifest]:
    return [manifest for kind in declared.nodes for manifest in _manifests(kind)]


def _faults(data: Any) -> Iterator[tuple[FieldPath, str]]:
    """Faults of a file that its types do not show: repeated names, amounts and numbers out of range."""
    names: set[str] = set()
    number = 0
    for index, kind in enumerate(data["nodes"]):
        path = ("nodes", index)
        if kind["name"] in names:
            yield (*path, "name"), f"there is another kind {kind['name']!r}"
        names.add(kind["name"])
        for faulty, message in metadata_faults({"name": kind["name"], "labels": kind.get("labels") or {}}):
            yield (*path, *faulty[1:]), message
        if kind["count"] < 0:
            yield (*path, "count"), "is less than none"
        number += max(kind["count"], 0)
        for resource in ("cpu", "memory"):
            if resource not in kind["allocatable"]:
                yield (*path, "allocatable", resource), "is required"
        for resource, amount in kind["allocatable"].items():
            if Quantity.parse(amount) < Quantity():
                yield (*path, "allocatable", resource), "is less than none"
        if not 1 <= kind.get("numaNodes", 1) <= _MOST_CELLS:
            yield (*path, "numaNodes"), f"is out of range: it must be from 1 to {_MOST_CELLS}"
    if number > CAPACITY_NODES:
        yield ("nodes",), f"are {number:,}, and {CAPACITY_NODES:,} is the most"


def _manifests(kind: NodeKind) -> Iterator[Manifest]:
    """The Nodes of a kind; virt-handler offers KubeVirt's devices on all of them."""
    amounts = {**_DEVICES, **_USUAL, **{name: str(amount) for name, amount in kind.allocatable.items()}}
    annotations = {DECLARED: kind.name, CELLS: str(kind.numa_nodes)}
    taints = [msgspec.to_builtins(taint) for taint in kind.taints]
    for number in range(1, kind.count + 1):
        name = f"{kind.name}-{number}"
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {**_LABELS, "kubernetes.io/hostname": name, **kind.labels},
                "annotations": annotations,
            },
            "spec": {"taints": taints} if taints else {},
            "status": {"allocatable": amounts},
        }
