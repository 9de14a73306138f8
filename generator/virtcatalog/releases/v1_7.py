"""KubeVirt v1.7.4, the oldest release that is modelled: later ones say how they differ from the one before."""

from __future__ import annotations

from types import MappingProxyType

from virtcatalog.releases.launchers import Launcher
from virtcatalog.releases.traits import Release, gates

RELEASE = Release(
    name="v1.7.4",
    # The same version of QEMU as v1.6.3's, with the machine type of that (releases/launchers.py, EARLIER).
    launcher=Launcher(libvirt="10.10.0-13.el9", qemu="9.1.0-20.el9", q35="pc-q35-rhel9.6.0"),
    common_instancetypes="common-instancetypes@v1.5.1",
    feature_gates=gates(
        ALPHA="""
            AlignCPUs CPUManager DecentralizedLiveMigration DeclarativeHotplugVolumes DisableMDEVConfiguration
            DownwardMetrics EnableVirtioFsConfigVolumes EnableVirtioFsStorageVolumes ExpandDisks
            ExperimentalIgnitionSupport GPUsWithDRA HostDevices HostDevicesWithDRA HostDisk HotplugVolumes
            HypervStrictCheck IncrementalBackup MigrationPriorityQueue MultiArchitecture PasstIPStackMigration
            PersistentReservation Root Sidecar VSOCK WorkloadEncryptionSEV WorkloadEncryptionTDX
        """,
        BETA="""
            ImageVolume KubevirtSeccompProfile NodeRestriction PanicDevices SecureExecution Snapshot VMExport
            VideoConfig
        """,
        GA="""
            AutoResourceLimitsGate BochsDisplayForEFIGuests CPUNodeDiscovery ClusterProfiler
            CommonInstancetypesDeploymentGate DisableCustomSELinuxPolicy DynamicPodInterfaceNaming GPU HotplugNICs
            InstancetypeReferencePolicy LiveMigration NUMA NetworkBindingPlugins NonRoot PSA SRIOVLiveMigration
            VMLiveUpdateFeatures VMPersistentState VolumeMigration VolumesUpdateStrategy
        """,
        DEPRECATED="DockerSELinuxMCSWorkaround ExperimentalVirtiofsSupport",
        DISCONTINUED="Macvtap Passt",
    ),
    configuration=MappingProxyType(
        {
            "architectureConfiguration": {
                "amd64": {
                    "emulatedMachines": ["q35*", "pc-q35*"],
                    "machineType": "q35",
                    "ovmfPath": "/usr/share/OVMF",
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
    firmware=MappingProxyType(
        {
            "/usr/share/OVMF": (
                "OVMF.amdsev.fd",
                "OVMF.inteltdx.fd",
                "OVMF.inteltdx.secboot.fd",
                "OVMF_CODE.cc.fd",
                "OVMF_CODE.secboot.fd",
                "OVMF_VARS.fd",
                "OVMF_VARS.secboot.fd",
            ),
            "/usr/share/AAVMF": ("AAVMF_CODE.fd", "AAVMF_VARS.fd"),
        }
    ),
    pci_topology_version="v3",
)
