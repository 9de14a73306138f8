"""`spec.configuration` of the KubeVirt CR."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.core import LabelSelector
from virtcatalog.api.hostdevices import MediatedDevicesConfiguration, PermittedHostDevices
from virtcatalog.api.migrations import MigrationConfiguration
from virtcatalog.api.object import Constant, Int64, Object, UInt32, UInt64, since
from virtcatalog.api.quantity import Quantity


class TokenBucketRateLimiter(Object):
    """So many requests a second, and so many at once."""

    qps: float = 0.0
    burst: Int64 = 0


class RateLimiter(Object):
    """How often a client may ask."""

    token_bucket_rate_limiter: TokenBucketRateLimiter | None = None


class InterfaceBindingMigration(Object):
    """How interfaces of a plugin migrate."""

    method: str = ""


class CustomProfile(Object):
    """A seccomp profile."""

    localhost_profile: str | None = None
    runtime_default_profile: bool = False


class TDXAttestationConfiguration(Object):
    """Attestation of TDX guests."""

    enforced: bool | None = None
    qgs_socket_path: str | None = None


class RESTClientConfiguration(Object):
    """A component's client of the API server."""

    rate_limiter: RateLimiter | None = None


class ResourceRequirementsWithoutClaims(Object):
    """Requests and limits."""

    limits: dict[str, Quantity] = {}
    requests: dict[str, Quantity] = {}


class LogVerbosity(Object):
    """How much each component logs."""

    virt_api: UInt32 = field(name="virtAPI", default=0)
    virt_controller: UInt32 = 0
    virt_handler: UInt32 = 0
    virt_launcher: UInt32 = 0
    virt_operator: UInt32 = 0
    virt_synchronization_controller: UInt32 = 0
    node_verbosity: dict[str, UInt32] = {}


class DiskVerification(Object):
    """How much memory the check of a disk image may take."""

    memory_limit: Quantity | None = None


class ArchSpecificConfiguration(Object):
    """Settings of one architecture; patterns of machine types that VMs may ask for."""

    ovmf_path: str = ""
    emulated_machines: list[str] = []
    machine_type: str = ""


class InterfaceBindingPlugin(Object):
    """A network binding that a sidecar implements."""

    sidecar_image: str = ""
    network_attachment_definition: str = ""
    domain_attachment_type: str = ""
    migration: InterfaceBindingMigration | None = None
    downward_api: str = field(name="downwardAPI", default="")
    compute_resource_overhead: ResourceRequirementsWithoutClaims | None = None


class VirtualMachineInstanceProfile(Object):
    """The profile of launchers."""

    custom_profile: CustomProfile | None = None


class DisableSerialConsoleLog(Object):
    """Serial consoles are not logged."""


class DisableFreePageReporting(Object):
    """Guests do not report free pages."""


class TDXConfiguration(Object):
    """Intel TDX."""

    attestation: TDXAttestationConfiguration | None = None


class SMBiosConfiguration(Constant, frozen=True):
    """SMBIOS data of every VM."""

    manufacturer: str = ""
    product: str = ""
    version: str = ""
    sku: str = ""
    family: str = ""


class PersistentReservationConfiguration(Object):
    """Whether LUNs may have persistent reservations."""

    enabled: bool | None = None


class ChangedBlockTrackingSelectors(Object):
    """Whose disks are tracked for incremental backup."""

    namespace_label_selector: LabelSelector | None = None
    virtual_machine_label_selector: LabelSelector | None = None


class KSMConfiguration(Object):
    """On which nodes kernel same-page merging is on."""

    node_label_selector: LabelSelector | None = None


class ReloadableComponentConfiguration(Object):
    """What a component takes over without a restart."""

    rest_client: RESTClientConfiguration | None = None


class SupportContainerResources(Object):
    """What a kind of helper container asks for."""

    type: str = field(default_factory=str)
    resources: ResourceRequirementsWithoutClaims = field(default_factory=ResourceRequirementsWithoutClaims)


class HypervisorConfiguration(Object):
    """A hypervisor that VMs may run on."""

    name: str = ""


class DeveloperConfiguration(Object):
    """Feature gates, overcommit and other settings for the few."""

    feature_gates: list[str] = []
    disabled_feature_gates: Annotated[list[str], since("v1.8")] = []
    pvc_tolerate_less_space_up_to_percent: Int64 = 0
    minimum_reserve_pvc_bytes: UInt64 = field(name="minimumReservePVCBytes", default=0)
    memory_overcommit: Int64 = 0
    node_selectors: dict[str, str] = {}
    use_emulation: bool = False
    cpu_allocation_ratio: Int64 = 0
    minimum_cluster_tsc_frequency: Int64 | None = field(name="minimumClusterTSCFrequency", default=None)
    disk_verification: DiskVerification | None = None
    log_verbosity: LogVerbosity | None = None
    cluster_profiler: bool = False


