"""`<hostdev>`: PCI, mediated and USB devices of the host, and SR-IOV interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from virtcatalog.api.devices import GPU, HostDevice, Interface, VGPUDisplayOptions
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement
from virtcatalog.releases import Traits


class _Maker(Protocol):
    """Makes the `<hostdev>` of a device at an address."""

    def __call__(self, device: GPU | HostDevice, address: str, traits: Traits, /) -> Element: ...


def hostdevs(vmi: VirtualMachineInstance, context: Context) -> Iterator[Element]:
    """Yield the host devices, then the GPUs, then the SR-IOV interfaces; of each the PCI devices come first.

    Host devices and GPUs draw from the addresses of a resource independently, as two pools. Source:
    pkg/virt-launcher/virtwrap/device/hostdevice.
    """
    devices = vmi.spec.domain.devices
    if devices.host_devices:
        field = "spec.domain.devices.hostDevices"
        yield from _attach(devices.host_devices, context, field, _HOST_DEVICE_MAKERS)
    if devices.gpus:
        yield from _gpus(devices.gpus, context)
    for position, interface in enumerate(devices.interfaces):
        if interface.sriov is not None:
            field = f"spec.domain.devices.interfaces[{position}]"
            yield _virtual_function(interface, context.sriov_addresses.get(interface.name), field)


def _attach(
    devices: Sequence[GPU | HostDevice],
    context: Context,
    field: str,
    makers: Mapping[str, _Maker],
) -> list[Element]:
    """Give each device the next address of its resource, kind by kind; DomainError when one goes without."""
    attached = []
    taken: dict[str, int] = {}
    for kind, make in makers.items():
        for position, device in enumerate(devices):
            if not device.device_name and device.claim_name:
                raise UnsupportedError(f"{field}[{position}].claimName", "dynamic resource allocation is not modelled")
            resource = context.device_resources.get(device.device_name)
            number = taken.get(device.device_name, 0)
            if resource is None or resource.kind != kind or number >= len(resource.addresses):
                continue
            taken[device.device_name] = number + 1
            attached.append(make(device, resource.addresses[number], context.release.traits))
    if len(attached) != len(devices):
        raise DomainError(field, f"{len(devices)} devices are wanted, and the node gives the pod {len(attached)}")
    return attached


def _gpus(gpus: list[GPU], context: Context) -> list[Element]:
    """Attach the GPUs; the first mediated one is a display with boot framebuffer where no GPU says anything of it."""
    attached = _attach(gpus, context, "spec.domain.devices.gpus", _GPU_MAKERS)
    mediated = [element for element in attached if element.get("type") == "mdev"]
    if mediated and not any(_display(gpu) for gpu in gpus):
        mediated[0].set("display", "on")
        mediated[0].set("ramfb", "on")
    return attached


def _display(device: GPU | HostDevice) -> VGPUDisplayOptions | None:
    if isinstance(device, GPU) and device.virtual_gpu_options is not None:
        return device.virtual_gpu_options.display
    return None


def _pci(device: GPU | HostDevice, address: str, traits: Traits) -> Element:
    """A PCI device, passed through whole; it is a display only where the VMI says so in so many words."""
    prefix = "gpu" if isinstance(device, GPU) else "hostdevice"
    element = _pci_element(f"{prefix}-{device.name}", address)
    display = _display(device)
    if display is not None and display.enabled and traits.pci_vgpu_display:
        element.set("display", "on")
        if display.ram_fb is not None and display.ram_fb.enabled:
            element.set("ramfb", "on")
    return element


def _mediated(device: GPU | HostDevice, uuid: str, traits: Traits) -> Element:
    element = Element("hostdev", {"type": "mdev", "mode": "subsystem", "model": "vfio-pci"})
    SubElement(SubElement(element, "source"), "address", {**_empty(traits, "type", "bus"), "uuid": uuid})
    prefix = "gpu" if isinstance(device, GPU) else "hostdevice"
    add_alias(element, f"{prefix}-{device.name}")
    display = _display(device)
    if display is not None and display.enabled is not False:
        element.set("display", "on")
        if display.ram_fb is None or display.ram_fb.enabled is not False:
            element.set("ramfb", "on")
    return element


def _usb(device: GPU | HostDevice, address: str, traits: Traits) -> Element:
    bus, _, number = address.partition(":")
    element = Element("hostdev", {"type": "usb", "mode": "subsystem"})
    SubElement(SubElement(element, "source"), "address", {**_empty(traits, "type"), "bus": bus, "device": number})
    add_alias(element, f"usb-host-{device.name}")
    return element


def _empty(traits: Traits, *names: str) -> dict[str, str]:
    """Attributes of an address that say nothing."""
    return {} if traits.omits_empty_address_attributes else dict.fromkeys(names, "")


_GPU_MAKERS: Mapping[str, _Maker] = {"pci": _pci, "mdev": _mediated}
_HOST_DEVICE_MAKERS: Mapping[str, _Maker] = {"pci": _pci, "mdev": _mediated, "usb": _usb}


def _virtual_function(interface: Interface, address: str | None, field: str) -> Element:
    if address is None:
        raise DomainError(field, "the node tells no PCI address for this SR-IOV interface")
    element = _pci_element(f"sriov-{interface.name}", address)
    if interface.boot_order is not None:
        SubElement(element, "boot", {"order": str(interface.boot_order)})
    if interface.pci_address:
        add_pci_address(element, interface.pci_address, f"{field}.pciAddress")
    return element


def _pci_element(alias: str, address: str) -> Element:
    element = Element("hostdev", {"type": "pci", "managed": "no"})
    add_pci_address(SubElement(element, "source"), address, "spec.domain.devices")
    add_alias(element, alias)
    return element
