"""Panic devices. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

GATE = "PanicDevices"
MODELS = ("hyperv", "isa", "pvpanic")


def validate_panic_devices(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A panic device has a known model, and s390x has one of its own (validatePanicDevices)."""
    devices = spec.domain.devices.panic_devices
    if not devices:
        return
    field = f"{path}.domain.devices.panicDevices"
    if not config.feature_gate(GATE):
        yield invalid(field, f"panic devices need the feature gate {GATE}, which is off")
        return
    if (spec.architecture or config.default_architecture) == "s390x":
        yield invalid(field, "s390x takes no panic devices: it has one built in")
    for index, device in enumerate(devices):
        if device.model is not None and device.model not in MODELS:
            yield invalid(f"{field}[{index}].model", f"{device.model!r} is no model; models are {', '.join(MODELS)}")
