"""What `virtcatalog expand` warns of: deprecated presets and spellings, and what to use instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from virtcatalog.api.annotations import APPLIED_PRESET
from virtcatalog.cli.vms import Located
from virtcatalog.errors import Problem, Warning

if TYPE_CHECKING:
    from virtcatalog.ask.replacement import Replacement
    from virtcatalog.kubevirt.pipeline import Result

_PRESET = "VirtualMachineInstancePreset"


class Warnings:
    """Words the warnings of VMs; those about an object of the cluster once, however many VMs use it."""

    def __init__(self, objects: Iterable[Located]) -> None:
        self._objects = {(str(each.manifest.get("kind")), each.name): each for each in objects}
        self._said: set[tuple[str, str]] = set()
        self._told: set[Warning] = set()

    def of(self, vm: Located, result: Result) -> Iterator[Problem]:
        """Yield the warnings about a VM, then those about the objects that it uses."""
        presets = self._presets(vm, result)
        for warning in result.warnings:
            if not warning.object:
                yield vm.problem(warning.field, f"warning: {warning.message}")
            elif not warning.object.startswith(_PRESET):  # of these, more is said below
                yield from self._of_object(warning)
        for key in [*presets, *self._matched(vm, result)]:
            each = self._objects.get(key)
            if each is not None and key not in self._said:
                self._said.add(key)
                yield from _of_preset(each) if key[0] == _PRESET else _of_catalog(each)

    def _of_object(self, warning: Warning) -> Iterator[Problem]:
        if warning in self._told:
            return
        self._told.add(warning)
        kind, _, name = warning.object.partition("/")
        each = self._objects.get((kind, name if "/" in name else f"default/{name}"))
        if each is None:
            yield Problem(object=warning.object, field=warning.field, message=f"warning: {warning.message}")
        else:
            yield each.problem(warning.field, f"warning: {warning.message}")

    def _presets(self, vm: Located, result: Result) -> list[tuple[str, str]]:
        if result.vmi_object is None:
            return []
        metadata = result.vmi_object.metadata
        names = (name.removeprefix(APPLIED_PRESET) for name in metadata.annotations if name.startswith(APPLIED_PRESET))
        return [(_PRESET, f"{metadata.namespace}/{name}") for name in names]

    def _matched(self, vm: Located, result: Result) -> Iterator[tuple[str, str]]:
        from virtcatalog.kubevirt.matchers import (
            CLUSTER_INSTANCETYPE,
            CLUSTER_PREFERENCE,
            INSTANCETYPE,
            PREFERENCE,
            instancetype_kind,
            preference_kind,
        )

        spec = result.vm_object.spec if result.vm_object is not None else None
        if spec is None:
            return
        namespace = vm.name.partition("/")[0]
        if spec.instancetype is not None and not spec.instancetype.revision_name:
            kind = instancetype_kind(spec.instancetype.kind)
            scope = "default" if kind == CLUSTER_INSTANCETYPE else namespace
            yield kind or INSTANCETYPE, f"{scope}/{spec.instancetype.name}"
        if spec.preference is not None and not spec.preference.revision_name:
            kind = preference_kind(spec.preference.kind)
            scope = "default" if kind == CLUSTER_PREFERENCE else namespace
            yield kind or PREFERENCE, f"{scope}/{spec.preference.name}"


def _of_catalog(each: Located) -> Iterator[Problem]:
    from virtcatalog.kubevirt.admission.instancetypes import warnings

    for found in warnings(each.manifest):
        yield each.problem(found.field, f"warning: {found.message}")


def _of_preset(each: Located) -> Iterator[Problem]:
    from virtcatalog.api.decode import decode_manifest
    from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
    from virtcatalog.ask.replacement import replacement

    suggested = replacement(decode_manifest(each.manifest, VirtualMachineInstancePreset))
    yield each.problem("", f"warning: presets are deprecated; {'; '.join(_worded(suggested))}")


def _worded(suggested: Replacement) -> Iterator[str]:
    replaced = []
    if suggested.instancetype:
        needed = f" (it also needs {' and '.join(suggested.needed)})" if suggested.needed else ""
        replaced.append(f"an instance type with spec {json.dumps(suggested.instancetype)}{needed}")
    if suggested.preference:
        replaced.append(f"a preference with spec {json.dumps(suggested.preference)}")
    yield f"in its place: {' and '.join(replaced)}" if replaced else "no instance type or preference holds what it sets"
    if suggested.vm:
        yield f"to be set in the VM: {', '.join(suggested.vm)}"
    if suggested.idle:
        yield f"never applied: {', '.join(suggested.idle)}"
