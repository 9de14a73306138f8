"""The containers beside `compute`: disks, virtiofs, the log of the serial console.

Source: pkg/container-disk/container-disk.go, pkg/virtiofs/resources.go and in pkg/virt-controller/services
virtiofs.go, serialconsolelog.go, template.go (newInitContainerRenderer).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from virtcatalog.api.domainspec import KernelBootContainer
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.volumes import ContainerDiskSource, Volume
from virtcatalog.kubevirt.pod.containers import Container, home, program, security, unprivileged
from virtcatalog.kubevirt.pod.facts import NON_ROOT_USER, PRIVATE_DIRECTORY, Facts, kernel_boot
from virtcatalog.kubevirt.pod.mounts import (
    CONTAINER_DISKS,
    KERNEL_BOOT_VOLUME,
    LAUNCHER_VOLUME,
    VIRTIOFS,
    VIRTIOFS_DIRECTORY,
)
from virtcatalog.kubevirt.pod.volumes import configuration_path

_TOOL = "/usr/bin/container-disk"
_TOOLS = "/container-disk-binary"
_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
_BINARY = "container-disk-binary"

Defaults = dict[str, dict[str, str]]

#: What a kind asks for and is limited to, while the configuration says nothing.
_RESOURCES: dict[str, Defaults] = {
    "container-disk": {"requests": {"cpu": "1m", "memory": "1M"}, "limits": {"cpu": "10m", "memory": "40M"}},
    _BINARY: {"requests": {"cpu": "10m", "memory": "1M"}, "limits": {"cpu": "100m", "memory": "40M"}},
    "virtiofs": {"requests": {"cpu": "10m", "memory": "1M"}, "limits": {"cpu": "100m", "memory": "80M"}},
    "guest-console-log": {"requests": {"cpu": "5m", "memory": "35M"}, "limits": {"cpu": "15m", "memory": "60M"}},
    "sidecar": {"requests": {}, "limits": {}},
}
#: The limits of those that have others with dedicated CPUs or guaranteed quality of service.
_PINNED_LIMITS = {_BINARY: {"cpu": "10m", "memory": "40M"}, "sidecar": {"cpu": "200m", "memory": "64M"}}


def support_resources(kind: str, facts: Facts, *, pinned: bool) -> Defaults:
    """`resources` of a kind of support container; requests are limits where the Pod is to be pinned."""
    resources = facts.support.get((kind, pinned))
    if resources is None:
        resources = facts.support[kind, pinned] = _support_resources(kind, facts, pinned=pinned)
    return {part: dict(amounts) for part, amounts in resources.items() if amounts}


def _support_resources(kind: str, facts: Facts, *, pinned: bool) -> Defaults:
    configured = "container-disk" if kind == _BINARY else kind
    resources = {part: dict(amounts) for part, amounts in _RESOURCES[kind].items()}
    if pinned:
        resources["limits"] |= _PINNED_LIMITS.get(kind, {})
    for part, amounts in resources.items():
        for resource in ("cpu", "memory"):
            amount: Quantity | None = facts.support_amount(configured, part, resource)
            if amount is not None:
                amounts[resource] = str(amount)
    if pinned:
        resources["requests"] = dict(resources["limits"])
    if kind == "container-disk":
        resources["requests"]["ephemeral-storage"] = "50M"
    return resources


def disk_containers(vmi: VirtualMachineInstance, facts: Facts, *, pinned: bool, init: bool) -> Iterator[Container]:
    """Containers that hand over the images of container disks and of the kernel, or pull these beforehand.

    Source: pkg/container-disk/container-disk.go (generateContainersHelper, generateKernelBootContainerHelper).
    """
    for position, volume in enumerate(vmi.spec.volumes):
        if volume.container_disk is not None and volume.name != KERNEL_BOOT_VOLUME:
            name = f"disk_{position}"
            yield _disk_container(vmi, facts, volume.name, volume.container_disk, name, pinned=pinned, init=init)
    boot = kernel_boot(vmi.spec)
    if boot is not None:
        yield _disk_container(vmi, facts, KERNEL_BOOT_VOLUME, boot, "kernel-boot", pinned=pinned, init=init)


def _disk_container(
    vmi: VirtualMachineInstance,
    facts: Facts,
    volume: str,
    disk: ContainerDiskSource | KernelBootContainer,
    name: str,
    *,
    pinned: bool,
    init: bool,
) -> Container:
    directory = f"{CONTAINER_DISKS}/{vmi.metadata.uid}"
    return {
        "name": f"volume{volume}-init" if init else f"volume{volume}",
        **_image(disk.image, disk.image_pull_policy),
        "command": [_TOOL],
        "args": ["--no-op"] if init else ["--copy-path", f"{directory}/{name}"],
        "volumeMounts": [
            {"name": "container-disks", "mountPath": directory},
            {"name": "virt-bin-share-dir", "mountPath": "/usr/bin"},
        ],
        "resources": support_resources("container-disk", facts, pinned=pinned),
        "securityContext": unprivileged(),
    }


def tool_container(facts: Facts, *, pinned: bool, non_root: bool) -> Container:
    """The init container that copies the tool of the disks' containers to where they find it."""
    container: Container = {
        "name": _BINARY,
        **_image(facts.launcher_image, facts.pull_policy),
        **program("/usr/bin/cp", [*facts.copy_flags, _TOOL, f"/init{_TOOL}"], facts),
        "volumeMounts": [{"name": "virt-bin-share-dir", "mountPath": "/init/usr/bin"}],
        "resources": support_resources(_BINARY, facts, pinned=pinned),
        "securityContext": security(non_root=non_root, capabilities={"drop": ["ALL"]}),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    if non_root:
        container["env"] = home()
    return container


def image_containers(vmi: VirtualMachineInstance, facts: Facts, *, pinned: bool) -> Iterator[Container]:
    """Init containers of images that are volumes: their states tell digests (CreateImageVolumeInitContainer)."""
    for volume in vmi.spec.volumes:
        if volume.container_disk is not None:
            yield _image_container(volume.name, volume.container_disk, facts, pinned=pinned)
    boot = kernel_boot(vmi.spec)
    if boot is not None:
        yield _image_container(KERNEL_BOOT_VOLUME, boot, facts, pinned=pinned)


def _image_container(
    name: str, disk: ContainerDiskSource | KernelBootContainer, facts: Facts, *, pinned: bool
) -> Container:
    return {
        "name": f"volume{name}",
        **_image(disk.image, disk.image_pull_policy),
        "command": [f"{_TOOLS}{_TOOL}"],
        "args": ["--no-op"],
        "volumeMounts": [{"name": LAUNCHER_VOLUME, "mountPath": _TOOLS, "readOnly": True}],
        "resources": support_resources("container-disk", facts, pinned=pinned),
        "securityContext": unprivileged(),
    }


def _image(image: str, policy: str | None) -> dict[str, Any]:
    fields = {"image": image} if image else {}
    return {**fields, "imagePullPolicy": policy} if policy else fields


def virtiofs_containers(vmi: VirtualMachineInstance, facts: Facts, *, pinned: bool) -> Iterator[Container]:
    """The daemons that share volumes as filesystems; paths of containers get theirs from another webhook."""
    shared = {filesystem.name for filesystem in vmi.spec.domain.devices.filesystems}
    for volume in vmi.spec.volumes if shared else ():
        if volume.name in shared and volume.container_path is None:
            yield _virtiofs_container(volume, facts, pinned=pinned)


def _virtiofs_container(volume: Volume, facts: Facts, *, pinned: bool) -> Container:
    token = volume.service_account is not None
    directory = _ACCOUNT if token else configuration_path(volume) or f"/{volume.name}"
    arguments = [
        f"--socket-path={VIRTIOFS_DIRECTORY}/{volume.name}.sock",
        f"--shared-dir={directory}",
        "--sandbox=none",
        "--cache=auto",
        "--migration-on-error=guest-error",
        "--migration-mode=find-paths",
    ]
    if token and facts.traits.virtiofs_shows_tokens_as_root:
        arguments.append(f"--translate-uid=host:{NON_ROOT_USER}:0:1")
    mounts = [{"name": VIRTIOFS, "mountPath": VIRTIOFS_DIRECTORY}]
    if not token:
        mounts.append({"name": volume.name, "mountPath": directory})
    return {
        "name": f"virtiofs-{volume.name}",
        **_image(
            facts.launcher_image, facts.pull_policy if facts.traits.virtiofs_follows_pull_policy else "IfNotPresent"
        ),
        "command": ["/usr/libexec/virtiofsd"],
        "args": arguments,
        "volumeMounts": mounts,
        "resources": support_resources("virtiofs", facts, pinned=pinned),
        "securityContext": {**unprivileged(), "runAsGroup": NON_ROOT_USER},
    }


def console_log_container(
    vmi: VirtualMachineInstance, facts: Facts, verbosity: int, *, pinned: bool
) -> Container | None:
    """The container that logs the guest's serial console, unless there is none or it is not to be logged."""
    devices = vmi.spec.domain.devices
    logged = devices.log_serial_console
    if devices.autoattach_serial_console is False or logged is False:
        return None
    if logged is None and facts.config.serial_console_log_disabled:
        return None
    return {
        "name": "guest-console-log",
        **_image(facts.launcher_image, facts.pull_policy),
        "command": ["/usr/bin/virt-tail"],
        "args": ["--logfile", f"{PRIVATE_DIRECTORY}/{vmi.metadata.uid}/virt-serial0-log"],
        "env": [{"name": "VIRT_LAUNCHER_LOG_VERBOSITY", "value": str(verbosity)}],
        "volumeMounts": [{"name": "private", "mountPath": PRIVATE_DIRECTORY, "readOnly": True}],
        "resources": support_resources("guest-console-log", facts, pinned=pinned),
        "securityContext": unprivileged(),
        "restartPolicy": "Always",
    }
