"""The steps of a fresh start, in their order, on one page."""

from __future__ import annotations

from virtcatalog.api.annotations import IGNITION, PLACE_ON_ROOT_COMPLEX
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.errors import Warning
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.qemu import COMMANDLINE, has_ignition
from virtcatalog.kubevirt.launcher.launch.drivers import set_drivers
from virtcatalog.kubevirt.launcher.launch.images import check_empty_disks
from virtcatalog.kubevirt.launcher.launch.network import attach_taps
from virtcatalog.kubevirt.launcher.launch.ports import add_root_ports, lose_commandline, wanted_ports
from virtcatalog.kubevirt.launcher.xml import Element


def launch(domain: Element, vmi: VirtualMachineInstance, context: Context) -> None:
    """Turn the converter's domain into the one that libvirt gets in the last definition before a VM first starts.

    The domain is changed in place; DomainError where virt-launcher gives up. Source:
    pkg/virt-launcher/virtwrap/manager.go (SyncVMI, preStartHook, allocateHotplugPorts).
    """
    devices = domain.find("devices")
    assert devices is not None
    interfaces = devices.findall("interface")
    _put(devices, interfaces, attach_taps(interfaces, vmi, context))
    check_empty_disks(vmi)
    disks = devices.findall("disk")
    _put(devices, disks, set_drivers(disks, vmi, context))
    count = wanted_ports(domain, devices, vmi)
    if count:
        add_root_ports(devices, count)
        lose_commandline(domain)


def _put(devices: Element, before: list[Element], after: list[Element]) -> None:
    """Put devices in the place of others, which lie side by side."""
    if before:
        first = list(devices).index(before[0])
        devices[first : first + len(before)] = after


def launch_warnings(vmi: VirtualMachineInstance, domain: Element) -> list[Warning]:
    """Warn of Ignition data that the guest never sees, though the VM is admitted and starts."""
    if not has_ignition(vmi) or domain.find(COMMANDLINE) is not None:
        return []
    message = (
        "the guest does not get this data: virt-launcher drops <qemu:commandline> where it adds PCIe root ports for "
        f'hotplug (kubevirt/kubevirt#16901). Set the annotation {PLACE_ON_ROOT_COMPLEX}: "true", or hand the data '
        "to Ignition in a cloudInitConfigDrive volume"
    )
    return [Warning("Ignored", f"spec.template.metadata.annotations[{IGNITION}]", message)]
