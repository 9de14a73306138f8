"""The images that virt-launcher makes itself before it defines the domain."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.errors import DomainError

_MIB = 2**20


def check_empty_disks(volumes: Sequence[Volume]) -> None:
    """Raise DomainError for an empty disk that holds not even one mebibyte: images have whole ones.

    Source: pkg/emptydisk/emptydisk.go (CreateTemporaryDisks).
    """
    for position, volume in enumerate(volumes):
        if volume.empty_disk is not None and abs(volume.empty_disk.capacity.value) < _MIB:
            message = f"an empty disk has at least 1Mi, and {volume.name} has {volume.empty_disk.capacity}"
            raise DomainError(f"spec.volumes[{position}].emptyDisk.capacity", message)
