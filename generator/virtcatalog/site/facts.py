"""What the site shows of instance types and preferences: plain data, amounts in bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from virtcatalog import units
from virtcatalog.api.kinds import INSTANCETYPE_KINDS, PREFERENCE_KINDS
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.lock import SECTIONS
from virtcatalog.catalog.model import Catalog, Deprecation, Entry, Instancetype, Preference
from virtcatalog.errors import counted
from virtcatalog.render.features import tagged
from virtcatalog.site.prices import PriceList, Tag, included

_GIB = 2**30
FOLDERS: Final = dict(zip(SECTIONS, ("types", "preferences"), strict=True))
"""The folders of the pages of objects, by the section of the lock that these are in."""
#: Words of a title that say which of a family it is.
_VARIANTS = frozenset({"dpdk", "desktop", "efi", "guest", "realtime", "transitional", "virtio", "xp", "vista"})


class TypeRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An instance type as a row: `memory` in bytes, `ratio` in GiB a vCPU, `page` the size of huge pages or "".

    `tags` are the features in short, `replacement` and `sunset` those of a deprecated type. `price` is what it costs,
    `prices` what it costs in environments with another price; `vms` counts the VMs of the fleet that have it.
    """

    name: str
    title: str
    description: str
    series: str
    vcpus: int
    memory: int
    ratio: float
    gpus: int
    page: str
    dedicated: bool
    features: tuple[str, ...]
    tags: tuple[str, ...] = ()
    environments: tuple[str, ...]
    deprecated: bool
    retirement: str
    replacement: str = ""
    sunset: str = ""
    price: Tag | None = None
    prices: dict[str, Tag] = {}
    vms: int = 0

    @property
    def cost(self) -> Tag:
        """The price, which may be empty."""
        return self.price or Tag()

    @property
    def amount(self) -> str:
        """The memory, for people."""
        return units.memory(self.memory)

    @property
    def size(self) -> str:
        """vCPUs and memory, for people."""
        return f"{counted(self.vcpus, 'vCPU')}, {self.amount}"

    @property
    def per_vcpu(self) -> str:
        """The ratio, for people."""
        return units.count(self.ratio)


class PreferenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A preference as a row: `vcpus` and `memory` (bytes) are what it requires, 0 for nothing.

    `version` is what its title says beside the family: the version of an operating system, or what it is for.
    """

    name: str
    title: str
    family: str
    version: str
    description: str
    system: str
    vcpus: int
    memory: int
    architecture: str
    firmware: str
    devices: tuple[str, ...]
    environments: tuple[str, ...]
    deprecated: bool
    retirement: str
    licence: str = ""
    vms: int = 0

    @property
    def needs(self) -> str:
        """The least size that it requires, for people; "" for any."""
        parts = (counted(self.vcpus, "vCPU") if self.vcpus else "", units.memory(self.memory) if self.memory else "")
        return ", ".join(filter(None, parts))

    @property
    def requirements(self) -> str:
        """What it requires, for people; "" for nothing."""
        return ", ".join(filter(None, (self.needs, self.architecture)))


def page_of(section: str, name: str) -> str:
    """Return the page of an instance type or preference."""
    return f"{FOLDERS[section]}/{name}.html"


def type_rows(catalog: Catalog, prices: PriceList | None = None, vms: Mapping[str, int] = {}) -> list[TypeRow]:
    """Return the instance types of a catalog, in the order of their declaration."""
    return [_type_row(entry, catalog, prices, vms.get(entry.name, 0)) for entry in catalog.instancetypes]


def preference_rows(
    catalog: Catalog, prices: PriceList | None = None, vms: Mapping[str, int] = {}
) -> list[PreferenceRow]:
    """Return the preferences of a catalog, in the order of their declaration."""
    return [_preference_row(entry, catalog, prices, vms.get(entry.name, 0)) for entry in catalog.preferences]


def _type_row(entry: Instancetype, catalog: Catalog, prices: PriceList | None, vms: int) -> TypeRow:
    memory = entry.memory.value
    tags = tagged(entry.spec)
    gone = entry.deprecated or Deprecation()
    cpu, pages = entry.spec.get("cpu", {}), entry.spec.get("memory", {}).get("hugepages", {})
    return TypeRow(
        name=entry.name,
        title=entry.display_name,
        description=entry.description,
        series=entry.series,
        vcpus=entry.vcpus,
        memory=memory,
        ratio=round(memory / max(entry.vcpus, 1) / _GIB, 3),
        gpus=len(entry.spec.get("gpus", ())),
        page=str(pages.get("pageSize", "")),
        dedicated=bool(cpu.get("dedicatedCPUPlacement")),
        features=tuple(feature.text for feature in tags),
        tags=tuple(feature.tag for feature in tags),
        environments=_environments(entry, catalog, INSTANCETYPE_KINDS),
        deprecated=entry.deprecated is not None,
        retirement=_retirement(entry.deprecated),
        replacement=gone.replaced_by,
        sunset=gone.sunset,
        price=prices.of_type(entry) if prices else None,
        prices=dict(prices.elsewhere(entry)) if prices else {},
        vms=vms,
    )


def _preference_row(entry: Preference, catalog: Catalog, prices: PriceList | None, vms: int) -> PreferenceRow:
    needs, devices = entry.spec.get("requirements", {}), entry.spec.get("devices", {})
    memory = needs.get("memory", {}).get("guest")
    family, version = _family_of(entry.display_name or entry.name)
    return PreferenceRow(
        name=entry.name,
        title=entry.display_name,
        family=family,
        version=version,
        description=entry.description,
        system=entry.os_type,
        vcpus=needs.get("cpu", {}).get("guest", 0),
        memory=Quantity.parse(memory).value if memory else 0,
        architecture=str(entry.spec.get("preferredArchitecture") or needs.get("architecture") or ""),
        firmware=_firmware(entry.spec.get("firmware", {})),
        devices=tuple(_devices(devices)),
        environments=_environments(entry, catalog, PREFERENCE_KINDS),
        deprecated=entry.deprecated is not None,
        retirement=_retirement(entry.deprecated),
        licence=prices.licence(entry) if prices else "",
        vms=vms,
    )


def _environments(entry: Entry, catalog: Catalog, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(overlay.name for overlay in catalog.overlays if included(entry, overlay, kinds) is not None)


def _retirement(deprecated: Deprecation | None) -> str:
    if deprecated is None:
        return ""
    use = f"use {deprecated.replaced_by}" if deprecated.replaced_by else ""
    until = f"served until {deprecated.sunset}" if deprecated.sunset else ""
    return ", ".join(filter(None, ("deprecated", use, until)))


def _firmware(spec: Mapping[str, Any]) -> str:
    """The firmware that a preference gives: secure boot is on where nothing says that it is off."""
    if spec.get("preferredUseBios"):
        return "BIOS"
    efi = spec.get("preferredEfi")
    if efi is not None:
        secure = efi.get("secureBoot") is not False
    elif spec.get("preferredUseEfi"):
        secure = spec.get("preferredUseSecureBoot") is not False
    else:
        return ""
    return "UEFI, secure boot" if secure else "UEFI"


def _devices(spec: Mapping[str, Any]) -> list[str]:
    texts = {
        "preferredDiskBus": "disks on {}",
        "preferredCdromBus": "CD-ROMs on {}",
        "preferredInterfaceModel": "{} interfaces",
        "preferredVideoType": "{} graphics",
        "preferredSoundModel": "{} sound",
    }
    devices = [text.format(spec[key]) for key, text in texts.items() if spec.get(key)]
    return devices + [name for key, name in (("preferredTPM", "TPM"), ("preferredRng", "entropy")) if key in spec]


def _family_of(title: str) -> tuple[str, str]:
    """The family of an operating system by its title, and what the title says beside it.

    `Red Hat Enterprise Linux 9 Desktop (amd64)` is of `Red Hat Enterprise Linux`, and `9 Desktop`.
    """
    words = title.split() if " " in title else re.split(r"[\s._-]+", title)
    name: list[str] = []
    for word in words:
        if name and (word.lower() in _VARIANTS or not word.isalpha()):
            break
        name.append(word)
    rest = " ".join(words[len(name) :])
    version = re.sub(r"\s*\((?:amd64|arm64|s390x)\)$", "", f" {rest}").strip()
    version = re.sub(r"^\((.*)\)$|\s*\bGuest$", r"\1", version)
    return " ".join(name), version
