"""Pods on nodes, and whether a node has room for one more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from virtcatalog.api.core import LabelSelector, LabelSelectorRequirement
from virtcatalog.api.scheduling import PodAffinityTerm, TopologySpreadConstraint
from virtcatalog.capacity.demand import Conditions, Demand
from virtcatalog.capacity.nodes import HOSTNAME, Node
from virtcatalog.capacity.rules import Obstacle, meets_affinity, node_obstacle, numa_shortage, shortage, untolerated
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.selectors import selects
from virtcatalog.limits import CAPACITY_LOOKS, CAPACITY_LOOKS_PER_OBJECT


class Looks:
    """How many looks at Pods and nodes a run may still take.

    `objects` is the number of VMs and nodes that the input has as objects, rather than as a count.
    """

    def __init__(self, objects: int = 0) -> None:
        self._left = CAPACITY_LOOKS + CAPACITY_LOOKS_PER_OBJECT * objects

    def take(self, count: int = 1) -> None:
        """Count looks; VirtcatalogError when there are none left."""
        self._left -= count
        if self._left < 0:
            raise VirtcatalogError(
                "these VMs are not put on these nodes, as they would have to be looked at too often: Pods mind where "
                "others are, or few are alike; declare fewer nodes or replicas, or dump a part of the cluster"
            )


class Placement:
    """The nodes of a cluster and the Pods that are on them; it changes as Pods are put and taken."""

    def __init__(
        self,
        nodes: Sequence[Node],
        namespaces: Mapping[str, Mapping[str, str]] | None = None,
        looks: Looks | None = None,
    ) -> None:
        self.nodes, self.looks = tuple(nodes), looks or Looks()
        self.puts = 0
        """How often a Pod was put anywhere."""
        self._number = 0
        self.pods: list[list[Demand]] = [[] for _ in nodes]
        self.used: list[dict[str, int]] = [{} for _ in nodes]
        self._cells: list[tuple[int, ...]] = [(0,) * node.cells for node in nodes]
        self._homes: list[dict[int, list[int]]] = [{} for _ in nodes]
        self._namespaces = namespaces or {}
        self._likeness = _number_alike(nodes)
        self._node_obstacles: dict[tuple[bytes, int], Obstacle | None] = {}
        self._places: dict[str, dict[str | None, list[int]]] = {}
        self._guarded = 0
        """How many of the Pods keep others away."""

    def node_obstacle(self, conditions: Conditions, position: int) -> Obstacle | None:
        """What keeps Pods with these conditions off a node, even while it is empty."""
        self.looks.take()
        likeness = -1 - position if conditions.tells_nodes_apart else self._likeness[position]
        key = conditions.key, likeness
        if key not in self._node_obstacles:
            self._node_obstacles[key] = node_obstacle(conditions, self.nodes[position])
        return self._node_obstacles[key]

    def obstacle(self, demand: Demand, position: int) -> Obstacle | None:
        """Why a node cannot take one more Pod; None when it can."""
        obstacle = self.node_obstacle(demand.conditions, position) or self.shortage(demand, position)
        return obstacle or self._pod_obstacle(demand, position)

    def shortage(self, demand: Demand, position: int) -> Obstacle | None:
        """What a node has not enough of."""
        node = self.nodes[position]
        return shortage(demand, node, self.used[position]) or numa_shortage(demand, node, self._cells[position])

    def has_room(self, demand: Demand, position: int) -> bool:
        """Whether a node has enough of everything; like `shortage`, without the reason."""
        room, used = self.nodes[position].room, self.used[position]
        for resource, requested in demand.requests.items():
            if requested > room.get(resource, 0) - used.get(resource, 0):
                return False
        return numa_shortage(demand, self.nodes[position], self._cells[position]) is None

    def minds_others(self, demand: Demand) -> bool:
        """Whether it matters for a Pod where other Pods are."""
        return demand.conditions.minds_others or self._guarded > 0

    def takes(self, demand: Demand, position: int) -> bool:
        """Whether a node can take one more Pod."""
        return (
            self.node_obstacle(demand.conditions, position) is None
            and self.has_room(demand, position)
            and self._pod_obstacle(demand, position) is None
        )

    def put(self, demand: Demand, position: int) -> None:
        """Put a Pod on a node, whether or not it fits there."""
        self.puts += 1
        self._number += 1
        self.pods[position].append(demand)
        used = self.used[position]
        for resource, requested in demand.requests.items():
            used[resource] = used.get(resource, 0) + requested
        if demand.own_cpus and self.nodes[position].cells > 1:
            cells = list(self._cells[position])
            home = cells.index(min(cells))
            cells[home] += demand.own_cpus
            self._cells[position] = tuple(cells)
            self._homes[position].setdefault(id(demand), []).append(home)
        self._guarded += bool(_apart(demand.conditions))

    def take(self, demand: Demand, position: int) -> None:
        """Take a Pod from the node that it was put on."""
        self._number -= 1
        self.pods[position].remove(demand)
        used = self.used[position]
        for resource, requested in demand.requests.items():
            used[resource] -= requested
        homes = self._homes[position].get(id(demand))
        if homes:
            cells = list(self._cells[position])
            cells[homes.pop()] -= demand.own_cpus
            self._cells[position] = tuple(cells)
        self._guarded -= bool(_apart(demand.conditions))

    def number(self, demand: Demand, position: int) -> int:
        """How many more Pods a node has room for, affinity and taints aside."""
        room, node = self.free(position), self.nodes[position]
        number = min(room.get(resource, 0) // requested for resource, requested in demand.requests.items() if requested)
        if demand.own_cpus and node.cells > 1:
            per_cell = node.room.get("cpu", 0) // node.cells
            number = min(number, sum(max(0, (per_cell - owned) // demand.own_cpus) for owned in self._cells[position]))
        return max(0, number)

    def free(self, position: int) -> dict[str, int]:
        """What a node still has for Pods."""
        used = self.used[position]
        return {resource: amount - used.get(resource, 0) for resource, amount in self.nodes[position].room.items()}

    def affinity_obstacle(self, demand: Demand, position: int) -> Obstacle | None:
        """Whether the Pods that a Pod must be near are elsewhere, or a node is at no place."""
        self.looks.take(self._looks_at_all_pods)
        return self._affinity(demand, self.nodes[position])

    def _pod_obstacle(self, demand: Demand, position: int) -> Obstacle | None:
        """Why Pods, on this node or another one, keep a Pod off it: affinity, anti-affinity, spreading."""
        if not self.minds_others(demand):
            return None
        self.looks.take(self._looks_at_all_pods)
        node = self.nodes[position]
        for term in _apart(demand.conditions):
            place = node.label(term.topology_key)
            if place is not None and any(
                self._selects(term, demand, pod) for pod in self._at(term.topology_key, place)
            ):
                return Obstacle("anti-affinity", f"is where its Pod may not be: {term.topology_key}={place}")
        for pod, other_position in self._all_pods():
            for term in _apart(pod.conditions):
                place = node.label(term.topology_key)
                same = place is not None and self.nodes[other_position].label(term.topology_key) == place
                if same and self._selects(term, pod, demand):
                    return Obstacle("anti-affinity", f"has {pod.name} near, which keeps it away")
        return self._affinity(demand, node) or self._spread(demand, node)

    def _affinity(self, demand: Demand, node: Node) -> Obstacle | None:
        pod_affinity = demand.conditions.affinity.pod_affinity
        terms = pod_affinity.required_during_scheduling_ignored_during_execution if pod_affinity is not None else []
        if not terms:
            return None
        places = [node.label(term.topology_key) for term in terms]
        if None in places:
            return Obstacle("affinity", "lacks a label by which its Pod tells places")
        keys = [term.topology_key for term in terms]
        taken = {
            (key, self.nodes[other_position].label(key))
            for pod, other_position in self._all_pods()
            if all(self._selects(term, demand, pod) for term in terms)
            for key in keys
        }
        if all(place is None for _, place in taken) and all(self._selects(term, demand, demand) for term in terms):
            return None  # the first of a group that wants to be together
        near = taken.issuperset(zip(keys, places, strict=True))
        return None if near else Obstacle("affinity", "is not near the Pods that its Pod must be near")

    def _spread(self, demand: Demand, node: Node) -> Obstacle | None:
        """Whether one more Pod here would spread its like too unevenly."""
        for constraint in demand.conditions.spread:
            place = node.label(constraint.topology_key)
            if place is None:
                return Obstacle("spread", f"has no label {constraint.topology_key}")
            counts = self._counts(constraint, demand)
            least = min(counts.values(), default=0)
            if constraint.min_domains is not None and len(counts) < constraint.min_domains:
                least = 0
            selector = _with_keys(constraint.label_selector, constraint.match_label_keys, (), demand)
            itself = selector is not None and selects(selector, demand.labels)
            if counts.get(place, 0) + itself - least > constraint.max_skew:
                text = f"would have {counts.get(place, 0) + itself} of its like in {constraint.topology_key}={place}"
                return Obstacle("spread", f"{text}, {least} elsewhere")
        return None

    def _counts(self, constraint: TopologySpreadConstraint, demand: Demand) -> Counter[str]:
        """How many Pods that a constraint counts are in each place that could have one.

        One that is being deleted does not count, and a selector without conditions counts none.
        """
        selector = _with_keys(constraint.label_selector, constraint.match_label_keys, (), demand)
        counting = selector if selector and (selector.match_labels or selector.match_expressions) else None
        counts: Counter[str] = Counter()
        keys = {spread.topology_key for spread in demand.conditions.spread}
        self.looks.take(len(self.nodes) + self._number // 8)
        for position, node in enumerate(self.nodes):
            place = node.label(constraint.topology_key)
            if place is None or any(node.label(key) is None for key in keys) or not _eligible(constraint, demand, node):
                continue
            counts[place] += sum(
                1
                for pod in self.pods[position]
                if counting is not None
                and pod.namespace == demand.namespace
                and not pod.leaving
                and selects(counting, pod.labels)
            )
        return counts

    @property
    def _looks_at_all_pods(self) -> int:
        """How many looks it takes to go through all Pods on all nodes."""
        return (self._number + len(self.nodes) // 8) // 8

    def _all_pods(self) -> Iterator[tuple[Demand, int]]:
        for position, pods in enumerate(self.pods):
            for pod in pods:
                yield pod, position

    def _at(self, key: str, place: str) -> Iterator[Demand]:
        if key not in self._places:
            self._places[key] = {}
            for position, node in enumerate(self.nodes):
                self._places[key].setdefault(node.label(key), []).append(position)
        for position in self._places[key].get(place, ()):
            yield from self.pods[position]

    def _selects(self, term: PodAffinityTerm, owner: Demand, other: Demand) -> bool:
        """Whether a term of the Pod `owner` selects another Pod."""
        selector = _with_keys(term.label_selector, term.match_label_keys, term.mismatch_label_keys, owner)
        if selector is None or not selects(selector, other.labels):
            return False
        if other.namespace in term.namespaces:
            return True
        if term.namespace_selector is not None:
            labels = {"kubernetes.io/metadata.name": other.namespace, **self._namespaces.get(other.namespace, {})}
            return selects(term.namespace_selector, labels)
        return not term.namespaces and other.namespace == owner.namespace


def _number_alike(nodes: Sequence[Node]) -> list[int]:
    """Numbers for nodes, equal where nodes differ in nothing but their name."""
    numbers: dict[tuple[object, ...], int] = {}
    numbers_of_nodes = []
    for node in nodes:
        labels = tuple(sorted(item for item in node.labels.items() if item[0] != HOSTNAME))
        numbers_of_nodes.append(numbers.setdefault((labels, node.taints, node.assumed), len(numbers)))
    return numbers_of_nodes


def _apart(conditions: Conditions) -> list[PodAffinityTerm]:
    anti_affinity = conditions.affinity.pod_anti_affinity
    return anti_affinity.required_during_scheduling_ignored_during_execution if anti_affinity is not None else []


def _eligible(constraint: TopologySpreadConstraint, demand: Demand, node: Node) -> bool:
    """Whether a node counts for a constraint, as its policies for affinity and taints say."""
    conditions = demand.conditions
    if constraint.node_affinity_policy != "Ignore":
        if any(node.label(key) != value for key, value in conditions.selector.items()):
            return False
        if not meets_affinity(conditions, node):
            return False
    return constraint.node_taints_policy != "Honor" or untolerated(conditions, node) is None


def _with_keys(
    selector: LabelSelector | None, same: Sequence[str], other: Sequence[str], owner: Demand
) -> LabelSelector | None:
    """A selector with what the API server adds for matchLabelKeys and mismatchLabelKeys of its Pod."""
    if selector is None or not (same or other):
        return selector
    added = [
        LabelSelectorRequirement(key=key, operator=operator, values=[owner.labels[key]])
        for operator, keys in (("In", same), ("NotIn", other))
        for key in keys
        if key in owner.labels
    ]
    return LabelSelector(match_labels=selector.match_labels, match_expressions=[*selector.match_expressions, *added])
