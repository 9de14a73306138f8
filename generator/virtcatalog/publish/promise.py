"""The promise: what a name stands for stays as it was published, and the name stays until its sunset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase

import msgspec

from virtcatalog.catalog.model import Catalog, Entry, Published
from virtcatalog.errors import Problem
from virtcatalog.manifests.difference import differences

#: What a kind of entry is called, by its section of the lock.
NOUNS = {"instancetypes": "instance type", "preferences": "preference"}

ADVICE = (
    "VMs that exist keep the revision that they were created with, and new VMs of the same name get another machine. "
    "So publish a changed class as a new `version`, and deprecate what goes away, with a replacement and a sunset; "
    "or, where nobody uses it yet, accept it: virtcatalog release VERSION --accept NAME"
)


class Breach(msgspec.Struct, frozen=True):
    """A published object that is not there any more, or not as it was."""

    name: str
    problem: Problem


def sections(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Entry], Mapping[str, Published]]]:
    """Yield each section of the lock, its entries by name as they are declared, and as they were published."""
    lock = catalog.lock
    types: dict[str, Entry] = {entry.name: entry for entry in catalog.instancetypes}
    prefs: dict[str, Entry] = {entry.name: entry for entry in catalog.preferences}
    yield "instancetypes", types, lock.instancetypes if lock else {}
    yield "preferences", prefs, lock.preferences if lock else {}


def breaches(catalog: Catalog, day: date | None = None) -> Iterator[Breach]:
    """Yield where the catalog breaks its promise: a published spec is changed, or a published name is gone.

    A name may go from the day of its sunset on. Without a day, which only a release knows, it may not.
    """
    for section, entries, published in sections(catalog):
        for name, was in published.items():
            if name not in entries:
                message = _gone(was, day)
                if message:
                    place = was.source
                    what = f"{NOUNS[section]} {name}"
                    yield Breach(name, Problem(place.file, place.line, place.column, what, "", message))
                continue
            if entries[name].spec != was.spec:
                yield from _changed(section, entries[name], was)


def _changed(section: str, entry: Entry, was: Published) -> Iterator[Breach]:
    what = f"{NOUNS[section]} {entry.name}"
    for each in differences(was.spec, entry.spec):
        place = entry.place(f"spec.{each.field}")
        message = f"{each}; published since {was.since}, and its spec must not change"
        yield Breach(entry.name, Problem(place.file, place.line, place.column, what, "", message))


def _gone(was: Published, day: date | None) -> str:
    """Why a published object must not be removed on that day, or at all without one; "" when it may be."""
    start = f"is gone, and was published in {was.since}: VMs that name it could no longer be created"
    if was.deprecated is None:
        return f"{start}; deprecate it first, with a replacement and a sunset, and release that"
    sunset = was.deprecated.get("sunset")
    if not sunset:
        return f"{start}; it is deprecated without a sunset: set one, and release that"
    if day is None:
        return f"{start}; its sunset is {sunset}: a release from that day on removes it, virtcatalog release VERSION"
    if day < date.fromisoformat(sunset):
        return f"{start}; its sunset is {sunset}, and today is {day.isoformat()}"
    return ""


def accepts(globs: Iterable[str], breach: Breach) -> bool:
    """Whether one of the globs of `--accept` matches the object's name."""
    return any(fnmatchcase(breach.name, glob) for glob in globs)
