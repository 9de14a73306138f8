"""What machines cost: `prices.yaml`, and what amounts of its resources come to. Exact until it is written out.

A month has 730 hours. Amounts are rounded half up, to four decimals for an hour and two for a month;
what would round to 0 is written with its first two digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.findings import Findings, Path
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.configuration import PricesFile
from virtcatalog.errors import nearest
from virtcatalog.limits import PRICE_DIGITS
from virtcatalog.manifests.declaration import load_document

HOURS_OF_A_MONTH: Final = 730
_HOUR_DIGITS, _MONTH_DIGITS = 4, 2
_GIB: Final = 2**30
_PAGES: Final = "hugepages-"
#: A float of so many digits is the number that was written.
_FLOAT_DIGITS: Final = 15
_AMOUNT: Final = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)


class CatalogNames(NamedTuple):
    """What a catalog has that prices may name."""

    classes: Sequence[str]
    environments: Sequence[str]
    systems: Sequence[str]
    preferences: Sequence[str]


class Licence(msgspec.Struct, frozen=True):
    """What the guest's licence costs an hour, per vCPU and per VM."""

    cpu: Fraction = Fraction()
    vm: Fraction = Fraction()

    def hour(self, vcpus: int) -> Fraction:
        """What it costs a VM an hour."""
        return self.cpu * vcpus + self.vm


class LicenceRule(msgspec.Struct, frozen=True):
    """A licence, and the preferences that need it: those of an operating system, and those that a glob matches."""

    system: str
    preferences: tuple[str, ...]
    licence: Licence

    def covers(self, preference: str, system: str) -> bool:
        """Whether a preference needs it."""
        return (bool(self.system) and self.system == system) or any(
            fnmatchcase(preference, pattern) for pattern in self.preferences
        )


class Cost(msgspec.Struct, frozen=True):
    """What amounts cost an hour; `missing` are the resources that have no price and are not counted."""

    hour: Fraction
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether everything has a price."""
        return not self.missing


class Prices(msgspec.Struct, frozen=True):
    """What a unit of a resource costs an hour: a CPU, a GiB of memory or huge pages, a device.

    Those of a class of instance types override the general ones, those of an environment override both.
    """

    currency: str
    rates: Mapping[str, Fraction]
    classes: Mapping[str, Mapping[str, Fraction]] = {}
    environments: Mapping[str, Mapping[str, Fraction]] = {}
    licensed: tuple[LicenceRule, ...] = ()

    def cost(self, requests: Mapping[str, int], series: str = "", environment: str = "") -> Cost:
        """Return what amounts cost in the scheduler's units: thousandths of CPUs, bytes, devices."""
        rates = {**self.rates, **self.classes.get(series, {}), **self.environments.get(environment, {})}
        hour, missing = Fraction(), []
        for name, amount in requests.items():
            # Memory in huge pages is memory, unless it has a price of its own.
            rate = rates.get(name, rates.get("memory") if name.startswith(_PAGES) else None)
            if rate is None:
                missing.append(name)
            else:
                hour += rate * amount / _unit(name)
        return Cost(hour, tuple(missing))

    def of_type(self, spec: Mapping[str, Any], series: str = "", environment: str = "") -> Cost:
        """Return what a VM of an instance type's spec costs, without its licence."""
        return self.cost(_requests(spec), series, environment)

    def licence(self, preference: str, system: str) -> Licence | None:
        """Return the licence that a preference needs: the first that covers it."""
        return next((rule.licence for rule in self.licensed if rule.covers(preference, system)), None)


def hourly(amount: Fraction) -> str:
    """Write out what an hour costs."""
    return _rounded(amount, _HOUR_DIGITS)


def monthly(amount: Fraction) -> str:
    """Write out what a month costs by what an hour costs."""
    return _rounded(amount * HOURS_OF_A_MONTH, _MONTH_DIGITS)


def _rounded(amount: Fraction, digits: int) -> str:
    sign, amount = "-" if amount < 0 else "", abs(amount)
    if amount and amount * 10**digits * 2 < 1:
        while amount * 10**digits < 10:
            digits += 1
    units = int(amount * 10**digits + Fraction(1, 2))
    integer, rest = divmod(units, 10**digits)
    return f"{sign}{integer}.{rest:0{digits}}"


def load_prices(file: str, names: CatalogNames | None = None, *, unusable: Mapping[str, str] = {}) -> Prices:
    """Read a file of prices from outside a catalog; ManifestError carries everything that is wrong with it.

    `unusable` are fields that the caller cannot use, with the reason: a fault if the file has them.
    """

    def faults(data: Mapping[str, Any]) -> Findings:
        return [*(((key,), why) for key, why in unusable.items() if data.get(key)), *price_faults(data, names)]

    return prices_of(msgspec.to_builtins(load_document(file, PricesFile, faults)))


