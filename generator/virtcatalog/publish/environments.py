"""What environments make otherwise than they did, beside what changes in the objects themselves.

`broken` tells what they published and do not any more; `environment_steps` all, from one release to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from virtcatalog.catalog.labels import promised
from virtcatalog.catalog.lock import SECTIONS
from virtcatalog.catalog.model import (
    CLUSTER_KINDS,
    INSTANCETYPE_KINDS,
    PREFERENCE_KINDS,
    Catalog,
    Entry,
    Lock,
    Manifest,
    Overlay,
    Published,
    PublishedEnvironment,
    Source,
)
from virtcatalog.manifests.difference import differences
from virtcatalog.render.natural import natural


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that an environment published and does not any more.

    `name` is the object's, "" when it is about all of them; `was` is how the object was published, when it is `gone`.
    """

    environment: str
    name: str = ""
    instancetype: bool = False
    text: str
    since: str
    gone: bool = False
    was: Published | None = None
    source: Source


def broken(catalog: Catalog) -> Iterator[Broken]:
    """Yield what the environments of the last release no longer publish as they did, each once for all kinds."""
    lock = catalog.lock
    overlays = {overlay.name: overlay for overlay in catalog.overlays}
    for name, was in lock.environments.items() if lock else ():
        if lock is None or name not in overlays:
            text = "is gone, and all that VMs there name with it"
            yield Broken(environment=name, text=text, since=was.since, gone=True, source=was.source)
        else:
            found = _Compared(catalog, lock, overlays[name], was)
            told: set[tuple[str, bool, str]] = set()
            for each in (*found.as_a_whole(), *found.objects()):
                key = each.name, each.instancetype, each.text
                if key not in told:
                    told.add(key)
                    yield each


