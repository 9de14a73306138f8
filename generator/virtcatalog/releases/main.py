"""What KubeVirt's branch main has ahead of the release after v1.9.0: a preview."""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.releases import v1_9
from virtcatalog.releases.traits import Branch, gates

_BEFORE = v1_9.RELEASE

RELEASE = replace(
    _BEFORE,
    name="main",
    branch=Branch(minor=(1, 10), commit="d923fdb815", date="2026-08-22"),
    feature_gates=gates(
        _BEFORE.feature_gates,
        ALPHA="MigrationDowntimeTuning",
        BETA="DecentralizedLiveMigration",
        GA="LibvirtHooksServerAndClient VmiMemoryOverheadReport",
    ),
    traits=replace(
        _BEFORE.traits,
        ramfb_is_on_unless_off=True,
        storage_is_validated_apart=True,
        passes_numa_distances=True,
        s390x_has_memfd=False,
        numa_field_gets_memfd_cell=False,
        hotplug_ports_lose_commandline=False,
        qemu_overhead_mebibytes=50,
        launcher_has_arguments=True,
        launcher_is_told_hooks=False,
        hugetlbfs_is_of_huge_pages=True,
        digests_can_be_skipped=True,
        virtiofs_follows_pull_policy=True,
        networks_follow_migratable_only=True,
    ),
)
