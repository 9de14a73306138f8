"""`<interface>`: network interfaces that virt-launcher attaches itself, as tap devices or through passt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.devices import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.address import add_alias, add_pci_address
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.vcpu import requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, Shared, SubElement, leaf

_MAX_QUEUES = 256
_PASST_LOG = "/var/run/kubevirt/passt.log"
_ISTIO_INJECT = "sidecar.istio.io/inject"
_ISTIO_PORTS = (15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053)


OWN = "own"
"""Stands for a MAC address that an interface has."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[Interface])


class _Machine(NamedTuple):
    """What the interfaces of a VMI have in common: `queues` of virtio, and whether a sidecar takes passt's traffic."""

    transitional: bool | None
    queues: int
    iommu: bool
    istio: bool


Networks = tuple[tuple[str, bool], ...]
"""The names of networks, and whether each is a secondary one."""


class Link(NamedTuple):
    """An interface that is in the domain: what the VMI says of it, whether it is a tap device, its element without MAC.

    `own` is the place of its MAC address among those that the VMI gives its interfaces, if it gives this one any.
    """

    interface: Interface
    tap: bool
    own: int | None
    element: Element


class Interfaces(Form):
    """The interfaces of VMIs that have the same, but for MAC addresses of their own, which are the texts.

    `found` are those of the VMI, with `OWN` for a MAC address, `links` those of the domain; `context` is shared.
    """

    def __init__(
        self,
        make: Callable[..., Sequence[Element]],
        found: Sequence[Interface],
        links: Sequence[Link],
        networks: Networks,
        context: Context,
    ) -> None:
        super().__init__(make, sum(1 for interface in found if interface.mac_address))
        self.found, self.links, self.networks, self.context = found, links, networks, context


def interfaces(vmi: VirtualMachineInstance, context: Context) -> Filled:
    """An `<interface>` for each that is not absent, an SR-IOV device, or left to a binding plugin.

    Source: pkg/virt-launcher/virtwrap/converter/network/configurator.go (DomainConfigurator).
    """
    macs, found = [], []
    for interface in vmi.spec.domain.devices.interfaces:
        if interface.mac_address:
            macs.append(interface.mac_address)
            interface = replace(interface, mac_address=OWN)
        found.append(interface)
    networks = tuple(
        [(network.name, network.multus is not None and not network.multus.default) for network in vmi.spec.networks]
    )
    return _form(_ENCODER.encode(found), networks, _machine(vmi), context.shared).filled(*macs)


@lru_cache(maxsize=1024)
def _form(encoded: bytes, networks: Networks, machine: _Machine, context: Context) -> Interfaces:
    """The interfaces of what the VMI says in MessagePack: many VMIs have interfaces of the same names and sorts."""
    found, names = _DECODER.decode(encoded), {name for name, _ in networks}
    links, places = [], count()
    for position, interface in enumerate(found):
        own = next(places) if interface.mac_address else None
        if interface.state == "absent":
            continue
        field = f"spec.domain.devices.interfaces[{position}]"
        if interface.name not in names:
            raise DomainError(f"{field}.name", f"there is no network {interface.name!r}")
        tap = is_tap(interface, context)
        if interface.sriov is None and (tap or interface.binding is None):
            links.append(Link(interface, tap, own, _interface(interface, field, tap, machine, context)))

    def make(*macs: str) -> Sequence[Element]:
        told = context.release.traits.converts_mac_address
        return [
            link.element if link.own is None or not told else _with_mac(link.element, macs[link.own]) for link in links
        ]

    return Interfaces(make, found, links, networks, context)


def _with_mac(shared: Element, mac: str) -> Element:
    """An interface like another, with a MAC address."""
    element = Element("interface", shared.attrib)
    SubElement(element, "mac", {"address": mac})
    element.extend(shared)
    return element


def _machine(vmi: VirtualMachineInstance) -> _Machine:
    devices, annotations = vmi.spec.domain.devices, vmi.metadata.annotations
    queues = min(requested_topology(vmi).vcpus, _MAX_QUEUES) if devices.network_interface_multiqueue else 0
    iommu = vmi.spec.domain.launch_security is not None and uses_iommu(vmi)
    istio = _ISTIO_INJECT in annotations and annotations[_ISTIO_INJECT].lower() == "true"
    return _Machine(devices.use_virtio_transitional, queues, iommu, istio)


def is_tap(interface: Interface, context: Context) -> bool:
    """Whether the pod prepares a tap device (pkg/network/domainspec/interface.go)."""
    if interface.masquerade is not None or interface.bridge is not None:
        return True
    plugin = interface.binding
    return plugin is not None and context.binding_attachments.get(plugin.name) in ("tap", "managedTap")


def _interface(interface: Interface, field: str, tap: bool, machine: _Machine, context: Context) -> Element:
    """`<interface>` without a MAC address."""
    passt, link_needs_tap = not tap and interface.passt_binding is not None, context.release.traits.link_state_needs_tap
    element = Shared("interface", {"type": "ethernet" if tap else "vhostuser" if passt else ""})
    element.append(leaf("source", dev=context.pod_interface) if passt else leaf("source"))
    if passt:
        _add_passt(element, interface, istio=machine.istio)
    _add_model(element, interface, machine, context)
    if interface.state == "down" and (tap or not link_needs_tap):
        SubElement(element, "link", {"state": "down"})
    if tap and interface.boot_order is not None:
        SubElement(element, "boot", {"order": str(interface.boot_order)})
    without_rom = (tap and interface.boot_order is None) or (machine.iommu and (tap or not link_needs_tap))
    if context.architecture.rom_tuning and without_rom:
        element.append(leaf("rom", enabled="no"))
    if interface.acpi_index > 0:
        SubElement(element, "acpi", {"index": str(interface.acpi_index)})
    add_alias(element, interface.name)
    if interface.pci_address:
        add_pci_address(element, interface.pci_address, f"{field}.pciAddress")
    return element


def _add_model(element: Element, interface: Interface, machine: _Machine, context: Context) -> None:
    if interface.model not in ("", "virtio"):
        element.append(leaf("model", type=interface.model))
        return
    element.append(leaf("model", type=context.architecture.virtio_model(machine.transitional)))
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
