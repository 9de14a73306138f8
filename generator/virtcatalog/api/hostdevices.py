"""Devices of hosts in the KubeVirt CR: which VMs may use, and which mediated ones nodes make."""

from __future__ import annotations

from typing import Annotated

from msgspec import field

from virtcatalog.api.object import Object, since


class USBSelector(Object):
    """A USB device by vendor and product, in hexadecimal."""

    vendor: str = field(default_factory=str)
    product: str = field(default_factory=str)


class USBHostDevice(Object):
    """USB devices that VMs may use, together as one resource."""

    resource_name: str = field(default_factory=str)
    selectors: list[USBSelector] = []
    external_resource_provider: bool = False


class MediatedHostDevice(Object):
    """A kind of mediated device that VMs may use."""

    mdev_name_selector: str = field(default_factory=str)
    resource_name: str = field(default_factory=str)
    external_resource_provider: bool = False


class PciHostDevice(Object):
    """A kind of PCI device that VMs may use; the selector is `vendor:device` in hexadecimal."""

    pci_vendor_selector: str = field(default_factory=str)
    resource_name: str = field(default_factory=str)
    external_resource_provider: bool = False


class NodeMediatedDeviceTypesConfig(Object):
    """Which mediated devices some nodes make."""

    node_selector: dict[str, str] = {}
    mediated_devices_types: list[str] = []
    mediated_device_types: list[str] = []


class PermittedHostDevices(Object):
    """Devices of the host that VMs may use."""

    pci_host_devices: list[PciHostDevice] = []
    mediated_devices: list[MediatedHostDevice] = []
    usb: list[USBHostDevice] = []


class MediatedDevicesConfiguration(Object):
    """Which mediated devices nodes make."""

    mediated_devices_types: list[str] = []
    mediated_device_types: list[str] = []
    node_mediated_device_types: list[NodeMediatedDeviceTypesConfig] = []
    enabled: Annotated[bool | None, since("v1.8")] = None
