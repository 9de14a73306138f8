"""`catalog.lock`: what the last release published, one line an object, and of environments what differs from these."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from virtcatalog.api.names import label_fault
from virtcatalog.api.object import Object
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.labels import promised
from virtcatalog.catalog.layers import is_date
from virtcatalog.catalog.model import Catalog, Entry, Lock, Published, PublishedEnvironment, PublishedPatch
from virtcatalog.catalog.places import Source
from virtcatalog.catalog.sources import Sources

LOCK: Final = "catalog.lock"
SECTIONS: Final = ("instancetypes", "preferences")
_COMMENT: Final = "Written by `virtcatalog release`: what is published under which name. Do not edit."


class _Deprecated(Object):
    replaced_by: str = ""
    sunset: str = ""


class _Published(Object, kw_only=True):
    since: str
    digest: str
    metadata: str
    labels: dict[str, str] | None = None
    deprecated: _Deprecated | None = None
    spec: dict[str, Any]


class _PatchLine(Object, kw_only=True):
    """The spec and labels that an environment published of an object, where they differ from the object's own."""

    since: str
    digest: str
    spec: dict[str, Any] | None = None
    labels: dict[str, str] | None = None


class _EnvironmentLine(Object, kw_only=True):
    """An environment in the lock."""

    since: str
    namespace: str = ""
    labels: dict[str, str] = {}
    objects: dict[str, list[str]]
    patched: dict[str, _PatchLine] = {}


class _LockFile(Object, kw_only=True):
    comment: str = ""
    version: str
    instancetypes: dict[str, _Published]
    preferences: dict[str, _Published]
    environments: dict[str, _EnvironmentLine] = {}


def read_lock(sources: Sources) -> Lock | None:
    """Return the catalog's lock, or None for a catalog that was never released; faults go to `sources`."""
    if not sources.folder("").has(LOCK) and sources.folder("").folder(LOCK) is None:
        return None
    data = sources.read(LOCK)
    messages: list[str] = []

    def report(path: tuple[str | int, ...], message: str) -> None:
        messages.append(message)
        sources.report(LOCK, path, f"{message}; restore the file from Git")

    if data is not None:
        for path, message in faults(data, _LockFile):
            report(path, message)
    if data is None or messages:
        return None
    if label_fault(data["version"]):
        report(("version",), label_fault(data["version"]))
    sections: dict[str, dict[str, Published]] = {section: {} for section in SECTIONS}
    for section, objects in sections.items():
        for name, row in data[section].items():
            if row is None:
                report((section, name), "must be a map, not nothing")
                continue
            if digest(row["spec"]) != row["digest"]:
                report((section, name), f"the spec of {name!r} is not what its digest says")
            sunset = (row.get("deprecated") or {}).get("sunset")
            if sunset and not is_date(sunset):
                report((section, name, "deprecated", "sunset"), f"{sunset!r} is not a date such as 2027-06-01")
            objects[name] = Published(
                since=row["since"],
                spec=row["spec"],
                metadata=row["metadata"],
                labels=row.get("labels"),
                deprecated=row.get("deprecated"),
                source=sources.source(LOCK, (section, name)),
            )
    return Lock(
        version=data["version"],
        instancetypes=sections["instancetypes"],
        preferences=sections["preferences"],
        environments=dict(_read_environments(data.get("environments") or {}, sources.source, report)),
    )


def write_lock(version: str, catalog: Catalog) -> str:
    """Return the text of the lock that publishes a catalog as a version."""
    before = catalog.lock
    lines = ["{", f'"comment": {_json(_COMMENT)},', f'"version": {_json(version)},']
    for section, entries in (("instancetypes", catalog.instancetypes), ("preferences", catalog.preferences)):
        previous: Mapping[str, Published] = getattr(before, section) if before else {}
        rows = {entry.name: _line(entry, previous.get(entry.name), version) for entry in entries}
        lines += [f'"{section}": {{', *_rows(dict(sorted(rows.items()))), "},"]
    were = before.environments if before else {}
    environments = {
        overlay.name: _environment_line(published_in(catalog, overlay), were.get(overlay.name), version)
        for overlay in catalog.overlays
    }
    return "\n".join([*lines, '"environments": {', *_rows(environments), "}", "}"]) + "\n"


def published(entry: Entry, since: str = "") -> Published:
    """Return an entry as a release would publish it now."""
    gone = entry.deprecated
    return Published(
        since=since,
        spec=entry.spec,
        metadata=metadata_digest(entry),
        labels=promised(entry.labels),
        deprecated={"replacedBy": gone.replaced_by, "sunset": gone.sunset} if gone else None,
        source=entry.source,
    )


def _line(entry: Entry, was: Published | None, version: str) -> dict[str, Any]:
    now = published(entry, was.since if was and was.spec == entry.spec else version)
    row: dict[str, Any] = {"since": now.since}
    if now.deprecated is not None:
        row["deprecated"] = now.deprecated
    return row | {"digest": digest(now.spec), "metadata": now.metadata, "labels": now.labels, "spec": now.spec}


