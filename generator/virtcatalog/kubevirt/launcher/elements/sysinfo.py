"""`<sysinfo>`: the SMBIOS tables that name the machine."""

from __future__ import annotations

from virtcatalog.api.domainspec import Firmware
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf


def sysinfo(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go (SysInfoDomainConfigurator).
    """
    names, numbers = numbers_of(vmi.spec.domain.firmware)
    element = Element("sysinfo", {"type": "smbios"})
    element.append(leaf("bios"))
    system = SubElement(element, "system")
    for name, number in zip(names, numbers, strict=True):
        _entry(system, name, number)
    if context.smbios is not None:
        for name in ("manufacturer", "family", "product", "sku", "version"):
            _entry(system, name, getattr(context.smbios, name))
    element.append(leaf("baseBoard"))
    table = SubElement(element, "chassis")
    if vmi.spec.domain.chassis is not None:
        for name in ("manufacturer", "version", "serial", "asset", "sku"):
            _entry(table, name, getattr(vmi.spec.domain.chassis, name))
    return element


def numbers_of(firmware: Firmware | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a system's numbers, and the numbers."""
    if firmware is None:
        return (), ()
    if firmware.serial:
        return ("uuid", "serial"), (firmware.uuid, firmware.serial)
    return ("uuid",), (firmware.uuid,)


def _entry(table: Element, name: str, value: str) -> None:
    SubElement(table, "entry", {"name": name}).text = value
