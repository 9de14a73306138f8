"""`<driver cache= io=>` of disks: what the VMI leaves open is decided by what the storage can do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.context import BackingVolume, Context
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Shared

_NO_CLAIM = BackingVolume(has_claim=False)
_OVERLAY = BackingVolume()
"""An overlay that tracks changes, in place of what is below: a file without blocks of its own."""
_ORDER = ("name", "type", "cache", "error_policy", "io", "discard", "queues", "iommu", "iothread")


def set_drivers(elements: Sequence[Element], vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The disks with the cache mode of each that has an image, and the I/O mode where native I/O is possible.

    `elements` are those of the VMI's disks, in their order. DomainError for a disk that wants no cache on a file system
    that cannot do without. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go (SetDriverCacheMode, SetOptimalIOMode).
    """
    volumes = {volume.name: volume for volume in vmi.spec.volumes}
    launched = list(elements)
    for position, disk in enumerate(vmi.spec.domain.devices.disks):
        volume = volumes.get(disk.name)
        if volume is not None:
            launched[position] = _with_driver(elements[position], volume, context, position)
    return launched


def _with_driver(disk: Element, volume: Volume, context: Context, position: int) -> Element:
    driver = disk[0]
    claim = context.volumes.get(volume.name, _NO_CLAIM)
    if not context.release.traits.judges_images_below_overlays and disk.find("source/dataStore") is not None:
        claim = _OVERLAY
    cache, io = driver.get("cache", ""), driver.get("io", "")
    if cache in ("", "none"):
        direct = _takes_direct_io(volume, claim, context)
        if cache and not direct:
            message = f"none needs O_DIRECT, which the file system below volume {volume.name} does not offer"
            raise DomainError(f"spec.domain.devices.disks[{position}].cache", message)
        cache = "none" if direct else "writethrough"
    # An overlay of a block device is a file: what has no claim of its own is no device.
    if not io and cache == "none" and ((claim.block and claim.has_claim) or _is_allocated(volume, claim, context)):
        io = "native"
    if isinstance(disk, Shared):
        return _launched(disk, cache, io)
    disk[0] = _launched_driver(driver, cache, io)
    return disk


def _takes_direct_io(volume: Volume, claim: BackingVolume, context: Context) -> bool:
    """Whether O_DIRECT works on the disk's own image and on the one below it."""
    storage = context.direct_io
    if storage.claims and storage.node:
        return True
    if volume.persistent_volume_claim is not None or volume.data_volume is not None:
        return claim.block or storage.claims
    if volume.ephemeral is not None:
        return storage.node and (claim.block or storage.claims)
    return storage.node


def _is_allocated(volume: Volume, claim: BackingVolume, context: Context) -> bool:
    """Whether the image is a file that holds all its blocks: ISOs made of Kubernetes objects do."""
    if claim.has_claim:
        return claim.preallocated or (context.claims_allocated and claim is not _OVERLAY)
    return (
        volume.config_map is not None
        or volume.secret is not None
        or volume.sysprep is not None
        or volume.downward_api is not None
        or volume.service_account is not None
    )


@lru_cache(maxsize=1024)
def _launched(disk: Element, cache: str, io: str) -> Element:
    launched = Shared("disk", disk.attrib)
    launched.extend(disk)
    launched[0] = _launched_driver(disk[0], cache, io)
    return launched


@lru_cache(maxsize=1024)
def _launched_driver(driver: Element, cache: str, io: str) -> Element:
    given = {**driver.attrib, "cache": cache}
    if io:
        given["io"] = io
    launched = Shared("driver", {name: given[name] for name in sorted(given, key=_ORDER.index)})
    launched.extend(driver)
    return launched
