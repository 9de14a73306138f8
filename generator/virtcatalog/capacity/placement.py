"""Pods on nodes: where there is room for one more, given those that are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from virtcatalog.api.core import LabelSelector, PodAffinityTerm, TopologySpreadConstraint
from virtcatalog.capacity.demand import Conditions, Demand
from virtcatalog.capacity.nodes import HOSTNAME, Node
from virtcatalog.capacity.rules import Obstacle, lack, matches, numa_lack, standing, tolerates
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.selectors import selects
from virtcatalog.limits import CAPACITY_LOOKS, CAPACITY_LOOKS_PER_OBJECT

_KEEPING = ("NoSchedule", "NoExecute")


class Looks:
    """How many looks a run may still take, at Pods and nodes; `objects` are VMs and nodes that are there one by one."""

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
        self._alike = _numbered(nodes)
        self._standing: dict[tuple[bytes, int], Obstacle | None] = {}
        self._places: dict[str, dict[str | None, list[int]]] = {}
        self._guarded = 0
        """How many of the Pods keep others away."""

    def standing(self, conditions: Conditions, position: int) -> Obstacle | None:
        """What keeps Pods with these conditions off a node, whoever is there."""
        self.looks.take()
        alike = -1 - position if conditions.tells_nodes_apart else self._alike[position]
        key = conditions.key, alike
        if key not in self._standing:
            self._standing[key] = standing(conditions, self.nodes[position])
        return self._standing[key]

    def obstacle(self, demand: Demand, position: int) -> Obstacle | None:
        """Why a node cannot take one more Pod; None when it can."""
        obstacle = self.standing(demand.conditions, position)
        if obstacle is not None:
            return obstacle
        return self.lack(demand, position) or self._neighbours(demand, position)

    def lack(self, demand: Demand, position: int) -> Obstacle | None:
        """What a node has not enough of."""
        node = self.nodes[position]
        return lack(demand, node, self.used[position]) or numa_lack(demand, node, self._cells[position])

    def has_room(self, demand: Demand, position: int) -> bool:
        """Whether a node has enough of everything; as `lack`, without saying of what not."""
        room, used = self.nodes[position].room, self.used[position]
        for resource, wanted in demand.wanted.items():
            if wanted > room.get(resource, 0) - used.get(resource, 0):
                return False
        return numa_lack(demand, self.nodes[position], self._cells[position]) is None

    def minds_others(self, demand: Demand) -> bool:
        """Whether it matters for a Pod which others are where."""
        return demand.conditions.minds_others or self._guarded > 0

    def takes(self, demand: Demand, position: int) -> bool:
        """Whether a node can take one more Pod."""
        return (
            self.standing(demand.conditions, position) is None
            and self.has_room(demand, position)
            and self._neighbours(demand, position) is None
        )

    def put(self, demand: Demand, position: int) -> None:
        """Put a Pod on a node, whether or not it fits there."""
        self.puts += 1
        self._number += 1
        self.pods[position].append(demand)
        used = self.used[position]
        for resource, wanted in demand.wanted.items():
            used[resource] = used.get(resource, 0) + wanted
        if demand.own_cpus and self.nodes[position].cells > 1:
            cells = list(self._cells[position])
            home = cells.index(min(cells))
            cells[home] += demand.own_cpus
            self._cells[position] = tuple(cells)
            self._homes[position].setdefault(id(demand), []).append(home)
        self._guarded += _guards(demand.conditions)

    def take(self, demand: Demand, position: int) -> None:
        """Take a Pod from the node that it was put on."""
        self._number -= 1
        self.pods[position].remove(demand)
        used = self.used[position]
        for resource, wanted in demand.wanted.items():
            used[resource] -= wanted
        homes = self._homes[position].get(id(demand))
        if homes:
            cells = list(self._cells[position])
            cells[homes.pop()] -= demand.own_cpus
            self._cells[position] = tuple(cells)
        self._guarded -= _guards(demand.conditions)

    def number(self, demand: Demand, position: int) -> int:
        """How many more Pods a node has room for, whatever else keeps them off."""
        room, node = self.free(position), self.nodes[position]
        number = min(room.get(resource, 0) // wanted for resource, wanted in demand.wanted.items() if wanted)
        if demand.own_cpus and node.cells > 1:
            whole = node.room.get("cpu", 0) // node.cells
            number = min(number, sum(max(0, (whole - taken) // demand.own_cpus) for taken in self._cells[position]))
        return max(0, number)

    def free(self, position: int) -> dict[str, int]:
        """What a node still has for Pods."""
        used = self.used[position]
        return {resource: amount - used.get(resource, 0) for resource, amount in self.nodes[position].room.items()}

    def _neighbours(self, demand: Demand, position: int) -> Obstacle | None:
        """Why the Pods that are there, or elsewhere, keep a Pod off a node."""
        if not self.minds_others(demand):
            return None
        self.looks.take(self._others)
        node = self.nodes[position]
        for term in _apart(demand.conditions):
            place = node.label(term.topology_key)
            if place is not None and any(
                self._chosen(term, demand, each) for each in self._at(term.topology_key, place)
            ):
                return Obstacle("anti-affinity", f"is where its Pod may not be: {term.topology_key}={place}")
        for each, where in self._everyone():
            for term in _apart(each.conditions):
                place = node.label(term.topology_key)
                same = place is not None and self.nodes[where].label(term.topology_key) == place
                if same and self._chosen(term, each, demand):
                    return Obstacle("anti-affinity", f"has {each.name} near, which keeps it away")
        return self._far(demand, node) or self._spread(demand, node)

    def _far(self, demand: Demand, node: Node) -> Obstacle | None:
        """Whether a Pod that others must be near of would be alone."""
        wanted = demand.conditions.affinity.pod_affinity
        terms = wanted.required_during_scheduling_ignored_during_execution if wanted is not None else []
        if not terms:
            return None
        places = [node.label(term.topology_key) for term in terms]
        if None in places:
            return Obstacle("affinity", "lacks a label by which its Pod tells places")
        fellows = [
            (each, where) for each, where in self._everyone() if all(self._chosen(term, demand, each) for term in terms)
        ]
        if not fellows and all(self._chosen(term, demand, demand) for term in terms):
            return None  # the first of a group that wants to be together
        near = all(
            any(self.nodes[where].label(term.topology_key) == place for _, where in fellows)
            for term, place in zip(terms, places, strict=True)
        )
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
        """How many Pods that a constraint counts are in each place that could have one."""
        selector = _with_keys(constraint.label_selector, constraint.match_label_keys, (), demand)
        counts: Counter[str] = Counter()
        keys = {each.topology_key for each in demand.conditions.spread}
        self.looks.take(len(self.nodes) + self._number // 8)
        for position, node in enumerate(self.nodes):
            place = node.label(constraint.topology_key)
            if place is None or any(node.label(key) is None for key in keys) or not _eligible(constraint, demand, node):
                continue
            counts[place] += sum(
                1
                for each in self.pods[position]
                if each.namespace == demand.namespace and selector is not None and selects(selector, each.labels)
            )
        return counts

    @property
    def _others(self) -> int:
        """How many looks it is to go through all Pods, on all nodes."""
        return (self._number + len(self.nodes) // 8) // 8

    def _everyone(self) -> Iterator[tuple[Demand, int]]:
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

    def _chosen(self, term: PodAffinityTerm, owner: Demand, other: Demand) -> bool:
        """Whether a term of a Pod's chooses another Pod."""
        selector = _with_keys(term.label_selector, term.match_label_keys, term.mismatch_label_keys, owner)
        if selector is None or not selects(selector, other.labels):
            return False
        if other.namespace in term.namespaces:
            return True
        if term.namespace_selector is not None:
            labels = {"kubernetes.io/metadata.name": other.namespace, **self._namespaces.get(other.namespace, {})}
            return selects(term.namespace_selector, labels)
        return not term.namespaces and other.namespace == owner.namespace