def prices_of(data: Mapping[str, Any]) -> Prices:
    """Return the prices of a file's data that has no faults."""
    hours = HOURS_OF_A_MONTH if data.get("perMonth") is not None else 1

    def rates(section: Mapping[str, Any] | None) -> dict[str, Fraction]:
        return {name: _amount(price) / hours for name, price in (section or {}).items() if price is not None}

    def licence(entry: Mapping[str, Any]) -> Licence:
        return Licence(*(_amount(entry.get(key) or 0) / hours for key in ("cpu", "vm")))

    return Prices(
        currency=data.get("currency") or "",
        rates=rates(data.get("perMonth") or data.get("perHour")),
        classes={name: rates(section) for name, section in (data.get("classes") or {}).items()},
        environments={name: rates(environment) for name, environment in (data.get("environments") or {}).items()},
        licensed=tuple(
            LicenceRule(entry.get("osType") or "", tuple(entry.get("preferences") or ()), licence(entry))
            for entry in data.get("licences") or ()
        ),
    )


def price_faults(data: Mapping[str, Any], names: CatalogNames | None) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with data that fits the type, and with names that the catalog does not have."""
    periods = [key for key in ("perHour", "perMonth") if data.get(key) is not None]
    if len(periods) != 1:
        where: Path = (periods[1],) if periods else ()
        yield where, "a file has perHour or perMonth, not both" if periods else "perHour or perMonth is required"
    for key in periods:
        yield from _rate_faults((key,), data[key])
    for part in ("classes", "environments"):
        for name, section in (data.get(part) or {}).items():
            yield from _rate_faults((part, name), section or {})
            allowed = getattr(names, part) if names else [name]
            if name not in allowed:
                noun = "class of the catalog" if part == "classes" else "environment of overlays.yaml"
                yield (part, name), f"{name!r} is no {noun}{nearest(name, allowed)}"
    for index, licence in enumerate(data.get("licences") or ()):
        yield from _licence_faults(("licences", index), licence, names)


def _rate_faults(path: Path, rates: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for name, amount in rates.items():
        if not _is_resource(name):
            hint = nearest(name, ("cpu", "memory")) or ": there are cpu, memory, hugepages-2Mi, example.org/device"
            yield (*path, name), f"{name!r} is no resource{hint}"
        if amount is not None and (fault := _amount_fault(amount)):
            yield (*path, name), fault


def _licence_faults(path: Path, licence: Mapping[str, Any], names: CatalogNames | None) -> Iterator[tuple[Path, str]]:
    system, patterns = licence.get("osType"), licence.get("preferences") or ()
    if not system and not patterns:
        yield path, "says of no preference that it needs the licence: give osType or preferences"
    if licence.get("cpu") is None and licence.get("vm") is None:
        yield path, "has no price: give cpu or vm"
    for key in ("cpu", "vm"):
        if licence.get(key) is not None and (fault := _amount_fault(licence[key])):
            yield (*path, key), fault
    if names and system and system not in names.systems:
        yield (*path, "osType"), f"no preference has the osType {system!r}{nearest(system, names.systems)}"
    for index, pattern in enumerate(patterns):
        if names and not any(fnmatchcase(name, pattern) for name in names.preferences):
            yield (
                (*path, "preferences", index),
                f"{pattern!r} matches no preference{nearest(pattern, names.preferences)}",
            )


def _is_resource(name: str) -> bool:
    if name.startswith(_PAGES):
        try:
            return bool(Quantity.parse(name.removeprefix(_PAGES)))
        except ValueError:
            return False
    return name in ("cpu", "memory") or "/" in name.strip("/")


def _amount_fault(amount: str | float) -> str:
    text = amount if isinstance(amount, str) else f"{Decimal(str(amount)):f}"
    if not _AMOUNT.fullmatch(text):
        return f"must be an amount such as 0.0125, at least 0, not {text[:60]!r}"
    figures = text.replace(".", "").strip("0")
    if isinstance(amount, float) and len(figures) > _FLOAT_DIGITS:
        return f"has more than {_FLOAT_DIGITS} digits: quote it, so that it is read exactly"
    integer, _, fraction = text.partition(".")
    if max(len(integer), len(fraction)) > PRICE_DIGITS:
        return f"has more than {PRICE_DIGITS} digits before or behind the point"
    return ""


def _amount(amount: str | float) -> Fraction:
    return Fraction(Decimal(str(amount)))


def _requests(spec: Mapping[str, Any]) -> dict[str, int]:
    """What a VM of an instance type has, in the scheduler's units."""
    memory = spec.get("memory") or {}
    pages = (memory.get("hugepages") or {}).get("pageSize")
    requests = {"cpu": 1000 * ((spec.get("cpu") or {}).get("guest") or 0)}
    requests[f"{_PAGES}{pages}" if pages else "memory"] = Quantity.parse(memory.get("guest") or 0).value
    for device in (*(spec.get("gpus") or ()), *(spec.get("hostDevices") or ())):
        # Of a device that a claim brings, only the claim knows what it is.
        resource = device.get("deviceName") or device["name"]
        requests[resource] = requests.get(resource, 0) + 1
    return requests


def _unit(name: str) -> int:
    if name == "cpu":
        return 1000
    return _GIB if name == "memory" or name.startswith(_PAGES) else 1
