"""A Pod's volumes and mounts, as they are gathered; names and places that several of its containers have to know.

Source: pkg/virt-controller/services/rendervolumes.go (NewVolumeRenderer) and template.go.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.kubevirt.pod.facts import PRIVATE_DIRECTORY, SHARE_DIRECTORY

CONTAINER_DISKS = f"{SHARE_DIRECTORY}/container-disks"
VIRTIOFS = "virtiofs-containers"
VIRTIOFS_DIRECTORY = f"{SHARE_DIRECTORY}/{VIRTIOFS}"
LAUNCHER_VOLUME = "launcher-volume"
KERNEL_BOOT_VOLUME = "kernel-boot-volume"
HOOKS, HOOKS_DIRECTORY = "hook-sidecar-sockets", "/var/run/kubevirt-hooks"
NETWORK_INFO, NETWORK_INFO_DIRECTORY = "network-info-annotation", "/etc/podinfo"

Source = dict[str, Any]


class Volumes:
    """The Pod's volumes; the container's mounts, block devices and paths that several nodes share."""

    def __init__(self, *, image_volumes: bool) -> None:
        self.volumes: list[dict[str, Any]] = [
            {"name": "private", "emptyDir": {}},
            {"name": "public", "emptyDir": {}},
            {"name": "sockets", "emptyDir": {}},
            {"name": "virt-bin-share-dir", "emptyDir": {}},
            {"name": "libvirt-runtime", "emptyDir": {}},
            {"name": "ephemeral-disks", "emptyDir": {}},
        ]
        self.mounts: list[dict[str, Any]] = [
            {"name": "private", "mountPath": PRIVATE_DIRECTORY},
            {"name": "public", "mountPath": SHARE_DIRECTORY},
            {"name": "ephemeral-disks", "mountPath": "/var/run/kubevirt-ephemeral-disks"},
            {"name": "libvirt-runtime", "mountPath": "/var/run/libvirt"},
            {"name": "sockets", "mountPath": f"{SHARE_DIRECTORY}/sockets"},
        ]
        self.devices: list[dict[str, str]] = []
        self.shared_paths: list[str] = []
        if not image_volumes:
            self.add("container-disks", {"emptyDir": {}}, CONTAINER_DISKS, mountPropagation="HostToContainer")

    def add(self, name: str, source: Source, path: str = "", **mounted: Any) -> None:
        """Add a volume, and where it is mounted if it is."""
        self.volumes.append({"name": name, **source})
        if path:
            self.mount(name, path, **mounted)

    def mount(self, name: str, path: str, **mounted: Any) -> None:
        """Mount a volume."""
        self.mounts.append({"name": name, "mountPath": path, **mounted})
