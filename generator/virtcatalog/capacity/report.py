"""The report of `virtcatalog capacity`: types, VMs, packing, failures, quotas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from virtcatalog.capacity.demand import Demand, Reader
from virtcatalog.capacity.launches import Launch, demand_of, is_counted, is_over, read_fleet, running_on, type_vm
from virtcatalog.capacity.nodes import DECLARED, Kind, Node, cluster_nodes, titled
from virtcatalog.capacity.packing import (
    Failure,
    Packing,
    count_more,
    count_on_empty,
    failures,
    obstacles,
    pack,
    share,
    totals,
    unusable,
)
from virtcatalog.capacity.pods import Looks, Placement
from virtcatalog.capacity.quota import Judge, Judgement
from virtcatalog.capacity.rules import Obstacle
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.identity import Data


class KindFit(msgspec.Struct, frozen=True, kw_only=True):
    """How many VMs a node of a kind takes while it is empty, at least and at most, and what it runs out of then."""

    kind: str
    least: int
    most: int
    short_of: str


class TypeFit(msgspec.Struct, frozen=True, kw_only=True):
    """How many VMs of an instance type fit: on each kind, on the whole cluster while empty, and beside its VMs.

    `refused` says why no VM of the type alone is admitted; it has no numbers then.
    """

    name: str
    wanted: Mapping[str, int] = {}
    kinds: tuple[KindFit, ...] = ()
    empty: int = 0
    beside: int = 0
    refused: str = ""


class VMFit(msgspec.Struct, frozen=True, kw_only=True):
    """A VM: the kinds that can run it, the node that it is put on, and why no node takes it.

    `reasons` have the kind, the number of its nodes, and the sort and text of the obstacle: on empty nodes for a VM
    that fits on none of them, else beside the other VMs.
    """

    name: str
    kinds: tuple[str, ...]
    node: str = ""
    halted: bool = False
    reasons: tuple[tuple[str, int, str, str], ...] = ()


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """The fleet on its nodes: by resource what there is, what is used, and what is free where nothing more fits."""

    nodes: int
    used_nodes: int
    placed: int
    left: int
    total: Mapping[str, int]
    used: Mapping[str, int]
    lost: Mapping[str, int]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report; `podless` are VMs without a Pod, and why; `requested` is by namespace what the other VMs request."""

    kinds: tuple[tuple[Kind, Node], ...]
    types: tuple[TypeFit, ...]
    vms: tuple[VMFit, ...]
    packed: Packed
    failures: tuple[Failure, ...]
    quota: Judgement
    podless: tuple[tuple[str, str], ...]
    requested: Mapping[str, Mapping[str, int]] = {}

    @property
    def homeless(self) -> list[VMFit]:
        """The VMs that should run and have no node."""
        return [vm for vm in self.vms if not vm.node and not vm.halted]

    @property
    def finds(self) -> bool:
        """Whether a VM has no node, a type fits nowhere, or a quota is too small or cannot be judged."""
        fitless = any(not type_fit.empty for type_fit in self.types if not type_fit.refused)
        short = self.quota.refusals or self.quota.undecided
        return bool(self.homeless or self.podless or short) or (bool(self.kinds) and fitless)


def report(
    launched: Iterable[Launch],
    number: int,
    cluster: Cluster,
    types: Sequence[Data],
    pods: Iterable[Data] = (),
) -> Report:
    """Put the `number` VMs of a cluster on its nodes, and count what more fits.

    `launched` is read once, as a stream. `types` are the instance types to count; `pods` are other Pods of the cluster:
    those bound to a node take room there. UnsupportedError for what virtcatalog does not model.
    """
    nodes, kinds = cluster_nodes(cluster.nodes)
    reader = Reader()
    looks = Looks(number + sum(DECLARED not in node.metadata.annotations for node in cluster.nodes))
    judge = Judge(cluster, looks)
    groups: list[str] = []
    fleet, podless = read_fleet(_noted(launched, groups), number, reader, judge)
    counted, stems = {demand.name for demand, _ in fleet}, tuple(groups)
    positions = {node.name: position for position, node in enumerate(nodes)}
    foreign_pods: list[list[Demand]] = [[] for _ in nodes]
    for pod in pods:
        home = positions.get((pod.get("spec") or {}).get("nodeName") or "")
        if home is not None and not is_over(pod) and not is_counted(pod, counted, stems):
            foreign_pods[home].append(reader.placed(f"Pod {(pod.get('metadata') or {}).get('name')}", pod))
    demands = [_type_demand(manifest, cluster, reader) for manifest in types]
    of_types = [demand for _, demand in demands if isinstance(demand, Demand)]
    pods_of_all = chain((demand for demand, _ in fleet), of_types, *foreign_pods)
    namespaces = {demand.namespace: cluster.namespace_labels(demand.namespace) for demand in pods_of_all}
    running = {name: positions[node] for name, node in running_on(fleet, cluster) if node in positions}
    going = [demand for demand, halted in fleet if not halted]
    packing = pack(going, nodes, running=running, foreign_pods=foreign_pods, namespaces=namespaces, looks=looks)
    empty = Placement(nodes, namespaces, looks)
    fits = tuple(_type_fit(name, demand, nodes, kinds, empty, packing) for name, demand in demands)
    return Report(
        kinds=tuple((kind, nodes[kind.nodes[0]]) for kind in kinds),
        types=fits,
        vms=tuple(_vm_fits(fleet, nodes, kinds, empty, packing)),
        packed=_packed(packing, of_types or going, len(going)),
        failures=tuple(failures(packing)),
        quota=judge.judgement(),
        podless=tuple(podless),
        requested=_requested(going),
    )


