"""KubeVirt v1.8.4, as it differs from the release before it."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from virtcatalog.releases import v1_7
from virtcatalog.releases.launchers import Launcher
from virtcatalog.releases.traits import gates

RELEASE = replace(
    v1_7.RELEASE,
    name="v1.8.4",
    # QEMU 10.1.0-10.el9 takes in pc-q35-rhel9.6.0: kubevirt/kubevirt#16386, comment of 2026-04-27, where it reads the
    # state of such a machine up to one device.
    launcher=Launcher(libvirt="11.9.0-1.el9", qemu="10.1.0-10.el9", takes_in=frozenset({"pc-q35-rhel9.6.0"})),
    common_instancetypes="common-instancetypes@v1.6.0",
    feature_gates=gates(
        v1_7.RELEASE.feature_gates,
        ALPHA="""
            ConfigurableHypervisor ContainerPathVolumes LibvirtHooksServerAndClient OptOutRoleAggregation
            PCINUMAAwareTopology RebootPolicy ReservedOverheadMemlock Template UtilityVolumes VmiMemoryOverheadReport
        """,
        BETA="""
            ExternalNetResourceInjection LiveUpdateNADRef MigrationPriorityQueue PasstBinding
            PodSecondaryInterfaceNamingUpgrade
        """,
        GA="EnableVirtioFsConfigVolumes",
        DEPRECATED="DisableMDEVConfiguration MultiArchitecture",
        DISCONTINUED="ExperimentalVirtiofsSupport PasstIPStackMigration",
    ),
    traits=replace(
        v1_7.RELEASE.traits,
        foreign_architecture_needs_gate=False,
        arm64_secure_boot=True,
        hugepages_field="memory.hugepages.pageSize",
        experimental_virtiofs_gate=False,
        passt_and_macvtap_gates=False,
        host_devices_from_claims=True,
        converts_mac_address=True,
        link_state_needs_tap=True,
        tracks_hotplugged_disks=True,
        judges_images_below_overlays=True,
        claimed_devices_keep_order=True,
        omits_empty_address_attributes=True,
        root_complex_needs_pcie=True,
        pools_number_cloud_init_secrets=True,
        pools_keep_identities=True,
        crashes_on_pinned_iothreads=False,
        takes_restart_back=True,
        pod_network_needs_restart=True,
        networks_change_alone=True,
        cpu_manager_label="kubevirt.io/cpumanager",
        launcher_is_told_hypervisor=True,
        tool_keeps_attributes=True,
        claims_by_name_alone=False,
        writes_null_timestamps=False,
        deploys_dedicated_series=True,
        crashes_on_claims_in_part=False,
    ),
    configuration=MappingProxyType({**v1_7.RELEASE.configuration, "hypervisors": [{"name": "kvm"}]}),
)
