"""Where every field of a VMI comes from.

Nothing is kept by hand: the stages of the pipeline that change objects run over the VM, and then again without its
instance type, its preference, each preset and the KubeVirt CR's configuration. A field comes from the stage that gave
it its value, and there from what it is missing or different without.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.kubevirt import (
    InstancetypeMatcher,
    PreferenceMatcher,
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
)
from virtcatalog.api.names import namespace_or_default
from virtcatalog.ask.leaves import ABSENT, blot, changed, leaves
from virtcatalog.ask.origins import FINISHED, MADE, Known, Origins, Values
from virtcatalog.ask.template import INHERITED, Held, Manifest, as_vmi, read_vm, written_template
from virtcatalog.kubevirt.admission.vm import own_template
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import (
    ControllerError,
    find_both,
    start_vmi,
    sync_instancetype,
)
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.identity import without_made_up_uids
from virtcatalog.kubevirt.instancetype.webhook import takes
from virtcatalog.kubevirt.result import Result

VM = "VM"
INSTANCETYPE = "instance type"
PREFERENCE = "preference"
PRESET = "preset"
CONFIGURATION = "cluster configuration"
DEFAULT = "KubeVirt default"

Sources = tuple[str, ...]

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
    return _origins(_run(vm_manifest, cluster), cluster)


def explain_result(vm_manifest: Manifest, result: Result, cluster: Cluster) -> list[Origin]:
    """Return what `explain` does, of a VM that was expanded in the cluster: quicker if its stages were kept."""
    return _origins(_whole(vm_manifest, result, cluster), cluster)


def sources_of(vm_manifest: Manifest, result: Result, cluster: Cluster) -> dict[str, Sources]:
    """Return the sources alone that `explain_result` returns, by field."""
    whole = _whole(vm_manifest, result, cluster)
    return _Runs(whole, cluster).sources() if whole else {}


def _origins(whole: _Whole | None, cluster: Cluster) -> list[Origin]:
    if whole is None:
        return []
    sources = _Runs(whole, cluster).sources()
    return [Origin(field, value, sources[field]) for field, value in leaves(whole.shown, _PARTS)]


class _Whole(NamedTuple):
    """A VM as it is, and what its stages make of it; `read` is there where its manifest does not say the same.

    The manifest is its author's; `shown` is that of the final VMI, without uids that are made up.
    """

    manifest: Manifest
    read: Held | None
    mutated: Held
    final: VirtualMachineInstance
    shown: Manifest


def _whole(manifest: Manifest, result: Result, cluster: Cluster) -> _Whole | None:
    stages, final, shown = result.stages, result.vmi_object, result.vmi
    if stages is None or final is None or shown is None:
        return _run(manifest, cluster)
    return _Whole(manifest, stages.read, stages.mutated, final, shown)


def _run(manifest: Manifest, cluster: Cluster) -> _Whole | None:
    """Run the stages that change objects, as in `pipeline`; None where KubeVirt does not come to the end."""
    vm = _read(manifest, cluster)
    read = None if manifest.get("kind") == "VirtualMachine" else clone(vm)
    vmi = _start(vm, cluster)
    if vmi is None:
        return None
    mutated = vm if isinstance(vm, VirtualMachine) else clone(vm)
    shown = _finish(vmi, cluster)
    return _Whole(manifest, read, mutated, vmi, shown) if shown else None


def _read(manifest: Manifest, cluster: Cluster) -> Held:
    vm = read_vm(manifest, cluster.release)
    vm.metadata.namespace = namespace_or_default(vm.metadata.namespace)
    return vm


def _start(vm: Held, cluster: Cluster) -> VirtualMachineInstance | None:
    """Run the VM's webhook and virt-controller; changes the VM, and a VMI is started as it is."""
    if isinstance(vm, VirtualMachineInstance):
        return vm
    try:
        return None if mutate_vm(vm, cluster) else start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return None


def _finish(vmi: VirtualMachineInstance, cluster: Cluster) -> Manifest:
    """Run the VMI's webhook, and return the VMI's manifest: nothing if it is refused there."""
    return {} if mutate_vmi(vmi, cluster) else without_made_up_uids(to_manifest(vmi))


