"""The index of an output tree: README.md for people, catalog.json for consoles that offer a form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE, TEMPLATE
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.model import Catalog, Deprecation, Entry, Instancetype, Preference, Template
from virtcatalog.escaping import markdown_prose as prose
from virtcatalog.render.features import features, natural

_KINDS = {
    "instancetypes": {"cluster": CLUSTER_INSTANCETYPE, "namespaced": INSTANCETYPE},
    "preferences": {"cluster": CLUSTER_PREFERENCE, "namespaced": PREFERENCE},
}

#: A bar that would end a cell.
_BAR = re.compile(r"(?<!\\)\|")


def catalog_json(catalog: Catalog) -> str:
    """Return what a console needs to offer the catalog's instance types and preferences, as JSON.

    An instance type suits a preference if its `vcpus` and `memoryBytes` are no less than the preference's requirements.
    """
    document: dict[str, Any] = {
        "name": catalog.name,
        "description": catalog.description,
        "version": catalog.version,
        "vendor": catalog.vendor,
        "kubevirt": catalog.kubevirt,
        "kinds": _KINDS,
        "instancetypes": [
            _entry(instancetype)
            | {
                "class": instancetype.series,
                "version": instancetype.version,
                "size": instancetype.size,
                "vcpus": instancetype.vcpus,
                "memory": str(instancetype.memory),
                "memoryBytes": instancetype.memory.value,
                "features": features(instancetype.spec),
            }
            for instancetype in catalog.instancetypes
        ],
        "preferences": [
            _entry(preference)
            | {
                "osType": preference.os_type,
                "architecture": _architecture(preference),
                "requirements": _requirements(preference),
            }
            for preference in catalog.preferences
        ],
        "overlays": [
            {key: getattr(overlay, key) for key in ("name", "description", "scope", "namespace")}
            for overlay in catalog.overlays
        ],
    }
    if catalog.templates:
        document["templates"] = [
            {
                "name": template.name,
                "displayName": template.display_name,
                "description": template.description,
                "os": template.system,
                "workload": template.workload,
                "size": template.size,
                "instancetype": template.instancetype,
                "preference": template.preference,
                "environments": template.environments,
            }
            for template in catalog.templates
        ]
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def readme(catalog: Catalog) -> str:
    """Return the index as Markdown: tables by series and by operating system, the environments."""
    lines = [f"# {catalog.name}", "", "<!-- Rendered by virtcatalog from the catalog's declarations. -->", ""]
    if catalog.description:
        lines += [prose(catalog.description), ""]
    version = f"Version {catalog.version}, for" if catalog.version else "For"
    lines += [f"{version} KubeVirt {catalog.kubevirt} and later.", ""]
    if catalog.instancetypes:
        lines += ["## Instance types", ""]
    for _, group in groupby(
        catalog.instancetypes, key=lambda instancetype: (instancetype.series, instancetype.version)
    ):
        lines += _series(list(group))
    if catalog.preferences:
        lines += ["## Preferences", ""]
    ordered = sorted(catalog.preferences, key=lambda preference: preference.os_type)
    for os_type, systems in groupby(ordered, key=lambda preference: preference.os_type):
        lines += _operating_system(os_type, list(systems))
    if catalog.templates:
        lines += ["## Templates", "", *_templates(catalog.templates), ""]
    if catalog.overlays:
        rows = [
            (
                f"[{overlay.name}](overlays/{overlay.name}/kustomization.yaml)",
                overlay.scope,
                overlay.namespace,
                prose(overlay.description),
            )
            for overlay in catalog.overlays
        ]
        lines += ["## Environments", "", *_table(("Overlay", "Scope", "Namespace", "Description"), rows), ""]
    return "\n".join(lines).rstrip() + "\n"


def _templates(templates: Sequence[Template]) -> list[str]:
    """A row per operating system and workload: the templates of its sizes, `os-workload-size`."""
    rows = []
    for (system, workload), group in groupby(templates, key=lambda template: (template.system, template.workload)):
        members = list(group)
        preferences = ", ".join(dict.fromkeys(f"`{member.preference}`" for member in members if member.preference))
        links = ", ".join(f"[{member.size}](base/{TEMPLATE}/{member.name}.yaml)" for member in members)
        rows.append((f"`{system}`", workload, links, preferences))
    return _table(("OS", "Workload", "Sizes", "Preference"), rows)


def _series(members: Sequence[Instancetype]) -> list[str]:
    """A class: what its sizes have in common, and a table of the rest."""
    lines = [f"### {_title(members)}", ""]
    description = _common([member.description.strip() for member in members])
    if description:
        lines += [prose(description), ""]
    offered = {member.name: features(member.spec) for member in members}
    shared = [feature for feature in offered[members[0].name] if all(feature in others for others in offered.values())]
    if shared and len(members) > 1:
        lines += [f"All of them: {', '.join(shared)}.", ""]
    elif shared:
        shared = []
    rows = [
        (
            f"`{member.name}`",
            str(member.vcpus),
            str(member.memory),
            _ratio(member),
            ", ".join(feature for feature in offered[member.name] if feature not in shared),
            _deprecation(member.deprecated),
        )
        for member in sorted(members, key=lambda member: (member.vcpus, member.memory, natural(member.name)))
    ]
    header = ("Name", "vCPUs", "Memory", "Memory per vCPU", "Features", "Deprecated")
    return [*lines, *_table(header, rows), ""]


def _title(members: Sequence[Instancetype]) -> str:
    """The common start of a class's names, or else the class and its version; then its display name."""
    starts = {member.name.partition(".")[0] for member in members}
    start = starts.pop() if len(starts) == 1 else f"{members[0].series} {members[0].version}".strip()
    called = _common([member.display_name for member in members])
    return f"{start}: {prose(called)}" if called else start


