"""A fleet put on nodes: first fit, the largest first; what is left and lost, and what a node's failure would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from virtcatalog.capacity.demand import Demand
from virtcatalog.capacity.nodes import PODS, Kind, Node
from virtcatalog.capacity.pods import Looks, Placement
from virtcatalog.capacity.rules import Obstacle


class Packing(msgspec.Struct, frozen=True, kw_only=True):
    """The position of each demand's node in the list of nodes, None where no node has room for it."""

    positions: Mapping[str, int | None]
    placement: Placement


class Failure(msgspec.Struct, frozen=True):
    """A node's failure: how many VMs it has, and the names of those that no other node can take."""

    node: str
    kind: str
    vms: int
    homeless: tuple[str, ...]


def pack(
    demands: Iterable[Demand],
    nodes: Sequence[Node],
    *,
    running: Mapping[str, int] | None = None,
    foreign_pods: Sequence[Iterable[Demand]] = (),
    namespaces: Mapping[str, Mapping[str, str]] | None = None,
    looks: Looks | None = None,
) -> Packing:
    """Put demands on nodes, those that run where they run, the others by first fit, the largest share first.

    `foreign_pods` are other Pods, by the position of their node.
    """
    placement = Placement(nodes, namespaces, looks)
    for position, pods in enumerate(foreign_pods):
        for pod in pods:
            placement.put(pod, position)
    positions: dict[str, int | None] = {}
    waiting: list[Demand] = []
    for demand in demands:
        home = (running or {}).get(demand.name)
        if home is None:
            waiting.append(demand)
        else:
            placement.put(demand, home)
            positions[demand.name] = home
    positions |= zip((demand.name for demand in waiting), _put_all(waiting, _FirstFit(placement)), strict=True)
    return Packing(positions=positions, placement=placement)


def _put_all(demands: Sequence[Demand], fit: _FirstFit) -> list[int | None]:
    """Put demands on nodes, the largest share of all nodes first.

    Demands that depend on other Pods are tried again after these are placed, as the scheduler does.
    """
    placement, total = fit.placement, fit.total
    positions: list[int | None] = [None] * len(demands)
    waiting = sorted(range(len(demands)), key=lambda i: (-share(demands[i].requests, total), demands[i].name))
    before = None
    while len(waiting) != before:
        before = len(waiting)
        for i in waiting:
            positions[i] = fit.put(demands[i])
        waiting = [i for i in waiting if positions[i] is None and placement.minds_others(demands[i])]
    return positions


def totals(nodes: Iterable[Node]) -> Counter[str]:
    """What all nodes have together."""
    total: Counter[str] = Counter()
    for node in nodes:
        total.update(dict(node.room))
    return total


def share(requests: Mapping[str, int], total: Mapping[str, int]) -> float:
    """Return the largest share of the cluster that requests take, over all resources but `pods`."""
    return max((amount / max(total.get(name, 0), 1) for name, amount in requests.items() if name != PODS), default=0.0)


class _FirstFit:
    """Puts Pods on the first node that can take them.

    Room only shrinks meanwhile, so a node that was full for a shape is not looked at again for it.

    `start` begins anew, possibly without one node; the Pods that were put have to be taken off before.
    """

    def __init__(self, placement: Placement) -> None:
        self.placement, self.total = placement, totals(placement.nodes)
        self._roomy: dict[tuple[object, ...], tuple[list[int], Iterator[int]]] = {}
        """By shape: the nodes with room among those looked at, and an iterator over the nodes still to look at."""
        self.start()

    def start(self, without: int | None = None) -> None:
        self._without = without
        self._next: dict[tuple[object, ...], int] = {}
        self._touched: set[int] = set()
        self._nowhere: dict[tuple[object, ...], int] = {}

    def put(self, demand: Demand) -> int | None:
        placement = self.placement
        position = self._among_others(demand) if placement.minds_others(demand) else self._first(demand)
        if position is not None:
            placement.put(demand, position)
            self._touched.add(position)
        return position

    def _among_others(self, demand: Demand) -> int | None:
        """The first node for a Pod that depends on other Pods; after a failure it is tried anew once a Pod was put."""
        placement, likeness = self.placement, demand.likeness
        if self._nowhere.get(likeness) == placement.puts:
            return None
        positions = (i for i in range(len(placement.nodes)) if i != self._without)
        position = next((i for i in positions if placement.takes(demand, i)), None)
        if position is None:
            self._nowhere[likeness] = placement.puts
        return position

    def _first(self, demand: Demand) -> int | None:
        shape = demand.shape
        if shape not in self._roomy:
            self._roomy[shape] = [], self._look(demand)
        roomy, rest = self._roomy[shape]
        index = self._next.get(shape, 0)
        while True:
            if index == len(roomy):
                position = next(rest, None)
                if position is None:
                    break
                roomy.append(position)
            if roomy[index] != self._without and self._has_room(demand, roomy[index]):
                break
            index += 1
        self._next[shape] = index
        return roomy[index] if index < len(roomy) else None

    def _look(self, demand: Demand) -> Iterator[int]:
        """Yield the nodes that had room for a Pod at the start, and those that changed since: these may be full."""
        for position in range(len(self.placement.nodes)):
            if self.placement.node_obstacle(demand.conditions, position) is None and (
                position in self._touched or position == self._without or self._has_room(demand, position)
            ):
                yield position

    def _has_room(self, demand: Demand, position: int) -> bool:
        self.placement.looks.take()
        return self.placement.has_room(demand, position)


