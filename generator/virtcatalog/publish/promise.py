"""The promise, which a release makes: what a name stands for stays as it was published, and the name until its sunset.

A release writes the output tree, and the lock that holds the promise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec.structs import replace

from virtcatalog.api.names import key_fault, label_fault
from virtcatalog.catalog.lock import LOCK, write_lock
from virtcatalog.catalog.model import Catalog, Entry, Published
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem, within
from virtcatalog.manifests.difference import differences
from virtcatalog.publish.environments import Broken, broken
from virtcatalog.render import tree
from virtcatalog.render.kustomize import version_label
from virtcatalog.render.output import render
from virtcatalog.writing import WriteError, no_message, real_place, replace_file

#: The noun for an entry, by its section of the lock.
NOUNS = {"instancetypes": "instance type", "preferences": "preference"}

ADVICE = (
    "VMs that exist keep the revision that they were created with, and new VMs of the same name get another machine. "
    "So publish a changed class as a new `version`, and deprecate what goes away, with a replacement and a sunset; "
    "or, where nobody uses it yet, accept it: virtcatalog release VERSION --accept NAME"
)


class Breach(msgspec.Struct, frozen=True):
    """A published object or environment that is gone, or that differs from what was published.

    `name` is the object's, or the environment's; `environment` is "" for what the objects say themselves.
    """

    name: str
    problem: Problem
    environment: str = ""

    def __str__(self) -> str:
        return str(replace(self.problem, message=within(self.problem.message, [self.environment])))


def sections(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Entry], Mapping[str, Published]]]:
    """Yield the sections of the lock, with their entries as declared and as published, by name."""
    lock = catalog.lock
    types: dict[str, Entry] = {entry.name: entry for entry in catalog.instancetypes}
    prefs: dict[str, Entry] = {entry.name: entry for entry in catalog.preferences}
    yield "instancetypes", types, lock.instancetypes if lock else {}
    yield "preferences", prefs, lock.preferences if lock else {}


def breaches(catalog: Catalog, day: date | None = None) -> Iterator[Breach]:
    """Yield where the catalog breaks its promise, in the objects themselves and in what environments make of them.

    A published spec or label must not change, and a published name must not go, nor leave an environment. A
    name may go from the day of its sunset on. Without a day, which only a release knows, it may not.
    """
    for section, entries, published in sections(catalog):
        for name, was in published.items():
            if name not in entries:
                message = _gone("is gone", was, day)
                if message:
                    yield Breach(name, _problem(was.source, f"{NOUNS[section]} {name}", message))
            else:
                yield from _changed(section, entries[name], was)
    for item in broken(catalog):
        yield from _in_environment(item, day)


def _in_environment(item: Broken, day: date | None) -> Iterator[Breach]:
    change = item.change
    name = f"{NOUNS[change.section]} {change.name}" if change.name else f"environment {item.environment}"
    if change.left_out is not None:
        message = _gone(change.text, change.left_out, day)
    else:
        message = f"{change.text}; published since {change.since}"
        message += "" if item.gone else ", and it must not change"
    if message:
        yield Breach(change.name or item.environment, _problem(item.source, name, message), item.environment)


def _changed(section: str, entry: Entry, was: Published) -> Iterator[Breach]:
    name = f"{NOUNS[section]} {entry.name}"
    for key, value in (was.labels or {}).items():
        now = entry.labels.get(key)
        if now != value:
            place = entry.place(f"metadata.labels[{key}]")
            text = f"label {key}: {value} is gone" if now is None else f"label {key}: {value} → {now}"
            message = f"{text}; published since {was.since}, and whoever selects by it relies on it"
            yield Breach(entry.name, _problem(place, name, message))
    for difference in differences(was.spec, entry.spec):
        place = entry.place(f"spec.{difference.field}")
        message = f"{difference}; published since {was.since}, and its spec must not change"
        yield Breach(entry.name, _problem(place, name, message))


def _problem(place: Source, name: str, message: str) -> Problem:
    return Problem(place.file, place.line, place.column, name, "", message)


def _gone(how: str, was: Published, day: date | None) -> str:
    """Why a published object must not be removed on that day, or at all without one; "" when it may be."""
    start = f"{how}, and was published in {was.since}: VMs that name it could no longer be created"
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
    """Whether one of the globs of `--accept` matches the object's or environment's name, or `production/u1.small`."""
    names = (breach.name, f"{breach.environment}/{breach.name}" if breach.environment else breach.name)
    return any(fnmatchcase(name, glob) for name in names for glob in globs)


#: As https://semver.org has it, with or without a `v`; labels cannot hold a build's `+`.
_VERSION = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?")


def version_fault(catalog: Catalog, version: str) -> str:
    """Say why a version cannot be the next one, or ""."""
    if version.endswith("-changed"):
        return "a version must not end in -changed: what differs from a release is called so"
    if not _VERSION.fullmatch(version):
        return f"{version!r} is no version such as v1.2.0, or v1.2.0-rc.1 of what comes before that"
    before = catalog.lock.version if catalog.lock else ""
    # A lock from before versions had a form has none that can be compared.
    if _VERSION.fullmatch(before) and _precedence(version) < _precedence(before):
        return f"{version} comes before {before}, which is published already; choose a later version"
    return key_fault(version_label(catalog.name)) or label_fault(f"{version}-changed")


def _precedence(version: str) -> tuple[object, ...]:
    """The sort key of a version: its numbers, pre-releases before the release, then the parts of the pre-release."""
    match = _VERSION.fullmatch(version)
    assert match is not None
    parts = (match[4] or "").split(".") if match[4] else []
    marks = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
    return (*map(int, match.group(1, 2, 3)), not parts, marks)


def publish(
    catalog: Catalog,
    version: str,
    output: Path,
    *,
    force: bool = False,
    say: Callable[[str], object] = no_message,
) -> None:
    """Write the catalog's output tree and its lock as `version`; see `tree.replace` for `force` and `say`.

    The lock comes last and in one step: whatever interrupts this, the same command run again completes it. Raises
    WriteError, which says how far it came.
    """
    text = write_lock(version, catalog)
    try:
        real_place(catalog.path, LOCK)
    except WriteError as error:
        raise WriteError(f"{error}; nothing is published") from error
    tree.replace(
        output, render(replace(catalog, version=version)), catalog.name, catalog=catalog.path, force=force, say=say
    )
    try:
        replace_file(Path(catalog.path), text, say, inside=LOCK)
    except WriteError as error:
        raise WriteError(
            f"{error}; {output} is the tree of {version}, which is published once the same command completes"
        ) from error
