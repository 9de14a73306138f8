"""Why a VM changes: what is declared otherwise, and the line that does it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from virtcatalog.catalog.places import Source
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.units import ANYWHERE, Unit, Units
from virtcatalog.review.verdict import Cause, Verdict


class Causes:
    """Finds what changes VMs, between two sides."""

    def __init__(self, base: Side, head: Side) -> None:
        self._base, self._head = base, head
        self._objects: dict[tuple[bool, str, Unit], dict[Identity, Data]] = {}
        self._found: dict[tuple[Identity, str, Units], Cause] = {}

    def around(self, comparison: Comparison, references: Iterable[Identity]) -> tuple[Cause, ...]:
        """Why a VM changes that refers to these objects: those that change, the release, the configuration."""
        objects = [reference for reference in references if reference in comparison.changed]
        causes = [self._object(reference, comparison) for reference in dict.fromkeys(objects)]
        return tuple(causes) or tuple(self._elsewhere(comparison))

    def of_manifest(
        self, old: Vm | None, new: Vm | None, verdict: Verdict, comparison: Comparison
    ) -> tuple[Cause, ...]:
        """The field of a VM's own manifest that makes the verdict; none if the manifest stays as it is."""
        vm, side = (new, self._head) if new is not None else (old, self._base)
        assert vm is not None
        name = "the VM template" if verdict.template else "the manifest"
        if old is None or new is None or vm.field is None:
            return (_at(name, vm.place, side.label),)
        fields = [difference.field for difference in differences(old.manifest, new.manifest)]
        blamed = next((field for field in fields if any(field in reason for reason in verdict.reasons)), None)
        field = blamed or next(iter(fields), "")
        return (_at(field.removeprefix("spec.template.spec.") or name, vm.field(field), side.label),)

    def _object(self, which: Identity, comparison: Comparison) -> Cause:
        key = which, comparison.environment, comparison.units
        if key not in self._found:
            self._found[key] = self._find(*key)
        return self._found[key]

    def _find(self, which: Identity, environment: str, units: Units) -> Cause:
        """An object that changes, at the line that does it: its own, a component's, or one of a catalog it extends."""
        name = which[2]
        old = self._manifest(self._base, which, environment, units[0])
        new = self._manifest(self._head, which, environment, units[1])
        if environment and old != new and self._same_in_base(which):
            overlay = next((found for found in self._head.overlays if found.name == environment), None)
            if overlay is not None:
                return _at(name, overlay.source, self._head.label)
        field_of = self._head.field_of(which, new)
        field = _changed_field(old, new)
        if field_of is not None and field:
            return _at(name, field_of(field), self._head.label)
        for side, manifest in ((self._head, new), (self._base, old)):
            source = side.place_of(which, manifest)
            if source is not None:
                return _at(name, source, side.label)
        return Cause(name)

    def _same_in_base(self, which: Identity) -> bool:
        old, new = (self._manifest(side, which, "", ANYWHERE) for side in (self._base, self._head))
        return old is not None and old == new

    def _manifest(self, side: Side, which: Identity, environment: str, unit: Unit) -> Data | None:
        key = side is self._head, environment, unit
        if key not in self._objects:
            self._objects[key] = {identity(obj): obj for obj in side.objects_in(environment, unit)}
        kind, _, name = which
        return self._objects[key].get(which) or self._objects[key].get((kind, "", name))

    def _elsewhere(self, comparison: Comparison) -> Iterator[Cause]:
        """What changes a VM that refers to nothing that does: the release, the configuration, what lies beside it."""
        old, new = comparison.base.release.name, comparison.head.release.name
        if old != new:
            yield Cause(f"KubeVirt {old} → {new}")
        for which in sorted(comparison.changed):
            if which[0] == "KubeVirt":
                found = self._object(which, comparison)
                yield Cause("the KubeVirt CR", found.file, found.line)
        if self._base.configuration != self._head.configuration:
            yield Cause("the KubeVirt CR")
        hosts = [cluster.conditions.host for cluster in (comparison.base, comparison.head)]
        if hosts[0] != hosts[1]:
            yield Cause(f"host profile {hosts[0]} → {hosts[1]}")


def place_of(source: Source, label: str) -> str:
    """Return `file:line` of the working tree, of what is declared on a side of that name."""
    return _at("", source, label).place


def _changed_field(old: Data | None, new: Data | None) -> str:
    """The first field that changes in the spec of an object that is on both sides; "" where there is none."""
    if old is None or new is None:
        return ""
    before, after = (_spec(manifest) for manifest in (old, new))
    return next((f"spec.{difference.field}" for difference in differences(before, after)), "")


def _spec(manifest: Data) -> Any:
    return manifest.get("spec") or {}


def _at(name: str, place: Source, label: str) -> Cause:
    """Where it is in the working tree: a side that is a revision is called `revision:path`."""
    revision, _, _ = label.rpartition(":")
    return Cause(name, place.file.removeprefix(f"{revision}:"), place.line)
