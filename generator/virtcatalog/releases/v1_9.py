"""What belongs to one KubeVirt release rather than to its API: feature gates, defaults of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

import msgspec


class Stage(Enum):
    """How far a feature gate has come; `feature_gate` of the configuration says what follows from it."""

    ALPHA = "Alpha"
    BETA = "Beta"
    GA = "General Availability"
    DEPRECATED = "Deprecated"
    DISCONTINUED = "Discontinued"


class Release(msgspec.Struct, frozen=True):
    """One KubeVirt release.

    `feature_gates` gives every registered gate its stage (KubeVirt, pkg/virt-config/featuregate); `configuration` is
    the KubeVirt CR's `spec.configuration` as it is while nobody sets anything, without what only migrations and
    clients of the API server read (pkg/virt-config/configuration.go); `pci_topology_version` is what new machines
    are annotated with (pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go).
    """

    name: str
    feature_gates: Mapping[str, Stage]
    configuration: Mapping[str, Any]
    pci_topology_version: str


def _gates(**stages: str) -> Mapping[str, Stage]:
    return MappingProxyType({gate: Stage[stage] for stage, gates in stages.items() for gate in gates.split()})


V1_9_0 = Release(
    name="v1.9.0",
    feature_gates=_gates(
        ALPHA="""
            AlignCPUs CPUManager ConfigurableHypervisor ContainerPathVolumes CrossArchitectureVirtualization
            DecentralizedLiveMigration DownwardMetrics EnableVirtioFsStorageVolumes ExperimentalIgnitionSupport
            FirmwareAutoSelection GraceIOVirtualization HostDevices HostDisk HypervStrictCheck IOMMUFD
            IncrementalBackup MigrationStallDetection NetworkDevicesWithDRA OCIExport ObjectGraph PCINUMAAwareTopology
            Plugins PortRangesSpec ReservedOverheadMemlock Root Sidecar UtilityVolumes VGPULiveMigration
            VMStatsCollector VSOCK WorkloadEncryptionTDX
        """,
        BETA="""
            DeclarativeHotplugVolumes ExternalNetResourceInjection GPUsWithDRA HostDevicesWithDRA ImageVolume
            KubevirtSeccompProfile LibvirtHooksServerAndClient NodeRestriction OptOutRoleAggregation PasstBinding
            PodSecondaryInterfaceNamingUpgrade RebootPolicy Snapshot Template VmiMemoryOverheadReport
            WorkloadEncryptionSEV
        """,
        GA="""
            AutoResourceLimitsGate BochsDisplayForEFIGuests CPUNodeDiscovery ClusterProfiler
            CommonInstancetypesDeploymentGate DisableCustomSELinuxPolicy DynamicPodInterfaceNaming
            EnableVirtioFsConfigVolumes ExpandDisks GPU HotplugNICs InstancetypeReferencePolicy LiveMigration
            LiveUpdateNADRef MigrationPriorityQueue NUMA NetworkBindingPlugins NonRoot PSA PanicDevices
            PersistentReservation SRIOVLiveMigration SecureExecution VMExport VMLiveUpdateFeatures VMPersistentState
            VideoConfig VolumeMigration VolumesUpdateStrategy
        """,
        DEPRECATED="DisableMDEVConfiguration DockerSELinuxMCSWorkaround HotplugVolumes MultiArchitecture",
        DISCONTINUED="ExperimentalVirtiofsSupport Macvtap Passt PasstIPStackMigration",
    ),
    configuration=MappingProxyType(
        {
            "architectureConfiguration": {
                "amd64": {
                    "emulatedMachines": ["q35*", "pc-q35*"],
                    "machineType": "q35",
                    "ovmfPath": "/usr/share/edk2/ovmf",
                },
                "arm64": {"emulatedMachines": ["virt*"], "machineType": "virt", "ovmfPath": "/usr/share/AAVMF"},
                "s390x": {"emulatedMachines": ["s390-ccw-virtio*"], "machineType": "s390-ccw-virtio"},
            },
            "cpuRequest": "100m",
            "developerConfiguration": {
                "cpuAllocationRatio": 10,
                "diskVerification": {"memoryLimit": "2000Mi"},
                "logVerbosity": {
                    "virtAPI": 2,
                    "virtController": 2,
                    "virtHandler": 2,
                    "virtLauncher": 2,
                    "virtOperator": 2,
                },
                "memoryOvercommit": 100,
                "minimumReservePVCBytes": 131072,
                "pvcTolerateLessSpaceUpToPercent": 10,
            },
            "evictionStrategy": "None",
            "hypervisors": [{"name": "kvm"}],
            "imagePullPolicy": "IfNotPresent",
            "liveUpdateConfiguration": {"maxHotplugRatio": 4},
            "memBalloonStatsPeriod": 10,
            "network": {
                "defaultNetworkInterface": "bridge",
                "permitBridgeInterfaceOnPodNetwork": True,
                "permitSlirpInterface": False,
            },
            "smbios": {"family": "KubeVirt", "manufacturer": "KubeVirt", "product": "None"},
            "supportedGuestAgentVersions": ["2.*", "3.*", "4.*", "5.*"],
            "vmRolloutStrategy": "LiveUpdate",
        }
    ),
    pci_topology_version="v3",
)
"""KubeVirt v1.9.0, whose behaviour virtcatalog models."""
