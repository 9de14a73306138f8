"""The API's own defaults of a VMI: states that are on when they are named, disk targets, inputs, probes.

Source: staging/src/kubevirt.io/api/core/v1/defaults.go and zz_generated.defaults.go.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from virtcatalog.api.clock import Clock, Timer
from virtcatalog.api.devices import Disk, DiskTarget, FeatureState, Input
from virtcatalog.api.domainspec import FeatureAPIC, FeatureHyperv, Features, Firmware
from virtcatalog.api.kubevirt import Probe, VirtualMachineInstance
from virtcatalog.kubevirt.identity import firmware_uuid
from virtcatalog.kubevirt.memo import memo

_SPINLOCK_RETRIES = 4096

S = TypeVar("S", bound=FeatureState | FeatureAPIC | None)


def set_object_defaults(vmi: VirtualMachineInstance) -> None:
    """Set the defaults that belong to the API's types (SetObjectDefaults_VirtualMachineInstance)."""
    domain = vmi.spec.domain
    if domain.firmware is None:
        domain.firmware = Firmware()
    if not domain.firmware.uuid:
        domain.firmware.uuid = firmware_uuid(vmi.metadata.namespace, vmi.metadata.name)
    if domain.clock is not None:
        domain.clock = _with_timers(domain.clock)
    domain.features = _with_states(domain.features or Features())
    for disk in domain.devices.disks:
        _set_disk(disk)
    for device in domain.devices.inputs:
        _set_input(device)
    for gpu in domain.devices.gpus:
        display = gpu.virtual_gpu_options.display if gpu.virtual_gpu_options else None
        if display is not None:
            display.ram_fb = _enabled(display.ram_fb)
    spec = vmi.spec
    if spec.liveness_probe is not None:
        spec.liveness_probe = _probe(spec.liveness_probe)
    if spec.readiness_probe is not None:
        spec.readiness_probe = _probe(spec.readiness_probe)


def _enabled(state: S) -> S:
    return replace(state, enabled=True) if state is not None and state.enabled is None else state


@memo
def _with_timers(clock: Clock) -> Clock:
    """The clock with those of its timers present of which it does not say whether they are."""
    timer = clock.timer
    if timer is None:
        return clock
    timers = {name: getattr(timer, name) for name in Timer.__struct_fields__}
    present = {name: replace(one, present=True) for name, one in timers.items() if one and one.present is None}
    return replace(clock, timer=replace(timer, **present))


@memo
def _with_states(features: Features) -> Features:
    """The features that are named, on where they do not say that they are off."""
    return replace(
        features,
        acpi=_enabled(features.acpi),
        apic=_enabled(features.apic),
        smm=_enabled(features.smm),
        pvspinlock=_enabled(features.pvspinlock),
        hyperv=_with_enlightenments(features.hyperv) if features.hyperv is not None else None,
    )


def _with_enlightenments(hyperv: FeatureHyperv) -> FeatureHyperv:
    hyperv = FeatureHyperv(**{name: _enabled(getattr(hyperv, name)) for name in FeatureHyperv.__struct_fields__})
    spinlocks, timer, flush = hyperv.spinlocks, hyperv.synictimer, hyperv.tlbflush
    if spinlocks is not None and spinlocks.enabled and spinlocks.spinlocks is None:
        spinlocks = replace(spinlocks, spinlocks=_SPINLOCK_RETRIES)
    if timer is not None:
        timer = replace(timer, direct=_enabled(timer.direct))
    if flush is not None:
        flush = replace(flush, direct=_enabled(flush.direct), extended=_enabled(flush.extended))
    return replace(hyperv, spinlocks=spinlocks, synictimer=timer, tlbflush=flush)


def _set_disk(disk: Disk) -> None:
    if disk.disk is None and disk.cdrom is None and disk.lun is None:
        disk.disk = DiskTarget()
    if disk.cdrom is not None:
        if disk.cdrom.readonly is None:
            disk.cdrom.readonly = True
        if not disk.cdrom.tray:
            disk.cdrom.tray = "closed"
    if disk.block_size is not None:
        disk.block_size.match_volume = _enabled(disk.block_size.match_volume)


def _set_input(device: Input) -> None:
    if not device.bus:
        device.bus = "usb"
    if not device.type:
        device.type = "tablet"


def _probe(probe: Probe) -> Probe:
    """A probe of its own: the VMI may share that of the VM's template."""
    return replace(
        probe,
        timeout_seconds=max(probe.timeout_seconds, 1),
        period_seconds=probe.period_seconds if probe.period_seconds >= 1 else 10,
        success_threshold=max(probe.success_threshold, 1),
        failure_threshold=probe.failure_threshold if probe.failure_threshold >= 1 else 3,
    )
