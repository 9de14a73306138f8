"""A disk image on the node.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go (validateVolumes).
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.volumes import HostDisk
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, not_found
from virtcatalog.kubevirt.configuration import Configuration


def validate_host_disk(disk: HostDisk, field: str, config: Configuration) -> Iterator[Cause]:
    """`field` is the path of the volume (validateVolumes)."""
    if not config.feature_gate("HostDisk"):
        yield invalid(field, "hostDisk needs the feature gate HostDisk")
    if not disk.path:
        yield not_found(f"{field}.hostDisk.path", "hostDisk.path must be set")
    if disk.type not in ("Disk", "DiskOrCreate"):
        yield invalid(f"{field}.hostDisk.type", f"hostDisk.type {disk.type!r} is neither Disk nor DiskOrCreate")
    if disk.type == "Disk" and disk.capacity:
        yield invalid(
            f"{field}.hostDisk.capacity",
            "hostDisk.capacity is for type DiskOrCreate: with Disk the image exists and has its size",
        )
