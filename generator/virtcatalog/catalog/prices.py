"""What machines cost: `prices.yaml`, and what amounts of its resources come to. Exact; rounded where it is written out.

A month has 730 hours. Amounts are rounded half up, to four digits behind the point for an hour and to two for a month;
what would become nothing is written with its first two digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.findings import Findings, Path
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.declarations import PricesFile
from virtcatalog.errors import nearest
from virtcatalog.limits import PRICE_DIGITS
from virtcatalog.manifests.typed import load_document

HOURS_OF_A_MONTH: Final = 730
_HOUR_DIGITS, _MONTH_DIGITS = 4, 2
_GIB: Final = 2**30
_PAGES: Final = "hugepages-"
#: A float of so many digits is the number that was written.
_FLOAT_DIGITS: Final = 15
_AMOUNT: Final = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)


class Known(NamedTuple):
    """What a catalog has that prices may name."""

    classes: Sequence[str]
    environments: Sequence[str]
    systems: Sequence[str]
    preferences: Sequence[str]


class Licence(msgspec.Struct, frozen=True):
    """What the guest's licence costs an hour, for each vCPU and for each VM."""

    cpu: Fraction = Fraction()
    vm: Fraction = Fraction()

    def hour(self, vcpus: int) -> Fraction:
        """What it costs a VM an hour."""
        return self.cpu * vcpus + self.vm


class Licensed(msgspec.Struct, frozen=True):
    """The preferences that need a licence: those of an operating system, those that a glob matches."""

    system: str
    preferences: tuple[str, ...]
    licence: Licence

    def covers(self, preference: str, system: str) -> bool:
        """Whether a preference needs it."""
        return (bool(self.system) and self.system == system) or any(
            fnmatchcase(preference, pattern) for pattern in self.preferences
        )


class Cost(msgspec.Struct, frozen=True):
    """What amounts cost an hour, without those of the resources that have no price."""

    hour: Fraction
    missing: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether everything has a price."""
        return not self.missing


class Prices(msgspec.Struct, frozen=True):
    """What a unit of each resource costs an hour: a CPU, a GiB of memory or huge pages, a device.

    Those of a class of instance types count over all others, those of an environment over both.
    """

    currency: str
    rates: Mapping[str, Fraction]
    classes: Mapping[str, Mapping[str, Fraction]] = {}
    environments: Mapping[str, Mapping[str, Fraction]] = {}
    licensed: tuple[Licensed, ...] = ()

    def cost(self, wanted: Mapping[str, int], series: str = "", environment: str = "") -> Cost:
        """Return what amounts cost in the scheduler's units: thousandths of CPUs, bytes, devices."""
        rates = {**self.rates, **self.classes.get(series, {}), **self.environments.get(environment, {})}
        hour, missing = Fraction(), []
        for name, amount in wanted.items():
            # Memory in huge pages is memory, unless it has a price of its own.
            rate = rates.get(name, rates.get("memory") if name.startswith(_PAGES) else None)
            if rate is None:
                missing.append(name)
            else:
                hour += rate * amount / _unit(name)
        return Cost(hour, tuple(missing))

    def of_type(self, spec: Mapping[str, Any], series: str = "", environment: str = "") -> Cost:
        """Return what a VM of an instance type's spec costs, without its licence."""
        return self.cost(_wanted(spec), series, environment)

    def licence(self, preference: str, system: str) -> Licence | None:
        """Return the licence that a preference needs: the first that covers it."""
        return next((each.licence for each in self.licensed if each.covers(preference, system)), None)

    def differs(self, environment: str) -> bool:
        """Whether an environment has prices of its own."""
        return environment in self.environments


def hourly(amount: Fraction) -> str:
    """Write out what an hour costs."""
    return _rounded(amount, _HOUR_DIGITS)


def monthly(amount: Fraction) -> str:
    """Write out what a month costs, given an hour."""
    return _rounded(amount * HOURS_OF_A_MONTH, _MONTH_DIGITS)


def _rounded(amount: Fraction, digits: int) -> str:
    sign, amount = "-" if amount < 0 else "", abs(amount)
    if amount and amount * 10**digits * 2 < 1:
        while amount * 10**digits < 10:
            digits += 1
    units = int(amount * 10**digits + Fraction(1, 2))
    whole, rest = divmod(units, 10**digits)
    return f"{sign}{whole}.{rest:0{digits}}"


def load_prices(file: str, known: Known | None = None, *, unusable: Mapping[str, str] = {}) -> Prices:
    """Read a file of prices that is no part of a catalog; ManifestError carries everything that is wrong with it.

    `unusable` says of fields why whoever asks can do nothing with them, which is a fault, too.
    """

    def faults(data: Mapping[str, Any]) -> Findings:
        return [((key,), why) for key, why in unusable.items() if data.get(key)] + price_faults(data, known)

    return made(msgspec.to_builtins(load_document(file, PricesFile, faults)))


