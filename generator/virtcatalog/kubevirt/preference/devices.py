"""Preferred devices.

Source: pkg/instancetype/preference/apply/device.go. `preferredVirtualGPUOptions` is declared and
never applied there.
"""

from __future__ import annotations

from virtcatalog.api.devices import Devices, Input, PanicDevice
from virtcatalog.api.instancetype import DevicePreferences
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.preference.disks import apply_disks
from virtcatalog.kubevirt.preference.fill import fill
from virtcatalog.kubevirt.preference.interfaces import apply_interfaces
from virtcatalog.releases import Traits


def apply_devices(preference: DevicePreferences, vmi_spec: VirtualMachineInstanceSpec, traits: Traits) -> None:
    """Fill in the devices' options; `disableHotplug` is overwritten, its silence cannot be told from `false`.

    Source: ApplyDevicePreferences.
    """
    devices = vmi_spec.domain.devices
    fill(preference, vmi_spec)
    if preference.preferred_disable_hotplug is not None:
        devices.disable_hotplug = preference.preferred_disable_hotplug
    if devices.sound is not None and not devices.sound.model:
        devices.sound.model = preference.preferred_sound_model
    apply_autoattach(preference, devices)
    apply_disks(preference, devices.disks)
    apply_interfaces(preference, vmi_spec)
    _apply_inputs(preference, devices.inputs)
    if preference.preferred_panic_device_model is not None:
        _apply_panic_model(preference.preferred_panic_device_model, devices, traits)


def apply_autoattach(preference: DevicePreferences, devices: Devices) -> None:
    """Fill in which devices are attached on their own; virt-controller asks before it adds the default ones.

    Source: ApplyAutoAttachPreferences.
    """
    if preference.preferred_autoattach_graphics_device is not None and devices.autoattach_graphics_device is None:
        devices.autoattach_graphics_device = preference.preferred_autoattach_graphics_device
    if preference.preferred_autoattach_mem_balloon is not None and devices.autoattach_mem_balloon is None:
        devices.autoattach_mem_balloon = preference.preferred_autoattach_mem_balloon
    if preference.preferred_autoattach_pod_interface is not None and devices.autoattach_pod_interface is None:
        devices.autoattach_pod_interface = preference.preferred_autoattach_pod_interface
    if preference.preferred_autoattach_serial_console is not None and devices.autoattach_serial_console is None:
        devices.autoattach_serial_console = preference.preferred_autoattach_serial_console
    if preference.preferred_autoattach_input_device is not None and devices.autoattach_input_device is None:
        devices.autoattach_input_device = preference.preferred_autoattach_input_device


def _apply_inputs(preference: DevicePreferences, inputs: list[Input]) -> None:
    for device in inputs:
        if not device.bus:
            device.bus = preference.preferred_input_bus
        if not device.type:
            device.type = preference.preferred_input_type


def _apply_panic_model(model: str, devices: Devices, traits: Traits) -> None:
    if not devices.panic_devices and traits.adds_preferred_panic_device:
        devices.panic_devices = [PanicDevice(model=model)]
    for device in devices.panic_devices:
        if device.model is None:
            device.model = model
