"""Two clusters, before and after a change, for the VMs of one environment."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from virtcatalog.api.kinds import CATALOG_KINDS, NAMESPACED_KINDS
from virtcatalog.api.names import REPLACED_BY
from virtcatalog.environments import release_of
from virtcatalog.fleet.alike import labels_matter
from virtcatalog.fleet.inputs import Inputs, located
from virtcatalog.gitops.immutable import frozen_fields
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.manifests.identity import Data, Identity, namespace_of
from virtcatalog.releases import Release
from virtcatalog.repositories.operator import deployed
from virtcatalog.review.objects import renames
from virtcatalog.review.side import Side
from virtcatalog.review.units import ANYWHERE, Unit


class KnownField(msgspec.Struct, frozen=True, order=True):
    """A field of an object that only one of two releases knows: the new one, if it is `known`, else the old one."""

    object: str
    field: str
    known: bool


class Comparison:
    """What VMs of one environment meet on both sides.

    `shared` are objects of the cluster that both sides have; the sides' own objects take their place. Objects of a
    namespace that do not name one are deployed to each of `namespaces`. `units` are those of repositories. Where `vms`
    name what KubeVirt's operator deploys, both sides have it, each that of its release.
    """

    def __init__(
        self,
        sides: tuple[Side, Side],
        environment: str,
        conditions: tuple[Conditions, Conditions],
        shared: Sequence[Data] = (),
        namespaces: Iterable[str] = (),
        units: tuple[Unit, Unit] = (ANYWHERE, ANYWHERE),
        vms: Sequence[Data] = (),
    ) -> None:
        self.environment = environment
        self.units = units
        self._sides = sides
        self.shared: Sequence[Data] = shared
        self._beside = partial(Comparison, sides, environment, conditions, namespaces=namespaces, units=units, vms=vms)
        base, head = (
            _spread(side.objects_in(environment, unit), namespaces) for side, unit in zip(sides, units, strict=True)
        )
        head = _as_applied(base, head)
        published = {located(manifest) for manifest in (*base, *head)}
        around = [manifest for manifest in shared if located(manifest) not in published]
        of_operator = [
            _of_operator(side, environment, where, vms, [*around, *own])
            for side, where, own in zip(sides, conditions, (base, head), strict=True)
        ]
        self.assumed_types = frozenset(name for name, objects in of_operator if objects)
        base, head = [*base, *of_operator[0][1]], [*head, *of_operator[1][1]]
        companions = [list(side.companions_in(environment)) for side in sides]
        objects = [*around, *base, *companions[0]], [*around, *head, *companions[1]]
        types = [[manifest for manifest in on_side if manifest["kind"] in CATALOG_KINDS] for on_side in objects]
        rest = [manifest for manifest in objects[1] if manifest["kind"] not in CATALOG_KINDS]
        self._old_types = [*types[0], *rest] if types[0] != types[1] else None
        self._meet_head = partial(_cluster, sides[1], environment, conditions[1])
        self.base = _cluster(sides[0], environment, conditions[0], objects[0])
        self.head = self._meet_head(objects[1])
        self._objects = tuple(_configured(side, own) for side, own in zip(sides, objects, strict=True))
        self.changed = _differing(base, head)
        pairs = ([manifest for manifest in own if manifest["kind"] in CATALOG_KINDS] for own in (base, head))
        self._renamed = {(old[0], old[2]): new[2] for old, new in renames(*pairs).items()}
        self.all_change = (
            self.base.conditions != self.head.conditions
            or sides[0].kubevirt != sides[1].kubevirt
            or companions[0] != companions[1]
            or any(kind not in CATALOG_KINDS for kind, *_ in self.changed)
        )
        self._partial = tuple(
            cluster for cluster, side in zip((self.base, self.head), sides, strict=True) if side.left_out
        )
        everything = (*objects[0], *objects[1])
        self.namespaces = frozenset(map(namespace_of, everything))
        self.labels_matter = labels_matter(self.base) or labels_matter(self.head)

    def beside(self, manifest: Data) -> Comparison:
        """Return the same comparison with another object in both clusters."""
        return self._beside(shared=[*self.shared, manifest])

    @property
    def is_configured(self) -> bool:
        """Whether there is a KubeVirt CR, before or after."""
        return any(map(_has_kubevirt, self._objects))

    @property
    def stays_configured(self) -> bool:
        """Whether there is a KubeVirt CR after the change."""
        return _has_kubevirt(self._objects[1])

    @cached_property
    def inputs(self) -> tuple[Inputs, ...]:
        """What VMs can depend on, before and after."""
        clusters = self.base, self.head
        return tuple(
            Inputs(objects, cluster.conditions) for objects, cluster in zip(self._objects, clusters, strict=True)
        )

    @cached_property
    def before(self) -> Cluster:
        """Types and preferences of before under all else of after: what a VM with stored revisions meets."""
        return self.head if self._old_types is None else self._meet_head(self._old_types)

    @cached_property
    def homes(self) -> dict[Identity, str]:
        """Which unit of a repository deploys each instance type and preference that VMs find: often not their own."""
        homes: dict[Identity, str] = {}
        for side, unit in zip(self._sides, self.units, strict=True):
            if side.views is None:
                continue
            names = {id(manifest): name for name, objects in side.objects.items() for manifest in objects}
            types = (
                manifest for manifest in side.objects_in(self.environment, unit) if manifest["kind"] in CATALOG_KINDS
            )
            homes |= {located(manifest): names[id(manifest)] for manifest in types if id(manifest) in names}
        return homes

    def keeping(self, references: Iterable[Identity]) -> Cluster:
        """After the change, but for the types and preferences that are referred to: these are those of before."""
        unchanged = {reference for reference in references if reference in self.changed}
        stored = [manifest for manifest in self._objects[0] if located(manifest) in unchanged]
        if not stored:
            return self.head
        names = {located(manifest) for manifest in stored}
        return self._meet_head([*(obj for obj in self._objects[1] if located(obj) not in names), *stored])

    def without_gates(self, gates: Collection[str]) -> Cluster:
        """Return the cluster after the change, had its KubeVirt CR none of these feature gates."""
        return self._meet_head([_without_gates(manifest, gates) for manifest in self._objects[1]])

    def known_fields(self) -> Iterator[KnownField]:
        """Yield the fields of objects that do not change which only one of the two releases knows."""
        for key in sorted((self.base.pruned.keys() | self.head.pruned.keys()) - self.changed):
            before, after = (
                {(warning.object, warning.field) for warning in cluster.pruned.get(key, ())}
                for cluster in (self.base, self.head)
            )
            yield from (KnownField(*field, field in before) for field in sorted(before ^ after))

    def gone(self, references: Iterable[Identity] | None) -> tuple[str, ...]:
        """Say which objects that are referred to are gone after the change, and what takes their place."""
        sentences = []
        for reference in references or ():
            before = _find(reference, self.base)
            if before is not None and _find(reference, self.head) is None:
                kind, _, name = reference
                renamed, instead = self._renamed.get((kind, name)), before.metadata.annotations.get(REPLACED_BY)
                if renamed:
                    sentences.append(f"{kind} {name!r} is renamed to {renamed!r}: name that instead")
                else:
                    hint = f"; use {instead!r}" if instead else ""
                    sentences.append(f"there is no {kind} {name!r} any more{hint}")
        return tuple(sentences)

    def can_change(self, references: Iterable[Identity] | None) -> bool:
        """Whether a VM that refers to these objects can change; None are references that are not known."""
        return self.all_change or references is None or not self.changed.isdisjoint(references)

    def is_known(self, references: Iterable[Identity] | None) -> bool:
        """Whether a VM can be judged: nothing it refers to may be missing just because a catalog is broken."""
        return not self._partial or (
            references is not None
            and all(_find(reference, cluster) is not None for reference in references for cluster in self._partial)
        )


def _has_kubevirt(objects: Iterable[Data]) -> bool:
    return any(manifest["kind"] == "KubeVirt" for manifest in objects)


def _without_gates(manifest: Data, gates: Collection[str]) -> Data:
    if manifest["kind"] != "KubeVirt":
        return manifest
    spec = json.loads(json.dumps(manifest["spec"]))
    developer = spec["configuration"]["developerConfiguration"]
    developer["featureGates"] = [gate for gate in developer["featureGates"] if gate not in gates]
    return {**manifest, "spec": spec}


def _find(wanted: Identity, cluster: Cluster) -> Any:
    return cluster.instancetype(*wanted) if wanted[0].endswith("Instancetype") else cluster.preference(*wanted)


def _spread(objects: Iterable[Data], namespaces: Iterable[str]) -> list[Data]:
    spread: list[Data] = []
    homes = tuple(namespaces)
    for manifest in objects:
        spread.append(manifest)
        if homes and manifest["kind"] in NAMESPACED_KINDS and not manifest["metadata"].get("namespace"):
            spread += [{**manifest, "metadata": {**manifest["metadata"], "namespace": home}} for home in homes]
    return spread


def _as_applied(base: Sequence[Data], head: Sequence[Data]) -> list[Data]:
    """The objects after the change; those of which it changes what cannot change stay as they were."""
    before = {located(manifest): manifest for manifest in base}
    pairs = ((before.get(located(manifest)), manifest) for manifest in head)
    return [old if old is not None and old != new and any(frozen_fields(old, new)) else new for old, new in pairs]


def _cluster(side: Side, environment: str, conditions: Conditions, objects: Sequence[Data]) -> Cluster:
    release = _release(side, environment, conditions, objects)
    return Cluster.under(
        _configured(side, objects), replace(conditions, release=release, environment=environment or None)
    )


def _of_operator(
    side: Side, environment: str, conditions: Conditions, vms: Sequence[Data], objects: Sequence[Data]
) -> tuple[str, list[Data]]:
    """What KubeVirt's operator deploys beside the objects that VMs need, and the name of the catalog of that."""
    if not vms:
        return "", []
    name = _release(side, environment, conditions, objects).common_instancetypes
    return name, deployed(name, vms, objects)


def _release(side: Side, environment: str, conditions: Conditions, objects: Sequence[Data]) -> Release:
    return choose_release(conditions, release_of(side.overlays, environment), _configured(side, objects)).release


def _configured(side: Side, objects: Sequence[Data]) -> Sequence[Data]:
    """The objects with the configuration that counts on a side."""
    if side.kubevirt is None:
        return objects
    return [*(manifest for manifest in objects if manifest["kind"] != "KubeVirt"), side.kubevirt]


def _differing(base: Iterable[Data], head: Iterable[Data]) -> frozenset[Identity]:
    before, after = (
        {located(manifest): _felt(manifest) for manifest in base},
        {located(manifest): _felt(manifest) for manifest in head},
    )
    return frozenset(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def _felt(manifest: Data) -> Data:
    """What of an object a VM feels: of an instance type or preference no label, annotation or namespace."""
    return manifest["spec"] if manifest["kind"] in CATALOG_KINDS and "spec" in manifest else manifest