class _Runs:
    """The run over a VM as it is, and the runs without something."""

    def __init__(self, whole: _Whole, cluster: Cluster) -> None:
        self._whole, self._cluster = whole, cluster
        self._namespace = whole.final.metadata.namespace
        self._without: dict[frozenset[str], set[str]] = {}
        # What was inferred is inferred once: the instance type may stand at the volume of a VM without preference.
        self._instancetype: InstancetypeMatcher | None = None
        self._preference: PreferenceMatcher | None = None
        if isinstance(whole.mutated, VirtualMachine):
            self._instancetype, self._preference = whole.mutated.spec.instancetype, whole.mutated.spec.preference

    def sources(self) -> dict[str, Sources]:
        """Return the sources of every leaf, in the VMI's order."""
        whole = self._whole
        mutated = whole.mutated
        stages = (mutated,) * 6 if isinstance(mutated, VirtualMachineInstance) else self._stages(mutated)
        metadata, spec = zip(*map(_parts, stages), strict=True)
        written = _as_written(whole)
        origins = Origins(self._said, self._cluster.computed(_known))
        origins.add("metadata", whole.shown["metadata"], written["metadata"], Values(whole.final.metadata, *metadata))
        origins.add("spec", whole.shown["spec"], written["spec"], Values(whole.final.spec, *spec))
        return self._named(origins.found)

    def _stages(self, mutated: VirtualMachine) -> tuple[Held | None, ...]:
        """The VM after its webhook, with its preference and without; its VMI, and that without matchers (`Values`)."""
        without: VirtualMachine | None = mutated
        started = typeless = bare = neither = self._started(mutated, self._instancetype, self._preference)
        if self._instancetype is not None:
            typeless = self._started(mutated, None, self._preference)
        if self._preference is not None:
            without = self._mutated_without_preference(mutated)
            bare = self._started(without, self._instancetype, None)
            if self._instancetype is not None:
                neither = self._started(without, None, None)
        return mutated, without, started, typeless, bare, neither

    def _started(
        self,
        vm: VirtualMachine | None,
        instancetype: InstancetypeMatcher | None,
        preference: PreferenceMatcher | None,
    ) -> VirtualMachineInstance | None:
        """What virt-controller starts of a VM after its webhook, if it named these."""
        if vm is None:
            return None
        vm = replace(vm, spec=replace(vm.spec, instancetype=instancetype, preference=preference))
        try:
            return start_vmi(sync_instancetype(vm, self._cluster), self._cluster)
        except ControllerError:
            return None

    def _mutated_without_preference(self, mutated: VirtualMachine) -> VirtualMachine | None:
        """What the webhook makes of the VM without preference: the same if it takes nothing from that."""
        _, preference = find_both(mutated, self._cluster)
        if not (preference and takes(preference)):
            return mutated
        vm = self._again()
        assert isinstance(vm, VirtualMachine)
        vm.spec.preference = None
        return None if mutate_vm(vm, self._cluster) else vm

    def _again(self) -> Held:
        """Another copy of the VM as it was read, with what was inferred."""
        vm = self._read
        if not isinstance(vm, VirtualMachine):
            return clone(vm)
        vm = own_template(vm)
        assert isinstance(self._whole.mutated, VirtualMachine)
        if self._whole.mutated.spec.template.spec.domain.memory is None:  # dropped for what was inferred
            vm.spec.template.spec.domain.memory = None
        vm.spec.instancetype = self._instancetype and clone(self._instancetype)
        vm.spec.preference = self._preference and clone(self._preference)
        return vm

    @cached_property
    def _read(self) -> Held:
        read = self._whole.read
        return _read(self._whole.manifest, self._cluster) if read is None else read

    def _named(self, origins: dict[str, int]) -> dict[str, Sources]:
        instancetype = (_source(INSTANCETYPE, self._instancetype),) if self._instancetype else ()
        preference = (_source(PREFERENCE, self._preference),) if self._preference else ()
        names = ((VM,), instancetype, preference, (*instancetype, *preference), (DEFAULT,), (DEFAULT,))
        named = dict(zip(origins, map(names.__getitem__, origins.values()), strict=True))
        unconfigured, presets = self._cluster.computed(_unconfigured), self._cluster.presets(self._namespace)
        if unconfigured is not self._cluster:
            made = (field for field in self._changed(unconfigured) if origins[field] in (MADE, FINISHED))
            named |= dict.fromkeys(made, (CONFIGURATION,))
        if presets:
            of_presets = self._of_presets(sorted(preset.metadata.name for preset in presets))
            named |= {field: sources for field, sources in of_presets.items() if origins[field] == FINISHED}
        return named

    def _said(self, field: str) -> Any:
        return self._said_leaves.get(field, ABSENT)

    @cached_property
    def _said_leaves(self) -> dict[str, Any]:
        return dict(leaves(_written(self._read, self._whole.manifest), _PARTS))

    def _of_presets(self, names: list[str]) -> dict[str, Sources]:
        """The presets without which the value is another; where there are none, those of which each alone gives it."""
        found: dict[str, Sources] = {}
        for field in self._changed_without(*names):
            needed = [name for name in names if field in self._changed_without(name)]
            needed = needed or [name for name in names if field not in self._changed_without(*{*names} - {name})]
            if needed:
                found[field] = tuple(f"{PRESET} {name}" for name in needed)
        return found

    def _changed_without(self, *presets: str) -> set[str]:
        """The fields that the VMI has otherwise, or not at all, without some presets."""
        found = self._without.get(frozenset(presets))
        if found is None:
            found = self._without[frozenset(presets)] = self._changed(self._cluster.without_presets(*presets))
        return found

    def _changed(self, cluster: Cluster) -> set[str]:
        """The fields that the VMI has otherwise, or not at all, in another cluster."""
        vmi = _start(self._again(), cluster)
        return changed(self._whole.shown, _finish(vmi, cluster) if vmi else {}, _PARTS)


