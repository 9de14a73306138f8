"""The GPUs and host devices of an instance type.

Source: pkg/instancetype/apply/gpu.go and hostdevices.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.devices import Devices
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec


def apply_gpus(instancetype: VirtualMachineInstancetypeSpec, devices: Devices) -> list[str]:
    """Set the GPUs; a VM with GPUs of its own conflicts (applyGPUs)."""
    if not instancetype.gpus:
        return []
    if devices.gpus:
        return ["domain.devices.gpus"]
    devices.gpus = [clone(gpu) for gpu in instancetype.gpus]
    return []


def apply_host_devices(instancetype: VirtualMachineInstancetypeSpec, devices: Devices) -> list[str]:
    """Set the host devices; a VM with host devices of its own conflicts (applyHostDevices)."""
    if not instancetype.host_devices:
        return []
    if devices.host_devices:
        return ["domain.devices.hostDevices"]
    devices.host_devices = [clone(device) for device in instancetype.host_devices]
    return []