class _Compared:
    """An environment as it was published, and as it is."""

    def __init__(self, catalog: Catalog, lock: Lock, overlay: Overlay, was: PublishedEnvironment) -> None:
        self._lock, self._overlay, self._was = lock, overlay, was
        self._now: dict[tuple[str, str], Manifest] = {
            (manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in catalog.objects(overlay.name)
        }
        self._entries: tuple[Mapping[str, Entry], ...] = tuple(
            {entry.name: entry for entry in entries} for entries in (catalog.preferences, catalog.instancetypes)
        )

    def as_a_whole(self) -> Iterator[Broken]:
        """What is about all of its objects: where they are, and of which scope."""
        overlay, was = self._overlay, self._was
        if was.namespace and overlay.namespace != was.namespace:
            yield self._changed(f"namespace: {was.namespace} → {overlay.namespace or 'none'}")
        lost = [kind for kind in was.objects if kind not in overlay.kinds]
        if lost:
            yield self._changed(f"the scope is {overlay.scope}, and there is no {' and no '.join(lost)} any more")

    def objects(self) -> Iterator[Broken]:
        """What is about single objects: those that go, those that its patches or labels change."""
        for kind, names in self._was.objects.items():
            instancetype = kind in INSTANCETYPE_KINDS
            published = self._lock.instancetypes if instancetype else self._lock.preferences
            for name in names if kind in self._overlay.kinds else ():
                entry, was = self._entries[instancetype].get(name), published.get(name)
                if entry is None or was is None:
                    continue  # the object itself is gone: that is told of it
                now = self._now.get((kind, name))
                if now is None:
                    why = "is deprecated, and left out" if entry.deprecated else "is left out"
                    yield self._of(name, why, instancetype, was.since, was)
                    continue
                patch = self._was.patched.get(f"{kind}/{name}")
                spec = patch.spec if patch is not None and patch.spec is not None else was.spec
                own = set(map(str, differences(was.spec, entry.spec)))
                for difference in differences(spec, now["spec"]):
                    if str(difference) not in own:
                        yield self._of(
                            name, str(difference), instancetype, patch.since if patch is not None else was.since
                        )
                yield from self._labels(was, entry, patch.labels if patch is not None else None, now)

    def _labels(
        self, was: Published, entry: Entry, patched: Mapping[str, str] | None, now: Manifest
    ) -> Iterator[Broken]:
        """Published labels that are others now; of a change of the object's own labels is told there."""
        if was.labels is None:
            return  # a lock of before labels were promised
        before = patched if patched is not None else {**was.labels, **self._was.labels}
        after, own = promised(now["metadata"].get("labels") or {}), promised(entry.labels)
        for key, value in before.items():
            if after.get(key) == value or (was.labels.get(key) == value and own.get(key) == after.get(key) != value):
                continue
            text = f"label {key}: {value} → {after[key]}" if key in after else f"label {key}: {value} is gone"
            everywhere = value == {**was.labels, **self._was.labels}.get(key) and (
                key in self._was.labels or key in self._overlay.labels
            )
            if everywhere:
                yield self._changed(text)
            else:
                yield self._of(entry.name, text, now["kind"] in INSTANCETYPE_KINDS, was.since)

    def _changed(self, text: str) -> Broken:
        return Broken(environment=self._overlay.name, text=text, since=self._was.since, source=self._overlay.source)

    def _of(self, name: str, text: str, instancetype: bool, since: str, was: Published | None = None) -> Broken:
        return Broken(
            environment=self._overlay.name,
            name=name,
            instancetype=instancetype,
            text=text,
            since=since,
            gone=was is not None,
            was=was,
            source=self._overlay.source,
        )


class EnvironmentStep(msgspec.Struct, frozen=True, kw_only=True):
    """What an environment makes otherwise of an object, or of all of them where `name` is ""; each is told in words."""

    name: str = ""
    section: str = ""
    said: tuple[str, ...]


class _State(NamedTuple):
    """What an environment published in a release, and what that published of objects, by section and name."""

    environment: PublishedEnvironment
    objects: Mapping[str, Mapping[str, Published]]

    @property
    def scope(self) -> str:
        wide = {kind in CLUSTER_KINDS for kind in self.environment.objects}
        return "both" if len(wide) > 1 else "cluster" if True in wide else "namespaced"

    def shown(self, section: str, kind: str, name: str) -> tuple[Manifest, dict[str, str] | None]:
        """The spec of an object as the environment has it, and its promised labels; None of before they were."""
        published, patch = self.objects[section][name], self.environment.patched.get(f"{kind}/{name}")
        labels = None if published.labels is None else {**published.labels, **self.environment.labels}
        if patch is None:
            return published.spec, labels
        return published.spec if patch.spec is None else patch.spec, labels if patch.labels is None else patch.labels


def environment_steps(
    was: PublishedEnvironment,
    now: PublishedEnvironment,
    before: Mapping[str, Mapping[str, Published]],
    after: Mapping[str, Mapping[str, Published]],
) -> Iterator[EnvironmentStep]:
    """Yield what differs in an environment between two releases, whose objects are by section and name."""
    old, new = _State(was, before), _State(now, after)
    whole = []
    if was.namespace != now.namespace:
        whole.append(f"namespace: {was.namespace or 'none'} → {now.namespace or 'none'}")
    if all((was.objects, now.objects)) and old.scope != new.scope:
        whole.append(f"scope: {old.scope} → {new.scope}")
    labels = [f"label {difference}" for difference in differences(was.labels, now.labels)]
    if whole or labels:
        yield EnvironmentStep(said=(*whole, *labels))
    for section, kinds in zip(SECTIONS, (INSTANCETYPE_KINDS, PREFERENCE_KINDS), strict=True):
        both = before.get(section, {}).keys() & after.get(section, {}).keys()
        found: dict[str, tuple[str, ...]] = {}
        for kind, other in _pairs(was, now, kinds):
            had, has = (
                set(environment.objects.get(name, ())) & both for environment, name in ((was, kind), (now, other))
            )
            found |= dict.fromkeys(had - has, ("is left out",)) | dict.fromkeys(has - had, ("is no longer left out",))
            for name in had & has:
                if f"{kind}/{name}" in was.patched or f"{other}/{name}" in now.patched:
                    texts = _patched(old, new, section, (kind, other), name)
                    if own := tuple(text for text in texts if text not in labels):
                        found[name] = own  # it is the same of both kinds, cluster-wide and not
        for name in sorted(found, key=natural):
            yield EnvironmentStep(name=name, section=section, said=found[name])


def _pairs(was: PublishedEnvironment, now: PublishedEnvironment, kinds: Iterable[str]) -> list[tuple[str, str]]:
    """The kinds that are compared: with themselves, or with the other one in an environment that has only that."""
    old, new = ([kind for kind in kinds if kind in environment.objects] for environment in (was, now))
    return [(kind, kind) for kind in old if kind in new] or [("".join(old[:1]), "".join(new[:1]))]


def _patched(old: _State, new: _State, section: str, kinds: tuple[str, str], name: str) -> Iterator[str]:
    """What differs of an object with a patch before or after, and not in the object itself."""
    before, after = old.objects[section][name], new.objects[section][name]
    (spec, labels), (new_spec, new_labels) = (
        state.shown(section, kind, name) for state, kind in zip((old, new), kinds, strict=True)
    )
    itself = set(map(str, differences(before.spec, after.spec)))
    yield from (text for text in map(str, differences(spec, new_spec)) if text not in itself)
    if labels is not None and new_labels is not None:
        itself = set(map(str, differences(before.labels, after.labels)))
        yield from (f"label {text}" for text in map(str, differences(labels, new_labels)) if text not in itself)
