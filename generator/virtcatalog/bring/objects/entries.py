"""Objects as entries of a catalog: without derived labels, with the catalog's keys for texts and amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from virtcatalog.api.names import DEPRECATED_LABEL
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
    """An instance type or preference: its name, labels, annotations and spec."""

    section: str
    name: str
    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict[str, Any]

    def label(self, key: str) -> str:
        """Return one of the labels of the catalog's own vocabulary, "" without it."""
        return self.labels.get(PREFIX + key, "")


def entry_of(section: str, manifest: Mapping[str, Any]) -> Entry:
    """Return an object's entry; `null` values are dropped, and an amount of memory is text."""
    metadata = merge(manifest.get("metadata") or {})
    spec = with_text_amounts(manifest.get("spec") or {})
    return Entry(section, metadata["name"], metadata.get("labels") or {}, metadata.get("annotations") or {}, spec)


def with_text_amounts(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a spec whose amounts of memory are text, as a catalog writes them."""
    data = merge(spec)
    for holder in (data, data.get("requirements") or {}):
        memory = holder.get("memory")
        if isinstance(memory, dict) and isinstance(memory.get("guest"), (int, float)):
            memory["guest"] = str(memory["guest"])
    return data


def instancetype_facts(entry: Entry, series: str, version: str, size: str, conventions: Conventions) -> Facts:
    """Return the facts of an instance type of a class, with its vCPUs and memory."""
    spec = merge(entry.spec)
    derived = instancetype_labels(series, version, size, spec)
    facts = _metadata(entry, derived, conventions)
    facts["vcpus",] = spec["cpu"].pop("guest")
    facts["memory",] = spec["memory"].pop("guest")
    for part in ("cpu", "memory"):
        if not spec[part]:
            del spec[part]
    return facts | flatten({"spec": spec} if spec else {})


def preference_facts(entry: Entry, conventions: Conventions) -> Facts:
    """Return the facts of a preference."""
    spec = merge(entry.spec)
    required = spec.get("requirements") or {}
    arch = entry.label("arch")
    derived = preference_labels(entry.label("os-type"), arch, spec)
    facts = _metadata(entry, derived, conventions)
    if os_type := entry.label("os-type"):
        facts["osType",] = os_type
    if arch and arch == spec.get("preferredArchitecture") == required.get("architecture"):
        facts["arch",] = arch
        del spec["preferredArchitecture"], required["architecture"]
    elif arch and arch != (spec.get("preferredArchitecture") or required.get("architecture")):
        facts["arch",] = arch
        # What the spec has itself takes the place of these.
        facts["spec", "preferredArchitecture"] = ABSENT
        absent = ("spec", "requirements", "architecture") if "requirements" in spec else ("spec", "requirements")
        facts[absent] = ABSENT
    if "requirements" in spec and not required and entry.spec["requirements"]:
        del spec["requirements"]  # `arch` implies it
    return facts | flatten({"spec": spec} if spec else {})


def _metadata(entry: Entry, derived: Mapping[str, str], conventions: Conventions) -> Facts:
    """Labels that are not derived, derived ones that are missing (ABSENT), annotations and texts."""
    deprecated = entry.labels.get(DEPRECATED_LABEL) == "true"
    deprecation = Deprecation(entry.annotations.get(REPLACED_BY, ""), entry.annotations.get(SUNSET, ""))
    expected = dict(derived) | common_labels(conventions.vendor, deprecation if deprecated else None)
    facts: Facts = {("labels", key): value for key, value in entry.labels.items() if key not in DERIVED_LABELS}
    if not conventions.relabel:
        facts |= {("labels", key): ABSENT for key in expected if key not in entry.labels}
    texts = {_DISPLAY_NAMES[entry.section]: "displayName", DESCRIPTION: "description"}
    facts |= {(texts[key],): entry.annotations[key] for key in texts if key in entry.annotations}
    for key, value in entry.annotations.items():
        if key not in DERIVED_ANNOTATIONS:
            facts["annotations", key] = value
    if deprecated:
        deprecated_fields = {"replacedBy": deprecation.replaced_by, "sunset": deprecation.sunset}
        facts |= flatten({"deprecated": {key: value for key, value in deprecated_fields.items() if value}})
    return facts


class Conventions(NamedTuple):
    """What all objects share: the commonest vendor, and whether they get all derived labels."""

    vendor: str
    relabel: bool


def conventions(entries: Iterable[Entry], *, relabel: bool) -> Conventions:
    """Return the conventions of all entries."""
    vendors = [vendor for entry in entries if (vendor := entry.label("vendor"))]
    return Conventions(max(sorted(set(vendors)), key=vendors.count, default=""), relabel)


def everywhere(items: Sequence[Facts], *, files: int) -> Facts:
    """Return the facts of a catalog's base: those of all items, and derived labels that none has.

    With one file alone, only the labels: its own layer has the rest.
    """
    sections = ("labels", "annotations", "spec") if files > 1 else ()
    shared = common(items) if items else {}
    return {
        path: value
        for path, value in shared.items()
        # What `arch` stands for can only be left out beside `arch`.
        if (path[0] == "labels" if value is ABSENT else path[0] in sections)
    }


def as_file(name: str) -> str:
    """Return a name with characters for file names alone."""
    return "".join(
        character if character.isascii() and (character.isalnum() or character in "-_.") else "-" for character in name
    ).strip(".-")