def _noted(launched: Iterable[Launch], groups: list[str]) -> Iterator[Launch]:
    """Yield launches, and note the pools and ReplicaSets."""
    for launch in launched:
        if launch.replicas is not None:
            groups.append(launch.name)
        yield launch


def _requested(demands: Iterable[Demand]) -> dict[str, Counter[str]]:
    requested: dict[str, Counter[str]] = {}
    for demand in demands:
        requested.setdefault(demand.namespace, Counter()).update(dict(demand.requests))
    return requested


def _type_demand(manifest: Data, cluster: Cluster, reader: Reader) -> tuple[str, Demand | str]:
    metadata = manifest["metadata"]
    name = f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
    return name, demand_of(type_vm(manifest), cluster, reader)


def _type_fit(
    name: str, demand: Demand | str, nodes: Sequence[Node], kinds: Sequence[Kind], empty: Placement, packing: Packing
) -> TypeFit:
    if isinstance(demand, str):
        return TypeFit(name=name, refused=demand)
    kind_fits: list[KindFit] = []
    for kind in kinds:
        rooms: dict[tuple[Any, ...], tuple[int, Obstacle | None]] = {}
        for position in kind.nodes:
            node = nodes[position]
            key = (tuple(sorted(node.room.items())), empty.node_obstacle(demand.conditions, position), node.cells)
            if key not in rooms:
                rooms[key] = count_on_empty(demand, node, empty.looks)
        numbers = [number for number, _ in rooms.values()]
        obstacle = next(obstacle for _, obstacle in rooms.values())
        kind_fits.append(
            KindFit(kind=kind.name, least=min(numbers), most=max(numbers), short_of=obstacle.sort if obstacle else "")
        )
    return TypeFit(
        name=name,
        wanted=demand.requests,
        kinds=tuple(kind_fits),
        empty=count_more(demand, empty),
        beside=count_more(demand, packing.placement),
    )


def _vm_fits(
    fleet: Sequence[tuple[Demand, bool]],
    nodes: Sequence[Node],
    kinds: Sequence[Kind],
    empty: Placement,
    packing: Packing,
) -> Iterator[VMFit]:
    able: dict[tuple[object, ...], tuple[str, ...]] = {}
    obstacles_of: dict[tuple[object, ...], list[tuple[str, int, Obstacle]]] = {}
    for demand, halted in fleet:
        alike = demand.likeness if demand.conditions.minds_others else demand.shape
        if alike not in able:
            able[alike] = tuple(
                kind.name for kind in kinds if any(_could_run(demand, at, empty, packing) for at in kind.nodes)
            )
        position = packing.positions.get(demand.name)
        reasons: list[tuple[str, int, Obstacle]] = []
        if position is None and not halted:
            if demand.likeness not in obstacles_of:
                obstacles_of[demand.likeness] = obstacles(demand, packing.placement if able[alike] else empty, kinds)
            reasons = obstacles_of[demand.likeness]
        yield VMFit(
            name=demand.name,
            kinds=able[alike],
            node="" if position is None else nodes[position].name,
            halted=halted,
            reasons=tuple((kind, number, *obstacle) for kind, number, obstacle in reasons),
        )


def _could_run(demand: Demand, position: int, empty: Placement, packing: Packing) -> bool:
    """Whether a node that is empty takes a VM, but for the Pods that the VM must be near: these are where they are."""
    obstacle = empty.obstacle(demand, position)
    if obstacle is None or obstacle.sort != "affinity":
        return obstacle is None
    return packing.placement.affinity_obstacle(demand, position) is None


def _packed(packing: Packing, candidates: Sequence[Demand], number: int) -> Packed:
    placement = packing.placement
    total = totals(placement.nodes)
    used: Counter[str] = Counter()
    for amounts in placement.used:
        used.update(amounts)
    placed = sum(1 for position in packing.positions.values() if position is not None)
    return Packed(
        nodes=len(placement.nodes),
        used_nodes=sum(1 for pods in placement.pods if pods),
        placed=placed,
        left=number - placed,
        total=total,
        used=used,
        lost=unusable(placement, _smallest(candidates, total)),
    )


def _smallest(demands: Sequence[Demand], total: Mapping[str, int]) -> list[Demand]:
    """The demands that request least, one for each set of conditions: where these do not fit, nothing does."""
    smallest: dict[bytes, Demand] = {}
    for demand in sorted(demands, key=lambda demand: share(demand.requests, total)):
        smallest.setdefault(demand.conditions.key, demand)
    return list(smallest.values())


def kind_text(kind: KindFit) -> str:
    """How many fit on a kind of node, for people."""
    number = str(kind.least) if kind.least == kind.most else f"{kind.least} to {kind.most}"
    return f"{kind.kind} {number} ({titled(kind.short_of)})" if kind.short_of else f"{kind.kind} {number}"
