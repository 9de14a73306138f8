"""The index of an output tree: README.md for people, catalog.json for consoles that offer a form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.model import Catalog, Deprecation, Entry, Instancetype, Preference
from virtcatalog.render.features import features


def catalog_json(catalog: Catalog) -> str:
    """Return what a console needs to offer the catalog's instance types and preferences, as JSON."""
    document = {
        "name": catalog.name,
        "description": catalog.description,
        "vendor": catalog.vendor,
        "kubevirt": catalog.kubevirt,
        "instancetypes": [
            _entry(each)
            | {
                "class": each.series,
                "version": each.version,
                "size": each.size,
                "vcpus": each.vcpus,
                "memory": str(each.memory),
                "memoryBytes": each.memory.value,
                "features": features(each.spec),
            }
            for each in catalog.instancetypes
        ],
        "preferences": [
            _entry(each)
            | {"osType": each.os_type, "architecture": _architecture(each), "requirements": _requirements(each)}
            for each in catalog.preferences
        ],
        "overlays": [
            {"name": each.name, "description": each.description, "scope": each.scope, "namespace": each.namespace}
            for each in catalog.overlays
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def readme(catalog: Catalog) -> str:
    """Return the index as Markdown: a table for each series, one for each operating system, the environments."""
    lines = [f"# {catalog.name}", "", "<!-- Rendered by virtcatalog from the catalog's declarations. -->", ""]
    if catalog.description:
        lines += [catalog.description, ""]
    lines += [f"For KubeVirt {catalog.kubevirt} and later.", ""]
    if catalog.instancetypes:
        lines += ["## Instance types", ""]
    for series, group in groupby(catalog.instancetypes, key=lambda each: (each.series, each.version)):
        lines += _series("".join(series), list(group))
    if catalog.preferences:
        lines += ["## Preferences", ""]
    ordered = sorted(catalog.preferences, key=lambda each: each.os_type)
    for os_type, systems in groupby(ordered, key=lambda each: each.os_type):
        lines += _operating_system(os_type, list(systems))
    if catalog.overlays:
        rows = [
            (f"[{each.name}](overlays/{each.name}/kustomization.yaml)", each.scope, each.namespace, each.description)
            for each in catalog.overlays
        ]
        lines += ["## Environments", "", *_table(("Overlay", "Scope", "Namespace", "Description"), rows), ""]
    return "\n".join(lines).rstrip() + "\n"


def _series(series: str, members: Sequence[Instancetype]) -> list[str]:
    first = members[0]
    title = f"### {series}" + (f": {first.display_name}" if first.display_name else "")
    lines = [title, ""]
    if first.description:
        lines += [first.description.strip(), ""]
    rows = [
        (
            _name(each),
            str(each.vcpus),
            str(each.memory),
            _ratio(each),
            ", ".join(features(each.spec)),
        )
        for each in sorted(members, key=lambda each: (each.vcpus, each.memory, each.name))
    ]
    return [*lines, *_table(("Name", "vCPUs", "Memory", "Memory per vCPU", "Features"), rows), ""]


def _operating_system(os_type: str, members: Sequence[Preference]) -> list[str]:
    rows = []
    for each in sorted(members, key=lambda each: each.name):
        needs = _requirements(each)
        rows.append(
            (
                _name(each),
                each.display_name,
                str(needs.get("vcpus", "")),
                str(needs.get("memory", "")),
                _architecture(each),
            )
        )
    header = ("Name", "Operating system", "vCPUs required", "Memory required", "Architecture")
    return [f"### {os_type.capitalize() or 'Any operating system'}", "", *_table(header, rows), ""]


def _entry(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {"name": entry.name, "displayName": entry.display_name, "description": entry.description}
    if entry.deprecated is not None:
        found["deprecated"] = {"replacedBy": entry.deprecated.replaced_by, "sunset": entry.deprecated.sunset}
    return found


def _requirements(preference: Preference) -> dict[str, Any]:
    needs = preference.spec.get("requirements", {})
    found: dict[str, Any] = {}
    if "cpu" in needs:
        found["vcpus"] = needs["cpu"]["guest"]
    if "memory" in needs:
        found["memory"] = needs["memory"]["guest"]
    if "architecture" in needs:
        found["architecture"] = needs["architecture"]
    return found


def _architecture(preference: Preference) -> str:
    architecture: str = preference.spec.get("preferredArchitecture", "") or _requirements(preference).get(
        "architecture", ""
    )
    return architecture


def _ratio(each: Instancetype) -> str:
    per_vcpu, rest = divmod(each.memory.value, each.vcpus)
    text = "" if rest else str(Quantity.parse(f"{per_vcpu // 1024}Ki"))
    return f"{text} (not {each.memory_per_vcpu})".strip() if each.breaks_ratio else text


def _name(entry: Entry) -> str:
    if entry.deprecated is None:
        return f"`{entry.name}`"
    return f"`{entry.name}` ({_deprecation(entry.deprecated)})"


def _deprecation(deprecated: Deprecation) -> str:
    text = "deprecated"
    if deprecated.replaced_by:
        text += f", use `{deprecated.replaced_by}`"
    return text + (f", removed after {deprecated.sunset}" if deprecated.sunset else "")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Render a Markdown table; a column in which every row is empty is left out."""
    rows = list(rows)
    columns = [at for at in range(len(header)) if any(row[at] for row in rows)]
    lines = [[header[at] for at in columns], ["---"] * len(columns)]
    lines += [[row[at].replace("|", r"\|").replace("\n", " ") for at in columns] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]
