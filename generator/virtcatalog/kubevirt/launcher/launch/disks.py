"""Disks at launch: `<driver cache= io=>` that the VMI leaves open, and images that virt-launcher makes itself."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import Disk
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, own, shared
from virtcatalog.kubevirt.memo import memo

_ORDER = ("name", "type", "cache", "error_policy", "io", "discard", "queues", "iommu", "iothread")


def set_drivers(devices: Element, disks: Sequence[Disk], sources: Sequence[DiskSource | None]) -> None:
    """Set the cache mode of each `<disk>` that has an image, and the I/O mode where native I/O is possible.

    DomainError for a disk that wants no cache on a file system that cannot do without. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go (SetDriverCacheMode, SetOptimalIOMode).
    """
    places = [place for place, device in enumerate(devices) if device.tag == "disk"]
    for position, (place, disk, source) in enumerate(zip(places, disks, sources, strict=True)):
        if source is None:
            continue
        element = devices[place]
        if not source.direct and element[0].get("cache") == "none":
            message = f"none needs O_DIRECT, which the file system below volume {disk.name} does not offer"
            raise DomainError(f"spec.domain.devices.disks[{position}].cache", message)
        driver = element[0]
        with_modes = _shared_with_modes if isinstance(driver, Shared) else _with_modes
        launched = with_modes(driver, source.direct, source.allocated)
        if isinstance(element, Shared):
            devices[place] = _with_driver(element, launched)
        else:
            element[0] = launched


@memo
def _with_driver(disk: Element, driver: Element) -> Element:
    return shared("disk", driver, *disk[1:], **disk.attrib)


def _with_modes(driver: Element, direct: bool, allocated: bool) -> Element:
    cache, io = driver.get("cache", ""), driver.get("io", "")
    if cache in ("", "none"):
        cache = "none" if direct else "writethrough"
    if not io and cache == "none" and allocated:
        io = "native"
    modes = {**driver.attrib, "cache": cache}
    if io:
        modes["io"] = io
    attributes = {name: modes[name] for name in _ORDER if name in modes}
    make = shared if isinstance(driver, Shared) else own
    return make("driver", *driver, **attributes)


_shared_with_modes = memo(_with_modes)


_MIB = 2**20


def check_empty_disks(volumes: Sequence[Volume]) -> None:
    """Raise DomainError for an empty disk that holds not even one mebibyte: images have whole ones.

    Source: pkg/emptydisk/emptydisk.go (CreateTemporaryDisks).
    """
    for position, volume in enumerate(volumes):
        if volume.empty_disk is not None and abs(volume.empty_disk.capacity.value) < _MIB:
            message = f"an empty disk has at least 1Mi, and {volume.name} has {volume.empty_disk.capacity}"
            raise DomainError(f"spec.volumes[{position}].emptyDisk.capacity", message)
