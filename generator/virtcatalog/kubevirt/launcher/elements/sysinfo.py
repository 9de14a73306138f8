"""`<sysinfo>`: the SMBIOS tables that name the machine."""

from __future__ import annotations

from functools import cache, lru_cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import SMBIOS, Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf


def sysinfo(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go (SysInfoDomainConfigurator).
    """
    element = Element("sysinfo", {"type": "smbios"})
    bios, base_board, plain_chassis = _empty_tables()
    element.append(bios)
    system = SubElement(element, "system")
    firmware, smbios, chassis = vmi.spec.domain.firmware, context.smbios, vmi.spec.domain.chassis
    if firmware is not None:
        _entry(system, "uuid", firmware.uuid)
        if firmware.serial:
            _entry(system, "serial", firmware.serial)
    if smbios is not None:
        system.extend(_entries(smbios))
    element.append(base_board)
    if chassis is None:
        element.append(plain_chassis)
    else:
        table = SubElement(element, "chassis")
        for name in ("manufacturer", "version", "serial", "asset", "sku"):
            _entry(table, name, getattr(chassis, name))
    return element


@cache
def _empty_tables() -> tuple[Element, Element, Element]:
    return leaf("bios"), leaf("baseBoard"), leaf("chassis")


@lru_cache(maxsize=16)
def _entries(smbios: SMBIOS) -> tuple[Element, ...]:
    names = ("manufacturer", "family", "product", "sku", "version")
    return tuple(leaf("entry", getattr(smbios, name), name=name) for name in names)


def _entry(table: Element, name: str, value: str) -> None:
    SubElement(table, "entry", {"name": name}).text = value