def _parts(held: Held | None) -> tuple[ObjectMeta | None, VirtualMachineInstanceSpec | None]:
    """The metadata and spec that a VM's template and name give to its VMI; those of a VMI are its own."""
    if held is None:
        return None, None
    if isinstance(held, VirtualMachineInstance):
        return held.metadata, held.spec
    own, template = held.metadata, held.spec.template
    given = {key: getattr(template.metadata, key) for key in INHERITED}
    return ObjectMeta(name=own.name, namespace=own.namespace, **given), template.spec


def _as_written(whole: _Whole) -> Manifest:
    """What the author of the VM's manifest gives to the VMI, as it stands there if it was read so."""
    if whole.read is not None:
        return _written(whole.read, whole.manifest)
    template, own = written_template(whole.manifest), whole.final.metadata
    given = template.get("metadata") or {}
    metadata = {"name": own.name, **{key: given[key] for key in INHERITED if key in given}}
    if (whole.manifest.get("metadata") or {}).get("namespace"):
        metadata["namespace"] = own.namespace
    return {"metadata": metadata, "spec": template.get("spec")}


def _known(_cluster: Cluster) -> Known:
    return {}


def _unconfigured(cluster: Cluster) -> Cluster:
    """The cluster with an empty configuration: itself if it has that."""
    other = cluster.without_configuration()
    return cluster if vars(other.configuration) == vars(cluster.configuration) else other


def _source(kind: str, matcher: InstancetypeMatcher | PreferenceMatcher) -> str:
    revision = f" ({matcher.revision_name})" if matcher.revision_name else ""
    return f"{kind} {matcher.name}{revision}" if matcher.name else f"{kind}{revision}"


def _written(read: Held, manifest: Manifest) -> Manifest:
    """What the author of a manifest gives to the VMI: without what the API writes out by itself, and defaults."""
    written = as_vmi(read)
    if not (manifest.get("metadata") or {}).get("namespace"):
        del written["metadata"]["namespace"]
    template = written_template(manifest)
    for key in _PARTS:
        blot(written[key], template.get(key))
    return written
