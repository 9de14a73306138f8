"""What the site shows of instance types and preferences: plain data, amounts in bytes, costs as rounded decimals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from virtcatalog import units
from virtcatalog.api.kinds import CLUSTER_KINDS, INSTANCETYPE_KINDS
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Catalog, Deprecation, Entry, Instancetype, Preference
from virtcatalog.catalog.prices import Prices, hourly, monthly
from virtcatalog.errors import counted
from virtcatalog.render.features import features

_GIB = 2**30


class Type(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An instance type as a row: `memory` in bytes, `ratio` in GiB a vCPU, `page` the size of huge pages or "".

    `price` is what it costs, `prices` what it costs in environments with another price; `vms` counts the VMs of
    the fleet that have it.
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
    environments: tuple[str, ...]
    deprecated: bool
    retirement: str
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
    """A preference as a row: `vcpus` and `memory` (bytes) are what it requires, 0 for nothing."""

    name: str
    title: str
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
    def requirements(self) -> str:
        """What it requires, for people; "" for nothing."""
        parts = [counted(self.vcpus, "vCPU") if self.vcpus else "", units.memory(self.memory) if self.memory else ""]
        return ", ".join(filter(None, [*parts, self.architecture]))


def types(catalog: Catalog, prices: PriceList | None = None, vms: Mapping[str, int] = {}) -> list[Type]:
    """Return the instance types of a catalog, in the order of their declaration."""
    return [
        _type(instancetype, catalog, prices, vms.get(instancetype.name, 0)) for instancetype in catalog.instancetypes
    ]


def preference_rows(
    catalog: Catalog, prices: PriceList | None = None, vms: Mapping[str, int] = {}
) -> list[PreferenceRow]:
    """Return the preferences of a catalog, in the order of their declaration."""
    return [
        _preference_row(preference, catalog, prices, vms.get(preference.name, 0)) for preference in catalog.preferences
    ]


def _type(entry: Instancetype, catalog: Catalog, prices: PriceList | None, vms: int) -> Type:
    memory = entry.memory.value
    cpu, pages = entry.spec.get("cpu", {}), entry.spec.get("memory", {}).get("hugepages", {})
    return Type(
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
        features=tuple(features(entry.spec)),
        environments=_environments(entry, catalog, 0),
        deprecated=entry.deprecated is not None,
        retirement=_retirement(entry.deprecated),
        price=prices.of_type(entry) if prices else None,
        prices=dict(prices.elsewhere(entry)) if prices else {},
        vms=vms,
    )


def _preference_row(entry: Preference, catalog: Catalog, prices: PriceList | None, vms: int) -> PreferenceRow:
    needs, devices = entry.spec.get("requirements", {}), entry.spec.get("devices", {})
    memory = needs.get("memory", {}).get("guest")
    return PreferenceRow(
        name=entry.name,
        title=entry.display_name,
        description=entry.description,
        system=entry.os_type,
        vcpus=needs.get("cpu", {}).get("guest", 0),
        memory=Quantity.parse(memory).value if memory else 0,
        architecture=str(entry.spec.get("preferredArchitecture") or needs.get("architecture") or ""),
        firmware=_firmware(entry.spec.get("firmware", {})),
        devices=tuple(_devices(devices)),
        environments=_environments(entry, catalog, 1),
        deprecated=entry.deprecated is not None,
        retirement=_retirement(entry.deprecated),
        licence=prices.licence(entry) if prices else "",
        vms=vms,
    )


def _environments(entry: Entry, catalog: Catalog, kind: int) -> tuple[str, ...]:
    """The environments that have the object, of whichever scope."""
    environments = []
    for overlay in catalog.overlays:
        kinds = [own for own in overlay.kinds if own.endswith(CLUSTER_KINDS[kind].rpartition("Cluster")[2])]
        if any(overlay.includes(entry.manifest(kind)) for kind in kinds):
            environments.append(overlay.name)
    return tuple(environments)


def _retirement(deprecated: Deprecation | None) -> str:
    if deprecated is None:
        return ""
    use = f"use {deprecated.replaced_by}" if deprecated.replaced_by else ""
    until = f"served until {deprecated.sunset}" if deprecated.sunset else ""
    return ", ".join(filter(None, ("deprecated", use, until)))


def _firmware(spec: Mapping[str, Any]) -> str:
    efi = spec.get("preferredEfi")
    if efi is not None:
        return "UEFI" if efi.get("secureBoot") is False else "UEFI, secure boot"
    if spec.get("preferredUseEfi"):
        return "UEFI, secure boot" if spec.get("preferredUseSecureBoot") else "UEFI"
    return "BIOS" if spec.get("preferredUseBios") else ""


def _devices(spec: Mapping[str, Any]) -> list[str]:
    texts = {
        "preferredDiskBus": "disks on {}",
        "preferredCdromBus": "CD-ROMs on {}",
        "preferredInterfaceModel": "{} interfaces",
        "preferredVideoType": "{} graphics",
        "preferredSoundModel": "{} sound",
    }
    devices = [text.format(spec[key]) for key, text in texts.items() if spec.get(key)]
    return devices + [what for key, what in (("preferredTPM", "TPM"), ("preferredRng", "entropy")) if key in spec]


class Tag(msgspec.Struct, frozen=True, omit_defaults=True):
    """What something costs an hour and a month; "" where resources have no price, the `unpriced`."""

    hour: str = ""
    month: str = ""
    unpriced: tuple[str, ...] = ()


class Extra(msgspec.Struct, frozen=True):
    """What the licence of some preferences adds to a type's price."""

    preferences: tuple[str, ...]
    tag: Tag


