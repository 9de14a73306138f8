"""What a cluster has for Pods and what it lets a namespace have: nodes, quotas and limits, as far as they decide."""

from __future__ import annotations

from typing import Any

from msgspec import field

from virtcatalog.api.core import LabelSelector, ObjectMeta
from virtcatalog.api.object import Status
from virtcatalog.api.quantity import Quantity


class PartialObjectMetadata(Status):
    """`meta/v1 PartialObjectMetadata`: an object of which only the metadata matters."""

    metadata: ObjectMeta


class Taint(Status):
    """What keeps Pods that do not tolerate it off a node; `effect` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    effect: str
    value: str = ""


class NodeSpec(Status):
    """Whether Pods may come to a node."""

    taints: list[Taint] = []
    unschedulable: bool = False


class NodeCondition(Status):
    """A state of a node: `type` Ready and `status` True are what counts."""

    type: str
    status: str


class NodeStatus(Status):
    """What a node has: `allocatable` is for Pods, `capacity` with what the system keeps."""

    capacity: dict[str, Quantity] = {}
    allocatable: dict[str, Quantity] = {}
    conditions: list[NodeCondition] = []


class Node(Status):
    """`v1 Node`."""

    metadata: ObjectMeta
    spec: NodeSpec = field(default_factory=NodeSpec)
    status: NodeStatus = field(default_factory=NodeStatus)


class ScopedResourceSelectorRequirement(Status):
    """Which objects a quota counts, by one of their properties."""

    scope_name: str
    operator: str
    values: list[str] = []


class ScopeSelector(Status):
    """All conditions hold."""

    match_expressions: list[ScopedResourceSelectorRequirement] = []


class ResourceQuotaSpec(Status):
    """`hard` is the most that a namespace may have, of the objects that the scopes choose."""

    hard: dict[str, Quantity] = {}
    scopes: list[str] = []
    scope_selector: ScopeSelector | None = None


class ResourceQuota(Status):
    """`v1 ResourceQuota`."""

    metadata: ObjectMeta
    spec: ResourceQuotaSpec = field(default_factory=ResourceQuotaSpec)


class ApplicationAwareResourceQuota(Status):
    """`aaq.kubevirt.io/v1alpha1 ApplicationAwareResourceQuota`: a quota that knows VMs."""

    metadata: ObjectMeta
    spec: ResourceQuotaSpec = field(default_factory=ResourceQuotaSpec)


class VmiCalculatorConfiguration(Status):
    """How AAQ counts VMs: VmiPodUsage, VirtualResources, DedicatedVirtualResources …, "" the default."""

    config_name: str = ""


class AAQConfiguration(Status):
    """Of AAQ's configuration what bears on its quotas."""

    vmi_calculator_configuration: VmiCalculatorConfiguration = field(default_factory=VmiCalculatorConfiguration)
    sidecar_evaluators: list[Any] = []
    allow_application_aware_cluster_resource_quota: bool = False


class AAQSpec(Status):
    """In which namespaces AAQ holds Pods back, None for those with its label."""

    namespace_selector: LabelSelector | None = None
    configuration: AAQConfiguration = field(default_factory=AAQConfiguration)


class AAQ(Status):
    """`aaq.kubevirt.io/v1alpha1 AAQ`: the one object that configures AAQ."""

    metadata: ObjectMeta
    spec: AAQSpec = field(default_factory=AAQSpec)


class LimitRangeItem(Status):
    """Bounds and defaults of one `type` of object: Container, Pod or PersistentVolumeClaim."""

    type: str
    max: dict[str, Quantity] = {}
    min: dict[str, Quantity] = {}
    default: dict[str, Quantity] = {}
    default_request: dict[str, Quantity] = {}
    max_limit_request_ratio: dict[str, Quantity] = {}


class LimitRangeSpec(Status):
    """All items count."""

    limits: list[LimitRangeItem] = []


class LimitRange(Status):
    """`v1 LimitRange`."""

    metadata: ObjectMeta
    spec: LimitRangeSpec = field(default_factory=LimitRangeSpec)
