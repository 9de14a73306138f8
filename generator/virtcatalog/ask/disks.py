"""The disks of a domain as a list: what a guest's disks are called, where they come from and how they are attached."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance

_PLACES = ("file", "dev")


class DiskInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One disk: `volume` is the kind of the volume behind it (`containerDisk`), `path` what QEMU opens.

    `boot` is the place in the order of boot devices, 0 for a disk that is not in it.
    """

    name: str
    volume: str = ""
    path: str = ""
    bus: str = ""
    dev: str = ""
    type: str = ""
    format: str = ""
    boot: int = 0
    cache: str = ""
    io: str = ""
    serial: str = ""


def disks_of(domain_xml: str, vmi: VirtualMachineInstance) -> list[DiskInfo]:
    """Return the disks of a VMI's domain, in the domain's order."""
    volumes = dict(_volumes(vmi))
    return [_disk(element, volumes) for element in etree.fromstring(domain_xml).iterfind("devices/disk")]


def _volumes(vmi: VirtualMachineInstance) -> Iterator[tuple[str, str]]:
    for volume in vmi.spec.volumes:
        for field in msgspec.structs.fields(volume):
            if field.name != "name" and getattr(volume, field.name) is not None:
                yield volume.name, field.encode_name


def _disk(element: etree._Element, volumes: dict[str, str]) -> DiskInfo:
    name = _attribute(element, "alias", "name").removeprefix("ua-")
    return DiskInfo(
        name=name,
        volume=volumes.get(name, ""),
        path=next(filter(None, (_attribute(element, "source", place) for place in _PLACES)), ""),
        bus=_attribute(element, "target", "bus"),
        dev=_attribute(element, "target", "dev"),
        type=element.get("device", ""),
        format=_attribute(element, "driver", "type"),
        boot=int(_attribute(element, "boot", "order") or 0),
        cache=_attribute(element, "driver", "cache"),
        io=_attribute(element, "driver", "io"),
        serial=element.findtext("serial") or "",
    )


def _attribute(element: etree._Element, child: str, name: str) -> str:
    found = element.find(child)
    return "" if found is None else found.get(name, "")
