"""The instance types, preferences, templates and environments of a catalog, as items with facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from virtcatalog.api.kinds import INSTANCETYPE_KINDS, PREFERENCE_KINDS, TEMPLATE
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import deprecation
from virtcatalog.catalog.model import Catalog
from virtcatalog.manifests.identity import Data

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices

Sort = Literal["types", "preferences", "templates", "environments"]
Fact = str | int | bool | None

_PREFIX: Final = "instancetype.kubevirt.io/"
#: Facts that are bytes.
BYTES: Final = frozenset({"memory", "requiredMemory", "maxMemory"})
#: The facts of each sort, in the order of output, with their titles in a table.
FACTS: Final[Mapping[Sort, Mapping[str, str]]] = {
    "types": {
        "class": "Class",
        "vcpus": "vCPUs",
        "memory": "Memory",
        "gpus": "GPUs",
        "hostDevices": "Devices",
        "dedicatedCpus": "Dedicated",
        "hugePages": "Huge pages",
        "deprecated": "Deprecated",
        "displayName": "Called",
    },
    "preferences": {
        "osType": "System",
        "architecture": "Arch",
        "requiredVcpus": "Needs vCPUs",
        "requiredMemory": "Needs memory",
        "diskBus": "Disk bus",
        "firmware": "Firmware",
        "deprecated": "Deprecated",
        "displayName": "Called",
    },
    "templates": {
        "kind": "Kind",
        "instancetype": "Instance type",
        "preference": "Preference",
        "environments": "Environments",
        "file": "File",
    },
    "environments": {
        "kubevirt": "KubeVirt",
        "scope": "Scope",
        "namespace": "Namespace",
        "types": "Types",
        "preferences": "Preferences",
        "deprecated": "Deprecated",
        "description": "Description",
    },
}


#: Further facts, of items that have prices: what an hour and a month cost, as decimals.
PRICED: Final[Mapping[Sort, Mapping[str, str]]] = {
    "types": {
        "pricePerHour": "Price an hour",
        "pricePerMonth": "A month",
        "currency": "Currency",
        "unpriced": "No price of",
    },
    "preferences": {"licencePerVcpu": "Licence a vCPU-hour", "licencePerVm": "A VM-hour", "currency": "Currency"},
}


class Item(msgspec.Struct, frozen=True):
    """An instance type, preference, template or environment; `facts` has those of its sort, None where unset.

    Amounts of memory are bytes. `manifest` is the object; an environment has none.
    """

    sort: Sort
    name: str
    facts: Mapping[str, Fact]
    manifest: Data | None = None


def items_of(objects: Iterable[Data], prices: Prices | None = None, environment: str = "") -> list[Item]:
    """Return the instance types and preferences among objects, one for each name: both scopes of a catalog are equal.

    With prices, those of an environment, their facts have what `PRICED` lists.
    """
    items: dict[tuple[str, str], Item] = {}
    for manifest in objects:
        item = _item(manifest)
        if item is not None and (item.sort, item.name) not in items:
            items[item.sort, item.name] = _priced(item, prices, environment) if prices else item
    return in_order(items.values())


def titles(sort: Sort, items: Iterable[Item]) -> Mapping[str, str]:
    """Return the facts of a sort with their titles, with those of prices if any item has them."""
    priced = any("currency" in item.facts for item in items)
    return {**FACTS[sort], **PRICED.get(sort, {})} if priced else FACTS[sort]


def items_of_catalog(catalog: Catalog, environments: Sequence[str] = ()) -> list[Item]:
    """Return the templates and environments of a catalog; with `environments`, only those of these."""
    items = [*_templates(catalog), *_environments(catalog)]
    if not environments:
        return items
    return [item for item in items if item.name in environments or _is_in(item, environments)]


def _item(manifest: Data) -> Item | None:
    kind, spec = manifest.get("kind"), manifest.get("spec") or {}
    if kind in INSTANCETYPE_KINDS:
        return Item("types", manifest["metadata"]["name"], _of_type(manifest, spec), manifest)
    if kind in PREFERENCE_KINDS:
        return Item("preferences", manifest["metadata"]["name"], _of_preference(manifest, spec), manifest)
    return None


def _priced(item: Item, prices: Prices, environment: str) -> Item:
    from virtcatalog.catalog.prices import hourly, monthly

    assert item.manifest is not None
    price_facts: dict[str, Fact]
    if item.sort == "types":
        cost = prices.of_type(item.manifest.get("spec") or {}, str(item.facts["class"] or ""), environment)
        price_facts = {
            "pricePerHour": hourly(cost.hour) if cost.complete else None,
            "pricePerMonth": monthly(cost.hour) if cost.complete else None,
            "unpriced": ", ".join(cost.missing) or None,
        }
    else:
        licence = prices.licence(item.name, str(item.facts["osType"] or ""))
        price_facts = {
            "licencePerVcpu": hourly(licence.cpu) if licence and licence.cpu else None,
            "licencePerVm": hourly(licence.vm) if licence and licence.vm else None,
        }
    return Item(item.sort, item.name, {**item.facts, **price_facts, "currency": prices.currency or None}, item.manifest)


def _of_type(manifest: Data, spec: Data) -> dict[str, Fact]:
    cpu, memory = spec.get("cpu") or {}, spec.get("memory") or {}
    return {
        "class": _label(manifest, "class"),
        "vcpus": cpu.get("guest"),
        "memory": _bytes(memory.get("guest")),
        "gpus": len(spec.get("gpus") or ()) or None,
        "hostDevices": len(spec.get("hostDevices") or ()) or None,
        "dedicatedCpus": bool(cpu.get("dedicatedCPUPlacement")),
        "hugePages": (memory.get("hugepages") or {}).get("pageSize"),
        **_common(manifest),
    }


def _of_preference(manifest: Data, spec: Data) -> dict[str, Fact]:
    required, devices = spec.get("requirements") or {}, spec.get("devices") or {}
    firmware = spec.get("firmware") or {}
    efi = firmware.get("preferredEfi") is not None or firmware.get("preferredUseEfi")
    return {
        "osType": _label(manifest, "os-type"),
        "architecture": spec.get("preferredArchitecture") or required.get("architecture"),
        "requiredVcpus": (required.get("cpu") or {}).get("guest"),
        "requiredMemory": _bytes((required.get("memory") or {}).get("guest")),
        "diskBus": devices.get("preferredDiskBus"),
        "firmware": "BIOS" if firmware.get("preferredUseBios") else "UEFI" if efi else None,
        **_common(manifest),
    }


def _common(manifest: Data) -> dict[str, Fact]:
    metadata = manifest["metadata"]
    annotations = metadata.get("annotations") or {}
    instead = deprecation(manifest)
    name = annotations.get(f"{_PREFIX}displayName") or annotations.get("openshift.io/display-name")
    return {"deprecated": instead if instead is None else instead or "yes", "displayName": name}


def _templates(catalog: Catalog) -> Iterator[Item]:
    everywhere = ", ".join(overlay.name for overlay in catalog.overlays)
    for vm in catalog.vms:
        spec = vm.manifest.get("spec") or {}
        facts: dict[str, Fact] = {
            "kind": str(vm.manifest.get("kind")),
            "instancetype": (spec.get("instancetype") or {}).get("name"),
            "preference": (spec.get("preference") or {}).get("name"),
            "environments": vm.environment or ", ".join(vm.environments) or everywhere or None,
            "file": vm.file,
        }
        yield Item("templates", vm.key, facts, vm.manifest)
    for template in catalog.templates:
        facts = {
            "kind": TEMPLATE,
            "instancetype": template.instancetype or None,
            "preference": template.preference or None,
            "environments": ", ".join(template.environments) or None,
            "file": template.file,
        }
        yield Item("templates", template.name, facts, template.manifest())


def _environments(catalog: Catalog) -> Iterator[Item]:
    for overlay in catalog.overlays:
        sorts = [item.sort for item in items_of(catalog.objects(overlay.name))]
        facts: dict[str, Fact] = {
            "kubevirt": overlay.kubevirt or None,
            "scope": overlay.scope,
            "namespace": overlay.namespace or None,
            "types": sorts.count("types"),
            "preferences": sorts.count("preferences"),
            "deprecated": overlay.deprecated,
            "description": overlay.description or None,
        }
        yield Item("environments", overlay.name, facts)


def _is_in(item: Item, environments: Sequence[str]) -> bool:
    item_environments = str(item.facts.get("environments") or "").split(", ")
    return item.sort == "templates" and any(name in environments for name in item_environments)


def _label(manifest: Data, key: str) -> str | None:
    return (manifest["metadata"].get("labels") or {}).get(f"{_PREFIX}{key}")


def _bytes(amount: Any) -> int | None:
    return None if amount is None else Quantity.parse(amount).value


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return instance types by class and size, then preferences by name."""
    return sorted(items, key=_order)


def _order(item: Item) -> tuple[Any, ...]:
    facts = item.facts
    size = facts.get("vcpus") or 0, facts.get("memory") or 0
    return item.sort != "types", facts.get("class") or "", size, item.name
