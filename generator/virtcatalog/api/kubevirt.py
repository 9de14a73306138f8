"""VirtualMachine, VirtualMachineInstance and VirtualMachineInstancePreset (kubevirt.io/v1)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api.cdi import DataVolumeSpec
from virtcatalog.api.core import (
    ExecAction,
    HTTPGetAction,
    LabelSelector,
    ObjectMeta,
    PodDNSConfig,
    Resource,
    TCPSocketAction,
)
from virtcatalog.api.devices import Devices
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.object import Int32, Int64, Object, Status, since
from virtcatalog.api.scheduling import Affinity, Toleration, TopologySpreadConstraint
from virtcatalog.api.status import VirtualMachineInstanceStatus, VirtualMachineStatus
from virtcatalog.api.volumes import Network, UtilityVolume, VirtualMachineInstanceResourceClaim, Volume


class ConfigDriveSSHPublicKeyAccessCredentialPropagation(Object):
    """By the cloud-init config drive, at first boot."""


class NoCloudSSHPublicKeyAccessCredentialPropagation(Object):
    """By the cloud-init NoCloud disk, at first boot."""


class QemuGuestAgentSSHPublicKeyAccessCredentialPropagation(Object):
    """By the guest agent, while it runs, for these users."""

    users: list[str]


class AccessCredentialSecretSource(Object):
    """The secret that holds the credentials."""

    secret_name: str


class QemuGuestAgentUserPasswordAccessCredentialPropagation(Object):
    """By the guest agent, while it runs."""


class SSHPublicKeyAccessCredentialSource(Object):
    """Where keys come from."""

    secret: AccessCredentialSecretSource | None = None


class SSHPublicKeyAccessCredentialPropagationMethod(Object):
    """How keys get into the guest: one way."""

    config_drive: ConfigDriveSSHPublicKeyAccessCredentialPropagation | None = None
    no_cloud: Annotated[NoCloudSSHPublicKeyAccessCredentialPropagation | None, since("v1.1")] = None
    qemu_guest_agent: QemuGuestAgentSSHPublicKeyAccessCredentialPropagation | None = None


class UserPasswordAccessCredentialSource(Object):
    """Where passwords come from."""

    secret: AccessCredentialSecretSource | None = None


class UserPasswordAccessCredentialPropagationMethod(Object):
    """How a password gets into the guest."""

    qemu_guest_agent: QemuGuestAgentUserPasswordAccessCredentialPropagation | None = None


class SSHPublicKeyAccessCredential(Object):
    """SSH keys: where from and how."""

    source: SSHPublicKeyAccessCredentialSource
    propagation_method: SSHPublicKeyAccessCredentialPropagationMethod


class UserPasswordAccessCredential(Object):
    """A user's password: where from and how."""

    source: UserPasswordAccessCredentialSource
    propagation_method: UserPasswordAccessCredentialPropagationMethod


class GuestAgentPing(Object):
    """The guest agent answers."""


class AccessCredential(Object):
    """A secret that is carried into the guest: SSH keys or a user's password."""

    ssh_public_key: SSHPublicKeyAccessCredential | None = None
    user_password: UserPasswordAccessCredential | None = None


class Probe(Object):
    """A check of the guest; times in seconds."""

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


class DataVolumeTemplateSpec(Resource, kw_only=True):
    """A DataVolume that is made with the VM and goes with it."""

    spec: DataVolumeSpec
    status: DataVolumeTemplateDummyStatus | None = None


class PreferenceMatcher(Object):
    """Which preference a VM takes: by name, or inferred from a volume; `revision_name` pins it."""

    name: str = ""
    kind: str = ""
    revision_name: str = ""
    infer_from_volume: str = ""
    infer_from_volume_failure_policy: Annotated[str | None, since("v1.1")] = None


class VirtualMachineInstanceSpec(Object):
    """What a VMI is: its machine, its volumes and networks, and where it may run."""

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
    dns_policy: Literal["", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] = ""
    dns_config: PodDNSConfig | None = None
    access_credentials: list[AccessCredential] = []
    architecture: str = ""
    resource_claims: Annotated[list[VirtualMachineInstanceResourceClaim], since("v1.6")] = []
    utility_volumes: Annotated[list[UtilityVolume], since("v1.8")] = []


class VirtualMachineInstanceTemplateSpec(Object, kw_only=True):
    """What a VM's instances are made of."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VirtualMachineInstanceSpec = field(
        default_factory=lambda: VirtualMachineInstanceSpec(domain=DomainSpec(devices=Devices()))
    )


class InstancetypeMatcher(Object):
    """Which instance type a VM takes: by name, or inferred from a volume; `revision_name` pins it."""

    name: str = ""
    kind: str = ""
    revision_name: str = ""
    infer_from_volume: str = ""
    infer_from_volume_failure_policy: Annotated[str | None, since("v1.1")] = None


class VirtualMachineInstancePresetSpec(Object):
    """The selector, and the domain's parts."""

    selector: LabelSelector
    domain: DomainSpec | None = None


class VirtualMachineSpec(Object):
    """What a VM is: when it runs, its instance type and preference, and its template."""

    template: VirtualMachineInstanceTemplateSpec
    running: bool | None = None
    run_strategy: str | None = None
    instancetype: InstancetypeMatcher | None = None
    preference: PreferenceMatcher | None = None
    data_volume_templates: list[DataVolumeTemplateSpec] = []
    update_volumes_strategy: Annotated[str | None, since("v1.3")] = None


class VirtualMachineInstancePreset(Resource, kw_only=True):
    """Parts of a domain for every VMI that a selector picks; deprecated by KubeVirt."""

    spec: VirtualMachineInstancePresetSpec


class VirtualMachineInstance(Resource, kw_only=True):
    """A virtual machine that runs, or is about to."""

    spec: VirtualMachineInstanceSpec
    status: VirtualMachineInstanceStatus | None = None


class VirtualMachine(Resource, kw_only=True):
    """A virtual machine that can be started and stopped, and the template of its instances."""

    spec: VirtualMachineSpec
    status: VirtualMachineStatus | None = None
