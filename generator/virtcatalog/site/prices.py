"""What instance types and licences cost, as texts for pages: decimals, rounded once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from virtcatalog.catalog.model import INSTANCETYPE_KINDS, Catalog, Instancetype, Overlay, Preference
from virtcatalog.catalog.prices import Prices, hourly, monthly


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
        """Return what an instance type costs where nothing else is said."""
        return self._tag(entry, "")

    def elsewhere(self, entry: Instancetype) -> Iterator[tuple[str, Tag]]:
        """Yield the environments in which it costs something else: they have other prices, or change it."""
        own = self.of_type(entry)
        for overlay in self._overlays:
            tag = self._tag(entry, overlay.name, _spec_in(entry, overlay))
            if tag != own:
                yield overlay.name, tag

    def licence(self, entry: Preference) -> str:
        """Return what a preference's licence costs, "" for none."""
        found = self._prices.licence(entry.name, entry.os_type)
        parts = ((found.cpu, "a vCPU-hour"), (found.vm, "a VM-hour")) if found else ()
        return ", ".join(f"{self.said(hourly(amount))} {per}" for amount, per in parts if amount)

    def extras(self, entry: Instancetype, preferences: Iterable[Preference]) -> Iterator[Extra]:
        """Yield what licences add to the price of a type, those that add the same together."""
        found: dict[Tag, list[str]] = {}
        for each in preferences:
            licence = self._prices.licence(each.name, each.os_type)
            if licence is not None:
                hour = licence.hour(entry.vcpus)
                found.setdefault(Tag(hourly(hour), monthly(hour)), []).append(each.name)
        yield from (Extra(tuple(names), tag) for tag, names in found.items())

    def said(self, amount: str) -> str:
        """Return an amount with its currency."""
        return f"{amount} {self.currency}".rstrip()

    def _tag(self, entry: Instancetype, environment: str, spec: dict[str, object] | None = None) -> Tag:
        cost = self._prices.of_type(entry.spec if spec is None else spec, entry.series, environment)
        return Tag(hourly(cost.hour), monthly(cost.hour)) if cost.whole else Tag(unpriced=cost.missing)


def _spec_in(entry: Instancetype, overlay: Overlay) -> dict[str, object] | None:
    """What an environment makes of a type; None where it leaves it as it is, or has it not."""
    for kind in overlay.kinds:
        if kind in INSTANCETYPE_KINDS and overlay.patches:
            manifest = entry.manifest(kind)
            if overlay.includes(manifest) and overlay.patches_for(manifest):
                spec: dict[str, object] = overlay.deployed(manifest)["spec"]
                return spec
    return None
