"""The loop of virt-controller over a VM: one pass, in its order.

Source: pkg/virt-controller/watch/vm/vm.go (execute, sync).
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import Firmware
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.vm import RECEIVER
from virtcatalog.kubevirt.admission.vmi import validate_vmi
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.controller.vm import (
    GENERATION_ANNOTATION,
    ControllerError,
    start_vmi,
)
from virtcatalog.kubevirt.defaults.webhooks import mutate_vmi
from virtcatalog.kubevirt.identity import legacy_firmware_uuid
from virtcatalog.kubevirt.rollout.instance import boot, note, note_unplugged
from virtcatalog.kubevirt.rollout.interfaces import networks_move, plug, unplug
from virtcatalog.kubevirt.rollout.live import followed, note_pci_topology, place, plug_cpus, plug_memory
from virtcatalog.kubevirt.rollout.restart import restart_required
from virtcatalog.kubevirt.rollout.revisions import applied, forget_references, revision_names, sync_references
from virtcatalog.kubevirt.rollout.running import Restart, Running, State, SyncError
from virtcatalog.kubevirt.rollout.volumes import MIGRATION, migrate_volumes, plug_volumes
from virtcatalog.kubevirt.rollout.webhooks import admit_update, admit_vmi_update

_IMMEDIATE_DATA_VOLUMES = "kubevirt.io/immediate-data-volume-creation"
_READY_PHASES = ("", "Succeeded", "WaitForFirstConsumer", "PendingPopulation")
_PASSES = 50


def settle(running: Running) -> None:
    """Have the controllers work until none of them changes anything; changes `running`."""
    state = running.state()
    for _ in range(_PASSES):
        state = _until_nothing_changes(running, state)
        if running.vmi is None:
            return
        note(running)
        before, state = state, running.state()
        if state == before:
            return
    raise AssertionError("the controllers do not come to rest")


def _until_nothing_changes(running: Running, state: State) -> State:
    """Have the VM's controller work; `state` and what is returned are its states before and after.

    What it unplugs leaves at once: no other controller sees a VMI that waits for a volume to come back.
    """
    for _ in range(_PASSES):
        _sync(running)
        note_unplugged(running)
        before, state = state, running.state()
        if state == before:
            return state
    raise AssertionError("the VM's controller does not come to rest")


def store(running: Running, vm: VirtualMachine) -> None:
    """Write a VM as the API server does: a spec that differs is its next generation; changes `running` and `vm`."""
    metadata = vm.metadata
    metadata.generation = running.vm.metadata.generation + (vm.spec != running.vm.spec)
    running.vm = vm


def _sync(running: Running) -> None:
    running.error = None
    vm = clone(running.vm)
    try:
        _pass(running, vm)
    except SyncError as error:
        running.error = error
    running.vm.status = vm.status


def _pass(running: Running, vm: VirtualMachine) -> None:
    _note_generation(running, vm)
    expanded = sync_references(running, vm)
    if expanded is not None:
        _update(running, expanded)
        forget_references(running, vm)
        vm.status = running.vm.status
        return
    halted = run_strategy(vm.spec) == "Halted"
    if not halted and running.vmi is not None and not _data_volumes_are_ready(running, vm):
        return
    if _run(running, vm, halted=halted):
        return
    if running.vmi is not None:
        _require_restart(running, vm)
    _follow(running, vm)


def _note_generation(running: Running, vm: VirtualMachine) -> None:
    """A template as it was started is one that the VMI has (conditionallyBumpGenerationAnnotationOnVmi)."""
    if running.started is not None and running.started.template == vm.spec.template:
        running.generation_seen = vm.metadata.generation


def _data_volumes_are_ready(running: Running, vm: VirtualMachine) -> bool:
    """Source: handleDataVolumes."""
    if vm.metadata.annotations.get(_IMMEDIATE_DATA_VOLUMES) == "false":
        return True
    names = (template.metadata.name for template in vm.spec.data_volume_templates)
    data_volumes = [running.cluster.data_volume(running.namespace, name) for name in names]
    return all(
        data_volume is None or data_volume.status is None or data_volume.status.phase in _READY_PHASES
        for data_volume in data_volumes
    )


def run_strategy(spec: VirtualMachineSpec) -> str:
    """The run strategy, which older VMs give as `running`."""
    return spec.run_strategy or ("Always" if spec.running else "Halted")


def _run(running: Running, vm: VirtualMachine, *, halted: bool) -> bool:
    """Start or stop the VM; True when there is nothing more to do in this pass (syncRunStrategy)."""
    vmi = running.vmi
    if halted:
        if vmi is None:
            return False
        running.restart = None
        _require_restart(running, vm)
        running.vmi, running.started, running.stopped = None, None, True
        return True
    if vmi is None:
        _start(running, vm)
        return True
    if vm.spec.run_strategy == RECEIVER:
        raise SyncError(invalid("spec.runStrategy", "WaitAsReceiver needs a VMI that was started to receive a guest"))
    return False


def _start(running: Running, vm: VirtualMachine) -> None:
    """Source: startVMI."""
    try:
        vmi = start_vmi(vm, running.cluster)
    except ControllerError as error:
        raise SyncError(*error.causes) from error
    vmi.metadata.annotations[GENERATION_ANNOTATION] = str(vm.metadata.generation)
    causes = mutate_vmi(vmi, running.cluster) or validate_vmi(vmi, running.cluster)
    if causes:
        raise SyncError(*causes, by="vmi")
    running.vmi, running.restart = vmi, None
    running.generation_seen = vm.metadata.generation
    running.started = pinned(vm)
    boot(running)


def pinned(vm: VirtualMachine) -> VirtualMachineSpec:
    """Return the VM's spec with the revisions that it is started with (patchVMRevision)."""
    spec = clone(vm.spec)
    instancetype, preference = revision_names(vm)
    if spec.instancetype is not None and instancetype:
        spec.instancetype.revision_name = instancetype
    if spec.preference is not None and preference:
        spec.preference.revision_name = preference
    return spec


