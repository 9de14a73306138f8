"""`spec.configuration.migrations` of the KubeVirt CR: how VMs migrate while they run."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.object import Int32, Int64, Object, UInt32, UInt64, since
from virtcatalog.api.quantity import Quantity


class StallDetectorOptions(Object):
    """When a live migration counts as stalled. Before `main` the factors are strings that hold numbers."""

    stall_margin: Int64 | None = None
    ewma_alpha: Quantity | None = None
    stall_progress_timeout: Int64 | None = None
    switchover_timeout: Int64 | None = None
    precopy_possible_factor: Quantity | None = None
    patience_window_decay_factor: Quantity | None = None
    search_local_minima: bool | None = None
    completion_timeout_factor: Quantity | None = None


class DowntimeTuningOptions(Object):
    """How the downtime that a live migration may have grows."""

    initial_ms: Int64 | None = None
    steps: Int32 | None = None
    start_after_iteration: Int64 | None = None
    cooldown_seconds: Int32 | None = None


class ExperimentalMigrationOptions(Object):
    """What KubeVirt tries out in live migrations."""

    stall_detector: StallDetectorOptions | None = None
    downtime_tuning: Annotated[DowntimeTuningOptions | None, since("main")] = None
    compression: str | None = None


class MigrationConfiguration(Object):
    """Live migration."""

    node_drain_taint_key: str | None = None
    parallel_outbound_migrations_per_node: UInt32 | None = None
    parallel_migrations_per_cluster: UInt32 | None = None
    allow_auto_converge: bool | None = None
    bandwidth_per_migration: Quantity | None = None
    completion_timeout_per_gi_b: Int64 | None = None
    max_downtime_ms: Annotated[UInt64 | None, since("v1.9")] = None
    progress_timeout: Int64 | None = None
    utility_volumes_timeout: Annotated[Int64 | None, since("v1.8")] = None
    unsafe_migration_override: bool | None = None
    allow_post_copy: bool | None = None
    allow_workload_disruption: bool | None = None
    disable_tls: bool | None = field(name="disableTLS", default=None)
    network: str | None = None
    match_se_linux_level_on_migration: bool | None = field(name="matchSELinuxLevelOnMigration", default=None)
    experimental: Annotated[ExperimentalMigrationOptions | None, since("v1.9")] = None
