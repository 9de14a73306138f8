"""KubeVirt v1.9.0, as it differs from the release before it."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from virtcatalog.releases import v1_8
from virtcatalog.releases.traits import gates

_BEFORE = v1_8.RELEASE
_OVMF = "/usr/share/edk2/ovmf"
_ARCHITECTURES = _BEFORE.configuration["architectureConfiguration"]

RELEASE = replace(
    _BEFORE,
    name="v1.9.0",
    launcher=replace(_BEFORE.launcher, libvirt="11.10.0-12.el9", qemu="10.1.0-20.el9"),
    common_instancetypes="common-instancetypes@v1.7.0",
    feature_gates=gates(
        _BEFORE.feature_gates,
        ALPHA="""
            CrossArchitectureVirtualization FirmwareAutoSelection GraceIOVirtualization IOMMUFD MigrationStallDetection
            NetworkDevicesWithDRA OCIExport ObjectGraph Plugins PortRangesSpec VGPULiveMigration VMStatsCollector
        """,
        BETA="""
            DeclarativeHotplugVolumes GPUsWithDRA HostDevicesWithDRA LibvirtHooksServerAndClient OptOutRoleAggregation
            RebootPolicy Template VmiMemoryOverheadReport WorkloadEncryptionSEV
        """,
        GA="""
            ExpandDisks LiveUpdateNADRef MigrationPriorityQueue PanicDevices PersistentReservation SecureExecution
            VMExport VideoConfig
        """,
        DEPRECATED="HotplugVolumes",
    ),
    configuration=MappingProxyType(
        {
            **_BEFORE.configuration,
            "architectureConfiguration": {**_ARCHITECTURES, "amd64": {**_ARCHITECTURES["amd64"], "ovmfPath": _OVMF}},
        }
    ),
    firmware=MappingProxyType(
        {
            _OVMF: _BEFORE.firmware["/usr/share/OVMF"],
            "/usr/share/AAVMF": _BEFORE.firmware["/usr/share/AAVMF"],
        }
    ),
    traits=replace(
        _BEFORE.traits,
        beta_gates_are_on=True,
        plain_mac_addresses=True,
        tdx_embeds_secure_boot=True,
        grace_gpus=True,
        interface_needs_binding=True,
        crashes_on_unbound_interfaces=False,
        untyped_network_is_default=False,
        port_field=".port",
        highest_port=65535,
        resource_claims_are_checked=True,
        keeps_empty_claim_names=False,
        infers_from_snapshots=True,
        adds_preferred_panic_device=True,
        launch_security_moves_to_preference=True,
        tdx_quotes=True,
        prefers_secure_boot_code=True,
        reservations_migrate=True,
        expand_disks_gate=False,
        s390x_block_size_limit=True,
        pci_vgpu_display=True,
        strict_pci_numa_placement=True,
        empty_cells_tell_memory=True,
        pins_supplemental_iothreads_first=True,
        crashes_on_max_sockets=False,
        notes_left_volumes=False,
        permits_device_by_device=True,
        tdx_device=True,
        sidecar_is_told_plugin=True,
        virtiofs_shows_tokens_as_root=True,
        reservations_keep_apart=True,
    ),
)