def _numbered(nodes: Sequence[Node]) -> list[int]:
    """A number for each node, the same for those that have all in common but their name."""
    numbers: dict[tuple[object, ...], int] = {}
    found = []
    for node in nodes:
        labels = tuple(sorted(item for item in node.labels.items() if item[0] != HOSTNAME))
        found.append(numbers.setdefault((labels, node.taints, node.assumed), len(numbers)))
    return found


def _apart(conditions: Conditions) -> list[PodAffinityTerm]:
    wanted = conditions.affinity.pod_anti_affinity
    return wanted.required_during_scheduling_ignored_during_execution if wanted is not None else []


def _guards(conditions: Conditions) -> bool:
    return bool(_apart(conditions))


def _eligible(constraint: TopologySpreadConstraint, demand: Demand, node: Node) -> bool:
    """Whether a node counts for a constraint, as its policies for affinity and taints say."""
    conditions = demand.conditions
    if constraint.node_affinity_policy != "Ignore":
        if any(node.label(key) != value for key, value in conditions.selector.items()):
            return False
        wanted = conditions.affinity.node_affinity
        required = wanted.required_during_scheduling_ignored_during_execution if wanted is not None else None
        if required is not None and not any(matches(term, node) for term in required.node_selector_terms):
            return False
    if constraint.node_taints_policy != "Honor":
        return True
    return all(
        taint.effect not in _KEEPING or any(tolerates(toleration, taint) for toleration in conditions.tolerations)
        for taint in node.taints
    )


def _with_keys(
    selector: LabelSelector | None, same: Sequence[str], other: Sequence[str], owner: Demand
) -> LabelSelector | None:
    """A selector with what the API server adds for matchLabelKeys and mismatchLabelKeys of its Pod."""
    if selector is None or not (same or other):
        return selector
    from virtcatalog.api.core import LabelSelectorRequirement

    added = [
        LabelSelectorRequirement(key=key, operator=operator, values=[owner.labels[key]])
        for operator, keys in (("In", same), ("NotIn", other))
        for key in keys
        if key in owner.labels
    ]
    return LabelSelector(match_labels=selector.match_labels, match_expressions=[*selector.match_expressions, *added])