def made(data: Mapping[str, Any]) -> Prices:
    """Return the prices that a file's data, in which nothing is wrong, says."""
    hours = HOURS_OF_A_MONTH if data.get("perMonth") is not None else 1

    def rates(given: Mapping[str, Any] | None) -> dict[str, Fraction]:
        return {name: _amount(each) / hours for name, each in (given or {}).items() if each is not None}

    def licence(each: Mapping[str, Any]) -> Licence:
        return Licence(*(_amount(each.get(key) or 0) / hours for key in ("cpu", "vm")))

    return Prices(
        currency=data.get("currency") or "",
        rates=rates(data.get("perMonth") or data.get("perHour")),
        classes={name: rates(each) for name, each in (data.get("classes") or {}).items()},
        environments={name: rates(environment) for name, environment in (data.get("environments") or {}).items()},
        licensed=tuple(
            Licensed(each.get("osType") or "", tuple(each.get("preferences") or ()), licence(each))
            for each in data.get("licences") or ()
        ),
    )


def price_faults(data: Mapping[str, Any], known: Known | None = None) -> Findings:
    """Return what is wrong with data that fits the type; with what a catalog has, also names that it does not have."""
    return list(_faults(data, known))


def _faults(data: Mapping[str, Any], known: Known | None) -> Iterator[tuple[Path, str]]:
    given = [key for key in ("perHour", "perMonth") if data.get(key) is not None]
    if len(given) != 1:
        where: Path = (given[1],) if given else ()
        yield where, "perHour and perMonth are for one file each" if given else "perHour or perMonth is required"
    for key in given:
        yield from _rate_faults((key,), data[key])
    for part in ("classes", "environments"):
        for name, each in (data.get(part) or {}).items():
            yield from _rate_faults((part, name), each or {})
            names = getattr(known, part) if known else [name]
            if name not in names:
                noun = "class of the catalog" if part == "classes" else "environment of overlays.yaml"
                yield (part, name), f"{name!r} is no {noun}{nearest(name, names)}"
    for index, licence in enumerate(data.get("licences") or ()):
        yield from _licence_faults(("licences", index), licence, known)


def _rate_faults(path: Path, rates: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for name, amount in rates.items():
        if not _is_resource(name):
            hint = nearest(name, ("cpu", "memory")) or ": there are cpu, memory, hugepages-2Mi, example.org/device"
            yield (*path, name), f"{name!r} is no resource{hint}"
        if amount is not None and (fault := _amount_fault(amount)):
            yield (*path, name), fault


def _licence_faults(path: Path, each: Mapping[str, Any], known: Known | None) -> Iterator[tuple[Path, str]]:
    system, patterns = each.get("osType"), each.get("preferences") or ()
    if not system and not patterns:
        yield path, "says of no preference that it needs the licence: give osType or preferences"
    if each.get("cpu") is None and each.get("vm") is None:
        yield path, "has no price: give cpu or vm"
    for key in ("cpu", "vm"):
        if each.get(key) is not None and (fault := _amount_fault(each[key])):
            yield (*path, key), fault
    if known and system and system not in known.systems:
        yield (*path, "osType"), f"no preference has the osType {system!r}{nearest(system, known.systems)}"
    for index, pattern in enumerate(patterns):
        if known and not any(fnmatchcase(name, pattern) for name in known.preferences):
            yield (
                (*path, "preferences", index),
                f"{pattern!r} matches no preference{nearest(pattern, known.preferences)}",
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
    whole, _, fraction = text.partition(".")
    if max(len(whole), len(fraction)) > PRICE_DIGITS:
        return f"has more than {PRICE_DIGITS} digits before or behind the point"
    return ""


def _amount(amount: str | float) -> Fraction:
    return Fraction(Decimal(str(amount)))


def _wanted(spec: Mapping[str, Any]) -> dict[str, int]:
    """What a VM of an instance type has, in the scheduler's units."""
    memory = spec.get("memory") or {}
    pages = (memory.get("hugepages") or {}).get("pageSize")
    wanted = {"cpu": 1000 * ((spec.get("cpu") or {}).get("guest") or 0)}
    wanted[f"{_PAGES}{pages}" if pages else "memory"] = Quantity.parse(memory.get("guest") or 0).value
    for device in _devices(spec):
        wanted[device] = wanted.get(device, 0) + 1
    return wanted


def _devices(spec: Mapping[str, Any]) -> Iterable[str]:
    # Of a device that a claim brings, only the claim knows what it is.
    return (each.get("deviceName") or each["name"] for part in ("gpus", "hostDevices") for each in spec.get(part) or ())


def _unit(name: str) -> int:
    if name == "cpu":
        return 1000
    return _GIB if name == "memory" or name.startswith(_PAGES) else 1
