"""`<controller>`: USB, SCSI, PCI and virtio-serial."""

from __future__ import annotations

from functools import lru_cache

from virtcatalog.api.annotations import DISABLE_PCI_HOLE64
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.diskthreads import bus_of, scsi_thread
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement


def controllers(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The controllers: USB always (if only to say that there is none), the others where something needs them.

    Source: pkg/virt-launcher/virtwrap/converter/compute/controllers.go (ControllersDomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    transitional, architecture = devices.use_virtio_transitional, context.architecture
    iommu = {"iommu": "on"} if uses_iommu(vmi) else {}
    made = [_controller("usb", "qemu-xhci" if _needs_usb(vmi, context) else "none")]
    if not devices.disable_hotplug or "scsi" in map(bus_of, devices.disks):
        made.append(_controller("scsi", architecture.scsi_model(transitional), **_scsi_threads(vmi), **iommu))
    if architecture.pci_hole64_disabling and _disables_pci_hole64(vmi):
        pci = Element("controller", {"type": "pci", "index": "0", "model": "pcie-root"})
        SubElement(pci, "pcihole64", {"unit": "KiB"}).text = "0"
        made.append(pci)
    if devices.autoattach_serial_console is not False:
        made.append(_controller("virtio-serial", architecture.virtio_model(transitional), **iommu))
    return made


def _needs_usb(vmi: VirtualMachineInstance, context: Context) -> bool:
    """Whether the machine has USB: never on s390x, always on arm64 (pkg/virt-launcher/virtwrap/converter/arch)."""
    if context.architecture.name != "amd64":
        return context.architecture.name == "arm64"
    devices = vmi.spec.domain.devices
    resources = context.device_resources
    return (
        devices.client_passthrough is not None
        or any(device.bus in ("", "usb") for device in devices.inputs)
        or "usb" in [disk.disk.bus for disk in devices.disks if disk.disk is not None]
        or "usb" in [resources[each.device_name].kind for each in devices.host_devices if each.device_name in resources]
    )


def _scsi_threads(vmi: VirtualMachineInstance) -> dict[str, str]:
    thread = scsi_thread(vmi)
    if thread is None:
        return {}
    return {"iothread": str(thread), "queues": str(requested_topology(vmi).vcpus or 1)}


def _disables_pci_hole64(vmi: VirtualMachineInstance) -> bool:
    value = vmi.metadata.annotations.get(DISABLE_PCI_HOLE64)
    return value is not None and value.lower() == "true"


@lru_cache(maxsize=256)
def _controller(kind: str, model: str, **driver: str) -> Element:
    controller = Shared("controller", {"type": kind, "index": "0", "model": model})
    if driver:
        SubElement(controller, "driver", driver)
    return controller
