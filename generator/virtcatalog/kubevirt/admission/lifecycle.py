"""How a VM starts, restarts and leaves its node. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import crash, invalid
from virtcatalog.kubevirt.configuration import Configuration

EVICTION_STRATEGIES = ("LiveMigrate", "LiveMigrateIfPossible", "None", "External")
_KNOWN = ", ".join(EVICTION_STRATEGIES)


def validate_start_strategy(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The one start strategy is Paused, and a paused VM cannot answer a liveness probe (validateStartStrategy)."""
    strategy = spec.start_strategy
    if strategy is None:
        return
    if strategy != "Paused":
        yield invalid(f"{path}.startStrategy", f"{strategy!r} is no start strategy; Paused is the only one")
    elif spec.liveness_probe is not None:
        yield invalid(f"{path}.startStrategy", "a VM that starts Paused cannot have a livenessProbe: drop one of them")


def validate_eviction_strategy(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """The eviction strategy, the VM's own or the cluster's, is a known one (validateLiveMigration)."""
    own, default = spec.eviction_strategy, config.eviction_strategy
    strategy = default if own is None else own
    if strategy is None or strategy in EVICTION_STRATEGIES:
        return []
    if own is not None:
        return [invalid(f"{path}.evictionStrategy", f"{own!r} is no eviction strategy; strategies are {_KNOWN}")]
    return [crash(f"the cluster's evictionStrategy {default!r}, on which KubeVirt fails, is none of {_KNOWN}")]


def validate_reboot_policy(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A reboot policy needs its feature gate (validateRebootPolicy)."""
    if spec.domain.reboot_policy is not None and not config.feature_gate("RebootPolicy"):
        yield invalid(f"{path}.domain.rebootPolicy", "needs the feature gate RebootPolicy, which is off")
