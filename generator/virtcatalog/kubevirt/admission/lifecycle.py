"""How a VM starts, is probed, restarts and leaves its node; labels and annotations. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.kubevirt import Probe, VirtualMachineInstanceSpec
from virtcatalog.api.names import IGNITION
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import crash, invalid, not_supported, required
from virtcatalog.kubevirt.configuration import Configuration

EVICTION_STRATEGIES = ("LiveMigrate", "LiveMigrateIfPossible", "None", "External")
_STRATEGIES = ", ".join(EVICTION_STRATEGIES)


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
        return [invalid(f"{path}.evictionStrategy", f"{own!r} is no eviction strategy; strategies are {_STRATEGIES}")]
    return [crash(f"the cluster's evictionStrategy {default!r}, on which KubeVirt fails, is none of {_STRATEGIES}")]


def validate_reboot_policy(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A reboot policy needs its feature gate (validateRebootPolicy)."""
    if spec.domain.reboot_policy is not None and not config.feature_gate("RebootPolicy"):
        yield invalid(f"{path}.domain.rebootPolicy", "needs the feature gate RebootPolicy, which is off")


def validate_probes(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A probe has exactly one handler; one that connects to the VM needs the pod network (validateProbe)."""
    readiness, liveness = spec.readiness_probe, spec.liveness_probe
    if readiness is None and liveness is None:
        return
    probes = [
        (f"{path}.{name}", probe)
        for name, probe in (("readinessProbe", readiness), ("livenessProbe", liveness))
        if probe is not None
    ]
    for field, probe in probes:
        yield from _one_handler(field, probe)
    if any(network.pod is not None for network in spec.networks):
        return
    for field, probe in probes:
        if probe.http_get is not None:
            yield invalid(f"{field}.httpGet", "needs the VM on the pod network: no network has the source pod")
        if probe.tcp_socket is not None:
            yield invalid(f"{field}.tcpSocket", "needs the VM on the pod network: no network has the source pod")


def _one_handler(field: str, probe: Probe) -> Iterator[Cause]:
    handlers = {
        "httpGet": probe.http_get,
        "tcpSocket": probe.tcp_socket,
        "exec": probe.exec,
        "guestAgentPing": probe.guest_agent_ping,
    }
    used = [name for name, handler in handlers.items() if handler is not None]
    if len(used) > 1:
        yield invalid(field, f"has {', '.join(used)}; a probe has exactly one handler")
    elif not used:
        yield required(field, f"has no handler: set one of {', '.join(handlers)}")


RESERVED_LABELS = frozenset(
    {
        "kubevirt.io/created-by",
        "kubevirt.io/migrationJobUID",
        "kubevirt.io/nodeName",
        "kubevirt.io/migrationTargetNodeName",
        "kubevirt.io/schedulable",
        "kubevirt.io/install-strategy",
    }
)
SIDECARS = "hooks.kubevirt.io/hookSidecars"


def validate_metadata(metadata: ObjectMeta, path: str, config: Configuration) -> Iterator[Cause]:
    """What a user writes there: no label that KubeVirt keeps for itself, no annotation whose feature is off.

    Source: ValidateVirtualMachineInstanceMetadata.
    """
    if not RESERVED_LABELS.isdisjoint(metadata.labels):
        reserved = sorted(RESERVED_LABELS.intersection(metadata.labels))
        yield not_supported(f"{path}.labels", f"{', '.join(reserved)}: KubeVirt keeps these labels for itself")
    yield from validate_annotations(metadata, path, config)


def validate_annotations(metadata: ObjectMeta, path: str, config: Configuration) -> Iterator[Cause]:
    """Ignition data and sidecars need their feature gates."""
    annotations = metadata.annotations
    if not annotations:
        return
    if annotations.get(IGNITION) and not config.feature_gate("ExperimentalIgnitionSupport"):
        yield invalid(
            f"{path}.annotations", f"{IGNITION} needs the feature gate ExperimentalIgnitionSupport, which is off"
        )
    if annotations.get(SIDECARS) and not config.feature_gate("Sidecar"):
        yield invalid(f"{path}.annotations", f"{SIDECARS} needs the feature gate Sidecar, which is off")
