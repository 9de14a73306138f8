"""Volumes and networks of a VMI."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api import core
from virtcatalog.api.core import DownwardAPIVolumeFile, LocalObjectReference
from virtcatalog.api.devices import ClaimRequest
from virtcatalog.api.object import Object, since
from virtcatalog.api.quantity import Quantity


class MemoryDumpVolumeSource(Object):
    """A claim that takes a dump of the guest's memory."""

    claim_name: str
    read_only: bool = False
    hotpluggable: bool = False


class EmptyDiskSource(Object):
    """An empty disk of `capacity` bytes that lasts until the VMI stops."""

    capacity: Quantity


class CloudInitConfigDriveSource(Object):
    """Cloud-init data on a config drive; plain, base64 or from a secret."""

    secret_ref: LocalObjectReference | None = None
    user_data_base64: str = ""
    user_data: str = ""
    network_data_secret_ref: LocalObjectReference | None = None
    network_data_base64: str = ""
    network_data: str = ""


class HostDisk(Object):
    """An image on the node; `type` is Disk, which must exist, or DiskOrCreate with `capacity` bytes."""

    path: str
    type: str
    capacity: Quantity = field(default_factory=Quantity)
    shared: bool | None = None


class ContainerDiskSource(Object):
    """A disk image in a container image; changes are lost at stop."""

    image: str
    image_pull_secret: str = ""
    path: str = ""
    image_pull_policy: Literal["", "Always", "IfNotPresent", "Never"] = ""


class SysprepSource(Object):
    """The answer file for Windows' set-up, from a secret or ConfigMap."""

    secret: LocalObjectReference | None = None
    config_map: LocalObjectReference | None = None


class ConfigMapVolumeSource(Object):
    """A ConfigMap as a disk or filesystem."""

    name: str = ""
    optional: bool | None = None
    volume_label: str = ""


class ServiceAccountVolumeSource(Object):
    """A service account's token as a disk or filesystem."""

    service_account_name: str = ""


class CloudInitNoCloudSource(Object):
    """Cloud-init data on a NoCloud disk; plain, base64 or from a secret."""

    secret_ref: LocalObjectReference | None = None
    user_data_base64: str = ""
    user_data: str = ""
    network_data_secret_ref: LocalObjectReference | None = None
    network_data_base64: str = ""
    network_data: str = ""


class PersistentVolumeClaimVolumeSource(Object):
    """A claim."""

    claim_name: str
    read_only: bool = False
    hotpluggable: bool = False


class DownwardMetricsVolumeSource(Object):
    """Metrics of the host on a small disk."""


class DownwardAPIVolumeSource(Object):
    """Fields of the VMI as files."""

    fields: list[DownwardAPIVolumeFile] = []
    volume_label: str = ""


class SecretVolumeSource(Object):
    """A secret as a disk or filesystem."""

    secret_name: str = ""
    optional: bool | None = None
    volume_label: str = ""


class DataVolumeSource(Object):
    """The claim that a DataVolume of this name fills."""

    name: str
    hotpluggable: bool = False


class ContainerPathVolumeSource(Object):
    """A path of the pod's container, shared as a filesystem."""

    path: Annotated[str, since("v1.8")]
    read_only: Annotated[bool | None, since("v1.8")] = None


class EphemeralVolumeSource(Object):
    """A claim, read only, under an overlay that is lost at stop."""

    persistent_volume_claim: core.PersistentVolumeClaimVolumeSource | None = None


class PodNetwork(Object):
    """The cluster's default network."""

    vm_network_cidr: str = field(name="vmNetworkCIDR", default="")
    vm_ipv6_network_cidr: str = field(name="vmIPv6NetworkCIDR", default="")


class MultusNetwork(Object):
    """A network of a NetworkAttachmentDefinition, `name` or `namespace/name`."""

    network_name: str
    default: bool = False


class Volume(Object):
    """Data that a disk or filesystem of the same name shows the guest: one source."""

    name: str
    host_disk: HostDisk | None = None
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    cloud_init_no_cloud: CloudInitNoCloudSource | None = None
    cloud_init_config_drive: CloudInitConfigDriveSource | None = None
    sysprep: SysprepSource | None = None
    container_disk: ContainerDiskSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    empty_disk: EmptyDiskSource | None = None
    data_volume: DataVolumeSource | None = None
    config_map: ConfigMapVolumeSource | None = None
    secret: SecretVolumeSource | None = None
    downward_api: DownwardAPIVolumeSource | None = field(name="downwardAPI", default=None)
    service_account: ServiceAccountVolumeSource | None = None
    downward_metrics: DownwardMetricsVolumeSource | None = None
    memory_dump: MemoryDumpVolumeSource | None = None
    container_path: Annotated[ContainerPathVolumeSource | None, since("v1.8")] = None


class VirtualMachineInstanceResourceClaim(Object):
    """A resource claim of the pod, or the template to make it of."""

    name: Annotated[str, since("v1.6")]
    resource_claim_name: Annotated[str | None, since("v1.6")] = None
    resource_claim_template_name: Annotated[str | None, since("v1.6")] = None


class UtilityVolume(Object):
    """A claim for the launcher itself; no disk of the guest."""

    name: Annotated[str, since("v1.8")]
    claim_name: Annotated[str, since("v1.8")]
    read_only: Annotated[bool, since("v1.8")] = False
    type: Annotated[str | None, since("v1.8")] = None


class Network(Object):
    """A network that an interface joins: one of `pod`, `multus` and `resourceClaim`."""

    name: str
    pod: PodNetwork | None = None
    multus: MultusNetwork | None = None
    resource_claim: Annotated[ClaimRequest | None, since("v1.9")] = None
