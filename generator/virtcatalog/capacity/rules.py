"""The scheduler's rules: whether a node can take a Pod.

Source: Kubernetes, pkg/scheduler/framework/plugins: nodeunschedulable and tainttoleration, nodeaffinity,
noderesources (fit.go), interpodaffinity (filtering.go), podtopologyspread (filtering.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from virtcatalog.api.govalues import integer
from virtcatalog.api.scheduling import NodeSelectorRequirement, NodeSelectorTerm, Toleration
from virtcatalog.capacity.demand import Conditions, Demand
from virtcatalog.capacity.nodes import Node, Taint, amount_text, titled
from virtcatalog.kubevirt.memo import memo

_KEEPING = ("NoSchedule", "NoExecute")


class Obstacle(NamedTuple):
    """Why a node cannot take a Pod: the sort of reason (`CPU`, `memory`, `labels`, `taints` …), and in words."""

    sort: str
    text: str


def node_obstacle(conditions: Conditions, node: Node) -> Obstacle | None:
    """Return what keeps Pods with these conditions off a node even while it is empty: taints and labels."""
    if taint := untolerated(conditions, node):
        return Obstacle("taints", f"has the taint {taint}")
    for key, value in conditions.selector.items():
        if node.label(key) != value:
            return Obstacle("labels", f"has no label {key}={value}")
    return None if meets_affinity(conditions, node) else Obstacle("labels", "meets no term of the node affinity")


def untolerated(conditions: Conditions, node: Node) -> Taint | None:
    """Return the first taint of a node that keeps these Pods off it, None when they tolerate all."""
    for taint in node.taints:
        if taint.effect in _KEEPING and not any(_tolerates(toleration, taint) for toleration in conditions.tolerations):
            return taint
    return None


def meets_affinity(conditions: Conditions, node: Node) -> bool:
    """Whether a node meets a term of the node affinity that is required, if any is."""
    affinity = conditions.affinity.node_affinity
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    return required is None or any(_matches(term, node) for term in required.node_selector_terms)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether a toleration covers a taint. Source: ToleratesTaint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return bool(toleration.key) and toleration.value == taint.value


def _matches(term: NodeSelectorTerm, node: Node) -> bool:
    """Whether a node fits a term; a term without conditions fits no node."""
    if not term.match_expressions and not term.match_fields:
        return False
    return all(
        _holds(match_expression, node.label(match_expression.key)) for match_expression in term.match_expressions
    ) and all(
        _holds(match_field, node.name if match_field.key == "metadata.name" else None)
        for match_field in term.match_fields
    )


def _holds(requirement: NodeSelectorRequirement, value: str | None) -> bool:
    operator, values = requirement.operator, requirement.values
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if value is None or not values:
        return False
    number, bound = integer(value), integer(values[0])
    if number is None or bound is None:
        return False
    return number > bound if operator == "Gt" else number < bound


def shortage(demand: Demand, node: Node, used: Mapping[str, int]) -> Obstacle | None:
    """Return the scarcest of the resources of which a node has not enough for a Pod, beside what is in use there."""
    worst: tuple[float, str, int] | None = None
    for resource, requested in demand.requests.items():
        free = node.room.get(resource, 0) - used.get(resource, 0)
        if requested > free and (worst is None or requested / max(free, 0.5) > worst[0]):
            worst = (requested / max(free, 0.5), resource, free)
    if worst is None:
        return None
    _, resource, free = worst
    return _scarce(resource, max(free, 0), demand.requests[resource], node.room.get(resource, 0))


@memo
def _scarce(resource: str, free: int, requested: int, room: int) -> Obstacle:
    """The obstacle of a resource of which so much is wanted: thousands of nodes have the same."""
    if room <= 0:
        return Obstacle(titled(resource), f"has no {resource}")
    return Obstacle(
        titled(resource), f"has {amount_text(resource, free)} of the {amount_text(resource, requested)} wanted"
    )


def numa_shortage(demand: Demand, node: Node, owned: tuple[int, ...]) -> Obstacle | None:
    """Return the obstacle where no NUMA node has a Pod's dedicated CPUs, and they may not be spread.

    `owned` are the CPUs, in thousandths, that Pods have for themselves in each NUMA node.
    """
    if node.cells == 1 or not demand.own_cpus:
        return None
    per_cell = node.room.get("cpu", 0) // node.cells
    free = per_cell - min(owned)
    if demand.own_cpus <= free:
        return None
    return Obstacle(
        "NUMA", f"has {amount_text('cpu', free)} in one NUMA node of the {amount_text('cpu', demand.own_cpus)} wanted"
    )
