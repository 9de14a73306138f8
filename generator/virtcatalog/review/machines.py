"""In what two machines differ, in words: amounts for people, then fields; of two domains, in which elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from virtcatalog import units
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.launcher.difference import Difference as ElementDifference
from virtcatalog.kubevirt.launcher.difference import Pair, name_of
from virtcatalog.kubevirt.launcher.difference import differences as element_differences
from virtcatalog.kubevirt.launcher.xml import Element
from virtcatalog.manifests.difference import Difference, differences

_BOOTLOADER = ("domain", "firmware", "bootloader")
_METADATA = ("annotations", "labels")
_HANDLED = ("cpu", "memory")
_AMOUNT_FIELDS = ("sockets", "cores", "threads", "maxSockets", "guest", "maxGuest")
_LONGEST = 100


def machine_words(old: VirtualMachineInstance | None, new: VirtualMachineInstance | None) -> list[str]:
    """Say in what two machines differ: amounts for people and the firmware, then fields."""
    return [*amounts(old, new), *_firmware(old, new), *_fields(old, new)] if old is not None and new is not None else []


def amounts(old: VirtualMachineInstance, new: VirtualMachineInstance) -> Iterator[str]:
    """Say in which amounts two machines differ: vCPUs, memory, and how far both can grow."""
    before, after = _sizes(old), _sizes(new)
    for key, noun, unit in (("vcpus", "", " vCPUs"), ("memory", "memory ", "")):
        if before[key] != after[key]:
            yield f"{noun}{_both(before[key], after[key], key)}{unit}"
    for key, noun in (("sockets", "CPU hotplug limit"), ("limit", "memory hotplug limit")):
        if before[key] != after[key]:
            yield f"{noun} {_both(before[key], after[key], key)}"


def _firmware(old: VirtualMachineInstance, new: VirtualMachineInstance) -> Iterator[str]:
    before, after = firmware_of(old.spec), firmware_of(new.spec)
    if before != after:
        yield f"{before} → {after}"


def firmware_of(spec: VirtualMachineInstanceSpec) -> str:
    """What a machine boots with: BIOS or UEFI, Secure Boot, and whether its variables are kept."""
    firmware = spec.domain.firmware
    efi = firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None
    if efi is None:
        return "BIOS"
    secure = "without Secure Boot" if efi.secure_boot is False else "with Secure Boot"
    return f"UEFI {secure}" + (" and kept variables" if efi.persistent else "")


def _sizes(vmi: VirtualMachineInstance) -> dict[str, int | None]:
    cpu, memory = vmi.spec.domain.cpu, vmi.spec.domain.memory
    guest = memory.guest if memory is not None else None
    most = memory.max_guest if memory is not None else None
    per_socket = (cpu.cores or 1) * (cpu.threads or 1) if cpu is not None else 1
    return {
        "vcpus": cpu.vcpus if cpu is not None else None,
        "memory": guest.value if guest is not None else None,
        "sockets": cpu.max_sockets * per_socket or None if cpu is not None else None,
        "limit": most.value if most is not None else None,
    }


def _both(before: int | None, after: int | None, key: str) -> str:
    """Two amounts, with one unit if it is the same: `8 → 12 GiB`."""
    one, other = _shown(before, key), _shown(after, key)
    number, _, unit = one.partition(" ")
    return f"{number if unit and other.endswith(f' {unit}') else one} → {other}"


def _shown(amount: int | None, key: str) -> str:
    if amount is None:
        return "none"
    return units.memory(amount) if key in ("memory", "limit") else f"{amount:,}"


def _fields(old: VirtualMachineInstance, new: VirtualMachineInstance) -> Iterator[str]:
    """The fields that differ, but for those that are told as amounts; labels and annotations last."""
    others = differences(_plain(old), _plain(new), items=True)
    for difference in sorted(others, key=lambda difference: difference.path[0] in _METADATA):
        if not _is_amount(difference) and difference.path[:3] != _BOOTLOADER:
            yield str(difference)


def _plain(vmi: VirtualMachineInstance) -> dict[str, Any]:
    spec = to_manifest(vmi.spec)
    annotations = {key: value for key, value in vmi.metadata.annotations.items() if not key.endswith("vm-generation")}
    return {**spec, "annotations": annotations, "labels": dict(vmi.metadata.labels)}


def _is_amount(difference: Difference) -> bool:
    steps = [step for step in difference.path if isinstance(step, str)]
    return steps[0] == "domain" and steps[1] in _HANDLED and steps[-1] in _AMOUNT_FIELDS


def element_words(old: Element, new: Element) -> Iterator[str]:
    """Say in which elements two domains differ; one that comes or goes is shortened."""
    return map(_of_element, element_differences(old, new))


def _label(element: Element) -> str:
    """The start tag that tells an element from its siblings: `<disk root>`, `<timer hpet>`."""
    name = name_of(element)
    return f"<{element.tag} {name}>" if name else f"<{element.tag}>"


def _of_element(difference: ElementDifference) -> str:
    *path, last = difference.path
    old, new, attribute = difference.old, difference.new, difference.attribute
    if last.old is None or last.new is None:
        text = _brief(last.element, new or old or "")
        return f"{_where(path)} {'gains' if last.old is None else 'loses'} {text}"
    where = _where(difference.path)
    if attribute is None and last.element.tag == "capacity" and old and new:
        return f"{where}: {units.memory(int(old))} → {units.memory(int(new))}"
    if attribute is None:
        return f"{where}: {old or 'nothing'} → {new or 'nothing'}"
    if old is None:
        return f'{where} gains {attribute}="{new}"'
    return f'{where} loses {attribute}="{old}"' if new is None else f"{where} {attribute}: {old} → {new}"


def _where(path: list[Pair] | tuple[Pair, ...]) -> str:
    """The element at the end of a path; one without a name of its own says little without the device it is part of."""
    where = _label(path[0].element)
    for parent, pair in pairwise(path):
        named = name_of(parent.element) and parent.element.tag not in ("domain", "devices")
        where = f"{where} {_label(pair.element)}" if named else _label(pair.element)
    return where


def _brief(element: Element, text: str) -> str:
    """An element in one line, shortened when it is long."""
    if len(text) <= _LONGEST:
        return text
    if not len(element):
        return f"{text[: _LONGEST - 1]}…"
    return f"{text[: text.index('>') + 1]}…</{element.tag}>"
