"""`<sysinfo>`: the SMBIOS tables that name the machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from virtcatalog.api.domainspec import Chassis, Firmware
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import SMBIOS, Context
from virtcatalog.kubevirt.launcher.xml import Element, Form, SubElement, leaf


def sysinfo(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go (SysInfoDomainConfigurator).
    """
    firmware, chassis = vmi.spec.domain.firmware, vmi.spec.domain.chassis
    names, numbers = _numbers(firmware)
    if chassis is not None:
        return _sysinfo(names, context.smbios, chassis, *numbers)
    return _form(names, context.smbios).filled(*numbers)


def _numbers(firmware: Firmware | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a system's numbers, and the numbers."""
    if firmware is None:
        return (), ()
    if firmware.serial:
        return ("uuid", "serial"), (firmware.uuid, firmware.serial)
    return ("uuid",), (firmware.uuid,)


@lru_cache(maxsize=64)
def _form(names: tuple[str, ...], smbios: SMBIOS | None) -> Form:
    return Form(lambda *numbers: [_sysinfo(names, smbios, None, *numbers)], len(names))


def _sysinfo(names: Sequence[str], smbios: SMBIOS | None, chassis: Chassis | None, *numbers: str) -> Element:
    """`<sysinfo>` of a system with numbers of these names."""
    element = Element("sysinfo", {"type": "smbios"})
    element.append(leaf("bios"))
    system = SubElement(element, "system")
    for name, number in zip(names, numbers, strict=True):
        _entry(system, name, number)
    if smbios is not None:
        for name in ("manufacturer", "family", "product", "sku", "version"):
            _entry(system, name, getattr(smbios, name))
    element.append(leaf("baseBoard"))
    table = SubElement(element, "chassis")
    if chassis is not None:
        for name in ("manufacturer", "version", "serial", "asset", "sku"):
            _entry(table, name, getattr(chassis, name))
    return element


def _entry(table: Element, name: str, value: str) -> None:
    SubElement(table, "entry", {"name": name}).text = value
