"""`<interface>`: network interfaces that virt-launcher attaches itself, as tap devices or through passt."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf

_MAX_QUEUES = 256
_PASST_LOG = "/var/run/kubevirt/passt.log"
_ISTIO_INJECT = "sidecar.istio.io/inject"
_ISTIO_PORTS = (15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053)


def interfaces(vmi: VirtualMachineInstance, context: Context) -> Iterator[Element]:
    """Yield an `<interface>` for each that is not absent, an SR-IOV device, or left to a binding plugin.

    Source: pkg/virt-launcher/virtwrap/converter/network/configurator.go (DomainConfigurator).
    """
    networks = {network.name for network in vmi.spec.networks}
    for position, interface in enumerate(vmi.spec.domain.devices.interfaces):
        if interface.state == "absent":
            continue
        field = f"spec.domain.devices.interfaces[{position}]"
        if interface.name not in networks:
            raise DomainError(f"{field}.name", f"there is no network {interface.name!r}")
        tap = is_tap(interface, context)
        if interface.sriov is None and (tap or interface.binding is None):
            yield _interface(vmi, interface, context, field, tap=tap)


def is_tap(interface: Interface, context: Context) -> bool:
    """Whether the pod prepares a tap device (pkg/network/domainspec/interface.go)."""
    if interface.masquerade is not None or interface.bridge is not None:
        return True
    plugin = interface.binding
    return plugin is not None and context.binding_attachments.get(plugin.name) in ("tap", "managedTap")


def _interface(
    vmi: VirtualMachineInstance, interface: Interface, context: Context, field: str, *, tap: bool
) -> Element:
    iommu = uses_iommu(vmi)
    passt = not tap and interface.passt_binding is not None
    element = Element("interface", {"type": "ethernet" if tap else "vhostuser" if passt else ""})
    traits = context.release.traits
    if interface.mac_address and traits.converts_mac_address:
        SubElement(element, "mac", {"address": interface.mac_address})
    element.append(leaf("source", dev=context.pod_interface) if passt else leaf("source"))
    if passt:
        _add_passt(element, vmi, interface)
    _add_model(element, vmi, interface, context, iommu=iommu)
    if interface.state == "down" and (tap or not traits.link_state_needs_tap):
        SubElement(element, "link", {"state": "down"})
    if tap and interface.boot_order is not None:
        SubElement(element, "boot", {"order": str(interface.boot_order)})
    without_rom = (tap and interface.boot_order is None) or (iommu and (tap or not traits.link_state_needs_tap))
    if context.architecture.rom_tuning and without_rom:
        element.append(leaf("rom", enabled="no"))
    if interface.acpi_index > 0:
        SubElement(element, "acpi", {"index": str(interface.acpi_index)})
    add_alias(element, interface.name)
    if interface.pci_address:
        add_pci_address(element, interface.pci_address, f"{field}.pciAddress")
    return element


def _add_model(
    element: Element, vmi: VirtualMachineInstance, interface: Interface, context: Context, *, iommu: bool
) -> None:
    devices = vmi.spec.domain.devices
    if interface.model not in ("", "virtio"):
        element.append(leaf("model", type=interface.model))
        return
    model = context.architecture.virtio_model(devices.use_virtio_transitional)
    element.append(leaf("model", type=model))
    queues = min(requested_topology(vmi).vcpus, _MAX_QUEUES) if devices.network_interface_multiqueue else 0
    if not queues and not iommu:
        return
    driver = SubElement(element, "driver", {"name": "vhost"})
    if queues:
        driver.set("queues", str(queues))
    if iommu:
        driver.set("iommu", "on")


def _add_passt(element: Element, vmi: VirtualMachineInstance, interface: Interface) -> None:
    """Add passt with the ports that it forwards: those that the VMI lists, else all.

    Source: pkg/virt-launcher/virtwrap/converter/network/passt.go (generatePasstPortForward).
    """
    SubElement(element, "backend", {"type": "passt", "logFile": _PASST_LOG})
    tcp: list[dict[str, str]] = []
    if vmi.metadata.annotations.get(_ISTIO_INJECT, "").lower() == "true":
        tcp.extend({"start": str(port), "exclude": "yes"} for port in _ISTIO_PORTS)
    ports = [(port.protocol.lower() or "tcp", {"start": str(port.port)}) for port in interface.ports if port.port >= 0]
    tcp.extend(port for protocol, port in ports if protocol == "tcp")
    udp = [port for protocol, port in ports if protocol == "udp"]
    for protocol, ranges in (("tcp", tcp), ("udp", udp)):
        if ranges or not (tcp or udp):
            forward = SubElement(element, "portForward", {"proto": protocol})
            for attributes in ranges:
                SubElement(forward, "range", attributes)
