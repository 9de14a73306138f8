"""Images in containers. Source: pkg/storage/admitters/disks.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.paths import validate_path
from virtcatalog.kubevirt.configuration import Configuration


def validate_container_disks(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Where a container disk's image lies in its container, if it is said (ValidateContainerDisks)."""
    for index, volume in enumerate(spec.volumes):
        disk = volume.container_disk
        if disk is not None and disk.path:
            yield from validate_path(disk.path, f"{path}.volumes[{index}].containerDisk")
