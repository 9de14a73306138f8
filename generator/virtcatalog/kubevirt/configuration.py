"""The cluster's configuration as KubeVirt's components see it: the CR's values over the release's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.api.configuration import ArchSpecificConfiguration, KubeVirtConfiguration, SMBiosConfiguration
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.hostdevices import PermittedHostDevices
from virtcatalog.manifests.merge import lay_over
from virtcatalog.releases import DEFAULT, Release, Stage

_PULL_POLICIES = ("", "Always", "IfNotPresent", "Never")
_NETWORK_INTERFACES = ("", "bridge", "masquerade", "slirp")


class Configuration:
    """`spec.configuration` of the KubeVirt CR with the defaults of pkg/virt-config/virt-config.go.

    The values are read-only. `values` is all of the configuration, for settings without an attribute here;
    `annotations` are the CR's own; `configured_feature_gates` are the gates that it names, known or not. `invalid` says
    why KubeVirt does not accept this configuration ("" when it does); it then works with its defaults, and so does
    everything here.
    """

    def __init__(
        self,
        configured: KubeVirtConfiguration | None = None,
        *,
        annotations: Mapping[str, str] | None = None,
        architecture: str = "amd64",
        release: Release = DEFAULT,
    ) -> None:
        values = lay_over(release.configuration, to_manifest(configured) if configured else {})
        self.invalid = _invalid(values)
        if self.invalid:
            values = dict(release.configuration)
        self.release = release
        self.annotations: Mapping[str, str] = annotations or {}
        self.default_architecture = architecture
        self.values = convert(values, KubeVirtConfiguration)
        self._set_gates()
        self._set_machine()
        self._set_cluster()

    def _set_gates(self) -> None:
        developer = self.values.developer_configuration
        assert developer
        self.configured_feature_gates = tuple(developer.feature_gates)
        enabled, disabled = frozenset(developer.feature_gates), frozenset(developer.disabled_feature_gates)
        stages = self.release.feature_gates
        always = frozenset(gate for gate, stage in stages.items() if stage is Stage.GA)
        beta = frozenset(gate for gate, stage in stages.items() if stage is Stage.BETA)
        unasked = beta - disabled if self.release.traits.beta_gates_are_on else frozenset()
        self._enabled = always | unasked | (enabled & stages.keys())

    def _set_machine(self) -> None:
        values, developer = self.values, self.values.developer_configuration
        live, options = values.live_update_configuration, values.virtual_machine_options
        tdx = values.confidential_compute and values.confidential_compute.tdx
        attestation = tdx and tdx.attestation
        assert developer
        assert live
        self.cpu_model = values.cpu_model
        self.cpu_request = values.cpu_request
        self.eviction_strategy = values.eviction_strategy
        self.memory_overcommit = developer.memory_overcommit
        self.cpu_allocation_ratio = developer.cpu_allocation_ratio
        self.minimum_cluster_tsc_frequency = developer.minimum_cluster_tsc_frequency
        self.allow_emulation = developer.use_emulation
        self.smbios: SMBiosConfiguration = values.smbios or SMBiosConfiguration()
        self.mem_balloon_stats_period: int = values.mem_balloon_stats_period or 0
        self.maximum_cpu_sockets: int = live.max_cpu_sockets or 0
        self.maximum_guest_memory = live.max_guest
        self.max_hotplug_ratio = live.max_hotplug_ratio
        self.live_update = values.vm_rollout_strategy == "LiveUpdate"
        self.free_page_reporting_disabled = bool(options and options.disable_free_page_reporting is not None)
        self.serial_console_log_disabled = bool(options and options.disable_serial_console_log is not None)
        path = attestation.qgs_socket_path if attestation else None
        self.qgs_socket_path = "/var/run/tdx-qgs/qgs.socket" if path is None else path
        self.vga_display_for_efi_guests = "kubevirt.io/vga-display-efi-x86" in self.annotations

    def _set_cluster(self) -> None:
        values, developer, network = self.values, self.values.developer_configuration, self.values.network
        assert developer
        assert network
        verbosity = developer.log_verbosity
        reservation = values.persistent_reservation_configuration
        self.default_network_interface = network.default_network_interface
        self.is_bridge_interface_on_pod_network_enabled = bool(network.permit_bridge_interface_on_pod_network)
        self.network_bindings = network.binding
        self.permitted_host_devices: PermittedHostDevices | None = values.permitted_host_devices
        self.minimum_reserve_pvc_bytes = developer.minimum_reserve_pvc_bytes
        self.virt_launcher_verbosity = verbosity.virt_launcher if verbosity else 0
        self.instancetype_reference_policy = (
            values.instancetype and values.instancetype.reference_policy
        ) or "reference"
        if reservation is not None and reservation.enabled is not None:
            self.persistent_reservation = reservation.enabled
        else:
            self.persistent_reservation = "PersistentReservation" in self.configured_feature_gates
        hypervisors = values.hypervisors if self.feature_gate("ConfigurableHypervisor") else []
        self.hypervisor = (hypervisors[0].name if hypervisors else "") or "kvm"

    def feature_gate(self, name: str) -> bool:
        """Whether a gate is on: GA always, Beta by the release's trait, others when named, unknown ones never.

        Source: pkg/virt-config/featuregate/feature-gates.go (IsEnabled), pkg/virt-config/feature-gates.go
        (isFeatureGateEnabled).
        """
        return name in self._enabled

    def machine_type(self, architecture: str) -> str:
        """Return the machine type of VMs that do not name one."""
        return self.values.machine_type or self._of(architecture).machine_type

    def emulated_machines(self, architecture: str) -> list[str]:
        """Return the patterns that a VM's machine type must match."""
        return self.values.emulated_machines or self._of(architecture).emulated_machines

    def ovmf_path(self, architecture: str) -> str:
        """Return the directory in which virt-launcher looks for UEFI firmware."""
        return self.values.ovmf_path or self._of(architecture).ovmf_path

    def _of(self, architecture: str) -> ArchSpecificConfiguration:
        by_architecture = self.values.architecture_configuration
        assert by_architecture
        if architecture == "arm64":
            return by_architecture.arm64 or ArchSpecificConfiguration()
        if architecture == "s390x":
            return by_architecture.s390x or ArchSpecificConfiguration()
        return by_architecture.amd64 or ArchSpecificConfiguration()


def _invalid(values: Mapping[str, Any]) -> str:
    """Name the value for which KubeVirt refuses the whole configuration (pkg/virt-config/configuration.go)."""
    developer = values["developerConfiguration"]
    interface = values["network"]["defaultNetworkInterface"]
    if values["imagePullPolicy"] not in _PULL_POLICIES:
        return f"imagePullPolicy {values['imagePullPolicy']!r} is none of Always, IfNotPresent, Never"
    if developer["memoryOvercommit"] <= 0:
        return f"developerConfiguration.memoryOvercommit is {developer['memoryOvercommit']}; it must be positive"
    if developer["cpuAllocationRatio"] <= 0:
        return f"developerConfiguration.cpuAllocationRatio is {developer['cpuAllocationRatio']}; it must be positive"
    if not 0 <= developer["pvcTolerateLessSpaceUpToPercent"] <= 100:
        return "developerConfiguration.pvcTolerateLessSpaceUpToPercent is not between 0 and 100"
    if interface not in _NETWORK_INTERFACES:
        return f"network.defaultNetworkInterface {interface!r} is none of bridge, masquerade"
    return ""
