"""The container `compute`, and what its kin have in common.

Source: pkg/virt-controller/services/rendercontainer.go and template.go (renderLaunchManifest).
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.govalues import integer
from virtcatalog.api.int64 import wrapped
from virtcatalog.api.kubevirt import Probe, VirtualMachineInstance
from virtcatalog.kubevirt.pod.facts import NON_ROOT_USER, PRIVATE_DIRECTORY, SHARE_DIRECTORY, Facts, PodError
from virtcatalog.kubevirt.pod.mounts import CONTAINER_DISKS, Volumes

Container = dict[str, Any]

_GRACE, _DEFAULT_GRACE = 15, 30
_STARTUP = 10
_TALKATIVE = 5
_DEFAULT_VERBOSITY = 2
_KEEP = "kubevirt.io/keep-launcher-alive-after-failure"
_CRASH = "kubevirt.io/func-test-virt-launcher-fail-fast"
_LOG_FILTERS = "kubevirt.io/libvirt-log-filters"
_CROSS_ARCHITECTURE = "--allow-cross-arch-emulation"


def compute_container(
    vmi: VirtualMachineInstance,
    facts: Facts,
    volumes: Volumes,
    resources: dict[str, Any],
    *,
    sidecars: int,
    non_root: bool,
    verbosity: int,
) -> Container:
    """The container that virt-launcher runs in, with so many hook sidecars beside it."""
    container: Container = {
        "name": "compute",
        "image": facts.launcher_image,
        **_command(vmi, facts, sidecars, non_root=non_root),
        "env": _environment(vmi, facts, volumes, verbosity, non_root=non_root),
        "resources": resources,
        "volumeMounts": volumes.mounts,
        "securityContext": security(non_root=non_root, capabilities=_capabilities(non_root=non_root)),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    if facts.pull_policy:
        container["imagePullPolicy"] = facts.pull_policy
    if volumes.devices:
        container["volumeDevices"] = volumes.devices
    ports = [
        {**({"name": port.name} if port.name else {}), "containerPort": port.port, "protocol": port.protocol or "TCP"}
        for interface in vmi.spec.domain.devices.interfaces
        for port in interface.ports
    ]
    if ports:
        container["ports"] = ports
    if vmi.spec.liveness_probe is not None:
        container["livenessProbe"] = _probe(vmi.spec.liveness_probe, vmi)
    if vmi.spec.readiness_probe is not None:
        container["readinessProbe"] = _probe(vmi.spec.readiness_probe, vmi)
    return container


def grace_period(vmi: VirtualMachineInstance) -> int:
    """How long virt-launcher waits for its guest to shut down, in seconds; Kubernetes waits longer."""
    seconds = vmi.spec.termination_grace_period_seconds
    return (_DEFAULT_GRACE if seconds is None else seconds) + _GRACE


def log_verbosity(vmi: VirtualMachineInstance, facts: Facts) -> int:
    """How much virt-launcher logs: as the VMI's label says, else the configuration; PodError for what is no number."""
    label = vmi.metadata.labels.get("logVerbosity")
    if label is None:
        return facts.config.virt_launcher_verbosity
    number = integer(label)
    if number is None:
        raise PodError("metadata.labels[logVerbosity]", f"{label!r} is not a number")
    return number % 2**64  # KubeVirt takes a negative one for a huge one


def security(*, non_root: bool, capabilities: dict[str, list[str]] | None) -> dict[str, Any]:
    """`securityContext` of a container of virt-launcher's image (securityContext)."""
    context: dict[str, Any] = {"runAsUser": NON_ROOT_USER if non_root else 0, "runAsNonRoot": non_root}
    if capabilities:
        context["capabilities"] = capabilities
    if non_root:
        context |= {"runAsGroup": NON_ROOT_USER, "allowPrivilegeEscalation": False}
    return context


