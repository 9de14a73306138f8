"""Where every field of a VMI comes from.

Nothing is kept by hand: the stages of the pipeline that change objects run over the VM, and then again without its
instance type, its preference, each preset and the KubeVirt CR's configuration. A field comes from the stage that gave
it its value, and there from what it is missing or different without.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kubevirt import InstancetypeMatcher, PreferenceMatcher, VirtualMachine, VirtualMachineInstance
from virtcatalog.ask.template import Held, Manifest, as_vmi, read_vm, written_template
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import ControllerError, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.identity import without_made_up_uids

VM = "VM"
INSTANCETYPE = "instance type"
PREFERENCE = "preference"
PRESET = "preset"
CONFIGURATION = "cluster configuration"
DEFAULT = "KubeVirt default"


class Source(msgspec.Struct, frozen=True, order=True):
    """What gave a field its value: one of the kinds above; instance types, preferences and presets have a name."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.name else self.kind


class Origin(msgspec.Struct, frozen=True):
    """A field of the VMI (`spec.domain.cpu.cores`), its value, and its sources: several when it takes all of them."""

    field: str
    value: Any
    sources: tuple[Source, ...]


def explain(vm_manifest: Manifest, cluster: Cluster) -> list[Origin]:
    """Return the origin of every leaf of the VMI's metadata and spec, in the VMI's order.

    Empty when KubeVirt makes no VMI of the VM. ManifestError when the VM's manifest does not fit its API.
    """
    return _Runs(vm_manifest, cluster).origins()


class _Run(NamedTuple):
    """The template after the VM's webhook, in the shape of a VMI; virt-controller's VMI; the same after its webhook."""

    admitted: Manifest
    started: Manifest
    final: Manifest


class _Without(NamedTuple):
    """What a run leaves out."""

    instancetype: bool = False
    preference: bool = False
    presets: tuple[str, ...] = ()
    configuration: bool = False


class _Runs:
    """The run over a VM as it is, and the runs without something, each made when a field needs it."""

    def __init__(self, manifest: Manifest, cluster: Cluster) -> None:
        self._manifest, self._cluster = manifest, cluster
        self._instancetype: InstancetypeMatcher | None = None
        self._preference: PreferenceMatcher | None = None
        vm = read_vm(manifest, cluster.release)
        self._written = as_vmi(vm)
        self._namespace = vm.metadata.namespace or "default"
        self._whole = _run(vm, cluster)
        # What was inferred is inferred once: the instance type may stand at the volume of a VM without preference.
        if isinstance(vm, VirtualMachine):
            self._instancetype, self._preference = vm.spec.instancetype, vm.spec.preference
        self._run_without = cache(self._make)

    def origins(self) -> list[Origin]:
        final = without_made_up_uids(self._whole.final) if self._whole.final else {}
        return [
            Origin(field_path(path), value, tuple(self._sources(path, value)))
            for key in ("metadata", "spec")
            if key in final
            for path, value in _leaves(final[key], (key,))
        ]

    def _make(self, without: _Without) -> _Run:
        cluster = self._cluster
        if without.configuration:
            cluster = cluster.without_configuration()
        if without.presets:
            cluster = cluster.without_presets(*without.presets)
        vm = read_vm(self._manifest, cluster.release)
        if not isinstance(vm, VirtualMachine):
            return _run(vm, cluster)
        vm.spec.instancetype = self._instancetype and clone(self._instancetype)
        vm.spec.preference = self._preference and clone(self._preference)
        if without.instancetype:
            vm.spec.instancetype = None
        if without.preference:
            vm.spec.preference = None
        return _run(vm, cluster)

    def _sources(self, path: Path, value: Any) -> list[Source]:
        # The API writes some empty maps out by itself.
        if _same(self._written, path, value) and (value != {} or _same(written_template(self._manifest), path, {})):
            return [Source(VM)]
        stage = next(index for index, vmi in enumerate(self._whole) if _same(vmi, path, value))
        found = list(self._from_presets(path, value) if stage == 2 else self._from_matchers(stage, path, value))
        if found:
            return found
        without = self._run_without(_Without(configuration=True))
        return [Source(DEFAULT if _same(without.final, path, value) else CONFIGURATION)]

    def _from_matchers(self, stage: int, path: Path, value: Any) -> Iterator[Source]:
        """The instance type or the preference; both when both are needed for the value, or either alone gives it."""
        named = []
        if self._instancetype is not None:
            named.append((Source(INSTANCETYPE, _name(self._instancetype)), _Without(instancetype=True)))
        if self._preference is not None:
            named.append((Source(PREFERENCE, _name(self._preference)), _Without(preference=True)))
        needed = [source for source, without in named if self._differs(without, stage, path, value)]
        if needed:
            yield from needed
        elif len(named) == 2 and self._differs(_Without(instancetype=True, preference=True), stage, path, value):
            yield from (source for source, _ in named)

    def _from_presets(self, path: Path, value: Any) -> Iterator[Source]:
        names = tuple(sorted(preset.metadata.name for preset in self._cluster.presets(self._namespace)))
        if not names or not self._differs(_Without(presets=names), 2, path, value):
            return
        needed = [name for name in names if self._differs(_Without(presets=(name,)), 2, path, value)]
        yield from (Source(PRESET, name) for name in needed or self._alone(names, path, value))

    def _alone(self, names: tuple[str, ...], path: Path, value: Any) -> Iterator[str]:
        """The presets of which each alone gives the value."""
        for name in names:
            others = tuple(other for other in names if other != name)
            if not self._differs(_Without(presets=others), 2, path, value):
                yield name

    def _differs(self, without: _Without, stage: int, path: Path, value: Any) -> bool:
        return not _same(self._run_without(without)[stage], path, value)


def _run(vm: Held, cluster: Cluster) -> _Run:
    """Run the stages that change objects, as `pipeline.create_vmi` does; changes `vm`. As far as KubeVirt comes."""
    vm.metadata.namespace = vm.metadata.namespace or "default"
    if isinstance(vm, VirtualMachineInstance):
        written = to_manifest(vm)
        return _Run(written, written, {} if mutate_vmi(vm, cluster) else to_manifest(vm))
    if mutate_vm(vm, cluster):
        return _Run({}, {}, {})
    admitted = as_vmi(vm)
    try:
        vmi = start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return _Run(admitted, {}, {})
    started = to_manifest(vmi)
    if mutate_vmi(vmi, cluster):
        return _Run(admitted, started, {})
    return _Run(admitted, started, to_manifest(vmi))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield path and value of every scalar and empty collection."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _same(manifest: Manifest, path: Path, value: Any) -> bool:
    found: Any = manifest
    try:
        for step in path:
            found = found[step]
    except (KeyError, IndexError, TypeError):
        return False
    return bool(found == value)


def _name(matcher: InstancetypeMatcher | PreferenceMatcher) -> str:
    return f"{matcher.name} ({matcher.revision_name})" if matcher.revision_name else matcher.name
