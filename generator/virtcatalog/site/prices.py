"""What machines cost, as the site shows it: rounded decimals, by environment, and what licences add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from virtcatalog.api.kinds import INSTANCETYPE_KINDS
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Catalog, Entry, Instancetype, Preference
from virtcatalog.catalog.prices import Prices, hourly, monthly
from virtcatalog.manifests.identity import Data


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

    def _tag(self, entry: Instancetype, environment: str, spec: Data) -> Tag:
        cost = self._prices.of_type(spec, entry.series, environment)
        return Tag(hourly(cost.hour), monthly(cost.hour)) if cost.complete else Tag(unpriced=cost.missing)


def included(entry: Entry, overlay: Overlay, kinds: Sequence[str]) -> Data | None:
    """Return an object, of one of these kinds, as an environment has it before its patches; None if it does not."""
    manifests = (entry.manifest(kind) for kind in overlay.kinds if kind in kinds)
    return next(filter(overlay.includes, manifests), None)


def _spec_in(entry: Instancetype, overlay: Overlay) -> Data | None:
    """What an environment makes of a type; None where it does not have it."""
    manifest = included(entry, overlay, INSTANCETYPE_KINDS)
    if manifest is None:
        return None
    patched: Data = overlay.deployed(manifest)["spec"] if overlay.patches_for(manifest) else entry.spec
    return patched
