"""Domains as `virsh dumpxml` prints those that run: what libvirt writes otherwise than it was told is no difference."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
#: Attributes that libvirt leaves out for such a value: they say what is so without them. A tray is as its guest has it.
_UNSAID: Final = frozenset({("slots", "0"), ("discard_granularity", "0")})
_FRAMES: Final = ("driver", "features")
_SETS: Final = ("cpus", "cpuset", "nodeset", "vcpus")
#: What virt-launcher writes of a disk for itself: libvirt knows neither.
_OF_LAUNCHER: Final = ("capacity", "filesystemOverhead")


def in_one_form(ours: Element, dumped: Element) -> tuple[Element, Element]:
    """Return copies of a domain as it was defined and of the same as it runs, both written alike.

    Amounts of memory are in whole KiB; what libvirt drops is in neither, such as an empty section of `sysinfo`, nor are
    the names that it gives to devices. A machine's alias, the model `host-model` and a clock that follows UTC are what
    they became.
    """
    defined, running = _plain(ours), _plain(dumped)
    machine, became = defined.find("os/type"), running.find("os/type")
    if machine is not None and became is not None and _stands_for(machine.get("machine"), became.get("machine")):
        machine.set("machine", became.get("machine", ""))
    cpu, model = defined.find("cpu"), running.find("cpu")
    if cpu is not None and model is not None and (cpu.get("mode"), model.get("mode")) == ("host-model", "custom"):
        cpu.set("mode", "custom")
    clock, ticking = defined.find("clock"), running.find("clock")
    if clock is not None and ticking is not None and clock.get("offset") == "utc" == ticking.get("basis"):
        clock.set("offset", ticking.get("offset", ""))
    return defined, running


def _stands_for(alias: str | None, machine: str | None) -> bool:
    """Whether a machine is what an alias such as q35 or virt stands for: pc-q35-rhel9.6.0, virt-9.2."""
    return bool(alias and machine) and f"{machine}".startswith((f"{alias}-", f"pc-{alias}-"))


def _plain(element: Element) -> Element:
    copy = Element(element.tag, dict(_attributes(element)))
    copy.text = element.text
    children = [child for child in map(_plain, _elements_in(element)) if not _is_dropped(element, child)]
    copy.extend(sorted(children, key=_name) if element.tag == "system" else children)
    if copy.tag == "disk" and not any(child.attrib for child in copy.iterfind("source")):
        _without_medium(copy)
    unit = _UNITS.get(copy.get("unit", ""))
    if unit is not None:
        copy.set("unit", "KiB")
        copy.text = _in_kib(copy.text, unit)
        for name in _AMOUNTS:
            if name in copy.attrib:
                copy.set(name, _in_kib(copy.get(name), unit) or "")
    return copy


def _without_medium(disk: Element) -> None:
    """Take out what libvirt leaves out of a drive without a medium: what kind of medium it would be."""
    disk.attrib.pop("type", None)
    for child in disk.findall("source"):
        disk.remove(child)
    for driver in disk.iterfind("driver"):
        driver.attrib.pop("type", None)


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    """The attributes that libvirt prints, with sets of CPUs as ranges and numbers of addresses as it writes them."""
    for name, value in element.attrib.items():
        if name == "tray" or (name, value) in _UNSAID or (name == "name" and _is_local(element)):
            continue
        if name in _SETS:
            yield name, _ranges(value)
        elif element.tag == "address" and re.fullmatch(r"0x[0-9a-f]+|[0-9]+", value):
            yield name, str(int(value, 16 if value.startswith("0x") else 10))
        else:
            yield name, value


def _is_local(element: Element) -> bool:
    """Whether an element is the source of a disk on the node, of which virt-launcher notes the volume's name."""
    return element.tag == "source" and bool({"dev", "file"} & element.attrib.keys())


def _ranges(numbers: str) -> str:
    """A set of CPUs such as 0,1,2,5 as 0-2,5."""
    if not re.fullmatch(r"[0-9]{1,6}(,[0-9]{1,6})*", numbers):
        return numbers
    ranges: list[list[int]] = []
    for number in sorted(set(map(int, numbers.split(",")))):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{first}-{last}" if first != last else f"{first}" for first, last in ranges)


def _name(entry: Element) -> str:
    return entry.get("name", "")


def _elements_in(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _is_dropped(parent: Element, child: Element) -> bool:
    if child.tag == "alias":
        return not child.get("name", "").startswith("ua-")
    if parent.tag == "disk":
        return child.tag in _OF_LAUNCHER
    if child.tag == "address" and parent.tag == "controller":  # one that is not there has none
        return parent.get("model") == "none"
    if child.tag == "console":  # libvirt makes one of the first serial port, whatever was said of it
        return parent.find("serial") is not None and child.find("target[@type='serial']") is not None
    is_dropped_empty = parent.tag == "sysinfo" or child.tag == "entry" or (child.tag in _FRAMES and not child.attrib)
    return is_dropped_empty and not len(child) and not (child.text or "").strip()


def _in_kib(amount: str | None, unit: int) -> str | None:
    """An amount in KiB, rounded up as libvirt does (virDomainParseMemory)."""
    text = (amount or "").strip()
    return str(-(-int(text) * unit // _KIBIBYTE)) if text.isdecimal() else amount
