"""Why a VM changes: what is declared otherwise, and the line that does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.kinds import CATALOG_KINDS
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.places import Source
from virtcatalog.kubevirt.matchers import matcher_of
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.kubevirtcr import GATES_FIELD, gate_cause, gates_of
from virtcatalog.review.pinned import stores
from virtcatalog.review.running import OF_POOL, TEMPLATE
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.unitcauses import UnitCauses, cause_at
from virtcatalog.review.units import ANYWHERE, Unit, Units
from virtcatalog.review.verdict import Cause, Verdict

_CR = "the KubeVirt CR"
#: The field that a reason begins with.
_FIELD = re.compile(r"(spec(?:\.[\w-]+|\[\d+\])+): ")
#: Kinds whose objects VMs meet without naming them.
_UNNAMED = ("VirtualMachineInstancePreset", "Namespace")


class Causes:
    """Finds what changes VMs, between two sides."""

    def __init__(self, base: Side, head: Side) -> None:
        self._base, self._head = base, head
        self._of_units = UnitCauses(base, head)
        self._objects: dict[tuple[bool, str, Unit], dict[Identity, Data]] = {}
        self._causes: dict[tuple[Identity, str, Units], tuple[Cause, ...]] = {}

    def around(
        self, comparison: Comparison, references: Iterable[Identity], vm: Data, verdict: Verdict
    ) -> tuple[Cause, ...]:
        """Why a VM changes that refers to these objects: the release, and those that change, or what else it meets.

        A VM that keeps its instance type and preference, and changes, does so because of what else it meets.
        """
        changed = [reference for reference in references if reference in comparison.changed]
        objects = [cause for reference in dict.fromkeys(changed) for cause in self._object(reference, comparison)]
        stays = verdict.next == "kept" and verdict.now == "unchanged"
        if objects and (stays or not comparison.all_change):
            return (*_release(comparison), *objects)
        others = list(self._elsewhere(comparison, vm))
        if objects and others and stores(comparison.base) and verdict.anew == "same":
            return (*_release(comparison), *others)
        return (*_release(comparison), *others, *objects)

    def of_manifest(self, old: Vm | None, new: Vm | None, verdict: Verdict) -> tuple[Cause, ...]:
        """The fields of a VM's own manifest that make the verdict, those first that its reasons name."""
        vm, side = (new, self._head) if new is not None else (old, self._base)
        assert vm is not None
        noun = "VM template" if verdict.template else "manifest"
        if old is None or new is None:
            deployed = self._of_units.of(vm, side)
            if deployed is not None:
                return (deployed,)
            fields = tuple(_refused_fields(vm, verdict, side)) if new is not None else ()
            return fields or (cause_at(f"the {'deleted' if new is None else 'new'} {noun}", vm.place, side.label),)
        name = f"the {noun}"
        if vm.field is None:
            return (cause_at(name, vm.place, side.label),)
        at_line: dict[tuple[str, int], list[str]] = {}
        for difference in differences(old.manifest, new.manifest, items=True):
            place = cause_at("", vm.field(difference.field), side.label)
            field = difference.field.removeprefix(OF_POOL).removeprefix(TEMPLATE)
            at_line.setdefault((place.file, place.line), []).append(field)
        causes = [Cause(_common(fields) or name, *place) for place, fields in at_line.items()]
        return tuple(sorted(causes, key=lambda cause: not any(cause.name in reason for reason in verdict.reasons)))

    def naming(self, vm: Vm, references: Iterable[Identity]) -> Iterator[Cause]:
        """The fields by which a VM names these instance types and preferences."""
        around = OF_POOL if vm.manifest.get("kind") == "VirtualMachinePool" else ""
        for kind, *_ in references:
            field = f"spec.{matcher_of(kind)}.name"
            if vm.field is not None:
                yield cause_at(field, vm.field(f"{around}{field}"), self._head.label)

    def _object(self, which: Identity, comparison: Comparison) -> tuple[Cause, ...]:
        key = which, comparison.environment, comparison.units
        if key not in self._causes:
            self._causes[key] = tuple(dict.fromkeys(self._find(*key)))
        return self._causes[key]

    def _find(self, which: Identity, environment: str, units: Units) -> Iterator[Cause]:
        """An object that changes, at each line that does it: of an overlay's patch, its own, a component's, or one of
        a catalog that it extends.
        """
        name = which[2]
        old = self._manifest(self._base, which, environment, units[0])
        new = self._manifest(self._head, which, environment, units[1])
        if which[0] == "KubeVirt" and new is not None:
            for cause, field in _kubevirt_fields(old, new):
                place = self._field(which, new, field, environment)
                yield cause_at(cause, place, self._head.label) if place is not None else Cause(cause)
            if old is not None:
                return
        fields = _changed_fields(old, new)
        places = [self._field(which, new, field, environment) for field in fields] if new is not None else []
        yield from (cause_at(name, place, self._head.label) for place in places if place is not None)
        if any(places):
            return
        overlay = self._overlay(self._head, environment)
        if overlay is not None and self._same_in_base(which):
            yield cause_at(name, overlay.source, self._head.label)
            return
        for side, manifest in ((self._head, new), (self._base, old)):
            source = side.place_of(which, manifest)
            if source is not None:
                yield cause_at(name, source, side.label)
                return
        yield Cause(name)

    def _field(self, which: Identity, manifest: Data, field: str, environment: str) -> Source | None:
        """Where a changed field of an object is declared after the change; None where that is not known."""
        overlays = [self._overlay(side, environment) for side in (self._head, self._base)]
        patched = [overlay.place_of_patch(manifest, field) if overlay is not None else None for overlay in overlays]
        if patched[0] is not None:
            return patched[0]
        if patched[1] is not None and overlays[0] is not None:  # the patch is gone
            return overlays[0].source
        if self._same_in_base(which):
            return None
        field_of = self._head.field_of(which, manifest)
        return field_of(field) if field_of is not None else None

    def _overlay(self, side: Side, environment: str) -> Overlay | None:
        return next((overlay for overlay in side.overlays if environment and overlay.name == environment), None)

    def _same_in_base(self, which: Identity) -> bool:
        """Whether it is an environment's own doing that an object changes there."""
        old, new = (self._manifest(side, which, "", ANYWHERE) for side in (self._base, self._head))
        return bool(self._head.overlays) and old is not None and old == new

    def _manifest(self, side: Side, which: Identity, environment: str, unit: Unit) -> Data | None:
        key = side is self._head, environment, unit
        if key not in self._objects:
            self._objects[key] = {identity(obj): obj for obj in side.objects_in(environment, unit)}
        kind, _, name = which
        return self._objects[key].get(which) or self._objects[key].get((kind, "", name))

    def gates(self, comparison: Comparison, names: Iterable[str]) -> Iterator[Cause]:
        """The lines that turn feature gates on."""
        wanted = {gate_cause(name) for name in names}
        if wanted:
            yield from (cause for cause in self._configuration(comparison) if cause.name in wanted)

    def _elsewhere(self, comparison: Comparison, vm: Data) -> Iterator[Cause]:
        """What changes a VM that refers to nothing that does: the configuration, and what lies beside it."""
        yield from self._configuration(comparison)
        beside = sorted(which for which in comparison.changed if which[0] not in (*CATALOG_KINDS, "KubeVirt"))
        words = set(_words(vm)) if beside else set()
        for which in beside:
            kind, namespace, name = which
            if kind in _UNNAMED or name in words or f"{namespace}/{name}" in words:
                yield from (replace(cause, name=f"{kind} {name}") for cause in self._object(which, comparison))
        hosts = [cluster.conditions.host for cluster in (comparison.base, comparison.head)]
        if hosts[0] != hosts[1]:
            yield Cause(f"host profile {hosts[0]} → {hosts[1]}")

    def _configuration(self, comparison: Comparison) -> Iterator[Cause]:
        """The fields of the KubeVirt CR that change, be it among the objects or one that is named for a side."""
        if self._head.configuration is not None:
            yield from self._named_configuration
            return
        for which in sorted(which for which in comparison.changed if which[0] == "KubeVirt"):
            causes = self._object(which, comparison)
            yield from (replace(cause, name=_CR) if cause.name == which[2] else cause for cause in causes)

    @cached_property
    def _named_configuration(self) -> tuple[Cause, ...]:
        """The fields that change in a KubeVirt CR that is named for the head."""
        old, new = self._base.kubevirt, self._head.configuration
        assert new is not None
        fields = _kubevirt_fields(old or {}, new.data)
        return tuple(cause_at(name, new.field(field), self._head.label) for name, field in fields)


