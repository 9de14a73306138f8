"""What changed between releases of a catalog, release by release, for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter

import msgspec

from virtcatalog import units
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.model import Catalog, Published
from virtcatalog.errors import counted
from virtcatalog.publish.environments import environment_changes
from virtcatalog.publish.releases import Objects, Release, environments_now, now
from virtcatalog.publish.rendered import Event, Which
from virtcatalog.publish.steps import Step, steps
from virtcatalog.render.natural import natural

_NOUNS = {"instancetypes": "Instance types", "preferences": "Preferences"}
_FOLDERS = {"instancetypes": "types", "preferences": "preferences"}


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a catalog's past; `said` is what is not, about its releases and about its objects."""

    releases: tuple[Release, ...] = ()
    events: Mapping[Which, tuple[Event, ...]] = {}
    said: tuple[str, ...] = ()
    told: str = ""


class Named(msgspec.Struct, frozen=True):
    """An object with something to say of it; `page` is "" for one that has none any more."""

    name: str
    page: str
    text: str = ""


class Alike(msgspec.Struct, frozen=True):
    """Objects that changed alike, field by field."""

    named: tuple[Named, ...]
    fields: tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the objects of a kind."""

    title: str
    added: tuple[Named, ...] = ()
    changed: tuple[Alike, ...] = ()
    deprecated: tuple[Named, ...] = ()
    removed: tuple[Named, ...] = ()


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """From one release to the next, or to what is not released yet."""

    name: str
    before: str = ""
    date: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def anchor(self) -> str:
        """What it is called in an address."""
        return "".join(each if each.isalnum() or each in ".-_" else "-" for each in self.name)


def chapters(catalog: Catalog, past: Known) -> list[Chapter]:
    """Return what changed, the newest first; the first release that is known is only named."""
    if not past.releases:
        return []
    present = Release(name="", objects=now(catalog), environments=environments_now(catalog))
    states = [*past.releases, *([present] if any(_parts(past.releases[-1], present, present)) else [])]
    found = [Chapter(name=states[0].name, date=states[0].date)]
    for old, new in pairwise(states):
        parts = tuple(_parts(old, new, present))
        found.append(Chapter(name=new.name, before=old.name, date=new.date, parts=parts))
    return found[::-1]


def _parts(old: Release, new: Release, present: Release) -> Iterator[Part]:
    yield from _of_objects(old.objects, new.objects, present.objects)
    if old.environments and new.environments:  # else they were not recorded yet
        yield from _of_environments(old, new, present)


def _of_environments(old: Release, new: Release, present: Release) -> Iterator[Part]:
    """What environments make otherwise of objects: their patches, selection, labels and namespaces."""

    def named(name: str) -> Named:
        return Named(name, "environments.html" if name in present.environments else "")

    changed: list[tuple[Named, tuple[str, ...]]] = []
    for name in sorted(old.environments.keys() & new.environments.keys(), key=natural):
        changes = environment_changes(old.environments[name], new.environments[name], old.objects, new.objects)
        for (section, item), found in groupby(changes, key=attrgetter("section", "name")):
            there = item in present.objects.get(section, {})
            page = f"{_FOLDERS[section]}/{item}.html" if there else ""
            texts = tuple(change.text for change in found)
            changed.append((Named(f"{name}: {item}", page) if item else named(name), texts))
    added, removed = (
        tuple(map(named, sorted(one.environments.keys() - other.environments.keys(), key=natural)))
        for one, other in ((new, old), (old, new))
    )
    if changed or added or removed:
        yield Part(title="Environments", added=added, changed=_alike(changed), removed=removed)


def _of_objects(old: Objects, new: Objects, present: Objects) -> Iterator[Part]:
    for section, title in _NOUNS.items():
        found = list(steps(old.get(section, {}), new.get(section, {})))
        there = present.get(section, {})
        folder = _FOLDERS[section]

        def named(step: Step, text: str, folder: str = folder, there: Mapping[str, Published] = there) -> Named:
            return Named(step.name, f"{folder}/{step.name}.html" if step.name in there else "", text)

        if found:
            yield Part(
                title=title,
                added=tuple(named(each, _gist(each.now)) for each in found if each.added),
                changed=_alike([(named(each, ""), _fields(each)) for each in found if each.was and each.now]),
                deprecated=tuple(named(each, _instead(each.now)) for each in found if each.deprecated),
                removed=tuple(named(each, _instead(each.was)) for each in found if each.removed),
            )


def _alike(changed: Sequence[tuple[Named, tuple[str, ...]]]) -> tuple[Alike, ...]:
    groups: dict[tuple[str, ...], list[Named]] = {}
    for each, fields in changed:
        if fields:
            groups.setdefault(fields, []).append(each)
    return tuple(Alike(tuple(named), fields) for fields, named in groups.items())


def _fields(step: Step) -> tuple[str, ...]:
    fields = tuple(str(field) for field in step.fields)
    if step.restored:
        return (*fields, "deprecated no longer")
    return (*fields, "labels or annotations") if step.relabelled else fields


def _gist(published: Published | None) -> str:
    """How large an instance type is; nothing of a preference."""
    spec = published.spec if published else {}
    vcpus, memory = (spec.get("cpu") or {}).get("guest"), (spec.get("memory") or {}).get("guest")
    if not vcpus or not memory:
        return ""
    return f"{counted(vcpus, 'vCPU')}, {units.memory(Quantity.parse(memory).value)}"


def _instead(published: Published | None) -> str:
    gone = (published.deprecated if published else None) or {}
    use, until = gone.get("replacedBy"), gone.get("sunset")
    return ", ".join(filter(None, (f"use {use}" if use else "", f"until {until}" if until else "")))
