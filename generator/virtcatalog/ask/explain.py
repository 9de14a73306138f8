"""Where every field of a VMI comes from.

There is no table of fields. The stages of the pipeline that change objects run over the VM, and then again without its
instance type, its preference, every preset and the KubeVirt CR's configuration. A field comes from the stage that gave
it its value; within that stage from the object without which the field is missing or different.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.kubevirt import (
    InstancetypeMatcher,
    PreferenceMatcher,
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
)
from virtcatalog.ask.leaves import ABSENT, changed, drop_defaults, leaves
from virtcatalog.ask.origins import (
    OF_CONTROLLER,
    OF_VMI_WEBHOOK,
    Expansion,
    Origins,
    Values,
    expand_by_stages,
    expansion_of,
    final_manifest,
    read_namespaced,
    started_vmi,
)
from virtcatalog.ask.template import INHERITED, VmOrVmi, as_vmi, written_template
from virtcatalog.kubevirt.admission.vm import own_template
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import ControllerError, find_both, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, takes
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.identity import Data

VM = "VM"
INSTANCETYPE = "instance type"
PREFERENCE = "preference"
PRESET = "preset"
CONFIGURATION = "cluster configuration"
DEFAULT = "KubeVirt default"

Sources = tuple[str, ...]

_PARTS: Final = ("metadata", "spec")
"""The parts of a VMI whose fields are explained."""


class Origin(msgspec.Struct, frozen=True, gc=False):
    """A field of the VMI (`spec.domain.cpu.cores`), its value, and its sources: several where all are needed.

    A source is one of the kinds above; the name follows for instance types, preferences and presets.
    """

    field: str
    value: Any
    sources: tuple[str, ...]


def explain(vm_manifest: Data, cluster: Cluster) -> list[Origin]:
    """Return the origin of every leaf of the VMI's metadata and spec, in the VMI's order.

    Empty when KubeVirt makes no VMI of the VM. ManifestError when the VM's manifest does not fit its API.
    """
    return _origins(expand_by_stages(vm_manifest, cluster), cluster)


def explain_result(vm_manifest: Data, result: Result, cluster: Cluster) -> list[Origin]:
    """Return what `explain` does, for a VM that was expanded in the cluster: faster if the result has its stages."""
    return _origins(expansion_of(vm_manifest, result, cluster), cluster)


def sources_of(vm_manifest: Data, result: Result, cluster: Cluster) -> dict[str, Sources]:
    """Return the sources of `explain_result` by field."""
    expansion = expansion_of(vm_manifest, result, cluster)
    return _Comparison(expansion, cluster).sources() if expansion else {}


def _origins(expansion: Expansion | None, cluster: Cluster) -> list[Origin]:
    if expansion is None:
        return []
    sources = _Comparison(expansion, cluster).sources()
    return [Origin(field, value, sources[field]) for field, value in leaves(expansion.manifest_of_vmi, _PARTS)]


class _Comparison:
    """Compares the expansion of a VM with those without its instance type, preference, presets and configuration."""

    def __init__(self, expansion: Expansion, cluster: Cluster) -> None:
        self._expansion, self._cluster = expansion, cluster
        self._namespace = expansion.final.metadata.namespace
        self._without: dict[frozenset[str], set[str]] = {}
        # Matchers after inference: without its preference, a VM could infer another instance type.
        self._instancetype: InstancetypeMatcher | None = None
        self._preference: PreferenceMatcher | None = None
        if isinstance(expansion.mutated, VirtualMachine):
            spec = expansion.mutated.spec
            self._instancetype, self._preference = spec.instancetype, spec.preference

    def sources(self) -> dict[str, Sources]:
        """Return the sources of every leaf, in the VMI's order."""
        expansion = self._expansion
        mutated = expansion.mutated
        stages = (mutated,) * 6 if isinstance(mutated, VirtualMachineInstance) else self._stages(mutated)
        metadata, spec = zip(*map(_parts, stages), strict=True)
        written = _as_written(expansion)
        origins = Origins(self._author_value)
        origins.add(
            "metadata",
            expansion.manifest_of_vmi["metadata"],
            written["metadata"],
            Values(expansion.final.metadata, *metadata),
        )
        origins.add("spec", expansion.manifest_of_vmi["spec"], written["spec"], Values(expansion.final.spec, *spec))
        return self._by_source(origins.by_field)

    def _stages(self, mutated: VirtualMachine) -> tuple[VmOrVmi | None, ...]:
        """The stages in the order of `Values`, without the final one."""
        without = mutated
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
        vm: VirtualMachine,
        instancetype: InstancetypeMatcher | None,
        preference: PreferenceMatcher | None,
    ) -> VirtualMachineInstance | None:
        """The VMI that virt-controller starts of a VM after its webhook, with these matchers."""
        vm = replace(vm, spec=replace(vm.spec, instancetype=instancetype, preference=preference))
        try:
            return start_vmi(sync_instancetype(vm, self._cluster), self._cluster)
        except ControllerError:
            return None

    def _mutated_without_preference(self, mutated: VirtualMachine) -> VirtualMachine:
        """The VM without preference after its webhook: `mutated` if the webhook takes nothing from the preference."""
        _, preference = find_both(mutated, self._cluster)
        if not (preference and takes(preference)):
            return mutated
        vm = self._fresh_vm()
        assert isinstance(vm, VirtualMachine)
        vm.spec.preference = None
        mutate_vm(vm, self._cluster)  # what it has not refused with the preference, it takes without one
        return vm

    def _fresh_vm(self) -> VmOrVmi:
        """A new copy of the VM as it was read, with its inferred matchers."""
        vm = self._read
        if not isinstance(vm, VirtualMachine):
            return clone(vm)
        vm = own_template(vm)
        assert isinstance(self._expansion.mutated, VirtualMachine)
        if self._expansion.mutated.spec.template.spec.domain.memory is None:  # inference removed it
            vm.spec.template.spec.domain.memory = None
        vm.spec.instancetype = self._instancetype and clone(self._instancetype)
        vm.spec.preference = self._preference and clone(self._preference)
        return vm

    @cached_property
    def _read(self) -> VmOrVmi:
        vm = self._expansion.read
        return read_namespaced(self._expansion.manifest, self._cluster) if vm is None else vm

    def _by_source(self, origins: dict[str, int]) -> dict[str, Sources]:
        instancetype = (_source(INSTANCETYPE, self._instancetype),) if self._instancetype else ()
        preference = (_source(PREFERENCE, self._preference),) if self._preference else ()
        names = ((VM,), instancetype, preference, (*instancetype, *preference), (DEFAULT,), (DEFAULT,))
        sources = dict(zip(origins, map(names.__getitem__, origins.values()), strict=True))
        unconfigured, presets = self._cluster.computed(_unconfigured), self._cluster.presets(self._namespace)
        if unconfigured is not self._cluster:
            unexplained = (
                field for field in self._changed(unconfigured) if origins[field] in (OF_CONTROLLER, OF_VMI_WEBHOOK)
            )
            sources |= dict.fromkeys(unexplained, (CONFIGURATION,))
        if presets:
            of_presets = self._of_presets(sorted(preset.metadata.name for preset in presets))
            sources |= {field: presets for field, presets in of_presets.items() if origins[field] == OF_VMI_WEBHOOK}
        return sources

    def _author_value(self, field: str) -> Any:
        return self._author_leaves.get(field, ABSENT)

    @cached_property
    def _author_leaves(self) -> dict[str, Any]:
        return dict(leaves(_written(self._read, self._expansion.manifest), _PARTS))

    def _of_presets(self, names: list[str]) -> dict[str, Sources]:
        """The presets without which the value changes; where there is none, those that suffice alone for the value."""
        sources: dict[str, Sources] = {}
        for field in self._changed_without(*names):
            needed = [name for name in names if field in self._changed_without(name)]
            needed = needed or [name for name in names if field not in self._changed_without(*{*names} - {name})]
            if needed:
                sources[field] = tuple(f"{PRESET} {name}" for name in needed)
        return sources

    def _changed_without(self, *presets: str) -> set[str]:
        """The fields that change or are missing in the VMI without some presets."""
        fields = self._without.get(frozenset(presets))
        if fields is None:
            fields = self._without[frozenset(presets)] = self._changed(self._cluster.without_presets(*presets))
        return fields

    def _changed(self, cluster: Cluster) -> set[str]:
        """The fields that change or are missing in the VMI in another cluster."""
        vmi = started_vmi(self._fresh_vm(), cluster)
        return changed(self._expansion.manifest_of_vmi, final_manifest(vmi, cluster) if vmi else {}, _PARTS)


