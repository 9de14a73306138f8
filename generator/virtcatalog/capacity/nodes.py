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
"""The annotation that says among how many NUMA nodes Pods with CPUs of their own may not be spread."""

PODS = "pods"
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
HOSTNAME = "kubernetes.io/hostname"
_GIB = 2**30
#: The labels of nodes on which VMs can have CPUs of their own, one of each release.
_CPU_MANAGER = sorted({release.traits.cpu_manager_label for release in RELEASES.values()})
#: Labels that KubeVirt's node labeller gives nodes, of which a declaration need not say anything.
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

    `cells` is among how many NUMA nodes CPUs of a Pod's own may not be spread; 1 says that they may. `assumed` are
    beginnings of labels that it counts as having, as nobody says which of them it has.
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
        found = self.labels.get(key)
        return "true" if found is None and self.assumed and key.startswith(self.assumed) else found


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are alike: `nodes` are their places in the cluster's list."""

    name: str
    nodes: tuple[int, ...]


def cluster_nodes(found: Sequence[api.Node]) -> tuple[list[Node], list[Kind]]:
    """The nodes of a cluster and their kinds, the largest first.

    A declared node is of the kind that it is declared by. Others are of one kind when they have the same instance type,
    the same CPUs, GiB, huge pages, devices, taints and architecture.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for position, node in enumerate(found):
        groups.setdefault(_likeness(node), []).append(position)
    named = _named([(key, found[members[0]], len(members)) for key, members in groups.items()])
    nodes = [_node(node, named[_likeness(node)]) for node in found]
    kinds = [Kind(name=named[key], nodes=tuple(members)) for key, members in groups.items()]
    return nodes, sorted(kinds, key=lambda kind: (-len(kind.nodes), kind.name))


def amounts(quantities: Mapping[str, Quantity]) -> dict[str, int]:
    """Amounts as the scheduler counts: CPUs in thousandths, all else in whole units."""
    return {name: quantity.milli_value if name == "cpu" else quantity.value for name, quantity in quantities.items()}


def shown(resource: str, amount: float) -> str:
    """An amount for people."""
    if resource == "cpu":
        return f"{count(amount / 1000)} CPUs"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        text = memory(amount)
        return text if resource == "memory" else f"{text} of {resource}"
    return f"{count(amount)} {resource}"


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
    """What a declaration says of one label of a sort, it says of all."""
    labels = list(labels)
    return tuple(each for each in _LABELLED if not any(label.startswith(each) for label in labels))


def _likeness(node: api.Node) -> tuple[object, ...]:
    declared = node.metadata.annotations.get(DECLARED)
    if declared is not None:
        return (declared,)
    room = amounts(node.status.capacity or node.status.allocatable)
    labels = node.metadata.labels
    special = sorted((name, amount) for name, amount in room.items() if "/" in name or name.startswith("hugepages-"))
    return (
        labels.get(_INSTANCE_TYPE, ""),
        room.get("cpu", 0),
        room.get("memory", 0) // _GIB,
        tuple(each for each in special if each[1] and not each[0].startswith("devices.kubevirt.io/")),
        tuple(sorted((taint.key, taint.value, taint.effect) for taint in node.spec.taints if _lasting(taint))),
        labels.get("kubernetes.io/arch", ""),
        *(labels.get(label, "") for label in _CPU_MANAGER),
    )


def _lasting(taint: api.Taint) -> bool:
    """Whether a taint tells of what a node is, not of its state."""
    return not taint.key.startswith("node.kubernetes.io/")


def _named(groups: Sequence[tuple[tuple[object, ...], api.Node, int]]) -> dict[tuple[object, ...], str]:
    """A name for each kind: as it is declared, its instance type, or what it has."""
    names: dict[tuple[object, ...], str] = {}
    for key, node, _ in groups:
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
