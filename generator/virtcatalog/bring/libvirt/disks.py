"""The disks and filesystems of a domain, and the volumes behind them."""

from __future__ import annotations

import re
from typing import Any

from virtcatalog.bring.imports import free_label, label
from virtcatalog.bring.libvirt.draft import Draft, attribute
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.bring.libvirt.volumes import claim_volume, in_place, rule_volume, volume_of_kubevirt
from virtcatalog.manifests.xml import XMLElement

_BUSES = ("virtio", "sata", "scsi", "usb")
_CACHES = ("none", "writethrough", "writeback")


def disks(draft: Draft, rules: Rules) -> None:
    """Fill in disks, filesystems and volumes."""
    used_names: set[str] = set()
    placed_volumes: list[tuple[int | None, dict[str, Any]]] = []
    for element in draft.domain.all("devices", "disk"):
        volume = _disk(draft, rules, element, used_names)
        if volume is not None:
            placed_volumes.append(volume)
    for element in draft.domain.all("devices", "filesystem"):
        name = free_label(label(attribute(element.first("target"), "dir"), "share"), used_names)
        draft.device("filesystems", {"name": name, "virtiofs": {}}, element)
        if draft.from_kubevirt:
            draft.need(f"volumes[name={name}]", "the domain does not tell what the filesystem shares")
        placed_volumes.append((None, claim_volume(draft, name, "")))
    volumes = in_place(placed_volumes)
    if volumes:
        draft.spec["volumes"] = volumes
    _boot_order(draft)
    _threads(draft)


def _disk(
    draft: Draft, rules: Rules, element: XMLElement, used_names: set[str]
) -> tuple[int | None, dict[str, Any]] | None:
    target = element.first("target")
    if target is None or not target.get("dev"):
        raise draft.fault(element, "<target dev=…> is missing: every disk has it")
    kind = element.get("device", "disk")
    if kind not in ("disk", "cdrom", "lun"):
        draft.mark("lost", f"KubeVirt has no {kind}", element)
        return None
    source = element.first("source")
    path = (
        next((source.get(name) for name in ("file", "dev", "name", "dir", "volume") if source.get(name)), "")
        if source
        else ""
    )
    if source is not None and not path and source.get("type") == "pci":
        draft.mark(
            "lost", "an NVMe device of the host is no volume of Kubernetes: give the VM a claim of its own", element
        )
        return None
    rule = rules.disk(target.get("dev"), path, path.rpartition("/")[2])
    if rule.kind == "drop":
        draft.mark("lost", f"left out, as the rule {rule.pattern}=drop says", element)
        return None
    empty = kind == "cdrom" and not path
    if empty and not draft.from_kubevirt:
        why = "an empty CD-ROM drive is none of KubeVirt's disks, unless volumes are plugged in declaratively"
        draft.mark("lost", why, element)
        return None
    alias = attribute(element.first("alias"), "name")
    name = free_label(
        alias.removeprefix("ua-")
        if alias.startswith("ua-") and draft.from_kubevirt
        else label(target.get("dev"), "disk"),
        used_names,
    )
    bus = target.get("bus")
    if bus and bus not in _BUSES:
        why = f"KubeVirt has no disks on {bus}: the guest gets it on sata"
        draft.mark("lost", why, (target, "bus"))
        bus = "sata"
    disk: dict[str, Any] = {"name": name, kind: {"bus": bus} if bus else {}}
    draft.device("disks", disk, element)
    at = ("domain", "devices", "disks", len(draft.spec["domain"]["devices"]["disks"]) - 1)
    _target(draft, element, target, (*at, kind))
    _options(draft, element, at)
    if empty:
        return None
    volume = volume_of_kubevirt(draft, element, name, path) if draft.from_kubevirt else None
    if volume is None:
        volume = None, rule_volume(draft, rules, element, name, path)
    return volume


def _target(draft: Draft, element: XMLElement, target: XMLElement, at: tuple[str | int, ...]) -> None:
    kind = at[-1]
    readonly = element.first("readonly")
    if kind == "cdrom":
        if readonly is None:
            draft.put((*at, "readonly"), False, element)
        if target.get("tray"):
            draft.put((*at, "tray"), target.get("tray"), (target, "tray"))
    elif readonly is not None and kind == "disk" and target.get("bus") in ("sata", "ide"):
        draft.mark("lost", "KubeVirt has no hard disk on sata that is read-only", readonly)
    elif readonly is not None:
        draft.put((*at, "readonly"), True, readonly)
    if kind == "lun" and element.first("source", "reservations") is not None:
        draft.put((*at, "reservation"), True, *element.all("source", "reservations"))
    address = pci_address(element.first("address"))
    if kind == "disk" and address and not has_libvirts_addresses(draft):
        draft.put((*at, "pciAddress"), address, *element.all("address"))


