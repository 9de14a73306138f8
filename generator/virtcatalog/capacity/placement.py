"""Pods on nodes: where there is room for one more, given those that are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from virtcatalog.api.core import LabelSelector, PodAffinityTerm, TopologySpreadConstraint
from virtcatalog.capacity.demand import Conditions, Demand
from virtcatalog.capacity.nodes import Node
from virtcatalog.capacity.rules import Obstacle, lack, matches, numa_lack, standing, tolerates
from virtcatalog.kubevirt.selectors import selects

_KEEPING = ("NoSchedule", "NoExecute")


class Placement:
    """The nodes of a cluster and the Pods that are on them; it changes as Pods are put and taken."""

    def __init__(self, nodes: Sequence[Node], namespaces: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self.nodes = tuple(nodes)
        self.pods: list[list[Demand]] = [[] for _ in nodes]
        self.used: list[dict[str, int]] = [{} for _ in nodes]
        self._cells: list[tuple[int, ...]] = [(0,) * node.cells for node in nodes]
        self._homes: list[dict[int, list[int]]] = [{} for _ in nodes]
        self._namespaces = namespaces or {}
        self._standing: dict[bytes, list[Obstacle | None]] = {}
        self._guarded = 0
        """How many of the Pods keep others away."""

    def standing(self, conditions: Conditions) -> list[Obstacle | None]:
        """What keeps Pods with these conditions off each node, whoever is there."""
        obstacles = self._standing.get(conditions.key)
        if obstacles is None:
            obstacles = self._standing[conditions.key] = [standing(conditions, node) for node in self.nodes]
        return obstacles

    def obstacle(self, demand: Demand, position: int) -> Obstacle | None:
        """Why a node cannot take one more Pod; None when it can."""
        obstacle = self.standing(demand.conditions)[position]
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
            self.standing(demand.conditions)[position] is None
            and self.has_room(demand, position)
            and self._neighbours(demand, position) is None
        )

    def put(self, demand: Demand, position: int) -> None:
        """Put a Pod on a node, whether or not it fits there."""
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

    def free(self, position: int) -> dict[str, int]:
        """What a node still has for Pods."""
        used = self.used[position]
        return {resource: amount - used.get(resource, 0) for resource, amount in self.nodes[position].room.items()}

    def _neighbours(self, demand: Demand, position: int) -> Obstacle | None:
        """Why the Pods that are there, or elsewhere, keep a Pod off a node."""
        if not self.minds_others(demand):
            return None
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

    def _everyone(self) -> Iterator[tuple[Demand, int]]:
        for position, pods in enumerate(self.pods):
            for pod in pods:
                yield pod, position

    def _at(self, key: str, place: str) -> Iterator[Demand]:
        for position, node in enumerate(self.nodes):
            if self.pods[position] and node.label(key) == place:
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
