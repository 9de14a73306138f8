"""The disks of a domain as a list: names, sources, and how they are attached.

The view of nova's get_instance_disk_info.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import compress
from operator import attrgetter
from typing import Any

import msgspec
from lxml import etree
from msgspec.structs import replace

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.claims import Claims
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.result import Result


class DiskInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One disk: `volume` is the kind of the volume behind it (`containerDisk`), `path` what QEMU opens.

    `size` is the requested size of its volume in bytes, 0 where it is unknown, as for a container image. With a
    `backing_file`, only `path` is written to. `boot` is the place in the boot order, 0 for a disk that is not in it.
    """

    name: str
    volume: str = ""
    path: str = ""
    backing_file: str = ""
    size: int = 0
    bus: str = ""
    dev: str = ""
    type: str = ""
    format: str = ""
    boot: int = 0
    cache: str = ""
    io: str = ""
    serial: str = ""


def disks_of(result: Result, cluster: Cluster) -> list[DiskInfo]:
    """Return the disks of the domain that a VM has in a cluster, in the domain's order; none without a domain."""
    vmi = result.vmi_object
    if not result.domain_xml or vmi is None:
        return []
    volumes = {volume.name: volume for volume in vmi.spec.volumes}
    claims = Claims(vmi, cluster, result.vm_object)
    disks = []
    for disk in _attached(result):
        volume = volumes.get(disk.name)
        if volume is not None:
            size = _size(volume, claims)
            disk = replace(disk, volume=_kind(volume), size=size.value if size else 0)
        disks.append(disk)
    return disks


def _attached(result: Result) -> Iterator[DiskInfo]:
    """The disks as the domain alone has them."""
    domain: Any = result.domain
    if domain is None:  # a result from another process has it as text alone
        domain = etree.fromstring(result.domain_xml or "")
    return map(_disk, domain.iterfind("devices/disk"))


def _kind(volume: Volume) -> str:
    get, kinds = _kinds()
    return next(compress(kinds, get(volume)), "")


@cache
def _kinds() -> tuple[Callable[[Volume], tuple[Any, ...]], list[str]]:
    """A getter of a volume's source fields, of which one is set, and the API's names of these."""
    fields = [field for field in msgspec.structs.fields(Volume) if field.name != "name"]
    return attrgetter(*(field.name for field in fields)), [field.encode_name for field in fields]


def _size(volume: Volume, claims: Claims) -> Quantity | None:
    """The smaller of the claim's request and capacity, or the size in the volume itself; None where it is unknown."""
    if volume.empty_disk is not None:
        return volume.empty_disk.capacity
    if volume.host_disk is not None:
        return volume.host_disk.capacity
    source = volume.ephemeral.persistent_volume_claim if volume.ephemeral else volume.persistent_volume_claim
    name = source.claim_name if source else volume.data_volume.name if volume.data_volume else ""
    if not name:
        return None
    claim = claims.find(name)
    amounts = [amount for amount in (claim.request, claim.capacity) if amount is not None]
    return None if claim.assumed else min(amounts, default=None)


def _disk(element: Any) -> DiskInfo:
    target, driver, backing = element.find("target"), element.find("driver"), element.find("backingStore")
    return DiskInfo(
        name=_of(element.find("alias"), "name").removeprefix("ua-"),
        path=_path(element),
        backing_file="" if backing is None else _path(backing),
        bus=_of(target, "bus"),
        dev=_of(target, "dev"),
        type=element.get("device", ""),
        format=_of(driver, "type"),
        boot=int(_of(element.find("boot"), "order") or 0),
        cache=_of(driver, "cache"),
        io=_of(driver, "io"),
        serial=element.findtext("serial") or "",
    )


def _path(element: Any) -> str:
    source = element.find("source")
    return _of(source, "file") or _of(source, "dev")


def _of(element: Any, attribute: str) -> str:
    return "" if element is None else element.get(attribute, "")
