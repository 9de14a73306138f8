"""Nodes as the scheduler sees them: what they have for Pods, their labels and taints; and their kinds.

They are a cluster's, or declared in nodes.yaml, where no dump is at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from virtcatalog.api import nodes as api
from virtcatalog.api.findings import Path as FieldPath
from virtcatalog.api.names import metadata_faults
from virtcatalog.api.object import Object
from virtcatalog.api.quantity import Quantity
from virtcatalog.limits import CAPACITY_NODES
from virtcatalog.manifests.declaration import load_document
from virtcatalog.manifests.identity import Data
from virtcatalog.releases import RELEASES
from virtcatalog.units import count, memory

DECLARED: str = "virtcatalog.io/kind"
"""The annotation of nodes that nodes.yaml declares: the name of their kind."""
CELLS: str = "virtcatalog.io/numa-nodes"
"""The annotation with the number of NUMA nodes, of which a Pod's dedicated CPUs must fit in one."""

PODS = "pods"
#: How the names of the resources that are huge pages begin; their size follows.
HUGE_PAGES = "hugepages-"
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
HOSTNAME = "kubernetes.io/hostname"
_GIB = 2**30
#: The labels of nodes on which VMs can have CPUs of their own, one of each release.
_CPU_MANAGER = sorted({release.traits.cpu_manager_label for release in RELEASES.values()})
#: Labels that KubeVirt's node labeller gives nodes, which a declaration may leave out.
_LABELLED = (
    "cpu-feature.node.kubevirt.io/",
    "cpu-model.node.kubevirt.io/",
    "cpu-vendor.node.kubevirt.io/",
    "hyperv.node.kubevirt.io/",
    "machine-type.node.kubevirt.io/",
    "scheduling.node.kubevirt.io/",
)

Amounts = Mapping[str, int]


class Taint(msgspec.Struct, frozen=True):
    """What keeps Pods that do not tolerate it off a node."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.value else ''}{self.value}:{self.effect}"


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node; `room` is what it has for Pods, CPUs in thousandths, all else in whole units.

    `cells` is the number of NUMA nodes, of which a Pod's dedicated CPUs must fit in one; with 1 there is no such rule.
    `assumed` are prefixes of labels that it counts as having, as its declaration mentions none of them.
    """

    name: str
    kind: str
    room: Amounts
    labels: Mapping[str, str]
    taints: tuple[Taint, ...] = ()
    cells: int = 1
    assumed: tuple[str, ...] = ()

    def label(self, key: str) -> str | None:
        """The value of a label; None when the node has none of this key."""
        value = self.labels.get(key)
        return "true" if value is None and self.assumed and key.startswith(self.assumed) else value


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are alike: `nodes` are their places in the cluster's list."""

    name: str
    nodes: tuple[int, ...]


def cluster_nodes(cluster: Sequence[api.Node]) -> tuple[list[Node], list[Kind]]:
    """The nodes of a cluster and their kinds, the largest first.

    A declared node is of the kind that declares it. Others are of one kind when they have the same instance type,
    the same CPUs, GiB, huge pages, devices, taints and architecture.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for position, node in enumerate(cluster):
        groups.setdefault(_likeness(node), []).append(position)
    names = _kind_names({key: cluster[members[0]] for key, members in groups.items()})
    nodes = [_node(node, names[_likeness(node)]) for node in cluster]
    kinds = [Kind(name=names[key], nodes=tuple(members)) for key, members in groups.items()]
    return nodes, sorted(kinds, key=lambda kind: (-len(kind.nodes), kind.name))


def amounts(quantities: Mapping[str, Quantity]) -> dict[str, int]:
    """Amounts as the scheduler counts: CPUs in thousandths, all else in whole units."""
    return {name: quantity.milli_value if name == "cpu" else quantity.value for name, quantity in quantities.items()}


def amount_text(resource: str, amount: float) -> str:
    """An amount for people, with what it is of."""
    text = bare(resource, amount)
    return (
        text
        if resource in ("cpu", "memory")
        else f"{text} of {resource}"
        if is_bytes(resource)
        else f"{text} {resource}"
    )


def bare(resource: str, amount: float) -> str:
    """An amount for people, beside the resource's name."""
    if resource == "cpu":
        return f"{count(amount / 1000)} CPUs"
    return memory(amount) if is_bytes(resource) else count(amount)


