"""VirtualMachine, VirtualMachineInstance and VirtualMachineInstancePreset (kubevirt.io/v1)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api.cdi import DataVolumeSpec
from virtcatalog.api.core import (
    Affinity,
    ExecAction,
    HTTPGetAction,
    LabelSelector,
    ObjectMeta,
    PodDNSConfig,
    TCPSocketAction,
    Toleration,
    TopologySpreadConstraint,
)
from virtcatalog.api.devices import Devices
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.object import Int32, Int64, Object, Status, since
from virtcatalog.api.status import VirtualMachineInstanceStatus, VirtualMachineStatus
from virtcatalog.api.volumes import Network, UtilityVolume, VirtualMachineInstanceResourceClaim, Volume


class ConfigDriveSSHPublicKeyAccessCredentialPropagation(Object):
    """`kubevirt.io/v1 ConfigDriveSSHPublicKeyAccessCredentialPropagation`."""


class NoCloudSSHPublicKeyAccessCredentialPropagation(Object):
    """`kubevirt.io/v1 NoCloudSSHPublicKeyAccessCredentialPropagation`."""


class QemuGuestAgentSSHPublicKeyAccessCredentialPropagation(Object):
    """`kubevirt.io/v1 QemuGuestAgentSSHPublicKeyAccessCredentialPropagation`."""

    users: list[str]


class AccessCredentialSecretSource(Object):
    """`kubevirt.io/v1 AccessCredentialSecretSource`."""

    secret_name: str


class QemuGuestAgentUserPasswordAccessCredentialPropagation(Object):
    """`kubevirt.io/v1 QemuGuestAgentUserPasswordAccessCredentialPropagation`."""


class SSHPublicKeyAccessCredentialSource(Object):
    """`kubevirt.io/v1 SSHPublicKeyAccessCredentialSource`."""

    secret: AccessCredentialSecretSource | None = None


class SSHPublicKeyAccessCredentialPropagationMethod(Object):
    """`kubevirt.io/v1 SSHPublicKeyAccessCredentialPropagationMethod`."""

    config_drive: ConfigDriveSSHPublicKeyAccessCredentialPropagation | None = None
    no_cloud: Annotated[NoCloudSSHPublicKeyAccessCredentialPropagation | None, since("v1.1")] = None
    qemu_guest_agent: QemuGuestAgentSSHPublicKeyAccessCredentialPropagation | None = None


class UserPasswordAccessCredentialSource(Object):
    """`kubevirt.io/v1 UserPasswordAccessCredentialSource`."""

    secret: AccessCredentialSecretSource | None = None


class UserPasswordAccessCredentialPropagationMethod(Object):
    """`kubevirt.io/v1 UserPasswordAccessCredentialPropagationMethod`."""

    qemu_guest_agent: QemuGuestAgentUserPasswordAccessCredentialPropagation | None = None


class SSHPublicKeyAccessCredential(Object):
    """`kubevirt.io/v1 SSHPublicKeyAccessCredential`."""

    source: SSHPublicKeyAccessCredentialSource
    propagation_method: SSHPublicKeyAccessCredentialPropagationMethod


class UserPasswordAccessCredential(Object):
    """`kubevirt.io/v1 UserPasswordAccessCredential`."""

    source: UserPasswordAccessCredentialSource
    propagation_method: UserPasswordAccessCredentialPropagationMethod


class GuestAgentPing(Object):
    """`kubevirt.io/v1 GuestAgentPing`."""


class AccessCredential(Object):
    """`kubevirt.io/v1 AccessCredential`."""

    ssh_public_key: SSHPublicKeyAccessCredential | None = None
    user_password: UserPasswordAccessCredential | None = None


class Probe(Object):
    """`kubevirt.io/v1 Probe`."""

    exec: ExecAction | None = None
    guest_agent_ping: GuestAgentPing | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    initial_delay_seconds: Int32 = 0
    timeout_seconds: Int32 = 0
    period_seconds: Int32 = 0
    success_threshold: Int32 = 0
    failure_threshold: Int32 = 0


class DataVolumeTemplateDummyStatus(Status):
    """Nothing: a template has no status, but the field may be there."""


class DataVolumeTemplateSpec(Object, kw_only=True):
    """`kubevirt.io/v1 DataVolumeTemplateSpec`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: DataVolumeSpec
    status: DataVolumeTemplateDummyStatus | None = None


class PreferenceMatcher(Object):
    """`kubevirt.io/v1 PreferenceMatcher`."""

    name: str = ""
    kind: str = ""
    revision_name: str = ""
    infer_from_volume: str = ""
    infer_from_volume_failure_policy: Annotated[str | None, since("v1.1")] = None


class VirtualMachineInstanceSpec(Object):
    """`kubevirt.io/v1 VirtualMachineInstanceSpec`."""

    domain: DomainSpec
    priority_class_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    scheduler_name: str = ""
    service_account_name: Annotated[str, since("v1.9")] = ""
    tolerations: list[Toleration] = []
    topology_spread_constraints: list[TopologySpreadConstraint] = []
    eviction_strategy: str | None = None
    start_strategy: str | None = None
    termination_grace_period_seconds: Int64 | None = None
    volumes: list[Volume] = []
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    hostname: str = ""
    subdomain: str = ""
    networks: list[Network] = []
    dns_policy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] | None = None
    dns_config: PodDNSConfig | None = None
    access_credentials: list[AccessCredential] = []
    architecture: str = ""
    resource_claims: Annotated[list[VirtualMachineInstanceResourceClaim], since("v1.6")] = []
    utility_volumes: Annotated[list[UtilityVolume], since("v1.8")] = []


def _empty_spec() -> VirtualMachineInstanceSpec:
    return VirtualMachineInstanceSpec(domain=DomainSpec(devices=Devices()))


class VirtualMachineInstanceTemplateSpec(Object, kw_only=True):
    """`kubevirt.io/v1 VirtualMachineInstanceTemplateSpec`."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VirtualMachineInstanceSpec = field(default_factory=_empty_spec)


class InstancetypeMatcher(Object):
    """`kubevirt.io/v1 InstancetypeMatcher`."""

    name: str = ""
    kind: str = ""
    revision_name: str = ""
    infer_from_volume: str = ""
    infer_from_volume_failure_policy: Annotated[str | None, since("v1.1")] = None


class VirtualMachineInstancePresetSpec(Object):
    """`kubevirt.io/v1 VirtualMachineInstancePresetSpec`."""

    selector: LabelSelector
    domain: DomainSpec | None = None


class VirtualMachineSpec(Object):
    """`kubevirt.io/v1 VirtualMachineSpec`."""

    template: VirtualMachineInstanceTemplateSpec
    running: bool | None = None
    run_strategy: str | None = None
    instancetype: InstancetypeMatcher | None = None
    preference: PreferenceMatcher | None = None
    data_volume_templates: list[DataVolumeTemplateSpec] = []
    update_volumes_strategy: Annotated[str | None, since("v1.3")] = None


class VirtualMachineInstancePreset(Object, kw_only=True):
    """`kubevirt.io/v1 VirtualMachineInstancePreset`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VirtualMachineInstancePresetSpec


class VirtualMachineInstance(Object, kw_only=True):
    """`kubevirt.io/v1 VirtualMachineInstance`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VirtualMachineInstanceSpec
    status: VirtualMachineInstanceStatus | None = None


class VirtualMachine(Object, kw_only=True):
    """`kubevirt.io/v1 VirtualMachine`."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VirtualMachineSpec
    status: VirtualMachineStatus | None = None
