"""`<sysinfo>`: the SMBIOS tables that name the machine."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.domainspec import Chassis, Firmware
from virtcatalog.kubevirt.launcher.context import SMBIOS
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf, own, shared
from virtcatalog.kubevirt.memo import memo


def sysinfo(firmware: Firmware | None, smbios: SMBIOS | None, chassis: Chassis | None) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go (SysInfoDomainConfigurator).
    """
    system = Element("system")
    for name, number in zip(*numbers_of(firmware), strict=True):
        SubElement(system, "entry", {"name": name}).text = number
    system.extend(_entries_of_cluster(smbios))
    names = () if chassis is None else ("manufacturer", "version", "serial", "asset", "sku")
    table = shared("chassis", *(leaf("entry", getattr(chassis, name), name=name) for name in names))
    return own("sysinfo", leaf("bios"), system, leaf("baseBoard"), table, type="smbios")


def numbers_of(firmware: Firmware | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a system's numbers, and the numbers."""
    if firmware is None:
        return (), ()
    if firmware.serial:
        return ("uuid", "serial"), (firmware.uuid, firmware.serial)
    return ("uuid",), (firmware.uuid,)


@memo
def _entries_of_cluster(smbios: SMBIOS | None) -> Sequence[Element]:
    names = () if smbios is None else ("manufacturer", "family", "product", "sku", "version")
    return tuple(leaf("entry", getattr(smbios, name), name=name) for name in names)
