"""`<driver cache= io=>` of disks: what the VMI leaves open is decided by what the storage can do."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.kubevirt.launcher.elements.disks import Drive
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form

_ORDER = ("name", "type", "cache", "error_policy", "io", "discard", "queues", "iommu", "iothread")


def set_drivers(disks: Sequence[Filled]) -> list[Filled]:
    """The disks with the cache mode of each that has an image, and the I/O mode where native I/O is possible.

    DomainError for a disk that wants no cache on a file system that cannot do without. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go (SetDriverCacheMode, SetOptimalIOMode).
    """
    return [disk.form.computed(_launched).filled(*disk.texts) for disk in disks]


def _launched(drive: Drive) -> Form:
    if drive.source is None:
        return drive
    driver, direct = drive.elements[0][0], drive.source.direct
    cache, io = driver.get("cache", ""), driver.get("io", "")
    if cache in ("", "none"):
        if cache and not direct:
            message = f"none needs O_DIRECT, which the file system below volume {drive.disk.name} does not offer"
            raise DomainError(f"spec.domain.devices.disks[{drive.position}].cache", message)
        cache = "none" if direct else "writethrough"
    if not io and cache == "none" and drive.source.allocated:
        io = "native"

    def make(*texts: str) -> Sequence[Element]:
        (disk,) = drive.make(*texts)
        launched = Element("disk", disk.attrib)
        launched.extend(disk)
        launched[0] = _with_modes(disk[0], cache, io)
        return [launched]

    return Form(make, drive.texts)


def _with_modes(driver: Element, cache: str, io: str) -> Element:
    given = {**driver.attrib, "cache": cache}
    if io:
        given["io"] = io
    launched = Element("driver", {name: given[name] for name in sorted(given, key=_ORDER.index)})
    launched.extend(driver)
    return launched
