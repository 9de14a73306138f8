"""The API's own defaults of a VMI: states that are on when they are named, disk targets, inputs, probes.

Source: staging/src/kubevirt.io/api/core/v1/defaults.go and zz_generated.defaults.go.
"""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from virtcatalog.api.devices import Disk, DiskTarget, FeatureState, Input
from virtcatalog.api.domainspec import Clock, FeatureHyperv, Features, Firmware
from virtcatalog.api.kubevirt import Probe, VirtualMachineInstance
from virtcatalog.kubevirt.identity import firmware_uuid

_SPINLOCK_RETRIES = 4096


class _State(Protocol):
    enabled: bool | None


def set_object_defaults(vmi: VirtualMachineInstance) -> None:
    """Set the defaults that belong to the API's types (SetObjectDefaults_VirtualMachineInstance)."""
    domain = vmi.spec.domain
    if domain.firmware is None:
        domain.firmware = Firmware()
    if not domain.firmware.uuid:
        domain.firmware.uuid = firmware_uuid(vmi.metadata.namespace, vmi.metadata.name)
    if domain.clock is not None:
        _set_timers(domain.clock)
    if domain.features is None:
        domain.features = Features()
    _set_features(domain.features)
    for disk in domain.devices.disks:
        _set_disk(disk)
    for device in domain.devices.inputs:
        _set_input(device)
    for gpu in domain.devices.gpus:
        display = gpu.virtual_gpu_options.display if gpu.virtual_gpu_options else None
        if display is not None:
            _enable(display.ram_fb)
    spec = vmi.spec
    if spec.liveness_probe is not None:
        spec.liveness_probe = _probe(spec.liveness_probe)
    if spec.readiness_probe is not None:
        spec.readiness_probe = _probe(spec.readiness_probe)


def _enable(state: _State | None) -> None:
    if state is not None and state.enabled is None:
        state.enabled = True


def _set_timers(clock: Clock) -> None:
    timer = clock.timer
    if timer is None:
        return
    for one in (timer.hpet, timer.kvm, timer.pit, timer.rtc, timer.hyperv):
        if one is not None and one.present is None:
            one.present = True


def _set_features(features: Features) -> None:
    if features.acpi.enabled is None:
        features.acpi = FeatureState(enabled=True)
    _enable(features.apic)
    _enable(features.smm)
    _enable(features.pvspinlock)
    if features.hyperv is not None:
        _set_hyperv(features.hyperv)


def _set_hyperv(hyperv: FeatureHyperv) -> None:
    for state in (
        hyperv.relaxed,
        hyperv.vapic,
        hyperv.spinlocks,
        hyperv.vpindex,
        hyperv.runtime,
        hyperv.synic,
        hyperv.synictimer,
        hyperv.reset,
        hyperv.vendorid,
        hyperv.frequencies,
        hyperv.reenlightenment,
        hyperv.tlbflush,
        hyperv.ipi,
        hyperv.evmcs,
    ):
        if state is not None and state.enabled is None:
            state.enabled = True
    if hyperv.spinlocks is not None and hyperv.spinlocks.enabled and hyperv.spinlocks.spinlocks is None:
        hyperv.spinlocks.spinlocks = _SPINLOCK_RETRIES
    if hyperv.synictimer is not None:
        _enable(hyperv.synictimer.direct)
    if hyperv.tlbflush is not None:
        _enable(hyperv.tlbflush.direct)
        _enable(hyperv.tlbflush.extended)


def _set_disk(disk: Disk) -> None:
    if disk.disk is None and disk.cdrom is None and disk.lun is None:
        disk.disk = DiskTarget()
    if disk.cdrom is not None:
        if disk.cdrom.readonly is None:
            disk.cdrom.readonly = True
        if not disk.cdrom.tray:
            disk.cdrom.tray = "closed"
    if disk.block_size is not None:
        _enable(disk.block_size.match_volume)


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