def _kubevirt_fields(old: Data | None, new: Data) -> Iterator[tuple[str, str]]:
    """The fields of a KubeVirt CR that change, and what each is called: a feature gate by its name."""
    before, after = gates_of(old), gates_of(new)
    for gate in dict.fromkeys([*after, *before]):
        if gate not in before:
            yield gate_cause(gate), f"{GATES_FIELD}[{after.index(gate)}]"
        elif gate not in after:
            yield gate_cause(gate), GATES_FIELD
    fields = _changed_fields(old, new)
    yield from ((_CR, field) for field in fields if not field.startswith(f"{GATES_FIELD}["))


def _release(comparison: Comparison) -> Iterator[Cause]:
    old, new = str(comparison.base.release), str(comparison.head.release)
    if old != new:
        yield Cause(f"KubeVirt {old} → {new}")


def _refused_fields(vm: Vm, verdict: Verdict, side: Side) -> Iterator[Cause]:
    """The fields of a new VM for which it is refused."""
    matches = (_FIELD.match(text) for text in (*verdict.reasons, *verdict.changes) if vm.field is not None)
    for field in dict.fromkeys(match.group(1) for match in matches if match is not None):
        assert vm.field is not None
        yield cause_at(field, vm.field(field), side.label)


def place_of(source: Source, label: str) -> str:
    """Return `file:line` of the working tree, of what is declared on a side of that name."""
    return cause_at("", source, label).place


def _changed_fields(old: Data | None, new: Data | None) -> list[str]:
    """The fields that change in the spec of an object that is on both sides."""
    if old is None or new is None:
        return []
    before, after = (manifest.get("spec") or {} for manifest in (old, new))
    return [f"spec.{difference.field}" for difference in differences(before, after, items=True)]


def _common(fields: Sequence[str]) -> str:
    """The field that is around several, or the only one."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*fields, strict=False))
    common = "".join(letters[0] for letters in alike)
    if all(field[len(common) :][:1] in ("", ".", "[") for field in fields):
        return common.rstrip(".")
    return common[: max(common.rfind("."), common.rfind("["), 0)]


def _words(value: Any) -> Iterator[str]:
    """The strings in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words(part)