def is_bytes(resource: str) -> bool:
    """Whether a resource counts in bytes."""
    return resource in ("memory", "ephemeral-storage") or resource.startswith(HUGE_PAGES)


def titled(resource: str) -> str:
    """What a resource is called when something runs out of it."""
    return {"cpu": "CPU", "pods": "Pods"}.get(resource, resource)


def _node(node: api.Node, kind: str) -> Node:
    metadata, annotations = node.metadata, node.metadata.annotations
    taints = [Taint(taint.key, taint.value, taint.effect) for taint in node.spec.taints]
    ready = next((condition.status for condition in node.status.conditions if condition.type == "Ready"), "True")
    down = "not-ready" if ready == "False" else "unreachable"
    for holds, state in ((node.spec.unschedulable, "unschedulable"), (ready != "True", down)):
        taint = Taint(f"node.kubernetes.io/{state}", "", "NoSchedule")
        if holds and taint not in taints:
            taints.append(taint)
    declared = DECLARED in annotations
    return Node(
        name=metadata.name,
        kind=kind,
        room=amounts(node.status.allocatable or node.status.capacity),
        labels={HOSTNAME: metadata.name, **metadata.labels},
        taints=tuple(taints),
        cells=int(annotations.get(CELLS, "1")) if declared else 1,
        assumed=_assumed(metadata.labels) if declared else (),
    )


def _assumed(labels: Iterable[str]) -> tuple[str, ...]:
    """The prefixes of which no label is declared: a declaration that has one label of a prefix lists all of them."""
    labels = list(labels)
    return tuple(prefix for prefix in _LABELLED if not any(label.startswith(prefix) for label in labels))


def _likeness(node: api.Node) -> tuple[object, ...]:
    declared = node.metadata.annotations.get(DECLARED)
    if declared is not None:
        return (declared,)
    room = amounts(node.status.capacity or node.status.allocatable)
    labels = node.metadata.labels
    special = sorted((name, amount) for name, amount in room.items() if "/" in name or name.startswith(HUGE_PAGES))
    return (
        labels.get(_INSTANCE_TYPE, ""),
        room.get("cpu", 0),
        room.get("memory", 0) // _GIB,
        tuple(device for device in special if device[1] and not device[0].startswith("devices.kubevirt.io/")),
        tuple(sorted((taint.key, taint.value, taint.effect) for taint in node.spec.taints if _lasting(taint))),
        labels.get("kubernetes.io/arch", ""),
        *(labels.get(label, "") for label in _CPU_MANAGER),
    )


def _lasting(taint: api.Taint) -> bool:
    """Whether a taint belongs to the node's kind rather than to its state."""
    return not taint.key.startswith("node.kubernetes.io/")


def _kind_names(first_nodes: Mapping[tuple[object, ...], api.Node]) -> dict[tuple[object, ...], str]:
    """The names of kinds by key: as declared, else the instance type, else the resources of the kind's first node."""
    names: dict[tuple[object, ...], str] = {}
    for key, node in first_nodes.items():
        name = node.metadata.annotations.get(DECLARED) or node.metadata.labels.get(_INSTANCE_TYPE) or _described(node)
        number = sum(1 for other in names.values() if other == name or other.startswith(f"{name} #"))
        names[key] = f"{name} #{number + 1}" if number else name
    return names


def _described(node: api.Node) -> str:
    room = amounts(node.status.capacity or node.status.allocatable)
    parts = [f"{count(room.get('cpu', 0) / 1000)}cpu", f"{round(room.get('memory', 0) / _GIB)}Gi"]
    own = (name for name, amount in room.items() if "/" in name and amount)
    parts += sorted(name.rpartition("/")[2] for name in own if not name.startswith("devices.kubevirt.io/"))
    return "-".join(parts)


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


def load_nodes(file: str) -> list[Data]:
    """Return the Nodes that a file declares; ManifestError carries everything that is wrong with it."""
    declared = load_document(file, NodesFile, _faults)
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


def _manifests(kind: NodeKind) -> Iterator[Data]:
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
