"""Objects of both scopes and of several namespaces as entries, and the environments that deploy just them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from virtcatalog.api.kinds import CLUSTER_SCOPED
from virtcatalog.bring.objects.entries import Entry, entry
from virtcatalog.bring.objects.facts import difference, flatten, tree
from virtcatalog.catalog.labels import DERIVED_LABELS
from virtcatalog.catalog.model import INSTANCETYPE_KINDS

_CLUSTER = ""
_NONE = "-"


def environments(manifests: Sequence[Mapping[str, Any]]) -> tuple[list[Entry], dict[str, dict[str, Any]]]:
    """Return an entry for each name, and the environments that have the objects: none where the base has just them.

    An entry is what the cluster-wide object says, or else the one of the first namespace; an environment patches what
    another one of that name says otherwise.
    """
    places: dict[str, dict[tuple[str, str], Entry]] = {}
    for manifest in manifests:
        one = entry("instancetypes" if manifest["kind"] in INSTANCETYPE_KINDS else "preferences", manifest)
        cluster = manifest["kind"] in CLUSTER_SCOPED
        namespace = (manifest.get("metadata") or {}).get("namespace") or ""
        place = _CLUSTER if cluster else namespace or _NONE
        places.setdefault(place, {})[one.section, one.name] = one
    entries: dict[tuple[str, str], Entry] = {}
    for place in sorted(places):
        for key, one in places[place].items():
            entries.setdefault(key, one)
    whole = {place: found for place, found in places.items() if found == entries}
    if set(places) == {_CLUSTER, _NONE} and len(whole) == 2:
        return list(entries.values()), {}
    made: dict[str, dict[str, Any]] = {}
    for place, name in _named(places):
        found = places[place]
        if _select(found, entries) is not None:
            made[name] = _environment(place, found, entries)
            continue
        for section in ("instancetypes", "preferences"):  # one of each has a name that only one of them is to have
            part = {key: one for key, one in found.items() if key[0] == section}
            if part:
                made[f"{name}-{section}"] = _environment(place, part, entries)
    return list(entries.values()), made


def _named(places: Mapping[str, object]) -> list[tuple[str, str]]:
    """The names of environments: `cluster`, and the namespaces'."""
    fixed = {_CLUSTER: "cluster", _NONE: "namespaced"}
    return [
        (place, fixed.get(place, place if place not in fixed.values() else f"in-{place}")) for place in sorted(places)
    ]


def _environment(
    place: str, found: Mapping[tuple[str, str], Entry], entries: Mapping[tuple[str, str], Entry]
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    select = _select(found, entries)
    if select is None:
        select = {"names": [name for _, name in found], "kinds": _kinds(place, found)}
    if place == _NONE:  # a scope of their own would want a namespace
        data["scope"] = "both"
        select = {**select, "kinds": _kinds(place, found)}
    elif place != _CLUSTER:
        data |= {"scope": "namespaced", "namespace": place}
    if select:
        data["select"] = select
    patches = [
        {"select": {"names": [one.name], "kinds": [_kind(place, one.section)]}} | patch
        for key, one in found.items()
        if (patch := _patch(entries[key], one))
    ]
    return data | ({"patches": patches} if patches else {})


def _select(found: Mapping[tuple[str, str], Entry], entries: Mapping[tuple[str, str], Entry]) -> dict[str, Any] | None:
    """The names that select some entries, nothing for all of them; None where names alone do not tell."""
    if len(found) == len(entries):
        return {}
    names = [name for _, name in found]
    return {"names": names} if sum(name in names for _, name in entries) == len(found) else None


def _kinds(place: str, found: Mapping[tuple[str, str], Entry]) -> list[str]:
    return [_kind(place, section) for section in dict.fromkeys(section for section, _ in found)]


def _kind(place: str, section: str) -> str:
    kind = "Instancetype" if section == "instancetypes" else "Preference"
    return f"VirtualMachine{'Cluster' if place == _CLUSTER else ''}{kind}"


def _patch(base: Entry, one: Entry) -> dict[str, Any]:
    """What an environment says of an entry that is otherwise in the catalog; derived labels follow."""
    metadata = {
        key: tree(difference(flatten(old), flatten(new)))
        for key, old, new in (
            ("labels", _free(base.labels), _free(one.labels)),
            ("annotations", base.annotations, one.annotations),
        )
    }
    spec = tree(difference(flatten({"spec": base.spec}), flatten({"spec": one.spec})))
    metadata = {key: value for key, value in metadata.items() if value}
    return ({"metadata": metadata} if metadata else {}) | spec


def _free(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if key not in DERIVED_LABELS}
