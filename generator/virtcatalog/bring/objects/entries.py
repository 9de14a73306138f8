"""Objects as what a catalog's language says of them: derived labels are not said, texts and amounts have keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from virtcatalog.api.annotations import DEPRECATED_LABEL
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.objects.facts import ABSENT, Facts, common, flatten
from virtcatalog.catalog.labels import (
    DERIVED_ANNOTATIONS,
    DERIVED_LABELS,
    PREFIX,
    common_labels,
    instancetype_labels,
    preference_labels,
)
from virtcatalog.catalog.model import Deprecation
from virtcatalog.manifests.merge import merge

_DISPLAY_NAMES = {"instancetypes": f"{PREFIX}displayName", "preferences": "openshift.io/display-name"}
DESCRIPTION, REPLACED_BY, SUNSET = f"{PREFIX}description", f"{PREFIX}replacedBy", f"{PREFIX}sunset"


class Entry(msgspec.Struct, frozen=True):
    """One instance type or preference: its name, and what its labels, annotations and spec are."""

    section: str
    name: str
    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict[str, Any]

    def label(self, key: str) -> str:
        """Return one of the labels of the catalog's own vocabulary, "" without it."""
        return self.labels.get(PREFIX + key, "")


def entry(section: str, manifest: Mapping[str, Any]) -> Entry:
    """Return an object's entry; `null` says nothing, and an amount of memory is text."""
    metadata = merge(manifest.get("metadata") or {})
    spec = merge(manifest.get("spec") or {})
    holder = spec if section == "instancetypes" else spec.get("requirements") or {}
    memory = holder.get("memory")
    if isinstance(memory, dict) and isinstance(memory.get("guest"), (int, float)):
        memory["guest"] = str(memory["guest"])
    return Entry(section, metadata["name"], metadata.get("labels") or {}, metadata.get("annotations") or {}, spec)


def instancetype_facts(one: Entry, series: str, version: str, size: str, house: House) -> Facts:
    """Return what a catalog says of an instance type of a class, its vCPUs and memory among it."""
    spec = merge(one.spec)
    derived = instancetype_labels(series, version, size, spec)
    facts = _metadata(one, derived, house)
    facts["vcpus",] = spec["cpu"].pop("guest")
    facts["memory",] = spec["memory"].pop("guest")
    for part in ("cpu", "memory"):
        if not spec[part]:
            del spec[part]
    return facts | flatten({"spec": spec} if spec else {})


def preference_facts(one: Entry, house: House) -> Facts:
    """Return what a catalog says of a preference."""
    spec = merge(one.spec)
    required = spec.get("requirements") or {}
    arch = one.label("arch")
    derived = preference_labels(one.label("os-type"), arch, spec)
    facts = _metadata(one, derived, house)
    if os_type := one.label("os-type"):
        facts["osType",] = os_type
    if arch and arch == spec.get("preferredArchitecture") == required.get("architecture"):
        facts["arch",] = arch
        del spec["preferredArchitecture"], required["architecture"]
    elif arch and arch != (spec.get("preferredArchitecture") or required.get("architecture")):
        facts["arch",] = arch
        if not spec.get("preferredArchitecture"):
            facts["spec", "preferredArchitecture"] = ABSENT
        if "requirements" not in spec:
            facts["spec", "requirements"] = ABSENT
        elif not required.get("architecture"):
            facts["spec", "requirements", "architecture"] = ABSENT
    if "requirements" in spec and not required and one.spec["requirements"]:
        del spec["requirements"]  # `arch` says it
    return facts | flatten({"spec": spec} if spec else {})


def _metadata(one: Entry, derived: Mapping[str, str], house: House) -> Facts:
    """Labels beside the derived ones, those that are derived and not there, annotations and texts."""
    deprecated = one.labels.get(DEPRECATED_LABEL) == "true"
    deprecation = Deprecation(one.annotations.get(REPLACED_BY, ""), one.annotations.get(SUNSET, ""))
    expected = dict(derived) | common_labels(house.vendor, deprecation if deprecated else None)
    facts: Facts = {("labels", key): value for key, value in one.labels.items() if key not in DERIVED_LABELS}
    if not house.relabel:
        facts |= {("labels", key): ABSENT for key in expected if key not in one.labels}
    texts = {_DISPLAY_NAMES[one.section]: "displayName", DESCRIPTION: "description"}
    facts |= {(texts[key],): one.annotations[key] for key in texts if key in one.annotations}
    for key, value in one.annotations.items():
        if key not in DERIVED_ANNOTATIONS:
            facts["annotations", key] = value
    if deprecated:
        said = {"replacedBy": deprecation.replaced_by, "sunset": deprecation.sunset}
        facts |= flatten({"deprecated": {key: value for key, value in said.items() if value}})
    return facts


class House(NamedTuple):
    """What holds for all objects: the vendor that most have, and whether each gets all labels that are derived."""

    vendor: str
    relabel: bool


def house(entries: Iterable[Entry], *, relabel: bool) -> House:
    """Return what holds for all entries."""
    vendors = [vendor for one in entries if (vendor := one.label("vendor"))]
    return House(max(sorted(set(vendors)), key=vendors.count, default=""), relabel)


def amount(text: str) -> Quantity:
    """Return an amount of memory, none for what is not one."""
    try:
        return Quantity.parse(text)
    except ValueError:
        return Quantity()


def everywhere(items: Sequence[Facts], *, files: int) -> Facts:
    """Return what a catalog says for all items: what all say, where they are in several files; labels that none has."""
    kept = ("labels", "annotations", "spec") if files > 1 else ()
    found = common(items) if items else {}
    return {path: value for path, value in found.items() if path[0] in kept or value is ABSENT}


def as_file(name: str) -> str:
    """Return a name as one of a file."""
    return "".join(each if each.isascii() and (each.isalnum() or each in "-_.") else "-" for each in name).strip(".-")
