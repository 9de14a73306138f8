"""The validating webhooks of VirtualMachines and their DataVolumes, and of what else holds a VM: pools, replica sets.

KubeVirt names the field of DataVolumes `dataVolumeTemplate` when it looks into one, `dataVolumeTemplates` when it looks
at its namespace. Of a pool or replica set it looks at the template as it is written, without instance type, preference
and defaults.
Source: pkg/virt-api/webhooks/validating-webhook/admitters (vms-admitter.go, vmirs-admitter.go, vmpool-admitter.go);
pkg/storage/admitters (data-volume-template.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from virtcatalog.api.cdi import DataVolumeSource
from virtcatalog.api.core import LabelSelector
from virtcatalog.api.decode import clone
from virtcatalog.api.govalues import integer
from virtcatalog.api.holders import (
    VirtualMachineInstanceReplicaSet,
    VirtualMachinePool,
    VirtualMachinePoolScaleInStrategy,
    VirtualMachinePoolUpdateStrategy,
)
from virtcatalog.api.kubevirt import (
    DataVolumeTemplateSpec,
    VirtualMachine,
    VirtualMachineInstanceSpec,
    VirtualMachineInstanceTemplateSpec,
    VirtualMachineSpec,
)
from virtcatalog.errors import Cause, Warning, nearest
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings, validate_discontinued_feature_gates
from virtcatalog.kubevirt.admission.grace import validate_grace_annotations
from virtcatalog.kubevirt.admission.instancetypes import apply_to_vm
from virtcatalog.kubevirt.admission.lifecycle import validate_metadata
from virtcatalog.kubevirt.admission.memory import memory_warnings
from virtcatalog.kubevirt.admission.vmi import validate_vmi_spec
from virtcatalog.kubevirt.causes import answered, invalid, required
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.hotplug import live_update_memory_problem
from virtcatalog.kubevirt.defaults.spec import NetworkDefaultError, set_default_vmi_spec
from virtcatalog.kubevirt.preference.requirements import check_requirements
from virtcatalog.kubevirt.selectors import label_selector, selects

#: The strategy of a VM that another cluster hands a running guest to.
RECEIVER = "WaitAsReceiver"
RUN_STRATEGIES = ("Halted", "Manual", "Always", "RerunOnFailure", "Once")


def admit_vm(vm: VirtualMachine, cluster: Cluster, *, updated: bool = False) -> list[Cause]:
    """Return why the validating webhook refuses a VM (VMsAdmitter.Admit); the first step that finds causes is the last.

    The webhook applies instance type, preference and KubeVirt's defaults to a copy. In a VM that is `updated` it does
    not refuse what is discontinued.
    """
    expanded, config = own_template(vm), cluster.configuration
    spec = expanded.spec.template.spec
    applied = apply_to_vm(expanded, cluster)
    if applied.causes:
        return applied.causes
    try:
        set_default_vmi_spec(spec, config)
    except NetworkDefaultError as error:
        return [Cause("", "", str(error))]
    causes = check_requirements(applied.instancetype, applied.preference, spec)
    if not updated:
        causes = (
            causes
            or validate_discontinued_feature_gates(vm.spec.template.spec, "spec", config)
            or validate_discontinued_bindings(spec, "spec", config)
        )
    causes = causes or answered(validate_vm_spec(expanded.spec, "spec", config))
    return causes or list(validate_data_volume_namespaces(vm))


def own_template(vm: VirtualMachine) -> VirtualMachine:
    """Return a VM whose template can be changed while the other VM's stays as it is.

    Both share what no stage changes in place, such as volumes.
    """
    metadata, spec = vm.spec.template.metadata, vm.spec.template.spec
    template = VirtualMachineInstanceTemplateSpec(
        metadata=replace(metadata, annotations=dict(metadata.annotations)),
        spec=replace(spec, domain=clone(spec.domain)),
    )
    return replace(vm, spec=replace(vm.spec, template=template))


def vm_warnings(vm: VirtualMachine) -> list[Warning]:
    """What the webhook remarks on a VM that it admits (warnDeprecatedAPIs), and memory that no guest can have."""
    warnings = memory_warnings(vm.spec.template.spec, "spec.template.spec")
    if vm.spec.running is not None:
        warnings.append(Warning("Deprecated", "spec.running", "is deprecated: use spec.runStrategy"))
    return warnings


def validate_vm_spec(spec: VirtualMachineSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Everything wrong with a VM's spec, or with that of a pool's template (ValidateVirtualMachineSpec)."""
    template = spec.template
    yield from validate_metadata(template.metadata, f"{path}.template.metadata", config)
    yield from validate_grace_annotations(template.spec, template.metadata, f"{path}.template.metadata", config)
    yield from validate_vmi_spec(template.spec, f"{path}.template.spec", config)
    yield from validate_data_volume_templates(spec, path)
    yield from _run_strategy(spec, path, config)
    if config.live_update:
        yield from _live_update(template.spec, f"{path}.template.spec.domain")


