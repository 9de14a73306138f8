"""Preferred devices: buses and options of disks, models and bindings of interfaces, and the rest.

Source: pkg/instancetype/preference/apply/device.go, disk.go, interface.go. `preferredVirtualGPUOptions` is declared and
never applied there.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.devices import Devices, Disk, DiskTarget, Input, PanicDevice
from virtcatalog.api.instancetype import DevicePreferences
from virtcatalog.api.interfaces import Interface, InterfaceMasquerade
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.preference.fill import fill
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


def apply_disks(preference: DevicePreferences, disks: list[Disk]) -> None:
    """Fill in what each disk leaves out; one without a target becomes a `disk`. Options are for `disk` targets only.

    Source: applyDiskPreferences.
    """
    for disk in disks:
        if disk.disk is None and disk.cdrom is None and disk.lun is None:
            disk.disk = DiskTarget()
        if disk.disk is not None:
            _apply_disk(preference, disk, disk.disk)
        elif disk.cdrom is not None:
            disk.cdrom.bus = disk.cdrom.bus or preference.preferred_cdrom_bus
        elif disk.lun is not None:
            disk.lun.bus = disk.lun.bus or preference.preferred_lun_bus


def _apply_disk(preference: DevicePreferences, disk: Disk, target: DiskTarget) -> None:
    if not target.bus:
        target.bus = preference.preferred_disk_bus
    if preference.preferred_disk_block_size is not None and disk.block_size is None:
        disk.block_size = clone(preference.preferred_disk_block_size)
    if preference.preferred_disk_cache and not disk.cache:
        disk.cache = preference.preferred_disk_cache
    if preference.preferred_disk_io and not disk.io:
        disk.io = preference.preferred_disk_io
    dedicated = preference.preferred_disk_dedicated_io_thread
    if dedicated is not None and disk.dedicated_io_thread is None and target.bus == "virtio":
        disk.dedicated_io_thread = dedicated


def apply_interfaces(preference: DevicePreferences, vmi_spec: VirtualMachineInstanceSpec) -> None:
    """Fill in the model, and masquerade on interfaces of the pod network that have no binding.

    Source: applyInterfacePreferences.
    """
    for interface in vmi_spec.domain.devices.interfaces:
        if not interface.model:
            interface.model = preference.preferred_interface_model
        if (
            preference.preferred_interface_masquerade is not None
            and not _has_binding(interface)
            and _on_pod_network(interface.name, vmi_spec.networks)
        ):
            interface.masquerade = InterfaceMasquerade()


def _has_binding(interface: Interface) -> bool:
    return any(
        binding is not None
        for binding in (
            interface.bridge,
            interface.masquerade,
            interface.sriov,
            interface.slirp,
            interface.macvtap,
            interface.passt,
            interface.passt_binding,
            interface.binding,
        )
    )


def _on_pod_network(name: str, networks: list[Network]) -> bool:
    for network in networks:
        if network.name == name:
            return network.pod is not None
    return False