class PriceList:
    """The prices of a catalog's machines."""

    def __init__(self, catalog: Catalog, prices: Prices) -> None:
        self.currency = prices.currency
        self._prices = prices
        self._overlays = catalog.overlays

    def of_type(self, entry: Instancetype) -> Tag:
        """Return what an instance type costs where no environment has another price."""
        return self._tag(entry, "", entry.spec)

    def elsewhere(self, entry: Instancetype) -> Iterator[tuple[str, Tag]]:
        """Yield the environments that have it and in which it costs something else: by their prices or patches."""
        own = self.of_type(entry)
        for overlay in self._overlays:
            spec = _spec_in(entry, overlay)
            tag = own if spec is None else self._tag(entry, overlay.name, spec)
            if tag != own:
                yield overlay.name, tag

    def licence(self, entry: Preference) -> str:
        """Return what a preference's licence costs, "" for none."""
        licence = self._prices.licence(entry.name, entry.os_type)
        parts = ((licence.cpu, "a vCPU-hour"), (licence.vm, "a VM-hour")) if licence else ()
        return ", ".join(f"{self.text(hourly(amount))} {per}" for amount, per in parts if amount)

    def extras(self, entry: Instancetype, preferences: Iterable[Preference]) -> Iterator[Extra]:
        """Yield what licences add to the price of a type, those that add the same together."""
        names_by_tag: dict[Tag, list[str]] = {}
        for preference in preferences:
            licence = self._prices.licence(preference.name, preference.os_type)
            if licence is not None:
                hour = licence.hour(entry.vcpus)
                names_by_tag.setdefault(Tag(hourly(hour), monthly(hour)), []).append(preference.name)
        yield from (Extra(tuple(names), tag) for tag, names in names_by_tag.items())

    def text(self, amount: str) -> str:
        """Return an amount with its currency."""
        return f"{amount} {self.currency}".rstrip()

    def _tag(self, entry: Instancetype, environment: str, spec: dict[str, Any]) -> Tag:
        cost = self._prices.of_type(spec, entry.series, environment)
        return Tag(hourly(cost.hour), monthly(cost.hour)) if cost.complete else Tag(unpriced=cost.missing)


def _spec_in(entry: Instancetype, overlay: Overlay) -> dict[str, Any] | None:
    """What an environment makes of a type; None where it does not have it."""
    for kind in overlay.kinds:
        manifest = entry.manifest(kind) if kind in INSTANCETYPE_KINDS else None
        if manifest is not None and overlay.includes(manifest):
            patched: dict[str, Any] = (
                overlay.deployed(manifest)["spec"] if overlay.patches_for(manifest) else entry.spec
            )
            return patched
    return None