def _rows(values: Mapping[str, Any]) -> list[str]:
    rows = [f"{_json(name)}: {_json(value)}" for name, value in values.items()]
    return [*(f"{row}," for row in rows[:-1]), *rows[-1:]]


def metadata_digest(entry: Entry) -> str:
    """Return the digest of an object's labels and annotations."""
    return digest([entry.labels, entry.annotations])


def released_version(catalog: Catalog) -> str:
    """Return the version of the objects: the released one, `VERSION-changed` once any differs, "" without a lock."""
    lock = catalog.lock
    if lock is None:
        return ""
    for entries, locked in ((catalog.instancetypes, lock.instancetypes), (catalog.preferences, lock.preferences)):
        if {entry.name for entry in entries} != locked.keys() or any(
            entry.spec != locked[entry.name].spec or metadata_digest(entry) != locked[entry.name].metadata
            for entry in entries
        ):
            return f"{lock.version}-changed"
    return (
        lock.version
        if all(_is_as_published(catalog, environment) for environment in lock.environments)
        else f"{lock.version}-changed"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def published_in(catalog: Catalog, overlay: Overlay) -> PublishedEnvironment:
    """Return what an environment publishes now; its versions are "", as before a release."""
    own = {entry.name: (entry.spec, promised(entry.labels)) for entry in (*catalog.instancetypes, *catalog.preferences)}
    labels = promised(overlay.labels)
    objects: dict[str, tuple[str, ...]] = {}
    patched = {}
    for manifest in catalog.objects(overlay.name):
        kind, name = manifest["kind"], manifest["metadata"]["name"]
        objects[kind] = (*objects.get(kind, ()), name)
        spec, plain = own[name]
        promised_labels = promised(manifest["metadata"].get("labels") or {})
        patch = PublishedPatch(
            since="",
            spec=manifest["spec"] if manifest["spec"] != spec else None,
            labels=promised_labels if promised_labels != dict(sorted({**plain, **labels}.items())) else None,
        )
        if patch.spec is not None or patch.labels is not None:
            patched[f"{kind}/{name}"] = patch
    return PublishedEnvironment(
        since="", namespace=overlay.namespace, labels=labels, objects=objects, patched=patched, source=overlay.source
    )


def _is_as_published(catalog: Catalog, name: str) -> bool:
    """Whether an environment is there and publishes what the lock says of it."""
    was = catalog.lock.environments[name] if catalog.lock else None
    overlay = next((overlay for overlay in catalog.overlays if overlay.name == name), None)
    if was is None or overlay is None:
        return False
    now = published_in(catalog, overlay)
    return (was.namespace, was.labels, was.objects) == (now.namespace, now.labels, now.objects) and {
        key: (patch.spec, patch.labels) for key, patch in was.patched.items()
    } == {key: (patch.spec, patch.labels) for key, patch in now.patched.items()}


def _environment_line(now: PublishedEnvironment, was: PublishedEnvironment | None, version: str) -> dict[str, Any]:
    """Return the lock's line of an environment; what did not change keeps the version that had it first."""
    patched = {}
    for key, patch in now.patched.items():
        before = was.patched.get(key) if was else None
        row: dict[str, Any] = {"since": before.since if before and before.spec == patch.spec else version}
        row["digest"] = digest([patch.spec, patch.labels])
        row |= {"spec": patch.spec} if patch.spec is not None else {}
        patched[key] = row | ({"labels": patch.labels} if patch.labels is not None else {})
    return {
        "since": was.since if was else version,
        "namespace": now.namespace,
        "labels": now.labels,
        "objects": now.objects,
        "patched": patched,
    }


def _read_environments(
    data: Mapping[str, Any],
    source: Callable[[str, tuple[str | int, ...]], Source],
    report: Callable[[tuple[str | int, ...], str], None],
) -> Iterator[tuple[str, PublishedEnvironment]]:
    """Yield the environments of a lock by name; `read_lock` has checked their shape, and this their digests."""
    for name, environment in data.items():
        if environment is None:
            report(("environments", name), "must be a map, not nothing")
            continue
        patched = {}
        for key, patch in (environment.get("patched") or {}).items():
            if patch is None or digest([patch.get("spec"), patch.get("labels")]) != patch["digest"]:
                report(("environments", name, "patched", key), f"what {key!r} is there is not what its digest says")
                continue
            patched[key] = PublishedPatch(since=patch["since"], spec=patch.get("spec"), labels=patch.get("labels"))
        yield (
            name,
            PublishedEnvironment(
                since=environment["since"],
                namespace=environment.get("namespace") or "",
                labels=environment.get("labels") or {},
                objects={kind: tuple(names or ()) for kind, names in environment["objects"].items()},
                patched=patched,
                source=source(LOCK, ("environments", name)),
            ),
        )


def digest(value: Any) -> str:
    """Return the SHA-256 of plain data, as JSON with sorted keys and without spaces."""
    return "sha256:" + sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
