"""`<controller>`: USB, SCSI, PCI and virtio-serial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from virtcatalog.api.devices import Devices
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.names import DISABLE_PCI_HOLE64
from virtcatalog.kubevirt.launcher.architecture import Architecture
from virtcatalog.kubevirt.launcher.context import DeviceResource
from virtcatalog.kubevirt.launcher.elements.iothreads import bus_of, scsi_thread
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo


def controllers(
    domain: DomainSpec,
    annotations: Mapping[str, str],
    architecture: Architecture,
    resources: Mapping[str, DeviceResource],
    vcpus: int,
    *,
    iommu: bool,
) -> Sequence[Element]:
    """The controllers: USB always (if only to say that there is none), the others where something needs them.

    `annotations` are the VMI's, `resources` those of device plugins.
    Source: pkg/virt-launcher/virtwrap/converter/compute/controllers.go (ControllersDomainConfigurator).
    """
    devices = domain.devices
    hotplug = not devices.disable_hotplug or "scsi" in map(bus_of, devices.disks)
    return _controllers(
        "qemu-xhci" if _needs_usb(devices, architecture.name, resources) else "none",
        architecture.scsi_model(devices.use_virtio_transitional) if hotplug else "",
        scsi_thread(domain) if hotplug else None,
        vcpus or 1,
        architecture.pci_hole64_disabling and _disables_pci_hole64(annotations),
        ""
        if devices.autoattach_serial_console is False
        else architecture.virtio_model(devices.use_virtio_transitional),
        iommu,
    )


@memo
def _controllers(
    usb: str, scsi: str, scsi_thread: int | None, queues: int, without_hole: bool, serial: str, iommu: bool
) -> Sequence[Element]:
    """`usb`, `scsi` and `serial` are models; "" for none.

    The SCSI controller's IO thread, if it has one, has so many queues. `without_hole`: PCI Express has no 64-bit hole.
    """
    driver = {"iommu": "on"} if iommu else {}
    elements = [_controller("usb", usb)]
    if scsi:
        threads = {} if scsi_thread is None else {"iothread": str(scsi_thread), "queues": str(queues)}
        elements.append(_controller("scsi", scsi, **threads, **driver))
    if without_hole:
        root = Shared("controller", {"type": "pci", "index": "0", "model": "pcie-root"})
        SubElement(root, "pcihole64", {"unit": "KiB"}).text = "0"
        elements.append(root)
    if serial:
        elements.append(_controller("virtio-serial", serial, **driver))
    return tuple(elements)


def _needs_usb(devices: Devices, architecture: str, resources: Mapping[str, DeviceResource]) -> bool:
    """Whether the machine has USB: never on s390x, always on arm64 (pkg/virt-launcher/virtwrap/converter/arch)."""
    if architecture != "amd64":
        return architecture == "arm64"
    return (
        devices.client_passthrough is not None
        or not {"", "usb"}.isdisjoint([device.bus for device in devices.inputs])
        or "usb" in [disk.disk.bus for disk in devices.disks if disk.disk is not None]
        or "usb" in [resources[d.device_name].kind for d in devices.host_devices if d.device_name in resources]
    )


def _disables_pci_hole64(annotations: Mapping[str, str]) -> bool:
    """Whether a VMI of these annotations wants no 64-bit PCI hole."""
    value = annotations.get(DISABLE_PCI_HOLE64)
    return value is not None and value.lower() == "true"


def _controller(kind: str, model: str, **driver: str) -> Element:
    controller = Shared("controller", {"type": kind, "index": "0", "model": model})
    if driver:
        SubElement(controller, "driver", driver)
    return controller