def _parts(vm: VmOrVmi | None) -> tuple[ObjectMeta | None, VirtualMachineInstanceSpec | None]:
    """The metadata and spec of a VM's VMI, from its template and name; those of a VMI are its own."""
    if vm is None:
        return None, None
    if isinstance(vm, VirtualMachineInstance):
        return vm.metadata, vm.spec
    own, template = vm.metadata, vm.spec.template
    inherited = {key: getattr(template.metadata, key) for key in INHERITED}
    return ObjectMeta(name=own.name, namespace=own.namespace, **inherited), template.spec


def _as_written(expansion: Expansion) -> Data:
    """The metadata and spec of the VMI as far as the VM's author wrote them."""
    if expansion.read is not None:
        return _written(expansion.read, expansion.manifest)
    template, own = written_template(expansion.manifest), expansion.final.metadata
    written = template.get("metadata") or {}
    metadata = {"name": own.name, **{key: written[key] for key in INHERITED if key in written}}
    if (expansion.manifest.get("metadata") or {}).get("namespace"):
        metadata["namespace"] = own.namespace
    return {"metadata": metadata, "spec": template.get("spec")}


def _unconfigured(cluster: Cluster) -> Cluster:
    """The cluster with an empty configuration; the same object if its configuration is empty."""
    other = cluster.without_configuration()
    return cluster if vars(other.configuration) == vars(cluster.configuration) else other


def _source(kind: str, matcher: InstancetypeMatcher | PreferenceMatcher) -> str:
    revision = f" ({matcher.revision_name})" if matcher.revision_name else ""
    return f"{kind} {matcher.name}{revision}" if matcher.name else f"{kind}{revision}"


def _written(read: VmOrVmi, manifest: Data) -> Data:
    """The metadata and spec of the VMI that an author wrote, without defaults that the API adds on reading."""
    written = as_vmi(read)
    if not (manifest.get("metadata") or {}).get("namespace"):
        del written["metadata"]["namespace"]
    template = written_template(manifest)
    for key in _PARTS:
        drop_defaults(written[key], template.get(key))
    return written