def _require_restart(running: Running, vm: VirtualMachine) -> None:
    """Set or remove the condition RestartRequired, or leave it when types cannot be applied (syncRestartRequired)."""
    assert running.vmi is not None
    assert running.started is not None
    try:
        current = replace(vm.spec, template=applied(vm, running.cluster))
        then = VirtualMachine(metadata=vm.metadata, spec=running.started)
        started = replace(running.started, template=applied(then, running.cluster))
    except SyncError:
        return
    config = running.cluster.configuration
    required = restart_required(started, current, running.vmi.spec, config, migratable=running.migratable)
    # A condition that is there already keeps its reason (UpdateCondition).
    running.restart = required and (running.restart or required)


def _follow(running: Running, vm: VirtualMachine) -> None:
    """Bring what can be brought to the running VMI, and to the VM what its VMI has become."""
    wanted = _sync_network(running, vm)
    wanted = _sync_firmware(running, vm, wanted)
    restart: Restart | None = None
    if running.vmi is not None:
        _plug_volumes(running, wanted)
        _follow_annotations(running, wanted)
        note_pci_topology(wanted, running.vmi.metadata.annotations)
        if running.cluster.configuration.live_update and running.restart is None:
            restart = _update_live(running, wanted)
    if wanted.spec != vm.spec or wanted.metadata != vm.metadata:
        _update(running, wanted)
    elif restart is not None:
        running.restart = restart


def _update(running: Running, vm: VirtualMachine) -> None:
    """Write the VM, past its webhooks."""
    vm = clone(vm)
    causes = admit_update(vm, running.vm, running.cluster)
    if causes:
        raise SyncError(*causes, by="vm")
    store(running, vm)


def _patch(running: Running, spec: VirtualMachineInstanceSpec) -> None:
    """Write the VMI, past its webhook."""
    assert running.vmi is not None
    if spec == running.vmi.spec:
        return
    migrated = {migrated_volume.volume for migrated_volume in running.migrated_volumes}
    config = running.cluster.configuration
    causes = admit_vmi_update(spec, running.vmi.spec, running.volumes, migrated, config)
    if causes:
        raise SyncError(*causes, by="vmi")
    running.update_spec(spec)


def _sync_network(running: Running, vm: VirtualMachine) -> VirtualMachine:
    template, vmi = vm.spec.template, running.vmi
    if vmi is not None:
        config, migratable = running.cluster.configuration, running.migratable
        spec = plug(template.spec, vmi.spec, running.interfaces, config, migratable=migratable)
        if spec != vmi.spec:
            if running.networks_emptied:
                # The VMI is stored without the empty list that the controller tests for before it patches.
                raise SyncError(
                    Cause("", "spec.template.spec.networks", "a VMI that has lost its last network gets none")
                )
            _patch(running, spec)
            running.networks_emptied = networks_move(config, migratable=migratable) and not spec.networks
    following = clone(vm)
    left = running.vmi.spec if running.vmi is not None else None
    following.spec.template.spec = unplug(following.spec.template.spec, left, running.interfaces)
    return following


def _sync_firmware(running: Running, vm: VirtualMachine, wanted: VirtualMachine) -> VirtualMachine:
    """A VM without a uuid gets the one that machines of its name had before VMs kept theirs (firmware.go)."""
    firmware = wanted.spec.template.spec.domain.firmware
    if firmware is not None and firmware.uuid:
        return wanted
    before = clone(running.vm)
    domain = before.spec.template.spec.domain
    domain.firmware = replace(domain.firmware or Firmware(), uuid=legacy_firmware_uuid(vm.metadata.name))
    _update(running, before)
    return clone(running.vm)


def _plug_volumes(running: Running, vm: VirtualMachine) -> None:
    """Source: handleDeclarativeVolumeHotplug."""
    assert running.vmi is not None
    config = running.cluster.configuration
    if config.feature_gate("HotplugVolumes") or not config.feature_gate("DeclarativeHotplugVolumes"):
        return
    if vm.spec.update_volumes_strategy != MIGRATION:
        _patch(running, plug_volumes(vm.spec.template.spec, running.vmi.spec, running.volumes))


def _follow_annotations(running: Running, vm: VirtualMachine) -> None:
    assert running.vmi is not None
    metadata = running.vmi.metadata
    annotations = followed(vm, metadata.annotations)
    running.vmi = replace(running.vmi, metadata=replace(metadata, annotations=annotations))


def _update_live(running: Running, vm: VirtualMachine) -> Restart | None:
    """Bring to the VMI what the strategy LiveUpdate can, in KubeVirt's order; return a restart that it needs."""
    assert running.vmi is not None
    wanted = applied(vm, running.cluster).spec
    needed = [_brought(running, plug_cpus(running, wanted))]
    for spec in place(running.vmi.spec, wanted):
        _patch(running, spec)
    needed.append(_brought(running, plug_memory(running, wanted)))
    needed.append(_brought(running, migrate_volumes(running, vm.spec)))
    return next((restart for restart in needed if restart is not None), None)


def _brought(running: Running, outcome: VirtualMachineInstanceSpec | Restart | None) -> Restart | None:
    """Patch the VMI, unless a restart is needed instead."""
    if outcome is not None and not isinstance(outcome, Restart):
        _patch(running, outcome)
        return None
    return outcome
