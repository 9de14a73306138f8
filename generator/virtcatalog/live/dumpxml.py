"""Domains as `virsh dumpxml` prints those that run: what libvirt writes otherwise than it was told is no difference."""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element

#: Bytes of libvirt's units of memory (virScaleInteger).
_UNITS: Final = {
    "b": 1,
    "bytes": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "k": 2**10,
    "KiB": 2**10,
    "M": 2**20,
    "MiB": 2**20,
    "G": 2**30,
    "GiB": 2**30,
    "T": 2**40,
    "TiB": 2**40,
}
_KIBIBYTE: Final = 2**10
_AMOUNTS: Final = ("size", "memory")
#: What virt-launcher writes of a disk for itself: libvirt knows neither.
_OF_LAUNCHER: Final = ("capacity", "filesystemOverhead")


def in_one_form(ours: Element, dumped: Element) -> tuple[Element, Element]:
    """Return copies of a domain as it was defined and of the same as it runs, both written alike.

    Amounts of memory are in whole KiB; what libvirt drops is in neither, such as an empty section of `sysinfo`, nor are
    the names that it gives to devices. A machine's alias and the model `host-model` are what they became.
    """
    defined, running = _plain(ours), _plain(dumped)
    machine, became = defined.find("os/type"), running.find("os/type")
    if machine is not None and became is not None and _stands_for(machine.get("machine"), became.get("machine")):
        machine.set("machine", became.get("machine", ""))
    cpu, model = defined.find("cpu"), running.find("cpu")
    if cpu is not None and model is not None and (cpu.get("mode"), model.get("mode")) == ("host-model", "custom"):
        cpu.set("mode", "custom")
    return defined, running


def _stands_for(alias: str | None, machine: str | None) -> bool:
    """Whether a machine is what an alias such as q35 or virt stands for: pc-q35-rhel9.6.0, virt-9.2."""
    return bool(alias and machine) and f"{machine}".startswith((f"{alias}-", f"pc-{alias}-"))


def _plain(element: Element) -> Element:
    copy = Element(element.tag, {name: value for name, value in element.attrib.items() if (name, value) != _CLOSED})
    copy.text = element.text
    children = [child for child in map(_plain, _known(element)) if not _is_dropped(element, child)]
    copy.extend(sorted(children, key=_name) if element.tag == "system" else children)
    unit = _UNITS.get(copy.get("unit", ""))
    if unit is not None:
        copy.set("unit", "KiB")
        copy.text = _in_kib(copy.text, unit)
        for name in _AMOUNTS:
            if name in copy.attrib:
                copy.set(name, _in_kib(copy.get(name), unit) or "")
    return copy


#: A tray that is open is said, a closed one is not.
_CLOSED: Final = ("tray", "closed")


def _name(entry: Element) -> str:
    return entry.get("name", "")


def _known(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _is_dropped(parent: Element, child: Element) -> bool:
    if child.tag == "alias":
        return not child.get("name", "").startswith("ua-")
    if parent.tag == "disk":
        return child.tag in _OF_LAUNCHER
    if child.tag == "console":  # libvirt makes one of the first serial port, whatever was said of it
        return parent.find("serial") is not None and child.find("target[@type='serial']") is not None
    is_of_sysinfo = parent.tag == "sysinfo" or child.tag == "entry"
    return is_of_sysinfo and not len(child) and not (child.text or "").strip()


def _in_kib(amount: str | None, unit: int) -> str | None:
    """An amount in KiB, rounded up as libvirt does (virDomainParseMemory)."""
    text = (amount or "").strip()
    return str(-(-int(text) * unit // _KIBIBYTE)) if text.isdecimal() else amount