def has_libvirts_addresses(draft: Draft) -> bool:
    """Whether libvirt chose the addresses of the devices: it lists the root of PCI then."""
    return any(
        element.get("model") in ("pcie-root", "pci-root") for element in draft.domain.all("devices", "controller")
    )


def pci_address(address: XMLElement | None) -> str:
    """Return `0000:81:01.0` for an `<address>` on PCI, "" for another."""
    if address is None or address.get("type", "pci") != "pci":
        return ""
    numbers = []
    for name, most in (("domain", 0xFFFF), ("bus", 255), ("slot", 31), ("function", 7)):
        text = address.get(name, "0")
        if (
            not re.fullmatch("0[xX][0-9a-fA-F]{1,4}|[0-9]{1,5}", text)
            or int(text, 0 if "x" in text.lower() else 10) > most
        ):
            return ""
        numbers.append(int(text, 0 if "x" in text.lower() else 10))
    return "{:04x}:{:02x}:{:02x}.{:x}".format(*numbers)


def _options(draft: Draft, element: XMLElement, at: tuple[str | int, ...]) -> None:
    driver = element.first("driver")
    if driver is not None:
        cache = driver.get("cache")
        if cache in _CACHES and (cache != "none" or not draft.from_kubevirt):
            draft.put((*at, "cache"), cache, (driver, "cache"))
        for field, name in (("io", "io"), ("errorPolicy", "error_policy")):
            value = driver.get(name)
            if value and (value != "stop" or name != "error_policy"):
                draft.put((*at, field), value, (driver, name))
        if driver.get("queues"):
            draft.put(("domain", "devices", "blockMultiQueue"), True, (driver, "queues"))
    serial = element.first("serial")
    if serial is not None and serial.text and element.get("device", "disk") == "disk":
        draft.put((*at, "serial"), serial.text, serial)
    if element.first("shareable") is not None:
        draft.put((*at, "shareable"), True, *element.all("shareable"))
    blocks = element.first("blockio")
    if blocks is not None:
        names = {
            "logical": "logical_block_size",
            "physical": "physical_block_size",
            "discardGranularity": "discard_granularity",
        }
        sizes = {field: draft.number(blocks, name) for field, name in names.items() if blocks.get(name)}
        sizes.setdefault("logical", sizes.get("physical", 512))
        sizes.setdefault("physical", sizes["logical"])
        draft.put((*at, "blockSize"), {"custom": sizes}, blocks)
    boot = element.first("boot")
    if boot is not None:
        draft.put((*at, "bootOrder"), draft.number(boot, "order"), boot)


def _boot_order(draft: Draft) -> None:
    """Number the first device of each family as `<boot dev=…>` lists them, where no device has an order."""
    boots = draft.domain.all("os", "boot")
    families = {
        "hd": ("disks", "disk"),
        "cdrom": ("disks", "cdrom"),
        "network": ("interfaces", ""),
    }
    if any(element.first("boot") is not None for element in draft.one("devices")):
        return
    order = 0
    for boot in boots:
        family, kind = families.get(boot.get("dev"), ("", ""))
        devices = draft.get("domain", "devices", family) or []
        place = next((number for number, device in enumerate(devices) if not kind or kind in device), None)
        if not family or place is None or "bootOrder" in devices[place]:
            draft.mark("lost", "there is no such device to boot from", boot)
            continue
        order += 1
        draft.put(("domain", "devices", family, place, "bootOrder"), order, boot)
        draft.mark("carried", f"spec.template.spec.domain.devices.{family}[{place}].bootOrder", boot)


def _threads(draft: Draft) -> None:
    """IO threads: a pool, one that all disks share, or some of a disk's own."""
    total = draft.domain.first("iothreads")
    if total is None or not draft.number(total):
        return
    drivers = {name: element.first("driver") for element, name in draft.devices.items() if element.tag == "disk"}
    pool = [driver for driver in drivers.values() if driver is not None and driver.all("iothreads", "iothread")]
    alone_in_pool = draft.from_kubevirt and not any(
        driver.get("iothread") for driver in drivers.values() if driver is not None
    )
    if pool or (alone_in_pool and draft.number(total) > 1):
        draft.put(("domain", "ioThreadsPolicy"), "supplementalPool", total)
        draft.put(("domain", "ioThreads", "supplementalPoolThreadCount"), draft.number(total), total)
        return
    threads = {
        name: driver.get("iothread")
        for name, driver in drivers.items()
        if driver is not None and driver.get("iothread")
    }
    alone = [name for name, thread in threads.items() if list(threads.values()).count(thread) == 1]
    if draft.number(total) == 1 or not alone:
        draft.put(("domain", "ioThreadsPolicy"), "shared", total)
    elif len(alone) == len(drivers) == draft.number(total):
        draft.put(("domain", "ioThreadsPolicy"), "auto", total)
    else:
        for place, disk in enumerate(draft.get("domain", "devices", "disks")):
            if disk["name"] in alone:
                draft.put(("domain", "devices", "disks", place, "dedicatedIOThread"), True, total)
