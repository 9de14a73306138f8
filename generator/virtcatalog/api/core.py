"""Kubernetes core and meta types that KubeVirt objects hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import field

from virtcatalog.api.object import Int32, Int64, Object, Status, Time, since
from virtcatalog.api.quantity import Quantity


class ObjectFieldSelector(Object):
    """A field of the object."""

    field_path: str
    api_version: str = ""


class ResourceFieldSelector(Object):
    """A request or limit of a container, in units of `divisor`."""

    resource: str
    container_name: str = ""
    divisor: Quantity = field(default_factory=Quantity)


class LocalObjectReference(Object):
    """An object of the same namespace."""

    name: str = ""


class DownwardAPIVolumeFile(Object):
    """A file with a field of the pod."""

    path: str
    field_ref: ObjectFieldSelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    mode: Int32 | None = None


class PersistentVolumeClaimVolumeSource(Object):
    """A claim, used as a volume."""

    claim_name: str
    read_only: bool = False


class LabelSelectorRequirement(Object):
    """A condition on one label: In, NotIn, Exists or DoesNotExist."""

    key: str
    operator: str
    values: list[str] = []


class LabelSelector(Object):
    """Objects by their labels; all conditions hold; nothing selects everything."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []


class HTTPHeader(Object):
    """A header of an HTTP request."""

    name: str
    value: str


class PodDNSConfigOption(Object):
    """An option of the resolver."""

    name: str = ""
    value: str | None = None


class ExecAction(Object):
    """A command, run in the guest; exit status 0 is good."""

    command: list[str] = []


class HTTPGetAction(Object):
    """An HTTP request; a status from 200 to 399 is good."""

    port: Int32 | str
    path: str = ""
    host: str = ""
    scheme: Literal["", "HTTP", "HTTPS"] = ""
    http_headers: list[HTTPHeader] = []


class TCPSocketAction(Object):
    """A TCP connection can be made."""

    port: Int32 | str
    host: str = ""


class TypedLocalObjectReference(Object):
    """An object of some kind in the same namespace."""

    kind: str
    name: str
    api_group: str | None = None


class VolumeResourceRequirements(Object):
    """The size of a claim, at least and at most."""

    limits: Annotated[dict[str, Quantity], since("v1.3")] = {}
    requests: Annotated[dict[str, Quantity], since("v1.3")] = {}


class TypedObjectReference(Object):
    """An object of some kind."""

    kind: str
    name: str
    api_group: str | None = None
    namespace: str | None = None


class PodDNSConfig(Object):
    """Resolver settings."""

    nameservers: list[str] = []
    searches: list[str] = []
    options: list[PodDNSConfigOption] = []


class OwnerReference(Object):
    """An object that this one belongs to, and goes with."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Object):
    """Which fields one manager of an object owns."""

    manager: str = ""
    operation: str = ""
    api_version: str = ""
    time: Time | None = None
    fields_type: str = ""
    fields_v1: dict[str, Any] | None = None
    subresource: str = ""


class PersistentVolumeClaimSpec(Object):
    """What storage is asked for; `resources.requests` has `storage` in bytes."""

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
    """What every object has: name, labels, annotations, and what the cluster adds."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    self_link: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: Int64 = 0
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: Int64 | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []
    managed_fields: list[ManagedFieldsEntry] = []


class Resource(Object):
    """What objects of the cluster begin with."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)


class PersistentVolumeClaimStatus(Status):
    """What the storage gave a claim."""

    phase: str = ""
    access_modes: list[str] = []
    capacity: dict[str, Quantity] = {}


class PersistentVolumeClaim(Resource, kw_only=True):
    """A request for storage."""

    spec: PersistentVolumeClaimSpec
    status: PersistentVolumeClaimStatus | None = None


class ControllerRevision(Resource, kw_only=True):
    """An object as it was at one time, `data`, kept by its controller."""

    revision: Int64
    data: dict[str, Any] | None = None
