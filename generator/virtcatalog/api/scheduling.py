"""What Kubernetes' scheduler goes by: affinity, tolerations and spread."""

from __future__ import annotations

from typing import Annotated, Literal

from virtcatalog.api.core import LabelSelector
from virtcatalog.api.object import Int32, Int64, Object, since


class NodeSelectorRequirement(Object):
    """A condition on one label or field of a node."""

    key: str
    operator: Literal["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"]
    values: list[str] = []


class NodeSelectorTerm(Object):
    """Nodes that fit all the conditions."""

    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class PreferredSchedulingTerm(Object):
    """Nodes that are better, by `weight` from 1 to 100."""

    weight: Int32
    preference: NodeSelectorTerm


class NodeSelector(Object):
    """Nodes that fit any of the terms."""

    node_selector_terms: list[NodeSelectorTerm]


class PodAffinityTerm(Object):
    """Pods by their labels, and what counts as the same place."""

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: list[str] = []
    namespace_selector: LabelSelector | None = None
    match_label_keys: Annotated[list[str], since("v1.3")] = []
    mismatch_label_keys: Annotated[list[str], since("v1.3")] = []


class WeightedPodAffinityTerm(Object):
    """Pods that are better to be near, by `weight` from 1 to 100."""

    weight: Int32
    pod_affinity_term: PodAffinityTerm


class NodeAffinity(Object):
    """Nodes by their labels."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: list[PreferredSchedulingTerm] = []


class PodAffinity(Object):
    """Near which pods."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []


class PodAntiAffinity(Object):
    """Away from which pods."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []


class TopologySpreadConstraint(Object):
    """How evenly pods are spread over places."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: Literal["Honor", "Ignore"] | None = None
    node_taints_policy: Literal["Honor", "Ignore"] | None = None
    match_label_keys: list[str] = []


class Toleration(Object):
    """A taint that a pod bears."""

    key: str = ""
    operator: Literal["", "Equal", "Exists"] = ""
    value: str = ""
    effect: Literal["", "NoExecute", "NoSchedule", "PreferNoSchedule"] = ""
    toleration_seconds: Int64 | None = None


class Affinity(Object):
    """Where a pod should or must run."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None
