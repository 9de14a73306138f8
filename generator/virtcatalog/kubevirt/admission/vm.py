"""The create webhook for VirtualMachines, beyond the instance type.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings, validate_discontinued_feature_gates
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.admission.datavolumetemplates import (
    validate_data_volume_namespaces,
    validate_data_volume_templates,
)
from virtcatalog.kubevirt.admission.grace import validate_grace_annotations
from virtcatalog.kubevirt.admission.memory import memory_warnings
from virtcatalog.kubevirt.admission.metadata import validate_metadata
from virtcatalog.kubevirt.admission.vmi import validate_vmi_spec
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.hotplug import live_update_memory_problem

#: The strategy of a VM that another cluster hands a running guest to.
RECEIVER = "WaitAsReceiver"
RUN_STRATEGIES = ("Halted", "Manual", "Always", "RerunOnFailure", "Once")


def validate_vm(vm: VirtualMachine, expanded: VirtualMachineSpec, config: Configuration) -> list[Cause]:
    """Why a new VM is refused once its instance type and preference are found and met.

    `vm` is the VM as its author gave it to the webhook, `expanded` its spec with instance type, preference and
    KubeVirt's defaults. The first of the webhook's steps that finds causes is the last.
    """
    return (
        validate_discontinued_feature_gates(vm.spec.template.spec, "spec", config)
        or validate_discontinued_bindings(expanded.template.spec, "spec", config)
        or validate_any_vm(vm, expanded, config)
    )


def validate_any_vm(vm: VirtualMachine, expanded: VirtualMachineSpec, config: Configuration) -> list[Cause]:
    """Why a VM is refused, be it new or updated: of an update nobody asks what is discontinued."""
    causes = list(validate_vm_spec(expanded, "spec", config))
    if causes or not vm.spec.data_volume_templates:
        return causes
    return list(validate_data_volume_namespaces(vm))


def vm_warnings(vm: VirtualMachine) -> list[Warning]:
    """What the webhook remarks on a VM that it admits (warnDeprecatedAPIs), and memory that no guest can have."""
    found = memory_warnings(vm.spec.template.spec, "spec.template.spec")
    if vm.spec.running is not None:
        found.append(Warning("Deprecated", "spec.running", "is deprecated: use spec.runStrategy"))
    return found


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
        yield invalid(f"{path}.runStrategy", f"{strategy!r} is none of {', '.join(RUN_STRATEGIES)}")


def _live_update(spec: VirtualMachineInstanceSpec, path: str) -> Iterator[Cause]:
    """Sockets and guest memory must leave room, and memory be of the kind, that can grow while the VM runs."""
    cpu, memory = spec.domain.cpu, spec.domain.memory
    if cpu is not None and cpu.max_sockets and cpu.sockets > cpu.max_sockets:
        yield invalid(f"{path}.cpu.sockets", f"{cpu.sockets} sockets are more than maxSockets, {cpu.max_sockets}")
    if memory is not None and memory.max_guest is not None:
        problem = live_update_memory_problem(spec, memory.max_guest)
        if problem:
            yield invalid(f"{path}.memory.guest", problem)
