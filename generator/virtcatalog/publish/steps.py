"""What becomes of instance types, preferences and environments from one state of what is published to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from virtcatalog.catalog.model import INSTANCETYPE_KINDS, PREFERENCE_KINDS, Published, PublishedEnvironment
from virtcatalog.manifests.difference import Difference, differences
from virtcatalog.render.natural import natural


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One object, before and after; None where it is not there. `fields` are those of its spec that differ."""

    name: str
    was: Published | None = None
    now: Published | None = None
    fields: tuple[Difference, ...] = ()

    @property
    def added(self) -> bool:
        """Whether it is new."""
        return self.was is None

    @property
    def removed(self) -> bool:
        """Whether it is gone."""
        return self.now is None

    @property
    def deprecated(self) -> bool:
        """Whether it is deprecated since then, or otherwise."""
        return (
            self.now is not None
            and self.now.deprecated is not None
            and (self.was is None or self.was.deprecated != self.now.deprecated)
        )

    @property
    def restored(self) -> bool:
        """Whether it is deprecated no longer."""
        return bool(self.was and self.now and self.was.deprecated is not None and self.now.deprecated is None)

    @property
    def relabelled(self) -> bool:
        """Whether nothing else than labels or annotations differs."""
        return (
            self.was is not None
            and self.now is not None
            and not self.fields
            and self.was.deprecated == self.now.deprecated
            and self.was.metadata != self.now.metadata
        )


def steps(before: Mapping[str, Published], after: Mapping[str, Published]) -> Iterator[Step]:
    """Yield what differs, by name."""
    for name in sorted(before.keys() | after.keys(), key=natural):
        was, now = before.get(name), after.get(name)
        fields = tuple(differences(was.spec, now.spec)) if was and now else ()
        step = Step(name=name, was=was, now=now, fields=fields)
        if step.added or step.removed or fields or step.deprecated or step.restored or step.relabelled:
            yield step


class EnvironmentStep(msgspec.Struct, frozen=True, kw_only=True):
    """What an environment makes otherwise of an object, or of all of them where `name` is ""; each is told in words."""

    name: str = ""
    instancetype: bool = False
    said: tuple[str, ...]


def environment_steps(
    was: PublishedEnvironment,
    now: PublishedEnvironment,
    before: Mapping[str, Mapping[str, Published]],
    after: Mapping[str, Mapping[str, Published]],
) -> Iterator[EnvironmentStep]:
    """Yield what differs in an environment beside what differs in the objects themselves, which are by section."""
    whole = []
    if was.namespace != now.namespace:
        whole.append(f"namespace: {was.namespace or 'none'} → {now.namespace or 'none'}")
    if all((was.objects, now.objects)) and _scope(was) != _scope(now):
        whole.append(f"scope: {_scope(was)} → {_scope(now)}")
    labels = [f"label {each}" for each in differences(was.labels, now.labels)]
    if whole or labels:
        yield EnvironmentStep(said=(*whole, *labels))
    for section, kinds in (("instancetypes", INSTANCETYPE_KINDS), ("preferences", PREFERENCE_KINDS)):
        old, new = before.get(section, {}), after.get(section, {})
        found: dict[str, tuple[str, ...]] = {}
        for kind, other in _pairs(was, now, kinds):
            for name in old.keys() & new.keys():
                texts = _said(_Shown(was, kind, old[name]), _Shown(now, other, new[name]), name)
                if own := tuple(each for each in texts if each not in labels):
                    found[name] = own  # it is the same of both kinds, cluster-wide and not
        for name in sorted(found, key=natural):
            yield EnvironmentStep(name=name, instancetype=section == "instancetypes", said=found[name])


def _scope(environment: PublishedEnvironment) -> str:
    wide = {kind.startswith("VirtualMachineCluster") for kind in environment.objects}
    return "both" if len(wide) > 1 else "cluster" if wide == {True} else "namespaced"


def _pairs(was: PublishedEnvironment, now: PublishedEnvironment, kinds: Iterable[str]) -> list[tuple[str, str]]:
    """The kinds that are compared: with themselves, or with the other one in an environment that has only that."""
    old, new = ([kind for kind in kinds if kind in each.objects] for each in (was, now))
    return [(kind, kind) for kind in old if kind in new] or [("".join(old[:1]), "".join(new[:1]))]


class _Shown(NamedTuple):
    """An object as an environment has it."""

    environment: PublishedEnvironment
    kind: str
    published: Published

    def has(self, name: str) -> bool:
        return name in self.environment.objects.get(self.kind, ())

    def of(self, name: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """Its spec, and the labels that are promised."""
        patch = self.environment.patched.get(f"{self.kind}/{name}")
        spec, labels = (patch.spec, patch.labels) if patch is not None else (None, None)
        plain = {**(self.published.labels or {}), **self.environment.labels}
        return self.published.spec if spec is None else spec, plain if labels is None else labels


def _said(old: _Shown, new: _Shown, name: str) -> Iterator[str]:
    """What differs of an object that was there before and is there after, and not in the object itself."""
    if old.has(name) != new.has(name):
        yield "is left out" if old.has(name) else "is no longer left out"
    elif new.has(name):
        (spec, labels), (new_spec, new_labels) = old.of(name), new.of(name)
        itself = set(map(str, differences(old.published.spec, new.published.spec)))
        yield from (text for text in map(str, differences(spec, new_spec)) if text not in itself)
        if None not in (old.published.labels, new.published.labels):  # a lock of before they were promised
            itself = set(map(str, differences(old.published.labels, new.published.labels)))
            yield from (f"label {text}" for text in map(str, differences(labels, new_labels)) if text not in itself)
