"""`<driver cache= io=>` of disks: what the VMI leaves open is decided by what the storage can do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from virtcatalog.kubevirt.launcher.elements.disks import Disks
from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, Shared

_ORDER = ("name", "type", "cache", "error_policy", "io", "discard", "queues", "iommu", "iothread")


def set_drivers(disks: Filled) -> Filled:
    """The disks with the cache mode of each that has an image, and the I/O mode where native I/O is possible.

    DomainError for a disk that wants no cache on a file system that cannot do without. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go (SetDriverCacheMode, SetOptimalIOMode).
    """
    return disks.form.computed(_launched).filled(*disks.texts)


def _launched(disks: Disks) -> Form:
    def make(*texts: str) -> Sequence[Element]:
        return [
            element if source is None else _with_driver(element, source, disk.name, position)
            for position, (element, disk, source) in enumerate(zip(disks.make(*texts), *disks.of, strict=True))
        ]

    return Form(make, disks.texts)


def _with_driver(disk: Element, source: DiskSource, name: str, position: int) -> Element:
    driver = disk[0]
    cache, io = driver.get("cache", ""), driver.get("io", "")
    if cache in ("", "none"):
        if cache and not source.direct:
            message = f"none needs O_DIRECT, which the file system below volume {name} does not offer"
            raise DomainError(f"spec.domain.devices.disks[{position}].cache", message)
        cache = "none" if source.direct else "writethrough"
    if not io and cache == "none" and source.allocated:
        io = "native"
    return (_shared if isinstance(disk, Shared) else _with_modes)(disk, cache, io)


def _with_modes(disk: Element, cache: str, io: str) -> Element:
    """A disk like another, with these modes."""
    launched = Shared("disk", disk.attrib)
    launched.extend(disk)
    launched[0] = _driver(disk[0], cache, io)
    return launched


_shared = lru_cache(maxsize=1024)(_with_modes)


@lru_cache(maxsize=1024)
def _driver(driver: Element, cache: str, io: str) -> Element:
    given = {**driver.attrib, "cache": cache}
    if io:
        given["io"] = io
    launched = Shared("driver", {name: given[name] for name in sorted(given, key=_ORDER.index)})
    launched.extend(driver)
    return launched