def count_on_empty(demand: Demand, node: Node, looks: Looks | None = None) -> tuple[int, Obstacle | None]:
    """Return how many Pods of a demand an empty node takes, and what it runs out of then."""
    placement = Placement([node], looks=looks)
    obstacle = placement.obstacle(demand, 0)
    if obstacle is not None:
        return 0, obstacle
    if placement.minds_others(demand) or (node.cells > 1 and demand.own_cpus):
        number = 0
        while placement.takes(demand, 0):
            placement.put(demand, 0)
            number += 1
        return number, placement.obstacle(demand, 0)
    number = min(
        node.room.get(resource, 0) // requested for resource, requested in demand.requests.items() if requested
    )
    full = msgspec.structs.replace(demand, requests={name: amount * number for name, amount in demand.requests.items()})
    placement.put(full, 0)
    return number, placement.shortage(demand, 0)


def count_more(demand: Demand, placement: Placement) -> int:
    """Return how many more Pods of a demand the cluster takes; the placement stays as it is."""
    put: list[int] = []
    if not placement.minds_others(demand):
        positions = range(len(placement.nodes))
        return sum(
            placement.number(demand, position)
            for position in positions
            if placement.node_obstacle(demand.conditions, position) is None
        )
    fit = _FirstFit(placement)
    try:
        while (position := fit.put(demand)) is not None:
            put.append(position)
    finally:
        for position in put:
            placement.take(demand, position)
    return len(put)


def failures(packing: Packing) -> list[Failure]:
    """Return the failure of each node with VMs, where all other VMs stay where they are; the worst first."""
    placement, failed = packing.placement, []
    fit = _FirstFit(placement)
    fleet = {name for name, position in packing.positions.items() if position is not None}
    for position, node in enumerate(placement.nodes):
        vms = [demand for demand in placement.pods[position] if demand.name in fleet]
        if vms:
            failed.append(Failure(node.name, node.kind, len(vms), tuple(_homeless(vms, position, fit))))
    return sorted(failed, key=lambda failure: (-len(failure.homeless), -failure.vms, failure.node))


def _homeless(vms: Sequence[Demand], failed: int, fit: _FirstFit) -> list[str]:
    """The VMs of a node that no other one can take; the placement stays as it is."""
    placement = fit.placement
    fit.start(without=failed)
    for vm in vms:
        placement.take(vm, failed)
    positions = _put_all(vms, fit)
    for vm, position in zip(vms, positions, strict=True):
        if position is not None:
            placement.take(vm, position)
    for vm in vms:
        placement.put(vm, failed)
    return sorted(vm.name for vm, position in zip(vms, positions, strict=True) if position is None)


def unusable(placement: Placement, smallest: Iterable[Demand]) -> Counter[str]:
    """Return what is free on nodes that have no room for any of these demands, and so is of no use."""
    smallest = list(smallest)
    free: Counter[str] = Counter()
    for position in range(len(placement.nodes)):
        if not any(placement.takes(demand, position) for demand in smallest):
            free.update({name: max(amount, 0) for name, amount in placement.free(position).items()})
    return free


def obstacles(demand: Demand, placement: Placement, kinds: Sequence[Kind]) -> list[tuple[str, int, Obstacle]]:
    """Return why no node takes a demand: kind, how many of its nodes, and the reason, the commonest first."""
    reasons: Counter[tuple[str, Obstacle]] = Counter()
    for kind in kinds:
        for position in kind.nodes:
            obstacle = placement.obstacle(demand, position)
            if obstacle is not None:
                reasons[kind.name, obstacle] += 1
    return [(kind, number, obstacle) for (kind, obstacle), number in reasons.most_common()]
