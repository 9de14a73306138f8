"""The KubeVirt CR's configuration over KubeVirt's defaults."""

import pytest
from reading import read

from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.decode import convert
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.releases import RELEASES, Stage


def configure(text="{}", **options):
    return Configuration(convert(read(text), KubeVirtConfiguration), **options)


DEFAULTS = {
    "allow_emulation": False,
    "cpu_allocation_ratio": 10,
    "cpu_model": "",
    "default_architecture": "amd64",
    "default_network_interface": "bridge",
    "eviction_strategy": "None",
    "free_page_reporting_disabled": False,
    "hypervisor": "kvm",
    "instancetype_reference_policy": "reference",
    "invalid": "",
    "is_bridge_interface_on_pod_network_enabled": True,
    "live_update": True,
    "max_hotplug_ratio": 4,
    "maximum_cpu_sockets": 0,
    "maximum_guest_memory": None,
    "mem_balloon_stats_period": 10,
    "memory_overcommit": 100,
    "minimum_cluster_tsc_frequency": None,
    "minimum_reserve_pvc_bytes": 131072,
    "network_bindings": {},
    "permitted_host_devices": None,
    "persistent_reservation": False,
    "qgs_socket_path": "/var/run/tdx-qgs/qgs.socket",
    "serial_console_log_disabled": False,
    "vga_display_for_efi_guests": False,
    "virt_launcher_verbosity": 2,
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_default(name):
    assert getattr(Configuration(), name) == DEFAULTS[name]


def test_default_cpu_request_and_smbios():
    configuration = Configuration()
    assert str(configuration.cpu_request) == "100m"
    smbios = configuration.smbios
    assert (smbios.family, smbios.manufacturer, smbios.product) == ("KubeVirt", "KubeVirt", "None")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("developerConfiguration: {memoryOvercommit: 150}", "memory_overcommit", 150),
        ("developerConfiguration: {memoryOvercommit: 150}", "cpu_allocation_ratio", 10),
        ("developerConfiguration: {cpuAllocationRatio: 0}", "cpu_allocation_ratio", 10),
        ("developerConfiguration: {useEmulation: true}", "allow_emulation", True),
        ("developerConfiguration: {logVerbosity: {virtLauncher: 6}}", "virt_launcher_verbosity", 6),
        ("developerConfiguration: {logVerbosity: {virtHandler: 6}}", "virt_launcher_verbosity", 2),
        ("network: {permitBridgeInterfaceOnPodNetwork: false}", "is_bridge_interface_on_pod_network_enabled", False),
        ("network: {defaultNetworkInterface: masquerade}", "is_bridge_interface_on_pod_network_enabled", True),
        ("memBalloonStatsPeriod: 0", "mem_balloon_stats_period", 0),
        ("vmRolloutStrategy: Stage", "live_update", False),
        ("liveUpdateConfiguration: {maxCpuSockets: 3}", "max_hotplug_ratio", 4),
        ("liveUpdateConfiguration: {maxHotplugRatio: 2}", "max_hotplug_ratio", 2),
        ("instancetype: {referencePolicy: expand}", "instancetype_reference_policy", "expand"),
        ("virtualMachineOptions: {disableFreePageReporting: {}}", "free_page_reporting_disabled", True),
        ("virtualMachineOptions: {disableSerialConsoleLog: {}}", "serial_console_log_disabled", True),
        ('confidentialCompute: {tdx: {attestation: {qgsSocketPath: ""}}}', "qgs_socket_path", ""),
        ("developerConfiguration: {featureGates: [PersistentReservation]}", "persistent_reservation", True),
        ("persistentReservationConfiguration: {enabled: true}", "persistent_reservation", True),
        ("hypervisors: [{name: hyperv-direct}]", "hypervisor", "kvm"),
        (
            "{hypervisors: [{name: hyperv-direct}], developerConfiguration: {featureGates: [ConfigurableHypervisor]}}",
            "hypervisor",
            "hyperv-direct",
        ),
        (
            "{hypervisors: [{}], developerConfiguration: {featureGates: [ConfigurableHypervisor]}}",
            "hypervisor",
            "kvm",
        ),
    ],
)
def test_what_the_cr_says_counts_and_the_rest_keeps_its_default(text, name, value):
    assert getattr(configure(text), name) == value


@pytest.mark.parametrize(
    ("architecture", "machine", "machines", "firmware"),
    [
        ("amd64", "q35", ["q35*", "pc-q35*"], "/usr/share/edk2/ovmf"),
        ("arm64", "virt", ["virt*"], "/usr/share/AAVMF"),
        ("s390x", "s390-ccw-virtio", ["s390-ccw-virtio*"], ""),
        ("riscv64", "q35", ["q35*", "pc-q35*"], "/usr/share/edk2/ovmf"),
    ],
)
def test_an_architecture_has_its_machines_and_firmware(architecture, machine, machines, firmware):
    configuration = Configuration()
    assert configuration.machine_type(architecture) == machine
    assert configuration.emulated_machines(architecture) == machines
    assert configuration.ovmf_path(architecture) == firmware


