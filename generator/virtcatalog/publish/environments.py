"""What changes in what environments publish, beside the changes of the objects themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from virtcatalog.api.kinds import CLUSTER_KINDS, INSTANCETYPE_KINDS, PREFERENCE_KINDS
from virtcatalog.catalog.lock import SECTIONS, published, published_in
from virtcatalog.catalog.model import Catalog, Lock, Published, PublishedEnvironment
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data
from virtcatalog.render.features import natural

Objects = Mapping[str, Mapping[str, Published]]
"""What is published of objects, by section of the lock and by name."""


def objects_of(lock: Lock) -> Objects:
    """Return what the release of a lock has published."""
    return {"instancetypes": lock.instancetypes, "preferences": lock.preferences}


def objects_now(catalog: Catalog) -> Objects:
    """Return what a release of the catalog would publish now."""
    entries = {"instancetypes": catalog.instancetypes, "preferences": catalog.preferences}
    return {section: {entry.name: published(entry) for entry in declared} for section, declared in entries.items()}


def environments_now(catalog: Catalog) -> Mapping[str, PublishedEnvironment]:
    """Return what the environments would publish now."""
    return {overlay.name: published_in(catalog, overlay) for overlay in catalog.overlays}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change in what an environment publishes of an object (`section`, `name`), or of all objects (both "").

    `since` is the version that published the former state. `lost` says that something published is gone or other;
    an addition is not. `left_out` is the published object that the environment now leaves out.
    """

    name: str = ""
    section: str = ""
    text: str
    since: str
    lost: bool
    left_out: Published | None = None


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A broken promise of an environment; `gone` says that the environment or the object is gone."""

    environment: str
    change: Change
    gone: bool
    source: Source


def broken(catalog: Catalog) -> Iterator[Broken]:
    """Yield what the environments of the last release no longer publish as they did."""
    lock = catalog.lock
    if lock is None:
        return
    before, after = objects_of(lock), objects_now(catalog)
    overlays = {overlay.name: overlay for overlay in catalog.overlays}
    for name, was in lock.environments.items():
        if name not in overlays:
            change = Change(text="is gone, and all that VMs there name with it", since=was.since, lost=True)
            yield Broken(environment=name, change=change, gone=True, source=was.source)
            continue
        overlay = overlays[name]
        for change in environment_changes(was, published_in(catalog, overlay), before, after):
            if change.lost:
                gone = change.left_out is not None
                yield Broken(environment=name, change=change, gone=gone, source=overlay.source)


def environment_changes(
    was: PublishedEnvironment, now: PublishedEnvironment, before: Objects, after: Objects
) -> Iterator[Change]:
    """Yield what differs in an environment, once for all kinds: first what is about all objects, then by name."""
    old, new = _State(was, before), _State(now, after)
    if was.namespace != now.namespace:
        text = f"namespace: {was.namespace or 'none'} → {now.namespace or 'none'}"
        yield Change(text=text, since=was.since, lost=bool(was.namespace))
    if all((was.objects, now.objects)) and old.scopes != new.scopes:
        text = f"scope: {old.scope} → {new.scope}"
        yield Change(text=text, since=was.since, lost=not old.scopes <= new.scopes)
    changes = {(change.section, change.name, change.text): change for change in _of_objects(old, new)}
    yield from (change for change in changes.values() if not change.name)
    yield from (change for change in changes.values() if change.name)


class _State(NamedTuple):
    """What an environment has in a release, and the objects of that release."""

    environment: PublishedEnvironment
    objects: Objects

    def names(self, kind: str) -> set[str]:
        return set(self.environment.objects.get(kind, ()))

    @property
    def scopes(self) -> set[str]:
        return {"cluster" if kind in CLUSTER_KINDS else "namespaced" for kind in self.environment.objects}

    @property
    def scope(self) -> str:
        return "both" if len(self.scopes) > 1 else "".join(self.scopes)

    def spec(self, section: str, kind: str, name: str) -> Data:
        """The spec of an object as the environment has it."""
        patch = self.environment.patched.get(f"{kind}/{name}")
        return self.objects[section][name].spec if patch is None or patch.spec is None else patch.spec

    def labels(self, section: str, kind: str, name: str) -> dict[str, str] | None:
        """Its promised labels; None in a release from before labels were promised."""
        patch = self.environment.patched.get(f"{kind}/{name}")
        return self.usual_labels(section, name) if patch is None or patch.labels is None else patch.labels

    def usual_labels(self, section: str, name: str) -> dict[str, str] | None:
        """Its promised labels without patches."""
        own = self.objects[section][name].labels
        return None if own is None else {**own, **self.environment.labels}


def _of_objects(old: _State, new: _State) -> Iterator[Change]:
    """Yield what differs of objects that both releases have; a difference of all objects may come several times."""
    for section, kinds in zip(SECTIONS, (INSTANCETYPE_KINDS, PREFERENCE_KINDS), strict=True):
        before, after = old.objects.get(section, {}), new.objects.get(section, {})
        pairs = [
            (kind, other, old.names(kind), new.names(other))
            for kind, other in _pairs(old.environment, new.environment, kinds)
        ]
        for name in sorted(before.keys() & after.keys(), key=natural):
            published = before[name]
            for kind, other, had, has in pairs:
                if name in had and name in has:
                    yield from _of_object(old, new, section, (kind, other), name)
                elif name in had:
                    text = "is deprecated, and left out" if after[name].deprecated else "is left out"
                    since = published.since
                    yield Change(name=name, section=section, text=text, since=since, lost=True, left_out=published)
                elif name in has:
                    text = "is no longer left out"
                    yield Change(name=name, section=section, text=text, since=published.since, lost=False)


def _pairs(was: PublishedEnvironment, now: PublishedEnvironment, kinds: Iterable[str]) -> list[tuple[str, str]]:
    """The kinds to compare, old with new: the same kind, or the two scopes of one kind if no kind is in both."""
    old, new = ([kind for kind in kinds if kind in environment.objects] for environment in (was, now))
    return [(kind, kind) for kind in old if kind in new] or [("".join(old[:1]), "".join(new[:1]))]


def _of_object(old: _State, new: _State, section: str, kinds: tuple[str, str], name: str) -> Iterator[Change]:
    """Yield what differs of an object in the environment, and not in the object itself."""
    kind, other = kinds
    patch = old.environment.patched.get(f"{kind}/{name}")
    is_patched = patch is not None or f"{other}/{name}" in new.environment.patched
    if not is_patched and old.environment.labels == new.environment.labels:
        return
    before, after = old.objects[section][name], new.objects[section][name]
    since = patch.since if patch is not None else before.since
    itself = set(map(str, differences(before.spec, after.spec)))
    for difference in differences(old.spec(section, kind, name), new.spec(section, other, name)):
        if str(difference) not in itself:
            yield Change(name=name, section=section, text=str(difference), since=since, lost=True)
    yield from _labels(old, new, section, kinds, name, since)


def _labels(old: _State, new: _State, section: str, kinds: tuple[str, str], name: str, since: str) -> Iterator[Change]:
    """Yield promised labels that differ: those of the environment are about all of its objects."""
    kind, other = kinds
    labels, new_labels = old.labels(section, kind, name), new.labels(section, other, name)
    if labels is None or new_labels is None:
        return
    before, after = old.objects[section][name], new.objects[section][name]
    itself = set(map(str, differences(before.labels, after.labels)))
    usual = set(map(str, differences(old.usual_labels(section, name), new.usual_labels(section, name))))
    for difference in differences(labels, new_labels):
        if str(difference) in itself:
            continue
        text = f"label {difference.path[0]}{str(difference).removeprefix(difference.field)}"
        lost = difference.old is not None
        if str(difference) in usual:
            yield Change(text=text, since=old.environment.since, lost=lost)
        else:
            yield Change(name=name, section=section, text=text, since=since, lost=lost)
