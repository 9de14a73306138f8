"""`<interface>`: network interfaces that virt-launcher attaches itself, as tap devices or through passt."""

from __future__ import annotations

from functools import lru_cache

import msgspec
from msgspec.structs import replace

from virtcatalog.api.devices import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf

_MAX_QUEUES = 256
_PASST_LOG = "/var/run/kubevirt/passt.log"
_ISTIO_INJECT = "sidecar.istio.io/inject"
_ISTIO_PORTS = (15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Interface)


class _Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the interfaces of a VMI have in common.

    `model`, `queues` and `iommu` are of virtio interfaces, `rom_tuning` and `link_needs_tap` traits of architecture and
    release; `link` is the pod's, `istio` whether a sidecar takes its traffic: both for passt.
    """

    model: str
    queues: int
    iommu: bool
    rom_tuning: bool
    link_needs_tap: bool
    link: str
    istio: bool


def interfaces(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """An `<interface>` for each that is not absent, an SR-IOV device, or left to a binding plugin.

    Source: pkg/virt-launcher/virtwrap/converter/network/configurator.go (DomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    if not devices.interfaces:
        return []
    networks = {network.name for network in vmi.spec.networks}
    machine = _machine(vmi, context)
    made = []
    for position, interface in enumerate(devices.interfaces):
        if interface.state == "absent":
            continue
        field = f"spec.domain.devices.interfaces[{position}]"
        if interface.name not in networks:
            raise DomainError(f"{field}.name", f"there is no network {interface.name!r}")
        tap = is_tap(interface, context)
        if interface.sriov is not None or not (tap or interface.binding is None):
            continue
        mac = interface.mac_address
        if not mac:
            made.append(_interface(_ENCODER.encode(interface), field, tap, machine))
            continue
        shared = _interface(_ENCODER.encode(replace(interface, mac_address="")), field, tap, machine)
        made.append(_with_mac(shared, mac if context.release.traits.converts_mac_address else ""))
    return made


def _machine(vmi: VirtualMachineInstance, context: Context) -> _Machine:
    devices = vmi.spec.domain.devices
    multiqueue, annotations = devices.network_interface_multiqueue, vmi.metadata.annotations
    return _Machine(
        model=context.architecture.virtio_model(devices.use_virtio_transitional),
        queues=min(requested_topology(vmi).vcpus, _MAX_QUEUES) if multiqueue else 0,
        iommu=uses_iommu(vmi),
        rom_tuning=context.architecture.rom_tuning,
        link_needs_tap=context.release.traits.link_state_needs_tap,
        link=context.pod_interface,
        istio=bool(annotations) and annotations.get(_ISTIO_INJECT, "").lower() == "true",
    )


def is_tap(interface: Interface, context: Context) -> bool:
    """Whether the pod prepares a tap device (pkg/network/domainspec/interface.go)."""
    if interface.masquerade is not None or interface.bridge is not None:
        return True
    plugin = interface.binding
    return plugin is not None and context.binding_attachments.get(plugin.name) in ("tap", "managedTap")


def _with_mac(shared: Element, mac: str) -> Element:
    """An interface like another, which may be changed, with a MAC address unless that is empty."""
    element = Element("interface", shared.attrib)
    if mac:
        SubElement(element, "mac", {"address": mac})
    element.extend(shared)
    return element


@lru_cache(maxsize=1024)
def _interface(encoded: bytes, field: str, tap: bool, machine: _Machine) -> Element:
    """`<interface>` of what the VMI says in MessagePack, but for a MAC address: most interfaces of a name are alike."""
    interface = _DECODER.decode(encoded)
    passt = not tap and interface.passt_binding is not None
    element = Shared("interface", {"type": "ethernet" if tap else "vhostuser" if passt else ""})
    element.append(leaf("source", dev=machine.link) if passt else leaf("source"))
    if passt:
        _add_passt(element, interface, istio=machine.istio)
    _add_model(element, interface, machine)
    if interface.state == "down" and (tap or not machine.link_needs_tap):
        SubElement(element, "link", {"state": "down"})
    if tap and interface.boot_order is not None:
        SubElement(element, "boot", {"order": str(interface.boot_order)})
    without_rom = (tap and interface.boot_order is None) or (machine.iommu and (tap or not machine.link_needs_tap))
    if machine.rom_tuning and without_rom:
        element.append(leaf("rom", enabled="no"))
    if interface.acpi_index > 0:
        SubElement(element, "acpi", {"index": str(interface.acpi_index)})
    add_alias(element, interface.name)
    if interface.pci_address:
        add_pci_address(element, interface.pci_address, f"{field}.pciAddress")
    return element


def _add_model(element: Element, interface: Interface, machine: _Machine) -> None:
    if interface.model not in ("", "virtio"):
        element.append(leaf("model", type=interface.model))
        return
    element.append(leaf("model", type=machine.model))
    if not machine.queues and not machine.iommu:
        return
    driver = SubElement(element, "driver", {"name": "vhost"})
    if machine.queues:
        driver.set("queues", str(machine.queues))
    if machine.iommu:
        driver.set("iommu", "on")


def _add_passt(element: Element, interface: Interface, *, istio: bool) -> None:
    """Add passt with the ports that it forwards: those that the VMI lists, else all.

    Source: pkg/virt-launcher/virtwrap/converter/network/passt.go (generatePasstPortForward).
    """
    SubElement(element, "backend", {"type": "passt", "logFile": _PASST_LOG})
    tcp: list[dict[str, str]] = []
    if istio:
        tcp.extend({"start": str(port), "exclude": "yes"} for port in _ISTIO_PORTS)
    ports = [(port.protocol.lower() or "tcp", {"start": str(port.port)}) for port in interface.ports if port.port >= 0]
    tcp.extend(port for protocol, port in ports if protocol == "tcp")
    udp = [port for protocol, port in ports if protocol == "udp"]
    for protocol, ranges in (("tcp", tcp), ("udp", udp)):
        if ranges or not (tcp or udp):
            forward = SubElement(element, "portForward", {"proto": protocol})
            for attributes in ranges:
                SubElement(forward, "range", attributes)
