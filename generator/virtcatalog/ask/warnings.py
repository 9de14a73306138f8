"""What is said of a VM beside its result: deprecated presets and spellings of what it uses, and what to use instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE
from virtcatalog.errors import Problem, Warning, placed
from virtcatalog.fleet.outcome import Located, Remark
from virtcatalog.kubevirt.matchers import instancetype_kind, preference_kind
from virtcatalog.manifests.identity import namespace_of

if TYPE_CHECKING:
    from virtcatalog.api.kubevirt import VirtualMachineSpec
    from virtcatalog.ask.replacement import Replacement
    from virtcatalog.kubevirt.pipeline import Result
    from virtcatalog.releases import Release

_PRESET = "VirtualMachineInstancePreset"


class Warnings:
    """Words the warnings of VMs, and those about the objects of the cluster that they use."""

    def __init__(self, objects: Iterable[Located], release: Release) -> None:
        self._release = release
        self._objects: dict[str, Located] = {}
        for located in objects:
            self._objects[manifest_name(located.manifest)] = located
            self._objects[f"{located.manifest.get('kind')}/{located.name}"] = located
        self._of_object: dict[str, list[Warning]] = {}

    def of(self, vm: Located, result: Result) -> list[Remark]:
        """Return the warnings about a VM, then those about the objects that it uses."""
        warnings = [*result.warnings, *self._of_matched(vm, result)]
        if not warnings:
            return []
        own = [warning for warning in result.warnings if not warning.object]
        remarks = [Remark(problem) for problem in placed(own, vm.problem)]
        for warning in warnings:
            if warning.object:
                about = self._objects.get(warning.object)
                if about is None:
                    problem = Problem(object=warning.object, field=warning.field, message=f"warning: {warning.message}")
                elif warning.type == "Deprecated" and warning.object.startswith(_PRESET):
                    problem = _of_preset(about)
                else:
                    problem = about.problem(warning.field, f"warning: {warning.message}")
                remarks.append(Remark(problem, warning))
        return remarks

    def _of_matched(self, vm: Located, result: Result) -> list[Warning]:
        of_matched: list[Warning] = []
        if result.vm_object is None:
            return of_matched
        for name in _matched(vm, result.vm_object.spec):
            about = self._objects.get(name)
            if about is None:
                continue
            if name not in self._of_object:
                from virtcatalog.kubevirt.admission.instancetypes import warnings

                self._of_object[name] = [
                    replace(warning, object=name) for warning in warnings(about.manifest, self._release)
                ]
            of_matched += self._of_object[name]
        return of_matched


def _matched(vm: Located, spec: VirtualMachineSpec) -> list[str]:
    """The instance type and the preference that a VM names and holds no revision of, as warnings name objects."""
    names = []
    for matcher, kind_of, default in (
        (spec.instancetype, instancetype_kind, INSTANCETYPE),
        (spec.preference, preference_kind, PREFERENCE),
    ):
        if matcher is not None and not matcher.revision_name:
            kind = kind_of(matcher.kind)
            scope = "default" if kind in (CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE) else namespace_of(vm.manifest)
            names.append(f"{kind or default}/{scope}/{matcher.name}")
    return names


def _of_preset(located: Located) -> Problem:
    from virtcatalog.api.decode import decode_manifest
    from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
    from virtcatalog.ask.replacement import replacement

    suggested = replacement(decode_manifest(located.manifest, VirtualMachineInstancePreset))
    return located.problem("", f"warning: presets are deprecated; {'; '.join(_worded(suggested))}")


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