def _run_strategy(spec: VirtualMachineSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Either `runStrategy` or, from older days, `running`."""
    strategy = spec.run_strategy
    if strategy is None:
        if spec.running is None:
            yield invalid(f"{path}.running", "the VM needs a runStrategy")
        return
    if spec.running is not None:
        yield invalid(f"{path}.running", "a VM has runStrategy or the deprecated running, not both")
    if strategy == RECEIVER:
        if not config.feature_gate("DecentralizedLiveMigration"):
            yield invalid(
                f"{path}.runStrategy", "WaitAsReceiver needs the feature gate DecentralizedLiveMigration, which is off"
            )
    elif strategy not in RUN_STRATEGIES:
        yield invalid(
            f"{path}.runStrategy",
            f"{strategy!r} is none of {', '.join(RUN_STRATEGIES)}{nearest(strategy, RUN_STRATEGIES)}",
        )


def _live_update(spec: VirtualMachineInstanceSpec, path: str) -> Iterator[Cause]:
    """Sockets and guest memory must leave room, and memory be of the kind, that can grow while the VM runs."""
    cpu, memory = spec.domain.cpu, spec.domain.memory
    if cpu is not None and cpu.max_sockets and cpu.sockets > cpu.max_sockets:
        yield invalid(f"{path}.cpu.sockets", f"{cpu.sockets} sockets are more than maxSockets, {cpu.max_sockets}")
    if memory is not None and memory.max_guest is not None:
        problem = live_update_memory_problem(spec, memory.max_guest)
        if problem:
            yield invalid(f"{path}.memory.guest", problem)


DEFAULT_NAMESPACE = "default"
_SOURCES = DataVolumeSource.__struct_fields__


def validate_data_volume_templates(spec: VirtualMachineSpec, path: str) -> Iterator[Cause]:
    """Each template is complete, the first mistake counts, and a volume of the VM uses it.

    Source: ValidateDataVolumeTemplate.
    """
    if not spec.data_volume_templates:
        return
    used = set()
    for volume in spec.template.spec.volumes:
        if volume.persistent_volume_claim is not None:
            used.add(volume.persistent_volume_claim.claim_name)
        if volume.data_volume is not None:
            used.add(volume.data_volume.name)
    for index, template in enumerate(spec.data_volume_templates):
        field = f"{path}.dataVolumeTemplate[{index}]"
        cause = _mistake(template, field)
        if cause is not None:
            yield cause
        elif template.metadata.name not in used:
            name = template.metadata.name
            hint = nearest(name, used) if len(spec.data_volume_templates) == 1 else ""
            yield required(field, f"no volume of the template uses the DataVolume {name!r}{hint}")


def validate_data_volume_namespaces(vm: VirtualMachine) -> Iterator[Cause]:
    """A DataVolume that comes with a VM lives in the VM's namespace.

    Source: validateVirtualMachineDataVolumeTemplateNamespace.
    """
    for index, template in enumerate(vm.spec.data_volume_templates):
        namespace = template.metadata.namespace
        if namespace and namespace != (vm.metadata.namespace or DEFAULT_NAMESPACE):
            yield invalid(f"spec.dataVolumeTemplates[{index}]", f"namespace {namespace!r} is not the VM's")


def _mistake(template: DataVolumeTemplateSpec, field: str) -> Cause | None:
    spec = template.spec
    if not template.metadata.name:
        return required(f"{field}.name", "metadata.name must be set")
    claim = spec.pvc or spec.storage
    if claim is None or (spec.pvc and spec.storage):
        which = "neither" if claim is None else "both"
        return invalid(f"{field}.PVC.Storage", f"spec needs either pvc or storage, but has {which}")
    populated = claim.data_source is not None or claim.data_source_ref is not None
    sourced = spec.source is not None or spec.source_ref is not None
    if populated and sourced:
        return invalid(f"{field}.source", "source and sourceRef do not go with dataSource or dataSourceRef")
    if not populated and not sourced:
        return invalid(f"{field}.source.sourceRef", "spec needs source, sourceRef, dataSource or dataSourceRef")
    if spec.source is not None:
        count = sum(1 for source in _SOURCES if getattr(spec.source, source) is not None)
        if count != 1:
            return invalid(f"{field}.source", f"source needs exactly one kind of source, but has {count}")
    return None


_STRATEGIES = ("unmanaged", "opportunistic", "proactive")


def validate_replica_set(held: VirtualMachineInstanceReplicaSet, config: Configuration) -> list[Cause]:
    """Everything wrong with a new VirtualMachineInstanceReplicaSet (ValidateVMIRSSpec)."""
    template = held.spec.template
    return [
        *validate_grace_annotations(template.spec, template.metadata, "spec.template.metadata", config),
        *validate_vmi_spec(template.spec, "spec.template.spec", config),
        *_selector(held.spec.selector, template.metadata.labels),
        *validate_discontinued_feature_gates(template.spec, "spec", config),
    ]


def validate_pool(pool: VirtualMachinePool, config: Configuration) -> list[Cause]:
    """Everything wrong with a new VirtualMachinePool (ValidateVMPoolSpec)."""
    spec, template = pool.spec, pool.spec.virtual_machine_template
    return [
        *validate_vm_spec(template.spec, "spec.virtualMachineTemplate.spec", config),
        *_selector(spec.selector, template.metadata.labels),
        *_max_unavailable(spec.max_unavailable),
        *_one_strategy(spec.update_strategy, "spec.updateStrategy"),
        *_one_strategy(spec.scale_in_strategy, "spec.scaleInStrategy"),
        *validate_discontinued_feature_gates(template.spec.template.spec, "spec", config),
    ]


def _selector(selector: LabelSelector, labels: Mapping[str, str]) -> Iterator[Cause]:
    """The selector is one, and selects what the template makes."""
    faults = [cause.message for cause in label_selector(selector, "spec.selector")]
    if faults:
        yield invalid("spec.selector", "; ".join(faults))
    elif not selects(selector, labels):
        yield invalid("spec.selector", "it does not select the labels of the template")


def _max_unavailable(limit: int | str | None) -> Iterator[Cause]:
    field = "spec.maxUnavailable"
    if isinstance(limit, int):
        if limit <= 0:
            yield invalid(field, f"{limit} is not at least 1")
    elif limit is not None and not limit.endswith("%"):
        yield invalid(field, f"{limit!r} is no percentage: it has to end with %")
    elif limit is not None:
        number = integer(limit[:-1])
        if number is None or not 0 < number <= 100:
            yield invalid(field, f"{limit!r} is no percentage from 1% to 100%")


def _one_strategy(
    strategy: VirtualMachinePoolUpdateStrategy | VirtualMachinePoolScaleInStrategy | None, field: str
) -> Iterator[Cause]:
    """At most one of them (validateMutualExclusivity)."""
    chosen = [name for name in _STRATEGIES if strategy is not None and getattr(strategy, name) is not None]
    if len(chosen) > 1:
        yield invalid(field, f"{' and '.join(chosen)} exclude each other")
