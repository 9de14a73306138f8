"""Nodes as the scheduler sees them: what they have for Pods, their labels and taints; and their kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from virtcatalog.api import nodes as api
from virtcatalog.api.quantity import Quantity
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


def shown(resource: str, amount: float) -> str:
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
    if node.spec.unschedulable and not any(taint.key == "node.kubernetes.io/unschedulable" for taint in taints):
        taints.append(Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"))
    ready = next((condition.status for condition in node.status.conditions if condition.type == "Ready"), "True")
    if ready != "True" and not any(taint.key.startswith("node.kubernetes.io/") for taint in taints):
        taints.append(Taint("node.kubernetes.io/not-ready", "", "NoSchedule"))
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
        taken = sum(1 for other in names.values() if other == name or other.startswith(f"{name} #"))
        names[key] = f"{name} #{taken + 1}" if taken else name
    return names


def _described(node: api.Node) -> str:
    room = amounts(node.status.capacity or node.status.allocatable)
    parts = [f"{count(room.get('cpu', 0) / 1000)}cpu", f"{round(room.get('memory', 0) / _GIB)}Gi"]
    own = (name for name, amount in room.items() if "/" in name and amount)
    parts += sorted(name.rpartition("/")[2] for name in own if not name.startswith("devices.kubevirt.io/"))
    return "-".join(parts)
