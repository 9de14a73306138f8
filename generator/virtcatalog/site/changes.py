"""What changed between releases of a catalog, release by release, for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter

import msgspec

from virtcatalog import units
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.labels import use_until
from virtcatalog.catalog.model import Catalog, Published
from virtcatalog.errors import counted
from virtcatalog.manifests.difference import Difference
from virtcatalog.publish.environments import Objects, environment_changes, environments_now, objects_now
from virtcatalog.publish.notes import Step, steps
from virtcatalog.publish.releases import Release
from virtcatalog.publish.rendered import Event, Which
from virtcatalog.render.features import natural
from virtcatalog.site.facts import page_of

_NOUNS = {"instancetypes": "Instance types", "preferences": "Preferences"}
_WORDS = {
    "cpu.guest": "vCPUs",
    "memory.guest": "memory",
    "cpu.dedicatedCPUPlacement": "dedicated CPUs",
    "memory.hugepages.pageSize": "huge pages",
    "ioThreadsPolicy": "IO threads",
    "requirements.cpu.guest": "vCPUs that it requires",
    "requirements.memory.guest": "memory that it requires",
}


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A catalog's past: releases, and events of objects; `omissions` and `event_omission` say which are left out."""

    releases: tuple[Release, ...] = ()
    events: Mapping[Which, tuple[Event, ...]] = {}
    omissions: tuple[str, ...] = ()
    event_omission: str = ""


class Item(msgspec.Struct, frozen=True):
    """An object or environment of a list, with an optional text; `page` is "" for one that no longer has a page."""

    name: str
    page: str
    text: str = ""


class SameChange(msgspec.Struct, frozen=True):
    """Objects whose changes are the same, field by field."""

    objects: tuple[Item, ...]
    fields: tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of the objects of a kind."""

    title: str
    added: tuple[Item, ...] = ()
    changed: tuple[SameChange, ...] = ()
    deprecated: tuple[Item, ...] = ()
    removed: tuple[Item, ...] = ()


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """From one release to the next, or to what is not released yet."""

    name: str
    before: str = ""
    date: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def anchor(self) -> str:
        """Its name in a URL's fragment."""
        return "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in self.name)


def chapters(catalog: Catalog, past: History) -> list[Chapter]:
    """Return what changed, the newest first; of the first known release only the name."""
    if not past.releases:
        return []
    present = Release(name="", objects=objects_now(catalog), environments=environments_now(catalog))
    states = [*past.releases, *([present] if any(_parts(past.releases[-1], present, present)) else [])]
    history = [Chapter(name=states[0].name, date=states[0].date)]
    for old, new in pairwise(states):
        parts = tuple(_parts(old, new, present))
        history.append(Chapter(name=new.name, before=old.name, date=new.date, parts=parts))
    return history[::-1]


def _parts(old: Release, new: Release, present: Release) -> Iterator[Part]:
    yield from _of_objects(old.objects, new.objects, present.objects)
    if old.environments and new.environments:  # a release from before locks recorded them has none
        yield from _of_environments(old, new, present)


def _of_environments(old: Release, new: Release, present: Release) -> Iterator[Part]:
    """Changes in environments: their patches, selection, labels and namespaces."""

    def item_of(name: str) -> Item:
        return Item(name, "environments.html" if name in present.environments else "")

    changed: list[tuple[Item, tuple[str, ...]]] = []
    for name in sorted(old.environments.keys() & new.environments.keys(), key=natural):
        changes = environment_changes(old.environments[name], new.environments[name], old.objects, new.objects)
        for (section, item), of_item in groupby(changes, key=attrgetter("section", "name")):
            exists = item in present.objects.get(section, {})
            page = page_of(section, item) if exists else ""
            texts = tuple(change.text for change in of_item)
            changed.append((Item(f"{name}: {item}", page) if item else item_of(name), texts))
    added, removed = (
        tuple(map(item_of, sorted(release.environments.keys() - counterpart.environments.keys(), key=natural)))
        for release, counterpart in ((new, old), (old, new))
    )
    if changed or added or removed:
        yield Part(title="Environments", added=added, changed=_grouped(changed), removed=removed)


def _of_objects(old: Objects, new: Objects, present: Objects) -> Iterator[Part]:
    for section, title in _NOUNS.items():
        object_steps = list(steps(old.get(section, {}), new.get(section, {})))
        if object_steps:
            yield _of_steps(section, title, object_steps, present.get(section, {}))


def _of_steps(section: str, title: str, object_steps: Sequence[Step], present: Mapping[str, Published]) -> Part:
    def item_of(step: Step, text: str = "") -> Item:
        return Item(step.name, page_of(section, step.name) if step.name in present else "", text)

    return Part(
        title=title,
        added=tuple(item_of(step, _gist(step.now)) for step in object_steps if step.added),
        changed=_grouped([(item_of(step), _fields(step)) for step in object_steps if step.was and step.now]),
        deprecated=tuple(item_of(step, _instead(step.now)) for step in object_steps if step.deprecated),
        removed=tuple(item_of(step, _instead(step.was)) for step in object_steps if step.removed),
    )


def _grouped(changed: Sequence[tuple[Item, tuple[str, ...]]]) -> tuple[SameChange, ...]:
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item, fields in changed:
        if fields:
            groups.setdefault(fields, []).append(item)
    return tuple(SameChange(tuple(items), fields) for fields, items in groups.items())


def _fields(step: Step) -> tuple[str, ...]:
    fields = tuple(map(_in_words, step.fields))
    if step.restored:
        return (*fields, "deprecated no longer")
    return (*fields, "labels or annotations") if step.relabelled else fields


def _in_words(change: Difference) -> str:
    """A change, with the words that the site's tables have for a field, if they have some."""
    words = _WORDS.get(change.field)
    return words + str(change).removeprefix(change.field) if words else str(change)


def _gist(published: Published | None) -> str:
    """How large an instance type is; nothing of a preference."""
    spec = published.spec if published else {}
    vcpus, memory = (spec.get("cpu") or {}).get("guest"), (spec.get("memory") or {}).get("guest")
    if not vcpus or not memory:
        return ""
    return f"{counted(vcpus, 'vCPU')}, {units.memory(Quantity.parse(memory).value)}"


def _instead(published: Published | None) -> str:
    gone = (published.deprecated if published else None) or {}
    return use_until(gone.get("replacedBy"), gone.get("sunset"))
