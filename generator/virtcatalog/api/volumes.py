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
    """`kubevirt.io/v1 MemoryDumpVolumeSource`."""

    claim_name: str
    read_only: bool = False
    hotpluggable: bool = False


class EmptyDiskSource(Object):
    """`kubevirt.io/v1 EmptyDiskSource`."""

    capacity: Quantity


class CloudInitConfigDriveSource(Object):
    """`kubevirt.io/v1 CloudInitConfigDriveSource`."""

    secret_ref: LocalObjectReference | None = None
    user_data_base64: str = ""
    user_data: str = ""
    network_data_secret_ref: LocalObjectReference | None = None
    network_data_base64: str = ""
    network_data: str = ""


class HostDisk(Object):
    """`kubevirt.io/v1 HostDisk`."""

    path: str
    type: str
    capacity: Quantity = field(default_factory=Quantity)
    shared: bool | None = None


class ContainerDiskSource(Object):
    """`kubevirt.io/v1 ContainerDiskSource`."""

    image: str
    image_pull_secret: str = ""
    path: str = ""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None


class SysprepSource(Object):
    """`kubevirt.io/v1 SysprepSource`."""

    secret: LocalObjectReference | None = None
    config_map: LocalObjectReference | None = None


class ConfigMapVolumeSource(Object):
    """`kubevirt.io/v1 ConfigMapVolumeSource`."""

    name: str = ""
    optional: bool | None = None
    volume_label: str = ""


class ServiceAccountVolumeSource(Object):
    """`kubevirt.io/v1 ServiceAccountVolumeSource`."""

    service_account_name: str = ""


class CloudInitNoCloudSource(Object):
    """`kubevirt.io/v1 CloudInitNoCloudSource`."""

    secret_ref: LocalObjectReference | None = None
    user_data_base64: str = ""
    user_data: str = ""
    network_data_secret_ref: LocalObjectReference | None = None
    network_data_base64: str = ""
    network_data: str = ""


class PersistentVolumeClaimVolumeSource(Object):
    """`kubevirt.io/v1 PersistentVolumeClaimVolumeSource`."""

    claim_name: str
    read_only: bool = False
    hotpluggable: bool = False


class DownwardMetricsVolumeSource(Object):
    """`kubevirt.io/v1 DownwardMetricsVolumeSource`."""


class DownwardAPIVolumeSource(Object):
    """`kubevirt.io/v1 DownwardAPIVolumeSource`."""

    fields: list[DownwardAPIVolumeFile] = []
    volume_label: str = ""


class SecretVolumeSource(Object):
    """`kubevirt.io/v1 SecretVolumeSource`."""

    secret_name: str = ""
    optional: bool | None = None
    volume_label: str = ""


class DataVolumeSource(Object):
    """`kubevirt.io/v1 DataVolumeSource`."""

    name: str
    hotpluggable: bool = False


class ContainerPathVolumeSource(Object):
    """`kubevirt.io/v1 ContainerPathVolumeSource`."""

    path: Annotated[str, since("v1.8")]
    read_only: Annotated[bool | None, since("v1.8")] = None


class EphemeralVolumeSource(Object):
    """`kubevirt.io/v1 EphemeralVolumeSource`."""

    persistent_volume_claim: core.PersistentVolumeClaimVolumeSource | None = None


class PodNetwork(Object):
    """`kubevirt.io/v1 PodNetwork`."""

    vm_network_cidr: str = field(name="vmNetworkCIDR", default="")
    vm_ipv6_network_cidr: str = field(name="vmIPv6NetworkCIDR", default="")


class MultusNetwork(Object):
    """`kubevirt.io/v1 MultusNetwork`."""

    network_name: str
    default: bool = False


class Volume(Object):
    """`kubevirt.io/v1 Volume`."""

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
    """`kubevirt.io/v1 VirtualMachineInstanceResourceClaim`."""

    name: Annotated[str, since("v1.9")]
    resource_claim_name: Annotated[str | None, since("v1.9")] = None
    resource_claim_template_name: Annotated[str | None, since("v1.9")] = None


class UtilityVolume(Object):
    """`kubevirt.io/v1 UtilityVolume`."""

    name: Annotated[str, since("v1.8")]
    claim_name: Annotated[str, since("v1.8")]
    read_only: Annotated[bool, since("v1.8")] = False
    type: Annotated[str | None, since("v1.8")] = None


class Network(Object):
    """`kubevirt.io/v1 Network`."""

    name: str
    pod: PodNetwork | None = None
    multus: MultusNetwork | None = None
    resource_claim: Annotated[ClaimRequest | None, since("v1.9")] = None
