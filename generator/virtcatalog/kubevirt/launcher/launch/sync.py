"""The steps of a fresh start, in their order, on one page."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import IGNITION, PLACE_ON_ROOT_COMPLEX
from virtcatalog.errors import Warning
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.clock import timer_faults
from virtcatalog.kubevirt.launcher.elements.qemu import COMMANDLINE, has_ignition
from virtcatalog.kubevirt.launcher.launch.disks import check_empty_disks, set_drivers
from virtcatalog.kubevirt.launcher.launch.network import attach_taps, network_faults, refuse_unbound
from virtcatalog.kubevirt.launcher.launch.ports import add_root_ports, lose_commandline, wanted_ports


def launch(domain: Domain, vmi: VirtualMachineInstance, context: Context) -> None:
    """Turn the converter's domain into the one that libvirt gets in the last definition before a VM first starts.

    The domain is changed in place; DomainError where virt-launcher gives up. Source:
    pkg/virt-launcher/virtwrap/manager.go (SyncVMI, preStartHook, allocateHotplugPorts).
    """
    spec, wanted, devices = vmi.spec, vmi.spec.domain.devices, domain.devices
    attachments = context.binding_attachments
    if context.release.traits.crashes_on_unbound_interfaces:
        refuse_unbound(wanted.interfaces, attachments, context.release)
    attach_taps(devices, wanted.interfaces, spec.networks, attachments, context.pod_interface, context.pod_links)
    check_empty_disks(spec.volumes)
    set_drivers(devices, wanted.disks, domain.sources)
    count = wanted_ports(domain, vmi)
    if count:
        add_root_ports(domain, count)
        if context.release.traits.hotplug_ports_lose_commandline:
            lose_commandline(domain)


def launch_warnings(vmi: VirtualMachineInstance, domain: Domain) -> list[Warning]:
    """Warn of what KubeVirt admits and libvirt or virt-handler refuses, and of Ignition data that no guest sees."""
    spec = vmi.spec
    timer = spec.domain.clock.timer if spec.domain.clock is not None else None
    faults = [(f"domain.clock.timer.{field}", message) for field, message in timer_faults(timer)]
    faults += network_faults(spec.domain.devices.interfaces, spec.networks)
    warnings = [Warning("Refused", f"spec.template.spec.{field}", message) for field, message in faults]
    if not has_ignition(vmi.metadata.annotations) or any(part.tag == COMMANDLINE for part in domain.element):
        return warnings
    message = (
        "the guest does not get this data: virt-launcher drops <qemu:commandline> where it adds PCIe root ports for "
        f'hotplug (kubevirt/kubevirt#16901). Set the annotation {PLACE_ON_ROOT_COMPLEX}: "true", or hand the data '
        "to Ignition in a cloudInitConfigDrive volume"
    )
    return [*warnings, Warning("Ignored", f"spec.template.metadata.annotations[{IGNITION}]", message)]
