"""The account of an import: the fate of every element and attribute of a domain, by comparison with the new VM's.

A part that the new domain has, too, is carried. The others are the host's (`fates` lists what the node, libvirt or the
cluster decides) or lost; every part has a fate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from virtcatalog.bring.imports import Fate, Verdict, lost
from virtcatalog.bring.libvirt.draft import Draft, attribute
from virtcatalog.bring.libvirt.fates import CARRIED, PATTERNS
from virtcatalog.bring.libvirt.machine import UNITS
from virtcatalog.manifests.xml import XMLElement

_NO_FIELD = "KubeVirt has no field for it"
_VIRTIO = ("virtio", "virtio-non-transitional", "virtio-transitional", "virtio-scsi")
_PREFIXES = ("ua-", "gpu-", "hostdevice-", "usb-host-", "sriov-")
_KEYS = {
    "controller": ("type", "index"),
    "entry": ("name",),
    "feature": ("name",),
    "timer": ("name",),
    "vcpu": ("id",),
    "cell": ("id",),
    "vcpupin": ("vcpu",),
    "iothreadpin": ("iothread",),
    "memnode": ("cellid",),
}
_ON = {("smm", "state"), ("apic", "state"), ("acpi", "state")}


class Part(NamedTuple):
    """An element or attribute of the source (`devices/disk[2]/driver/@cache`), its value and its fate."""

    path: str
    line: int
    column: int
    value: str
    fate: Fate
    why: str


def account(draft: Draft, new: XMLElement | None) -> list[Part]:
    """Return every part of the source, in order; without the new domain all parts are unproven."""
    unproven = Verdict("unproven", "the VM is refused") if new is None else None
    return list(_parts(draft, draft.domain, new, "", unproven))


def added(draft: Draft, new: XMLElement) -> list[str]:
    """Return the XPaths of the elements and attributes that only the new domain has.

    The content of a listed element is not listed again.
    """
    return list(_added(draft, draft.domain, new))


def _parts(
    draft: Draft, element: XMLElement, new: XMLElement | None, path: str, inherited: Verdict | None
) -> Iterator[Part]:
    fixed = inherited or draft.verdicts.get((element, None))
    general = _general(element)
    verdict = fixed or _verdict(general, element.text, new is not None and _same_text(element, new), new)
    below_verdict = fixed or (
        verdict if new is None and verdict.fate != "carried" and not _has_children_only(element) else None
    )
    counterparts = _counterparts(draft, element, new)
    above = f"{path}/" if path else ""
    below = [
        part
        for child in element.children
        for part in _parts(draft, child, counterparts.get(child), f"{above}{child.step}", below_verdict)
    ]
    if fixed is None and new is None and _has_children_only(element):
        verdict = next((Verdict(part.fate, part.why) for part in below if part.fate != "lost"), verdict)
    if element.parent is not None:
        yield Part(path, element.line, element.column, element.text, *verdict)
    for key, value in element.attributes.items():
        is_same = new is not None and _same_attribute(element, new, key)
        name = key.rpartition("}")[2]
        own = inherited or draft.verdicts.get((element, key)) or fixed
        fate = own or _verdict(f"{general}@{name}", value, is_same, new, name)
        yield Part(f"{above}@{name}", element.line, element.column, value, *fate)
    yield from below


def _has_children_only(element: XMLElement) -> bool:
    """Whether an element has children alone: no text and no attribute."""
    return bool(element.children) and not element.attributes and not element.text


def _general(element: XMLElement) -> str:
    """The path of an element without the numbers: `devices/disk/driver/`."""
    steps = []
    ancestor: XMLElement | None = element
    while ancestor is not None and ancestor.parent is not None:
        steps.append(ancestor.name)
        ancestor = ancestor.parent
    return "".join(f"{step}/" for step in reversed(steps))


def _verdict(general: str, value: str, is_same: bool, new: XMLElement | None, attribute: str = "") -> Verdict:
    if is_same:
        return CARRIED
    for pattern, verdict in PATTERNS:
        # Where the new domain lacks the element, nothing is carried.
        if (new is not None or verdict != CARRIED) and _pattern(pattern).fullmatch(f"{general}={value}"):
            return verdict
    if new is None:
        return lost(_NO_FIELD)
    now = new.attributes.get(attribute) if attribute else new.text
    return lost(f"KubeVirt makes it {now}" if now else _NO_FIELD)


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _same_text(element: XMLElement, new: XMLElement) -> bool:
    unit = _in_bytes(element), _in_bytes(new)
    if None not in unit:
        return unit[0] == unit[1]
    if element.tag == "policy":
        return _without_zeros(element.text) == _without_zeros(new.text)
    return element.text == new.text or (element.tag == "uuid" and element.text.lower() == new.text.lower())


def _without_zeros(number: str) -> str:
    """A hexadecimal number as KubeVirt writes it: libvirt's `0x0001` is `0x1`."""
    return re.sub("^0x0+(?=.)", "0x", number)


def _in_bytes(element: XMLElement) -> int | None:
    if element.tag not in ("memory", "maxMemory", "currentMemory") or not element.text.isdecimal():
        return None
    return int(element.text) * UNITS[element.get("unit", "KiB")]


def _same_attribute(element: XMLElement, new: XMLElement, attribute: str) -> bool:
    value, other = element.attributes[attribute], new.attributes.get(attribute)
    if attribute == "unit":
        return True
    if element.tag in ("cell", "page") and attribute in ("memory", "size") and value.isdecimal():
        sizes = [UNITS.get(side.get("unit", "KiB"), 0) * int(side.get(attribute) or 0) for side in (element, new)]
        return sizes[0] == sizes[1] or (attribute == "size" and "size" not in new.attributes)
    if other is None:
        return (element.tag, attribute) in _ON and value == "on"
    return (
        value == other
        or (attribute in ("model", "type") and value in _VIRTIO and other in _VIRTIO)
        or (attribute == "address" and value.lower() == other.lower())
    )


def _counterparts(draft: Draft, element: XMLElement, new: XMLElement | None) -> dict[XMLElement, XMLElement]:
    """The child elements of the source, with those of the new domain that are their counterparts."""
    if new is None:
        return {}
    children: dict[tuple[str, ...], XMLElement] = {}
    for key, child in _keyed(new, {}):
        children.setdefault(key, child)
    return {child: children[key] for key, child in _keyed(element, draft.devices) if key in children}


def _keyed(parent: XMLElement, names: dict[XMLElement, str]) -> Iterator[tuple[tuple[str, ...], XMLElement]]:
    counts: dict[str, int] = {}
    for child in parent:
        key = names.get(child) or _own_name(child)
        if not key:
            counts[child.tag] = counts.get(child.tag, 0) + 1
            key = f"#{counts[child.tag]}"
        yield (child.tag, key), child


def _own_name(element: XMLElement) -> str:
    if element.tag in _KEYS:
        return " ".join(element.get(key, "0") for key in _KEYS[element.tag])
    if element.tag == "channel":
        return attribute(element.first("target"), "name")
    if element.tag == "filesystem":
        return attribute(element.first("target"), "dir")
    name = attribute(element.first("alias"), "name")
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _added(draft: Draft, element: XMLElement, new: XMLElement) -> Iterator[str]:
    counterparts = _counterparts(draft, element, new)
    elements = set(counterparts.values())
    for child in new:
        if child not in elements:
            yield child.path
    for child, other in counterparts.items():
        yield from (f"{other.path}/@{name}" for name in other.attributes if name not in child.attributes)
        yield from _added(draft, child, other)
