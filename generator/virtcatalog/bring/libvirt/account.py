"""The proof of an import: what becomes of every element and attribute of a domain, by the domain of the VM made of it.

What the new domain says, too, is carried, in other words perhaps. The rest is the host's (`fates` knows what is the
business of the node, of libvirt or of the cluster) or lost; no part goes without a fate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from virtcatalog.bring.libvirt.draft import Draft, Fate, Said
from virtcatalog.bring.libvirt.fates import CARRIED, FATES
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
    """An element or attribute of the source (`devices/disk[2]/driver/@cache`), what it says, and what becomes of it."""

    path: str
    line: int
    column: int
    value: str
    fate: Fate
    why: str


def account(draft: Draft, made: XMLElement | None) -> list[Part]:
    """Return every part of the source, in its order; without a domain to compare with nothing is proven."""
    whole = Said("unproven", "the VM is refused") if made is None else None
    return list(_account(draft, draft.domain, made, "", whole))


def added(draft: Draft, made: XMLElement) -> list[str]:
    """Return the XPaths of the elements and attributes that only the new domain has.

    Of an element, what is inside of it is not listed, too.
    """
    return list(_added(draft, draft.domain, made))


def _account(
    draft: Draft, element: XMLElement, made: XMLElement | None, path: str, inherited: Said | None
) -> Iterator[Part]:
    told = inherited or draft.said.get((element, None))
    general = _general(element)
    said = told or _judge(general, element.text, made is not None and _same_text(element, made), made)
    whole = told or (said if made is None and said.fate != "carried" and not _only_holds(element) else None)
    matched = _matched(draft, element, made)
    below = [
        part
        for child in element.children
        for part in _account(draft, child, matched.get(child), f"{path}/{child.step}".lstrip("/"), whole)
    ]
    if told is None and made is None and _only_holds(element):
        said = next((Said(part.fate, part.why) for part in below if part.fate != "lost"), said)
    if element.parent is not None:
        yield Part(path, element.line, element.column, element.text, *said)
    for attribute, value in element.attributes.items():
        same = made is not None and _same_attribute(element, made, attribute)
        name = attribute.rpartition("}")[2]
        own = inherited or draft.said.get((element, attribute)) or told
        fate = own or _judge(f"{general}@{name}", value, same, made, name)
        yield Part(f"{path}/@{name}".lstrip("/"), element.line, element.column, value, *fate)
    yield from below


def _only_holds(element: XMLElement) -> bool:
    """Whether an element says nothing but what its children say."""
    return bool(element.children) and not element.attributes and not element.text


def _general(element: XMLElement) -> str:
    """The path of an element without the numbers: `devices/disk/driver/`."""
    steps = []
    each: XMLElement | None = element
    while each is not None and each.parent is not None:
        steps.append(each.name)
        each = each.parent
    return "".join(f"{step}/" for step in reversed(steps))


def _judge(general: str, value: str, same: bool, made: XMLElement | None, attribute: str = "") -> Said:
    if same:
        return CARRIED
    for pattern, said in FATES:
        # What is carried as the new domain's own element goes with it.
        if (made is not None or said != CARRIED) and _pattern(pattern).fullmatch(f"{general}={value}"):
            return said
    if made is None:
        return Said("lost", _NO_FIELD)
    now = made.attributes.get(attribute) if attribute else made.text
    return Said("lost", f"KubeVirt makes it {now}" if now else _NO_FIELD)


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _same_text(element: XMLElement, made: XMLElement) -> bool:
    unit = _in_bytes(element), _in_bytes(made)
    if None not in unit:
        return unit[0] == unit[1]
    return element.text == made.text or (element.tag == "uuid" and element.text.lower() == made.text.lower())


def _in_bytes(element: XMLElement) -> int | None:
    if element.tag not in ("memory", "maxMemory", "currentMemory") or not element.text.isdecimal():
        return None
    return int(element.text) * UNITS.get(element.get("unit", "KiB"), 0)


def _same_attribute(element: XMLElement, made: XMLElement, attribute: str) -> bool:
    value, other = element.attributes[attribute], made.attributes.get(attribute)
    if attribute == "unit":
        return True
    if element.tag in ("cell", "page") and attribute in ("memory", "size") and value.isdecimal():
        sizes = [UNITS.get(each.get("unit", "KiB"), 0) * int(each.get(attribute) or 0) for each in (element, made)]
        return sizes[0] == sizes[1] or (attribute == "size" and "size" not in made.attributes)
    if other is None:
        return (element.tag, attribute) in _ON and value == "on"
    return (
        value == other
        or (attribute in ("model", "type") and value in _VIRTIO and other in _VIRTIO)
        or (attribute == "address" and value.lower() == other.lower())
    )


def _matched(draft: Draft, element: XMLElement, made: XMLElement | None) -> dict[XMLElement, XMLElement]:
    """The elements of the new domain that stand for those of the source."""
    if made is None:
        return {}
    there: dict[tuple[str, ...], XMLElement] = {}
    for key, child in _keyed(made, {}):
        there.setdefault(key, child)
    return {child: there[key] for key, child in _keyed(element, draft.devices) if key in there}


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
        return " ".join(element.get(each, "0") for each in _KEYS[element.tag])
    if element.tag == "channel":
        target = element.first("target")
        return target.get("name") if target is not None else ""
    if element.tag == "filesystem":
        target = element.first("target")
        return target.get("dir") if target is not None else ""
    alias = element.first("alias")
    name = alias.get("name") if alias is not None else ""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _added(draft: Draft, element: XMLElement, made: XMLElement) -> Iterator[str]:
    matched = _matched(draft, element, made)
    elements = set(matched.values())
    for child in made:
        if child not in elements:
            yield child.path
    for child, other in matched.items():
        yield from (f"{other.path}/@{name}" for name in other.attributes if name not in child.attributes)
        yield from _added(draft, child, other)