def unprivileged() -> dict[str, Any]:
    """`securityContext` of a container that never runs as root."""
    return {
        "runAsUser": NON_ROOT_USER,
        "runAsNonRoot": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


def home() -> list[dict[str, Any]]:
    """Where programs that do not run as root keep their files (xdgEnvironmentVariables)."""
    return [
        {"name": "XDG_CACHE_HOME", "value": PRIVATE_DIRECTORY},
        {"name": "XDG_CONFIG_HOME", "value": PRIVATE_DIRECTORY},
        {"name": "XDG_RUNTIME_DIR", "value": "/var/run"},
    ]


def _capabilities(*, non_root: bool) -> dict[str, list[str]]:
    if non_root:
        return {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}
    return {"add": ["NET_BIND_SERVICE", "SYS_NICE"]}


def program(path: str, flags: list[str], facts: Facts) -> dict[str, list[str]]:
    """`command` and `args` of a program with its flags (renderLaunchManifest)."""
    if facts.traits.launcher_has_arguments:
        return {"command": [path], "args": flags}
    return {"command": [path, *flags]}


def _command(vmi: VirtualMachineInstance, facts: Facts, sidecars: int, *, non_root: bool) -> dict[str, list[str]]:
    metadata, annotations = vmi.metadata, vmi.metadata.annotations
    flags = [
        "--qemu-timeout",
        "240s",
        "--name",
        metadata.name,
        "--uid",
        metadata.uid,
        "--namespace",
        metadata.namespace,
        "--kubevirt-share-dir",
        SHARE_DIRECTORY,
        "--ephemeral-disk-dir",
        "/var/run/kubevirt-ephemeral-disks",
        "--container-disk-dir",
        CONTAINER_DISKS,
        "--grace-period-seconds",
        str(grace_period(vmi)),
        "--hook-sidecars",
        str(sidecars),
        "--ovmf-path",
        facts.config.ovmf_path(vmi.spec.architecture),
        "--disk-memory-limit",
        str(facts.disk_memory_limit),
        *facts.modes,
    ]
    if non_root:
        flags.append("--run-as-nonroot")
    flags += facts.gated_modes
    if _LOG_FILTERS in annotations:
        flags += ["--libvirt-log-filters", annotations[_LOG_FILTERS]]
    if facts.config.allow_emulation:
        flags.append("--allow-emulation")
    # The one flag that stayed in the command when the others became arguments.
    beside_program = facts.cross_architecture and facts.traits.launcher_has_arguments
    if facts.cross_architecture and not beside_program:
        flags.append(_CROSS_ARCHITECTURE)
    if any(key.startswith(_KEEP) and (not text or text.startswith("true")) for key, text in annotations.items()):
        flags.append("--keep-after-failure")
    if _CRASH in annotations:
        flags.append("--simulate-crash")
    started = program("/usr/bin/virt-launcher-monitor", flags, facts)
    if beside_program:
        started["command"].append(_CROSS_ARCHITECTURE)
    return started


def _environment(
    vmi: VirtualMachineInstance, facts: Facts, volumes: Volumes, verbosity: int, *, non_root: bool
) -> list[dict[str, Any]]:
    labels = vmi.metadata.labels
    variables = home() if non_root else []
    if volumes.shared_paths:
        variables.append({"name": "SHARED_FILESYSTEM_PATHS", "value": ":".join(volumes.shared_paths)})
    label = labels.get("logVerbosity")
    if label is not None or facts.config.virt_launcher_verbosity != _DEFAULT_VERBOSITY:
        variables.append({"name": "VIRT_LAUNCHER_LOG_VERBOSITY", "value": str(verbosity) if label is None else label})
    for name, variable in (("debugLogs", "LIBVIRT_DEBUG_LOGS"), ("virtiofsdDebugLogs", "VIRTIOFSD_DEBUG_LOGS")):
        if verbosity > _TALKATIVE or labels.get(name, "").lower() == "true":
            variables.append({"name": variable, "value": "1"})
    variables.append({"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})
    return variables


def _probe(probe: Probe, vmi: VirtualMachineInstance) -> dict[str, Any]:
    """A probe of the guest, which waits for libvirt and goes through virt-probe where it enters the guest."""
    timeout = max(probe.timeout_seconds, 1)
    manifest: dict[str, Any] = {
        "initialDelaySeconds": wrapped(probe.initial_delay_seconds + _STARTUP, 32),
        "timeoutSeconds": timeout,
        "periodSeconds": probe.period_seconds if probe.period_seconds > 0 else 10,
        "successThreshold": max(probe.success_threshold, 1),
        "failureThreshold": probe.failure_threshold if probe.failure_threshold > 0 else 3,
    }
    if not manifest["initialDelaySeconds"]:
        del manifest["initialDelaySeconds"]
    if probe.http_get is not None:
        manifest["httpGet"] = to_manifest(probe.http_get)
    if probe.tcp_socket is not None:
        manifest["tcpSocket"] = to_manifest(probe.tcp_socket)
    if probe.exec is not None:
        manifest["exec"] = to_manifest(probe.exec)
    through = ["virt-probe", "--domainName", f"{vmi.metadata.namespace}_{vmi.metadata.name}"]
    through += ["--timeoutSeconds", str(timeout)]
    if probe.guest_agent_ping is not None:
        manifest["exec"] = {"command": [*through, "--guestAgentPing"]}
    elif probe.exec is not None and probe.exec.command and probe.exec.command[0] != "virt-probe":
        first, *rest = probe.exec.command
        manifest["exec"] = {"command": [*through, "--command", first, "--", *rest]}
    else:
        return manifest
    manifest["timeoutSeconds"] = wrapped(timeout + 1, 32)
    return manifest
