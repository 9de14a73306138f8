"""Objects of both scopes and of several namespaces as entries, and environments that deploy exactly them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from virtcatalog.api.kinds import CLUSTER_KINDS, INSTANCETYPE_KINDS
from virtcatalog.bring.objects.entries import Entry, entry_of
from virtcatalog.bring.objects.facts import difference, flatten, tree
from virtcatalog.catalog.labels import DERIVED_LABELS

_CLUSTER = ""
_NONE = "-"


def environments(manifests: Sequence[Mapping[str, Any]]) -> tuple[list[Entry], dict[str, dict[str, Any]]]:
    """Return an entry for each name, and environments with the objects; none if the base has exactly them.

    The entry is that of the cluster-wide object, or else of the first namespace; environments patch it for differing
    objects of the same name.
    """
    places: dict[str, dict[tuple[str, str], Entry]] = {}
    for manifest in manifests:
        entry = entry_of("instancetypes" if manifest["kind"] in INSTANCETYPE_KINDS else "preferences", manifest)
        cluster = manifest["kind"] in CLUSTER_KINDS
        namespace = (manifest.get("metadata") or {}).get("namespace") or ""
        place = _CLUSTER if cluster else namespace or _NONE
        places.setdefault(place, {})[entry.section, entry.name] = entry
    entries: dict[tuple[str, str], Entry] = {}
    for place in sorted(places):
        for key, entry in places[place].items():
            entries.setdefault(key, entry)
    complete = {place: selected for place, selected in places.items() if selected == entries}
    if set(places) == {_CLUSTER, _NONE} and len(complete) == 2:
        return list(entries.values()), {}
    declared: dict[str, dict[str, Any]] = {}
    for place, name in _environment_names(places):
        selected = places[place]
        if _select(selected, entries) is not None:
            declared[name] = _environment(place, selected, entries)
            continue
        # An instance type and a preference share a name, and the place has one of them alone.
        for section in ("instancetypes", "preferences"):
            part = {key: entry for key, entry in selected.items() if key[0] == section}
            if part:
                declared[f"{name}-{section}"] = _environment(place, part, entries)
    return list(entries.values()), declared


def _environment_names(places: Mapping[str, object]) -> list[tuple[str, str]]:
    """The places with the names of their environments: `cluster`, `namespaced` or the namespace."""
    fixed = {_CLUSTER: "cluster", _NONE: "namespaced"}
    return [
        (place, fixed.get(place, place if place not in fixed.values() else f"in-{place}")) for place in sorted(places)
    ]


def _environment(
    place: str, selected: Mapping[tuple[str, str], Entry], entries: Mapping[tuple[str, str], Entry]
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    select = _select(selected, entries)
    if select is None:
        select = {"names": [name for _, name in selected], "kinds": _kinds(place, selected)}
    if place == _NONE:  # a namespaced scope would need a namespace
        data["scope"] = "both"
        select = {**select, "kinds": _kinds(place, selected)}
    elif place != _CLUSTER:
        data |= {"scope": "namespaced", "namespace": place}
    if select:
        data["select"] = select
    patches = [
        {"select": {"names": [entry.name], "kinds": [_kind(place, entry.section)]}} | patch
        for key, entry in selected.items()
        if (patch := _patch(entries[key], entry))
    ]
    return data | ({"patches": patches} if patches else {})


def _select(
    selected: Mapping[tuple[str, str], Entry], entries: Mapping[tuple[str, str], Entry]
) -> dict[str, Any] | None:
    """The selection of some entries by name, {} for all of them; None if names alone do not suffice."""
    if len(selected) == len(entries):
        return {}
    names = [name for _, name in selected]
    return {"names": names} if sum(name in names for _, name in entries) == len(selected) else None


def _kinds(place: str, selected: Mapping[tuple[str, str], Entry]) -> list[str]:
    return [_kind(place, section) for section in dict.fromkeys(section for section, _ in selected)]


def _kind(place: str, section: str) -> str:
    kind = "Instancetype" if section == "instancetypes" else "Preference"
    return f"VirtualMachine{'Cluster' if place == _CLUSTER else ''}{kind}"


def _patch(base: Entry, entry: Entry) -> dict[str, Any]:
    """The patch of an environment that turns the catalog's entry into another; derived labels follow by themselves."""
    metadata = {
        key: tree(difference(flatten(old), flatten(new)))
        for key, old, new in (
            ("labels", _own_labels(base.labels), _own_labels(entry.labels)),
            ("annotations", base.annotations, entry.annotations),
        )
    }
    spec = tree(difference(flatten({"spec": base.spec}), flatten({"spec": entry.spec})))
    metadata = {key: value for key, value in metadata.items() if value}
    return ({"metadata": metadata} if metadata else {}) | spec


def _own_labels(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if key not in DERIVED_LABELS}
