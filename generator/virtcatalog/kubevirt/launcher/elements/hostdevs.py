"""`<hostdev>`: PCI, mediated and USB devices of the host, and SR-IOV interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Protocol

from virtcatalog.api.devices import GPU, Devices, HostDevice, VGPUDisplayOptions
from virtcatalog.api.interfaces import Interface
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import alias as alias_of
from virtcatalog.kubevirt.launcher.elements.address import pci_address
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement
from virtcatalog.releases import Traits

#: What the alias of an interface begins with that is a virtual function of a host device.
SRIOV = "sriov-"
_sriov = attrgetter("sriov")


class _Maker(Protocol):
    """Makes the `<hostdev>` of a device at an address."""

    def __call__(self, device: GPU | HostDevice, address: str, traits: Traits, /) -> Element: ...


def has_hostdevs(devices: Devices) -> bool:
    """Whether the VMI asks for host devices, GPUs or SR-IOV interfaces."""
    return bool(devices.host_devices or devices.gpus) or any(map(_sriov, devices.interfaces))


def hostdevs(devices: Devices, networks: Sequence[Network], context: Context) -> list[Element]:
    """The host devices, then the GPUs, then the SR-IOV interfaces.

    Of each family those of device plugins come first, the PCI devices among them before the others, then those of
    resource claims. Host devices and GPUs draw from the addresses of a resource independently, as two pools. Source:
    pkg/virt-launcher/virtwrap/device/hostdevice.
    """
    elements = []
    if devices.host_devices:
        field = "spec.domain.devices.hostDevices"
        elements += _attach(devices.host_devices, context, field, _HOST_DEVICE_MAKERS)
        elements += _attach_claimed(devices.host_devices, context, field)
    if devices.gpus:
        field = "spec.domain.devices.gpus"
        elements += _with_display(_attach(devices.gpus, context, field, _GPU_MAKERS), devices.gpus)
        elements += _with_display(_attach_claimed(devices.gpus, context, field), devices.gpus)
    if any(map(_sriov, devices.interfaces)):
        elements += _virtual_functions(devices.interfaces, networks, context.sriov_addresses)
    return elements


def _attach(
    devices: Sequence[GPU | HostDevice],
    context: Context,
    field: str,
    makers: Mapping[str, _Maker],
) -> list[Element]:
    """Give each device of a plugin the next address of its resource, by kind; DomainError when one goes without."""
    attached = []
    taken: dict[str, int] = {}
    for kind, make in makers.items():
        for device in devices:
            resource = context.device_resources.get(device.device_name)
            number = taken.get(device.device_name, 0)
            if resource is None or resource.kind != kind or number >= len(resource.addresses):
                continue
            taken[device.device_name] = number + 1
            attached.append(make(device, resource.addresses[number], context.release.traits))
    wanted = sum(1 for device in devices if not is_claimed(device))
    if len(attached) != wanted:
        raise DomainError(field, f"of {wanted} devices the node gives the pod {len(attached)}")
    return attached


def is_claimed(device: GPU | HostDevice) -> bool:
    """Whether a device is one of a resource claim (pkg/dra/utils.go, IsGPUDRA, IsHostDeviceDRA)."""
    return not device.device_name and names_claim(device)


def names_claim(device: GPU | HostDevice) -> bool:
    """Whether a device names a claim or request, be it with an empty name."""
    return device.claim_name is not None or device.request_name is not None


def _attach_claimed(devices: Sequence[GPU | HostDevice], context: Context, field: str) -> list[Element]:
    """The devices that drivers of dynamic resource allocation chose; DomainError for one without an address."""
    attached = [
        _claimed(device, context, f"{field}[{position}]")
        for position, device in enumerate(devices)
        if is_claimed(device)
    ]
    if not context.release.traits.claimed_devices_keep_order:
        attached.sort(key=lambda element: element.get("type") == "mdev")
    return attached


def _claimed(device: GPU | HostDevice, context: Context, field: str) -> Element:
    """Source: pkg/virt-launcher/virtwrap/device/hostdevice/dra."""
    claimed = context.claimed_devices.get((device.claim_name or "", device.request_name or ""))
    if claimed is None or not (claimed.pci_address or claimed.mdev_uuid):
        message = f"claim {device.claim_name!r} gives request {device.request_name!r} no PCI address and no mdev UUID"
        raise DomainError(f"{field}.claimName", message)
    traits, is_gpu = context.release.traits, isinstance(device, GPU)
    alias = f"dra-gpu-{device.name}" if is_gpu else f"dra-hostdevice-{device.name}"
    if claimed.pci_address and not (claimed.mdev_uuid and traits.claimed_devices_keep_order):
        return _pci_element(alias, claimed.pci_address)
    channel = context.architecture.name == "s390x" and not is_gpu and traits.claimed_devices_keep_order
    return _mdev_element(alias, claimed.mdev_uuid, device, traits, model="vfio-ap" if channel else "vfio-pci")


def _with_display(attached: list[Element], gpus: list[GPU]) -> list[Element]:
    """Make the first mediated GPU a display with boot framebuffer where no GPU says anything of displays."""
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
        unsaid = traits.ramfb_is_on_unless_off
        if unsaid if display.ram_fb is None or display.ram_fb.enabled is None else display.ram_fb.enabled:
            element.set("ramfb", "on")
    return element


def _mediated(device: GPU | HostDevice, uuid: str, traits: Traits) -> Element:
    prefix = "gpu" if isinstance(device, GPU) else "hostdevice"
    return _mdev_element(f"{prefix}-{device.name}", uuid, device, traits)


def _mdev_element(
    alias: str, uuid: str, device: GPU | HostDevice, traits: Traits, *, model: str = "vfio-pci"
) -> Element:
    element = Element("hostdev", {"type": "mdev", "mode": "subsystem", "model": model})
    SubElement(SubElement(element, "source"), "address", {**_empty(traits, "type", "bus"), "uuid": uuid})
    element.append(alias_of(alias))
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
    element.append(alias_of(f"usb-host-{device.name}"))
    return element


def _empty(traits: Traits, *names: str) -> dict[str, str]:
    """Attributes of an address that say nothing."""
    return {} if traits.omits_empty_address_attributes else dict.fromkeys(names, "")


_GPU_MAKERS: Mapping[str, _Maker] = {"pci": _pci, "mdev": _mediated}
_HOST_DEVICE_MAKERS: Mapping[str, _Maker] = {"pci": _pci, "mdev": _mediated, "usb": _usb}


def _virtual_functions(
    interfaces: Sequence[Interface], networks: Sequence[Network], addresses: Mapping[str, str | None]
) -> list[Element]:
    """Those whose networks are of resource claims come last."""
    claimed = {network.name for network in networks if network.resource_claim is not None}
    virtual = [(position, interface) for position, interface in enumerate(interfaces) if interface.sriov is not None]
    virtual.sort(key=lambda numbered: numbered[1].name in claimed)
    return [
        _virtual_function(interface, addresses.get(interface.name), f"spec.domain.devices.interfaces[{position}]")
        for position, interface in virtual
    ]


def _virtual_function(interface: Interface, address: str | None, field: str) -> Element:
    if address is None:
        raise DomainError(field, "the node tells no PCI address for this SR-IOV interface")
    element = _pci_element(f"{SRIOV}{interface.name}", address)
    if interface.boot_order is not None:
        SubElement(element, "boot", {"order": str(interface.boot_order)})
    if interface.pci_address:
        element.append(pci_address(interface.pci_address, f"{field}.pciAddress"))
    return element


def _pci_element(alias: str, address: str) -> Element:
    element = Element("hostdev", {"type": "pci", "managed": "no"})
    SubElement(element, "source").append(pci_address(address, "spec.domain.devices"))
    element.append(alias_of(alias))
    return element
