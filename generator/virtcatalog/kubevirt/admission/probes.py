"""Liveness and readiness probes. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import Probe, VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration


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
