"""Where every field of a VMI comes from.

Nothing is kept by hand: the stages of the pipeline that change objects run over the VM, and then again without its
instance type, its preference, each preset and the KubeVirt CR's configuration. A field comes from the stage that gave
it its value, and there from what it is missing or different without.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
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


class _Run:
    """The stages that change objects, as `pipeline.create_vmi` runs them, each when it is asked for; changes `vm`.

    They are the template after the VM's webhook, in the shape of a VMI; virt-controller's VMI; the same after its
    webhook. A stage that KubeVirt does not come to is empty.
    """

    def __init__(self, vm: Held, cluster: Cluster) -> None:
        vm.metadata.namespace = vm.metadata.namespace or "default"
        self._left = _of_vmi(vm, cluster) if isinstance(vm, VirtualMachineInstance) else _of_vm(vm, cluster)
        self._made: list[Manifest] = []

    def stage(self, number: int) -> Manifest:
        """Return what a stage makes."""
        while len(self._made) <= number:
            self._made.append(next(self._left, {}))
        return self._made[number]


class _Without(NamedTuple):
    """What a run leaves out."""

    instancetype: bool = False
    preference: bool = False
    presets: tuple[str, ...] = ()
    configuration: bool = False


_NO_INSTANCETYPE, _NO_PREFERENCE = _Without(instancetype=True), _Without(preference=True)
_NEITHER, _NO_CONFIGURATION = _Without(instancetype=True, preference=True), _Without(configuration=True)


class _Runs:
    """The run over a VM as it is, and the runs without something, each made when a field needs it."""

    def __init__(self, manifest: Manifest, cluster: Cluster) -> None:
        self._manifest, self._cluster = manifest, cluster
        self._instancetype: InstancetypeMatcher | None = None
        self._preference: PreferenceMatcher | None = None
        vm = read_vm(manifest, cluster.release)
        self._written = as_vmi(vm)
        self._namespace = vm.metadata.namespace or "default"
        self._read = clone(vm)
        self._whole = _Run(vm, cluster)
        self._final = self._whole.stage(2)
        # What was inferred is inferred once: the instance type may stand at the volume of a VM without preference.
        if isinstance(vm, VirtualMachine):
            self._instancetype, self._preference = vm.spec.instancetype, vm.spec.preference
        self._named = [*self._matchers()]
        self._runs: dict[_Without, _Run] = {}

    def origins(self) -> list[Origin]:
        final = without_made_up_uids(self._final) if self._final else {}
        return [
            Origin(_written_path(path), value, tuple(self._sources(path, value)))
            for key in ("metadata", "spec")
            if key in final
            for path, value in _leaves(final[key], (key,))
        ]

    def _matchers(self) -> Iterator[tuple[Source, _Without]]:
        if self._instancetype is not None:
            yield Source(INSTANCETYPE, _name(self._instancetype)), _NO_INSTANCETYPE
        if self._preference is not None:
            yield Source(PREFERENCE, _name(self._preference)), _NO_PREFERENCE

    def _run_without(self, without: _Without) -> _Run:
        run = self._runs.get(without)
        if run is None:
            run = self._runs[without] = self._make(without)
        return run

    def _make(self, without: _Without) -> _Run:
        cluster = self._cluster
        if without.configuration:
            cluster = cluster.computed(_unconfigured)
            if cluster is self._cluster:
                return self._whole
        if without.presets:
            cluster = cluster.without_presets(*without.presets)
        vm = clone(self._read)
        if not isinstance(vm, VirtualMachine):
            return _Run(vm, cluster)
        vm.spec.instancetype = self._instancetype and clone(self._instancetype)
        vm.spec.preference = self._preference and clone(self._preference)
        if without.instancetype:
            vm.spec.instancetype = None
        if without.preference:
            vm.spec.preference = None
        return _Run(vm, cluster)

    def _sources(self, path: Path, value: Any) -> list[Source]:
        # The API writes some empty maps out by itself.
        if _same(self._written, path, value) and (value != {} or _same(written_template(self._manifest), path, {})):
            return [Source(VM)]
        stage = next(number for number in range(3) if _same(self._whole.stage(number), path, value))
        found = list(self._from_presets(path, value) if stage == 2 else self._from_matchers(stage, path, value))
        if found:
            return found
        without = self._run_without(_NO_CONFIGURATION)
        return [Source(DEFAULT if _same(without.stage(2), path, value) else CONFIGURATION)]

    def _from_matchers(self, stage: int, path: Path, value: Any) -> Iterator[Source]:
        """The instance type or the preference; both when both are needed for the value, or either alone gives it."""
        named = self._named
        needed = [source for source, without in named if self._differs(without, stage, path, value)]
        if needed:
            yield from needed
        elif len(named) == 2 and self._differs(_NEITHER, stage, path, value):
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
        return not _same(self._run_without(without).stage(stage), path, value)


def _of_vmi(vmi: VirtualMachineInstance, cluster: Cluster) -> Iterator[Manifest]:
    written = to_manifest(vmi)
    yield written
    yield written
    if not mutate_vmi(vmi, cluster):
        yield to_manifest(vmi)


def _of_vm(vm: VirtualMachine, cluster: Cluster) -> Iterator[Manifest]:
    if mutate_vm(vm, cluster):
        return
    yield as_vmi(vm)
    try:
        vmi = start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return
    yield to_manifest(vmi)
    if not mutate_vmi(vmi, cluster):
        yield to_manifest(vmi)


def _unconfigured(cluster: Cluster) -> Cluster:
    """The cluster with an empty configuration: itself if it has that."""
    other = cluster.without_configuration()
    return cluster if vars(other.configuration) == vars(cluster.configuration) else other


@lru_cache(maxsize=1 << 14)
def _written_path(path: Path) -> str:
    return field_path(path)


def _leaves(value: Any, path: Path) -> list[tuple[Path, Any]]:
    """Return path and value of every scalar and empty collection."""
    found: list[tuple[Path, Any]] = []
    _add_leaves(found, value, path)
    return found


def _add_leaves(found: list[tuple[Path, Any]], value: Any, path: Path) -> None:
    if not value or not isinstance(value, (dict, list)):
        found.append((path, value))
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        _add_leaves(found, item, (*path, key))


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
