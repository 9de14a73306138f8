"""Kubernetes core and meta types that KubeVirt objects hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import field

from virtcatalog.api.object import Int32, Int64, Object, Status, since
from virtcatalog.api.quantity import Quantity


class NodeSelectorRequirement(Object):
    """`core/v1 NodeSelectorRequirement`."""

    key: str
    operator: Literal["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"]
    values: list[str] = []


class ObjectFieldSelector(Object):
    """`core/v1 ObjectFieldSelector`."""

    field_path: str
    api_version: str = ""


class ResourceFieldSelector(Object):
    """`core/v1 ResourceFieldSelector`."""

    resource: str
    container_name: str = ""
    divisor: Quantity = field(default_factory=Quantity)


class NodeSelectorTerm(Object):
    """`core/v1 NodeSelectorTerm`."""

    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class LocalObjectReference(Object):
    """`core/v1 LocalObjectReference`."""

    name: str = ""


class DownwardAPIVolumeFile(Object):
    """`core/v1 DownwardAPIVolumeFile`."""

    path: str
    field_ref: ObjectFieldSelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    mode: Int32 | None = None


class PersistentVolumeClaimVolumeSource(Object):
    """`core/v1 PersistentVolumeClaimVolumeSource`."""

    claim_name: str
    read_only: bool = False


class PreferredSchedulingTerm(Object):
    """`core/v1 PreferredSchedulingTerm`."""

    weight: Int32
    preference: NodeSelectorTerm


class NodeSelector(Object):
    """`core/v1 NodeSelector`."""

    node_selector_terms: list[NodeSelectorTerm]


class LabelSelectorRequirement(Object):
    """`meta/v1 LabelSelectorRequirement`."""

    key: str
    operator: str
    values: list[str] = []


class LabelSelector(Object):
    """`meta/v1 LabelSelector`."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []


class PodAffinityTerm(Object):
    """`core/v1 PodAffinityTerm`."""

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: list[str] = []
    namespace_selector: LabelSelector | None = None
    match_label_keys: Annotated[list[str], since("v1.3")] = []
    mismatch_label_keys: Annotated[list[str], since("v1.3")] = []


class WeightedPodAffinityTerm(Object):
    """`core/v1 WeightedPodAffinityTerm`."""

    weight: Int32
    pod_affinity_term: PodAffinityTerm


class HTTPHeader(Object):
    """`core/v1 HTTPHeader`."""

    name: str
    value: str


class PodDNSConfigOption(Object):
    """`core/v1 PodDNSConfigOption`."""

    name: str = ""
    value: str | None = None


class NodeAffinity(Object):
    """`core/v1 NodeAffinity`."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: list[PreferredSchedulingTerm] = []


class PodAffinity(Object):
    """`core/v1 PodAffinity`."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []


class PodAntiAffinity(Object):
    """`core/v1 PodAntiAffinity`."""

    required_during_scheduling_ignored_during_execution: list[PodAffinityTerm] = []
    preferred_during_scheduling_ignored_during_execution: list[WeightedPodAffinityTerm] = []


class ExecAction(Object):
    """`core/v1 ExecAction`."""

    command: list[str] = []


class HTTPGetAction(Object):
    """`core/v1 HTTPGetAction`."""

    port: int | str
    path: str = ""
    host: str = ""
    scheme: Literal["HTTP", "HTTPS"] | None = None
    http_headers: list[HTTPHeader] = []


class TCPSocketAction(Object):
    """`core/v1 TCPSocketAction`."""

    port: int | str
    host: str = ""


class TypedLocalObjectReference(Object):
    """`core/v1 TypedLocalObjectReference`."""

    kind: str
    name: str
    api_group: str | None = None


class VolumeResourceRequirements(Object):
    """`core/v1 VolumeResourceRequirements`."""

    limits: Annotated[dict[str, Quantity], since("v1.3")] = {}
    requests: Annotated[dict[str, Quantity], since("v1.3")] = {}


class TypedObjectReference(Object):
    """`core/v1 TypedObjectReference`."""

    kind: str
    name: str
    api_group: str | None = None
    namespace: str | None = None


class PodDNSConfig(Object):
    """`core/v1 PodDNSConfig`."""

    nameservers: list[str] = []
    searches: list[str] = []
    options: list[PodDNSConfigOption] = []


class TopologySpreadConstraint(Object):
    """`core/v1 TopologySpreadConstraint`."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: Literal["Honor", "Ignore"] | None = None
    node_taints_policy: Literal["Honor", "Ignore"] | None = None
    match_label_keys: list[str] = []


class Toleration(Object):
    """`core/v1 Toleration`."""

    key: str = ""
    operator: Literal["Equal", "Exists"] | None = None
    value: str = ""
    effect: Literal["NoExecute", "NoSchedule", "PreferNoSchedule"] | None = None
    toleration_seconds: Int64 | None = None


class Affinity(Object):
    """`core/v1 Affinity`."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class OwnerReference(Object):
    """`meta/v1 OwnerReference`."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Object):
    """`meta/v1 ManagedFieldsEntry`."""

    manager: str = ""
    operation: str = ""
    api_version: str = ""
    time: str | None = None
    fields_type: str = ""
    fields_v1: dict[str, Any] | None = None
    subresource: str = ""


class PersistentVolumeClaimSpec(Object):
    """`core/v1 PersistentVolumeClaimSpec`."""

    access_modes: list[str] = []
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements = field(default_factory=VolumeResourceRequirements)
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: Literal["Block", "Filesystem", "FromStorageProfile"] | None = None
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedObjectReference | None = None
    volume_attributes_class_name: Annotated[str | None, since("v1.3")] = None


class ObjectMeta(Object):
    """`meta/v1 ObjectMeta`."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    self_link: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: Int64 = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: Int64 | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []
    managed_fields: list[ManagedFieldsEntry] = []


class PersistentVolumeClaimStatus(Status):
    """What the storage gave a claim."""

    phase: str = ""
    access_modes: list[str] = []
    capacity: dict[str, Quantity] = {}


class PersistentVolumeClaim(Object, kw_only=True):
    """`core/v1 PersistentVolumeClaim`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PersistentVolumeClaimSpec
    status: PersistentVolumeClaimStatus | None = None


class ControllerRevision(Object, kw_only=True):
    """An object as it was at one time, `data`, kept by its controller."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    revision: Int64
    data: dict[str, Any] | None = None
