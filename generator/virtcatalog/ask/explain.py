"""Where every field of a VMI comes from.

Nothing is kept by hand: the stages of the pipeline that change objects run over the VM, and then again without its
instance type, its preference, each preset and the KubeVirt CR's configuration. A field comes from the stage that gave
it its value, and there from what it is missing or different without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.kubevirt import InstancetypeMatcher, PreferenceMatcher, VirtualMachine, VirtualMachineInstance
from virtcatalog.ask.leaves import blot, changed, leaves
from virtcatalog.ask.template import Held, Manifest, as_vmi, read_vm, written_template
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import ControllerError, own_template, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.identity import without_made_up_uids
from virtcatalog.kubevirt.result import Result

VM = "VM"
INSTANCETYPE = "instance type"
PREFERENCE = "preference"
PRESET = "preset"
CONFIGURATION = "cluster configuration"
DEFAULT = "KubeVirt default"

_OF_VM, _OF_CONFIGURATION, _OF_KUBEVIRT = (VM,), (CONFIGURATION,), (DEFAULT,)
_WRITTEN, _MUTATED, _STARTED, _FINAL = range(4)
"""The stages: what the VM's author wrote; after the VM's webhook; virt-controller's VMI; after its webhook."""
_PARTS: Final = ("metadata", "spec")
"""What is explained of a VMI."""


class Origin(msgspec.Struct, frozen=True, gc=False):
    """A field of the VMI (`spec.domain.cpu.cores`), its value, and its sources: several when it takes all of them.

    A source is one of the kinds above; instance types, preferences and presets have their name after it.
    """

    field: str
    value: Any
    sources: tuple[str, ...]


def explain(vm_manifest: Manifest, cluster: Cluster) -> list[Origin]:
    """Return the origin of every leaf of the VMI's metadata and spec, in the VMI's order.

    Empty when KubeVirt makes no VMI of the VM. ManifestError when the VM's manifest does not fit its API.
    """
    vm = read_vm(vm_manifest, cluster.release)
    vm.metadata.namespace = vm.metadata.namespace or "default"
    return _Runs(vm_manifest, cluster, clone(vm), _Run(vm, [], _run(vm, cluster))).origins()


def explain_result(vm_manifest: Manifest, result: Result, cluster: Cluster) -> list[Origin]:
    """Return what `explain` does, of a VM that was expanded in the cluster: quicker if its stages were kept."""
    stages, final = result.stages, result.vmi
    if stages is None or final is None:
        return explain(vm_manifest, cluster)
    whole = _Run(stages.mutated, [as_vmi(stages.mutated), stages.started, final], iter(()))
    return _Runs(vm_manifest, cluster, stages.read, whole).origins()


def _run(vm: Held, cluster: Cluster) -> Iterator[Manifest]:
    """Run the stages that change objects, as `pipeline.create_vmi` does, each when it is asked for; changes `vm`.

    A stage that KubeVirt does not come to is left out.
    """
    if isinstance(vm, VirtualMachineInstance):
        written = to_manifest(vm)
        yield written
        yield written
        if not mutate_vmi(vm, cluster):
            yield without_made_up_uids(to_manifest(vm))
    elif not mutate_vm(vm, cluster):
        yield as_vmi(vm)
        yield from _run_controller(vm, cluster)


def _run_controller(vm: VirtualMachine, cluster: Cluster) -> Iterator[Manifest]:
    """Run the stages after the VM's webhook."""
    try:
        vmi = start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return
    yield to_manifest(vmi)
    if not mutate_vmi(vmi, cluster):
        yield without_made_up_uids(to_manifest(vmi))


class _Without(NamedTuple):
    """What a run leaves out."""

    instancetype: bool = False
    preference: bool = False
    presets: tuple[str, ...] = ()
    configuration: bool = False


_NO_INSTANCETYPE, _NO_PREFERENCE = _Without(instancetype=True), _Without(preference=True)
_NEITHER, _NO_CONFIGURATION = _Without(instancetype=True, preference=True), _Without(configuration=True)


class _Run:
    """A run over a VM: what it makes of each stage, when that is asked for; `made` is there, `left` makes the rest."""

    def __init__(self, vm: Held, made: list[Manifest], left: Iterator[Manifest]) -> None:
        self.vm = vm
        self._made, self._left = made, left

    def stage(self, number: int) -> Manifest:
        """Return what a stage makes, nothing where KubeVirt does not come to it."""
        while len(self._made) < number:
            self._made.append(next(self._left, {}))
        return self._made[number - 1]

    def without_instancetype(self, cluster: Cluster) -> _Run:
        """Return the run that has no instance type: virt-controller applies it, and the VM's webhook does not look."""
        assert isinstance(self.vm, VirtualMachine)
        mutated = self.stage(_MUTATED)
        vm = replace(self.vm, spec=replace(self.vm.spec, instancetype=None))
        return _Run(vm, [mutated], _run_controller(vm, cluster) if mutated else iter(()))


