"""`<sysinfo>`: the SMBIOS tables that name the machine."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.xml import Element, SubElement


def sysinfo(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go.
    """
    element = Element("sysinfo", type="smbios")
    SubElement(element, "bios")
    system = SubElement(element, "system")
    firmware, smbios, chassis = vmi.spec.domain.firmware, context.smbios, vmi.spec.domain.chassis
    if firmware is not None:
        _entry(system, "uuid", firmware.uuid)
        if firmware.serial:
            _entry(system, "serial", firmware.serial)
    if smbios is not None:
        for name in ("manufacturer", "family", "product", "sku", "version"):
            _entry(system, name, getattr(smbios, name))
    SubElement(element, "baseBoard")
    table = SubElement(element, "chassis")
    if chassis is not None:
        for name in ("manufacturer", "version", "serial", "asset", "sku"):
            _entry(table, name, getattr(chassis, name))
    return element


def _entry(table: Element, name: str, value: str) -> None:
    SubElement(table, "entry", name=name).text = value