def test_one_architecture_can_be_configured():
    configuration = configure("architectureConfiguration: {arm64: {machineType: virt-9}}")
    assert configuration.machine_type("arm64") == "virt-9"
    assert configuration.ovmf_path("arm64") == "/usr/share/AAVMF"
    assert configuration.machine_type("amd64") == "q35"


def test_the_fields_of_older_days_win_on_all_architectures():
    configuration = configure("{machineType: m, emulatedMachines: [m*], ovmfPath: /fw}")
    for architecture in ("amd64", "arm64", "s390x"):
        assert configuration.machine_type(architecture) == "m"
        assert configuration.emulated_machines(architecture) == ["m*"]
        assert configuration.ovmf_path(architecture) == "/fw"


GATES = "developerConfiguration: {featureGates: [%s], disabledFeatureGates: [%s]}"


@pytest.mark.parametrize(
    ("gate", "named", "disabled", "enabled"),
    [
        ("NUMA", "", "", True),
        ("NUMA", "", "NUMA", True),
        ("PasstBinding", "", "", True),
        ("PasstBinding", "", "PasstBinding", False),
        ("PasstBinding", "PasstBinding", "PasstBinding", True),
        ("HostDisk", "", "", False),
        ("HostDisk", "HostDisk", "", True),
        ("HotplugVolumes", "", "", False),
        ("HotplugVolumes", "HotplugVolumes", "", True),
        ("NoSuchGate", "NoSuchGate", "", False),
    ],
)
def test_feature_gate(gate, named, disabled, enabled):
    assert configure(GATES % (named, disabled)).feature_gate(gate) is enabled


def test_every_gate_of_the_release_has_one_stage():
    gates = RELEASES["v1.9.0"].feature_gates
    assert gates["VideoConfig"] is Stage.GA
    assert gates["WorkloadEncryptionSEV"] is Stage.BETA
    assert gates["WorkloadEncryptionTDX"] is Stage.ALPHA
    assert gates["Macvtap"] is Stage.DISCONTINUED
    assert {stage: list(gates.values()).count(stage) for stage in Stage} == {
        Stage.ALPHA: 31,
        Stage.BETA: 16,
        Stage.GA: 29,
        Stage.DEPRECATED: 4,
        Stage.DISCONTINUED: 4,
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("imagePullPolicy: Sometimes", "imagePullPolicy 'Sometimes' is none of Always, IfNotPresent, Never"),
        (
            "developerConfiguration: {memoryOvercommit: -1}",
            "developerConfiguration.memoryOvercommit is -1; it must be positive",
        ),
        (
            "developerConfiguration: {cpuAllocationRatio: -1}",
            "developerConfiguration.cpuAllocationRatio is -1; it must be positive",
        ),
        (
            "developerConfiguration: {pvcTolerateLessSpaceUpToPercent: 101}",
            "developerConfiguration.pvcTolerateLessSpaceUpToPercent is not between 0 and 100",
        ),
        (
            "developerConfiguration: {pvcTolerateLessSpaceUpToPercent: -1}",
            "developerConfiguration.pvcTolerateLessSpaceUpToPercent is not between 0 and 100",
        ),
        (
            "network: {defaultNetworkInterface: sriov}",
            "network.defaultNetworkInterface 'sriov' is none of bridge, masquerade",
        ),
    ],
)
def test_an_invalid_configuration_counts_as_none(text, why):
    configuration = configure(f"{{cpuModel: Haswell, {text}}}")
    assert configuration.invalid == why
    assert configuration.cpu_model == ""
    assert configuration.memory_overcommit == 100
    assert configuration.default_network_interface == "bridge"


@pytest.mark.parametrize(
    "text",
    [
        *(f"imagePullPolicy: {policy}" for policy in ("Always", "IfNotPresent", "Never")),
        "developerConfiguration: {memoryOvercommit: 1, cpuAllocationRatio: 1}",
        *(f"developerConfiguration: {{pvcTolerateLessSpaceUpToPercent: {percent}}}" for percent in (0, 100)),
        *(f"network: {{defaultNetworkInterface: {name}}}" for name in ("bridge", "masquerade", "slirp", "''")),
    ],
)
def test_a_configuration_at_its_limits_counts(text):
    configuration = configure(f"{{cpuModel: Haswell, {text}}}")
    assert (configuration.invalid, configuration.cpu_model) == ("", "Haswell")