class _Runs:
    """The run over a VM as it is, and the runs without something, each made when a field needs it.

    `read` is the VM before its webhook.
    """

    def __init__(self, manifest: Manifest, cluster: Cluster, read: Held, whole: _Run) -> None:
        self._manifest, self._cluster = manifest, cluster
        self._read, self._whole = read, whole
        self._final = whole.stage(_FINAL)
        # What was inferred is inferred once: the instance type may stand at the volume of a VM without preference.
        self._instancetype: InstancetypeMatcher | None = None
        self._preference: PreferenceMatcher | None = None
        if isinstance(whole.vm, VirtualMachine):
            self._instancetype, self._preference = whole.vm.spec.instancetype, whole.vm.spec.preference
        self._named = [*self._matchers()]
        self._presets = tuple(sorted(each.metadata.name for each in cluster.presets(read.metadata.namespace)))
        self._runs: dict[_Without, _Run] = {}
        self._changes: dict[tuple[_Without, int], set[str]] = {}

    def origins(self) -> list[Origin]:
        """Return the origin of every leaf."""
        if not self._final:
            return []
        before = _written(self._read, self._manifest), self._whole.stage(_MUTATED), self._whole.stage(_STARTED)
        found = leaves(self._final, before, _PARTS)
        own = dict.fromkeys(self._changed(_NO_CONFIGURATION, _FINAL), _OF_CONFIGURATION)
        given = {stage: own | self._given(stage) for stage in {stage for _, _, stage in found} - {_WRITTEN}}
        return [
            Origin(field, value, _OF_VM if stage == _WRITTEN else given[stage].get(field, _OF_KUBEVIRT))
            for field, value, stage in found
        ]

    def _matchers(self) -> Iterator[tuple[str, _Without]]:
        if self._instancetype is not None:
            yield _source(INSTANCETYPE, _name(self._instancetype)), _NO_INSTANCETYPE
        if self._preference is not None:
            yield _source(PREFERENCE, _name(self._preference)), _NO_PREFERENCE

    def _given(self, stage: int) -> dict[str, tuple[str, ...]]:
        """What objects that are there for VMs give at a stage: the sources of fields."""
        return self._of_presets() if stage == _FINAL else self._of_matchers(stage)

    def _of_matchers(self, stage: int) -> dict[str, tuple[str, ...]]:
        """The instance type or the preference; both when both are needed for the value, or either alone gives it."""
        found: dict[str, tuple[str, ...]] = {}
        for source, without in self._named:
            for field in self._changed(without, stage):
                found[field] = (*found.get(field, ()), source)
        if len(self._named) == 2:
            both = tuple(source for source, _ in self._named)
            # Where neither makes what one of them makes, it is that one that the field needs.
            alone = tuple(self._run_without(without).stage(stage) for _, without in self._named)
            fields = changed(self._whole.stage(stage), self._run_without(_NEITHER).stage(stage), _PARTS, alone)
            found = {**dict.fromkeys(fields, both), **found} if fields else found
        return found

    def _of_presets(self) -> dict[str, tuple[str, ...]]:
        """The presets without which the value is another; where there are none, those of which each alone gives it."""
        names = self._presets
        if not names:
            return {}
        sources = {name: _source(PRESET, name) for name in names}
        found: dict[str, tuple[str, ...]] = {}
        for field in self._changed(_Without(presets=names), _FINAL):
            needed = [name for name in names if field in self._changed(_Without(presets=(name,)), _FINAL)]
            needed = needed or [name for name in names if self._gives_alone(name, field)]
            if needed:
                found[field] = tuple(sources[name] for name in needed)
        return found

    def _gives_alone(self, name: str, field: str) -> bool:
        """Whether a preset gives the value without the others."""
        others = tuple(other for other in self._presets if other != name)
        return field not in self._changed(_Without(presets=others), _FINAL)

    def _changed(self, without: _Without, stage: int) -> set[str]:
        """The fields that a stage makes otherwise, or not at all, without something."""
        found = self._changes.get((without, stage))
        if found is None:
            run = self._run_without(without)
            whole = self._whole
            found = set() if run is whole else changed(whole.stage(stage), run.stage(stage), _PARTS)
            self._changes[without, stage] = found
        return found

    def _run_without(self, without: _Without) -> _Run:
        """The run without something; the whole one where that is not there anyway."""
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
        if without.instancetype:
            with_it = self._run_without(_NO_PREFERENCE) if without.preference else self._whole
            return with_it.without_instancetype(cluster)
        if not isinstance(self._read, VirtualMachine):
            vmi = clone(self._read)
            return _Run(vmi, [], _run(vmi, cluster))
        vm = own_template(self._read)
        vm.spec.instancetype = self._instancetype and clone(self._instancetype)
        vm.spec.preference = None if without.preference else self._preference and clone(self._preference)
        return _Run(vm, [], _run(vm, cluster))


def _unconfigured(cluster: Cluster) -> Cluster:
    """The cluster with an empty configuration: itself if it has that."""
    other = cluster.without_configuration()
    return cluster if vars(other.configuration) == vars(cluster.configuration) else other


def _source(kind: str, name: str) -> str:
    return f"{kind} {name}" if name else kind


def _name(matcher: InstancetypeMatcher | PreferenceMatcher) -> str:
    return f"{matcher.name} ({matcher.revision_name})" if matcher.revision_name else matcher.name


def _written(read: Held, manifest: Manifest) -> Manifest:
    """What the author of a manifest gives to the VMI: without what the API writes out by itself, and defaults."""
    written = as_vmi(read)
    if not (manifest.get("metadata") or {}).get("namespace"):
        del written["metadata"]["namespace"]
    template = written_template(manifest)
    for key in _PARTS:
        blot(written[key], template.get(key))
    return written