def _common(texts: Sequence[str]) -> str:
    """The most frequent text, the first of several."""
    ((text, _),) = Counter(texts).most_common(1)
    return text


def _operating_system(os_type: str, members: Sequence[Preference]) -> list[str]:
    rows = []
    for member in sorted(members, key=lambda member: natural(member.name)):
        needs = _requirements(member)
        rows.append(
            (
                f"`{member.name}`",
                prose(member.display_name),
                str(needs.get("vcpus", "")),
                str(needs.get("memory", "")),
                _architecture(member),
                _deprecation(member.deprecated),
            )
        )
    header = ("Name", "Operating system", "vCPUs required", "Memory required", "Architecture", "Deprecated")
    return [f"### {os_type.capitalize() or 'Any operating system'}", "", *_table(header, rows), ""]


def _entry(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": entry.name,
        "displayName": entry.display_name,
        "description": entry.description,
        "labels": dict(sorted(entry.labels.items())),
    }
    if entry.deprecated is not None:
        data["deprecated"] = {"replacedBy": entry.deprecated.replaced_by, "sunset": entry.deprecated.sunset}
    return data


def _requirements(preference: Preference) -> dict[str, Any]:
    needs = preference.spec.get("requirements", {})
    data: dict[str, Any] = {}
    if "cpu" in needs:
        data["vcpus"] = needs["cpu"]["guest"]
    if "memory" in needs:
        data["memory"] = needs["memory"]["guest"]
        data["memoryBytes"] = Quantity.parse(data["memory"]).value
    if "architecture" in needs:
        data["architecture"] = needs["architecture"]
    return data


def _architecture(preference: Preference) -> str:
    architecture: str = preference.spec.get("preferredArchitecture", "") or _requirements(preference).get(
        "architecture", ""
    )
    return architecture


def _ratio(instancetype: Instancetype) -> str:
    per_vcpu, rest = divmod(instancetype.memory.value, instancetype.vcpus)
    text = "" if rest else str(Quantity.parse(f"{per_vcpu // 1024}Ki"))
    return f"{text} (not {instancetype.memory_per_vcpu})".strip() if instancetype.breaks_ratio else text


def _deprecation(deprecated: Deprecation | None) -> str:
    if deprecated is None:
        return ""
    text = f"use `{deprecated.replaced_by}`" if deprecated.replaced_by else ""
    until = f"until {deprecated.sunset}" if deprecated.sunset else ""
    return ", ".join(filter(None, (text, until))) or "yes"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Render a Markdown table; a column in which every row is empty is left out."""
    rows = list(rows)
    columns = [at for at in range(len(header)) if any(row[at] for row in rows)]
    lines = [[header[at] for at in columns], ["---"] * len(columns)]
    lines += [[_BAR.sub(r"\\|", row[at].replace("\n", " ")) for at in columns] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]
