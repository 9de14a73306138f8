"""`catalog.lock`: what the catalog's last release published, one line an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from virtcatalog.api.names import label_fault
from virtcatalog.api.object import Object
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.layers import is_date
from virtcatalog.catalog.model import Entry, Lock, Published
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
    deprecated: _Deprecated | None = None
    spec: dict[str, Any]


class _LockFile(Object, kw_only=True):
    comment: str = ""
    version: str
    instancetypes: dict[str, _Published]
    preferences: dict[str, _Published]


def read_lock(sources: Sources) -> Lock | None:
    """Return the catalog's lock, or None for a catalog that was never released; faults go to `sources`."""
    if not sources.folder("").has(LOCK) and sources.folder("").folder(LOCK) is None:
        return None
    data = sources.read(LOCK)
    told: list[str] = []

    def report(path: tuple[str | int, ...], message: str) -> None:
        told.append(message)
        sources.report(LOCK, path, f"{message}; restore the file from Git")

    if data is not None:
        for path, message in faults(data, _LockFile):
            report(path, message)
    if data is None or told:
        return None
    if label_fault(data["version"]):
        report(("version",), label_fault(data["version"]))
    sections: dict[str, dict[str, Published]] = {section: {} for section in SECTIONS}
    for section, found in sections.items():
        for name, each in data[section].items():
            if each is None:
                report((section, name), "must be a map, not nothing")
                continue
            if digest(each["spec"]) != each["digest"]:
                report((section, name), f"the spec of {name!r} is not what its digest says")
            sunset = (each.get("deprecated") or {}).get("sunset")
            if sunset and not is_date(sunset):
                report((section, name, "deprecated", "sunset"), f"{sunset!r} is not a date such as 2027-06-01")
            found[name] = Published(
                since=each["since"],
                spec=each["spec"],
                metadata=each["metadata"],
                deprecated=each.get("deprecated"),
                source=sources.source(LOCK, (section, name)),
            )
    return Lock(version=data["version"], instancetypes=sections["instancetypes"], preferences=sections["preferences"])


def write_lock(version: str, entries: Mapping[str, Mapping[str, Entry]], before: Lock | None) -> str:
    """Return the text of the lock that publishes these entries of each section as a version."""
    lines = ["{", f'"comment": {_json(_COMMENT)},', f'"version": {_json(version)},']
    for section in SECTIONS:
        known: Mapping[str, Published] = getattr(before, section) if before else {}
        made = []
        for name, entry in sorted(entries[section].items()):
            was = known.get(name)
            line: dict[str, Any] = {"since": was.since if was and was.spec == entry.spec else version}
            if entry.deprecated:
                line["deprecated"] = {"replacedBy": entry.deprecated.replaced_by, "sunset": entry.deprecated.sunset}
            line |= {"digest": digest(entry.spec), "metadata": metadata_digest(entry), "spec": entry.spec}
            made.append(f"{_json(name)}: {_json(line)}")
        end = "," if section != SECTIONS[-1] else ""
        lines += [f'"{section}": {{', *(each + "," for each in made[:-1]), *made[-1:], "}" + end]
    return "\n".join([*lines, "}"]) + "\n"


def digest(value: Any) -> str:
    """Return the SHA-256 of plain data, as JSON with sorted keys and without spaces."""
    return "sha256:" + sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def metadata_digest(entry: Entry) -> str:
    """Return the digest of an object's labels and annotations."""
    return digest([entry.labels, entry.annotations])


def released_version(lock: Lock | None, instancetypes: Mapping[str, Entry], preferences: Mapping[str, Entry]) -> str:
    """Return the version that the objects are: the released one, `VERSION-changed` once any differs, "" before."""
    if lock is None:
        return ""
    for entries, known in ((instancetypes, lock.instancetypes), (preferences, lock.preferences)):
        if entries.keys() != known.keys() or any(
            entry.spec != known[name].spec or metadata_digest(entry) != known[name].metadata
            for name, entry in entries.items()
        ):
            return f"{lock.version}-changed"
    return lock.version


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