class InstancetypeConfiguration(Object):
    """Instance types: `reference_policy` is reference, expand or expandAll."""

    reference_policy: str | None = None


class ArchConfiguration(Object):
    """Settings of each architecture."""

    amd64: ArchSpecificConfiguration | None = None
    arm64: ArchSpecificConfiguration | None = None
    ppc64le: ArchSpecificConfiguration | None = None
    s390x: ArchSpecificConfiguration | None = None
    default_architecture: str = ""


class NetworkConfiguration(Object):
    """Default and permitted networks, and binding plugins by name."""

    default_network_interface: str = ""
    permit_slirp_interface: bool | None = None
    permit_bridge_interface_on_pod_network: bool | None = None
    binding: dict[str, InterfaceBindingPlugin] = {}


class LiveUpdateConfiguration(Object):
    """How far VMs can grow while they run."""

    max_hotplug_ratio: UInt32 = 0
    max_cpu_sockets: UInt32 | None = None
    max_guest: Quantity | None = None


class VirtTemplateDeployment(Object):
    """Whether the operator installs virt-template."""

    enabled: bool | None = None


class SeccompConfiguration(Object):
    """Seccomp profiles of launchers."""

    virtual_machine_instance_profile: VirtualMachineInstanceProfile | None = None


class VirtualMachineOptions(Object):
    """Options of every VM."""

    disable_free_page_reporting: DisableFreePageReporting | None = None
    disable_serial_console_log: DisableSerialConsoleLog | None = None


class CommonInstancetypesDeployment(Object):
    """Whether the operator installs the common instance types."""

    enabled: bool | None = None


class ConfidentialComputeConfiguration(Object):
    """Confidential computing."""

    tdx: TDXConfiguration | None = None


class TLSConfiguration(Object):
    """TLS of KubeVirt's servers."""

    min_tls_version: str = field(name="minTLSVersion", default="")
    ciphers: list[str] = []


class KubeVirtConfiguration(Object):
    """What an administrator sets for all VMs."""

    cpu_model: str = ""
    cpu_request: Quantity | None = None
    developer_configuration: DeveloperConfiguration | None = None
    emulated_machines: list[str] = []
    image_pull_policy: str = ""
    migrations: MigrationConfiguration | None = None
    machine_type: str = ""
    network: NetworkConfiguration | None = None
    ovmf_path: str = ""
    selinux_launcher_type: str = ""
    default_runtime_class: str = ""
    smbios: SMBiosConfiguration | None = None
    architecture_configuration: ArchConfiguration | None = None
    eviction_strategy: str | None = None
    additional_guest_memory_overhead_ratio: str | None = None
    support_container_resources: list[SupportContainerResources] = []
    supported_guest_agent_versions: list[str] = []
    mem_balloon_stats_period: UInt32 | None = None
    permitted_host_devices: PermittedHostDevices | None = None
    mediated_devices_configuration: MediatedDevicesConfiguration | None = None
    min_cpu_model: str = field(name="minCPUModel", default="")
    obsolete_cpu_models: dict[str, bool] = field(name="obsoleteCPUModels", default_factory=dict)
    virtual_machine_instances_per_node: Int64 | None = None
    api_configuration: ReloadableComponentConfiguration | None = None
    webhook_configuration: ReloadableComponentConfiguration | None = None
    controller_configuration: ReloadableComponentConfiguration | None = None
    handler_configuration: ReloadableComponentConfiguration | None = None
    tls_configuration: TLSConfiguration | None = None
    seccomp_configuration: SeccompConfiguration | None = None
    vm_state_storage_class: str = ""
    virtual_machine_options: VirtualMachineOptions | None = None
    ksm_configuration: KSMConfiguration | None = None
    auto_cpu_limit_namespace_label_selector: LabelSelector | None = field(
        name="autoCPULimitNamespaceLabelSelector", default=None
    )
    live_update_configuration: LiveUpdateConfiguration | None = None
    vm_rollout_strategy: str | None = None
    common_instancetypes_deployment: CommonInstancetypesDeployment | None = None
    virt_template_deployment: Annotated[VirtTemplateDeployment | None, since("v1.8")] = None
    instancetype: InstancetypeConfiguration | None = None
    hypervisors: Annotated[list[HypervisorConfiguration], since("v1.8")] = []
    changed_block_tracking_label_selectors: ChangedBlockTrackingSelectors | None = None
    persistent_reservation_configuration: Annotated[PersistentReservationConfiguration | None, since("v1.9")] = None
    confidential_compute: Annotated[ConfidentialComputeConfiguration | None, since("v1.9")] = None
    role_aggregation_strategy: Annotated[str | None, since("v1.8")] = None
