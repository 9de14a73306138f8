"""`<interface>`: network interfaces that virt-launcher attaches itself, as tap devices or through passt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from virtcatalog.api.interfaces import Interface, Port
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.launcher.elements.address import alias, pci_address
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf, own, shared
from virtcatalog.kubevirt.memo import memo

_MAX_QUEUES = 256
_PASST_LOG = "/var/run/kubevirt/passt.log"
_ISTIO_INJECT = "sidecar.istio.io/inject"
_ISTIO_PORTS = (15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053)

Attachments = Mapping[str, str]
"""Network binding plugin to how it attaches to the domain."""


class VirtioInterfaces(NamedTuple):
    """What the virtio interfaces of a VMI have in common; `queues` is 0 where they have no more than one queue."""

    model: str
    queues: int
    iommu: bool


class InterfaceRules(NamedTuple):
    """What of the release, the architecture and the pod the interfaces of a VMI depend on.

    `writes_mac_address`: the converter writes the addresses that the VMI sets. `link_state_needs_tap`: it writes what
    is said of links of tap devices alone. `rom_tuning`: the architecture's network cards have boot ROMs. `istio`: a
    sidecar of Istio takes the traffic of passt.
    """

    attachments: Attachments
    pod_interface: str
    writes_mac_address: bool
    link_state_needs_tap: bool
    rom_tuning: bool
    istio: bool


def interface_queues(multiqueue: bool | None, vcpus: int) -> int:
    """The queues of a virtio interface: one a vCPU where the VMI asks for several, else 0."""
    return min(vcpus, _MAX_QUEUES) if multiqueue else 0


def has_istio(annotations: Mapping[str, str]) -> bool:
    """Whether a VMI of these annotations gets a sidecar of Istio (pkg/network/istio, ProxyInjectionEnabled)."""
    return _ISTIO_INJECT in annotations and annotations[_ISTIO_INJECT].lower() == "true"


def interfaces(
    wanted: Sequence[Interface], networks: Sequence[Network], virtio: VirtioInterfaces, rules: InterfaceRules
) -> list[Element]:
    """An `<interface>` for each that is not absent, an SR-IOV device, or left to a binding plugin.

    Source: pkg/virt-launcher/virtwrap/converter/network/configurator.go (DomainConfigurator).
    """
    names = {network.name for network in networks}
    elements = []
    for position, interface in enumerate(wanted):
        field = f"spec.domain.devices.interfaces[{position}]"
        if interface.state != "absent" and interface.name not in names:
            raise DomainError(f"{field}.name", f"there is no network {interface.name!r}")
        if has_element(interface, rules.attachments):
            elements.append(_interface(interface, field, virtio, rules))
    return elements


def has_element(interface: Interface, attachments: Attachments) -> bool:
    """Whether an interface is in the domain as an `<interface>`."""
    if interface.state == "absent" or interface.sriov is not None:
        return False
    return interface.binding is None or is_tap(interface, attachments)


def is_tap(interface: Interface, attachments: Attachments) -> bool:
    """Whether the pod prepares a tap device (pkg/network/domainspec/interface.go)."""
    if interface.masquerade is not None or interface.bridge is not None:
        return True
    plugin = interface.binding
    return plugin is not None and attachments.get(plugin.name) in ("tap", "managedTap")


def _interface(interface: Interface, field: str, virtio: VirtioInterfaces, rules: InterfaceRules) -> Element:
    tap = is_tap(interface, rules.attachments)
    passt = not tap and interface.passt_binding is not None
    source = leaf("source", dev=rules.pod_interface) if passt else leaf("source")
    backend = _passt(interface.ports, istio=rules.istio) if passt else ()
    boot_order = interface.boot_order if tap else None
    down = interface.state == "down" and (tap or not rules.link_state_needs_tap)
    without_rom = (tap and boot_order is None) or (virtio.iommu and (tap or not rules.link_state_needs_tap))
    without_rom = without_rom and rules.rom_tuning
    card = _card(interface.name, interface.model, virtio, down, boot_order, without_rom, interface.acpi_index)
    address = [pci_address(interface.pci_address, f"{field}.pciAddress")] if interface.pci_address else ()
    kind = "ethernet" if tap else "vhostuser" if passt else ""
    if interface.mac_address and rules.writes_mac_address:
        mac = own("mac", address=interface.mac_address)
        return own("interface", mac, source, *backend, *card, *address, type=kind)
    return shared("interface", source, *backend, *card, *address, type=kind)


@memo
def _card(
    name: str,
    model: str,
    virtio: VirtioInterfaces,
    down: bool,
    boot_order: int | None,
    without_rom: bool,
    acpi_index: int,
) -> Sequence[Element]:
    """The network card that the guest sees, up to its `<alias>`; `down`: its link is."""
    is_virtio = model in ("", "virtio")
    parts = [leaf("model", type=virtio.model if is_virtio else model)]
    if is_virtio and (virtio.queues or virtio.iommu):
        queues = {"queues": str(virtio.queues)} if virtio.queues else {}
        parts.append(leaf("driver", name="vhost", **queues, **({"iommu": "on"} if virtio.iommu else {})))
    if down:
        parts.append(leaf("link", state="down"))
    if boot_order is not None:
        parts.append(leaf("boot", order=str(boot_order)))
    if without_rom:
        parts.append(leaf("rom", enabled="no"))
    if acpi_index > 0:
        parts.append(leaf("acpi", index=str(acpi_index)))
    return (*parts, alias(name))


def _passt(forwarded: Sequence[Port], *, istio: bool) -> list[Element]:
    """passt with the ports that it forwards: those that the VMI lists, else all.

    Source: pkg/virt-launcher/virtwrap/converter/network/passt.go (generatePasstPortForward).
    """
    tcp = [leaf("range", start=str(port), exclude="yes") for port in _ISTIO_PORTS] if istio else []
    ports = [
        (port.protocol.lower() or "tcp", leaf("range", start=str(port.port))) for port in forwarded if port.port >= 0
    ]
    tcp += [port for protocol, port in ports if protocol == "tcp"]
    udp = [port for protocol, port in ports if protocol == "udp"]
    return [
        leaf("backend", type="passt", logFile=_PASST_LOG),
        *(
            shared("portForward", *ranges, proto=protocol)
            for protocol, ranges in (("tcp", tcp), ("udp", udp))
            if ranges or not (tcp or udp)
        ),
    ]
