"""`<controller>`: USB, SCSI, PCI and virtio-serial."""

from __future__ import annotations

from functools import lru_cache

from virtcatalog.api.annotations import DISABLE_PCI_HOLE64
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.architecture import Architecture
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.diskthreads import bus_of, scsi_thread
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, Shared, SubElement


def controllers(vmi: VirtualMachineInstance, context: Context) -> Filled:
    """The controllers: USB always (if only to say that there is none), the others where something needs them.

    Source: pkg/virt-launcher/virtwrap/converter/compute/controllers.go (ControllersDomainConfigurator).
    """
    devices, architecture = vmi.spec.domain.devices, context.architecture
    hotplug = not devices.disable_hotplug or "scsi" in map(bus_of, devices.disks)
    return _form(
        architecture,
        devices.use_virtio_transitional,
        vmi.spec.domain.launch_security is not None and uses_iommu(vmi),
        _needs_usb(vmi, context),
        _scsi_threads(vmi) if hotplug else None,
        not (architecture.pci_hole64_disabling and _disables_pci_hole64(vmi)),
        devices.autoattach_serial_console is not False,
    ).filled()


@lru_cache(maxsize=256)
def _form(
    architecture: Architecture,
    transitional: bool | None,
    iommu: bool,
    usb: bool,
    scsi: tuple[tuple[str, str], ...] | None,
    hole: bool,
    serial: bool,
) -> Form:
    """`scsi` are the attributes of the SCSI controller's driver, None without one; `hole` is the 64-bit PCI hole."""
    driver = {"iommu": "on"} if iommu else {}
    made = [_controller("usb", "qemu-xhci" if usb else "none")]
    if scsi is not None:
        made.append(_controller("scsi", architecture.scsi_model(transitional), **dict(scsi), **driver))
    if not hole:
        pci = Element("controller", {"type": "pci", "index": "0", "model": "pcie-root"})
        SubElement(pci, "pcihole64", {"unit": "KiB"}).text = "0"
        made.append(pci)
    if serial:
        made.append(_controller("virtio-serial", architecture.virtio_model(transitional), **driver))
    return Form(lambda: made)


def _needs_usb(vmi: VirtualMachineInstance, context: Context) -> bool:
    """Whether the machine has USB: never on s390x, always on arm64 (pkg/virt-launcher/virtwrap/converter/arch)."""
    if context.architecture.name != "amd64":
        return context.architecture.name == "arm64"
    devices = vmi.spec.domain.devices
    resources = context.device_resources
    return (
        devices.client_passthrough is not None
        or not {"", "usb"}.isdisjoint([device.bus for device in devices.inputs])
        or "usb" in [disk.disk.bus for disk in devices.disks if disk.disk is not None]
        or "usb"
        in [
            resources[host_device.device_name].kind
            for host_device in devices.host_devices
            if host_device.device_name in resources
        ]
    )


def _scsi_threads(vmi: VirtualMachineInstance) -> tuple[tuple[str, str], ...]:
    thread = scsi_thread(vmi)
    if thread is None:
        return ()
    return ("iothread", str(thread)), ("queues", str(requested_topology(vmi).vcpus or 1))


def _disables_pci_hole64(vmi: VirtualMachineInstance) -> bool:
    value = vmi.metadata.annotations.get(DISABLE_PCI_HOLE64)
    return value is not None and value.lower() == "true"


def _controller(kind: str, model: str, **driver: str) -> Element:
    controller = Shared("controller", {"type": kind, "index": "0", "model": model})
    if driver:
        SubElement(controller, "driver", driver)
    return controller
