"""`catalog.lock`: what the catalog's last release published, one line an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from virtcatalog.api.names import label_fault
from virtcatalog.api.object import Object
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.labels import promised
from virtcatalog.catalog.layers import is_date
from virtcatalog.catalog.model import Catalog, Entry, Lock, Published
from virtcatalog.catalog.published import LOCK, EnvironmentLine, digest, line, published_in, read_environments, same
from virtcatalog.catalog.sources import Sources

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


class _LockFile(Object, kw_only=True):
    comment: str = ""
    version: str
    instancetypes: dict[str, _Published]
    preferences: dict[str, _Published]
    environments: dict[str, EnvironmentLine] = {}


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
        environments=dict(read_environments(data.get("environments") or {}, sources.source, report)),
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
        overlay.name: line(published_in(catalog, overlay), were.get(overlay.name), version)
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
        if all(same(catalog, environment) for environment in lock.environments)
        else f"{lock.version}-changed"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
