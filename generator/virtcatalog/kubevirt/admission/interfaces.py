"""The fields of each interface: state, name, model, addresses, ports and DHCP options.

Source: pkg/network/admitter/netiface.go and admit.go.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from operator import attrgetter

from virtcatalog.api.devices import DHCPOptions, Interface
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.addresses import is_mac_address, is_pci_address
from virtcatalog.kubevirt.admission.causes import invalid, not_supported
from virtcatalog.kubevirt.admission.ports import validate_port_ranges, validate_ports
from virtcatalog.kubevirt.configuration import Configuration

_state = attrgetter("state")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_MODELS = frozenset({"e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio"})
_STATES = frozenset({"", "absent", "down", "up"})


def validate_interface_states(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The link state that is asked for, and who can have it (validateInterfaceStateValue)."""
    interfaces = spec.domain.devices.interfaces
    if not any(map(_state, interfaces)):
        return
    default_network = _default_network(spec, config)
    for index, interface in enumerate(interfaces):
        state, name = interface.state, interface.name
        if not state:
            continue
        field = f"{path}.domain.devices.interfaces[{index}].state"
        if state not in _STATES:
            yield invalid(field, f"interface {name!r}: state {state!r} is none of up, down and absent")
        if interface.sriov is not None and state in ("up", "down"):
            yield invalid(field, f"interface {name!r}: an SR-IOV interface has no link state to set")
        if state == "absent":
            if interface.bridge is None:
                yield invalid(field, f"interface {name!r}: only an interface with bridge can be absent")
            if name == default_network:
                yield invalid(field, f"interface {name!r}: the interface of the default network cannot be absent")


def validate_interfaces(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Each interface on its own; ports count on the pod network alone (validateInterfacesFields)."""
    pods: dict[str, bool] = {}
    for index, interface in enumerate(spec.domain.devices.interfaces):
        name = interface.name
        if not _NAME.fullmatch(name):
            yield invalid(
                f"{path}.domain.devices.interfaces[{index}].name",
                f"{name!r} must be letters, digits, '-' and '_', one at least",
            )
        if interface.model and interface.model not in _MODELS:
            yield not_supported(
                f"{path}.domain.devices.interfaces[{index}].model",
                f"interface {name!r}: model {interface.model!r} is none of {', '.join(sorted(_MODELS))}",
            )
        if interface.mac_address and not is_mac_address(interface.mac_address):
            yield invalid(
                f"{path}.domain.devices.interfaces[{index}].macAddress",
                f"interface {name!r}: {interface.mac_address!r} is no 48-bit MAC address",
            )
        if interface.pci_address and not is_pci_address(interface.pci_address):
            yield invalid(
                f"{path}.domain.devices.interfaces[{index}].pciAddress",
                f"interface {name!r}: {interface.pci_address!r} is no PCI address such as 0000:81:01.0",
            )
        if interface.ports or interface.port_ranges:
            pods = pods or {network.name: network.pod is not None for network in spec.networks}
            place = f"{path}.domain.devices.interfaces[{index}]"
            yield from _ports(interface, place, pods.get(name, False), config)
        if interface.dhcp_options is not None:
            yield from _dhcp_options(interface.dhcp_options, index, path)


def _ports(interface: Interface, place: str, on_pod: bool, config: Configuration) -> Iterator[Cause]:
    if interface.ports and on_pod:
        yield from validate_ports(interface.ports, place, config.release.traits)
    if not interface.port_ranges:
        return
    if not config.feature_gate("PortRangesSpec"):
        yield invalid(f"{place}.name", f"interface {interface.name!r}: portRanges need the feature gate PortRangesSpec")
    elif on_pod:
        yield from validate_port_ranges(interface, place)


def _dhcp_options(options: DHCPOptions, index: int, path: str) -> Iterator[Cause]:
    numbers = [option.option for option in options.private_options]
    if len(set(numbers)) < len(numbers):
        yield invalid(path, f"interface {index}: a DHCP option number stands twice in privateOptions")
    for number in numbers:
        if not 224 <= number <= 254:
            yield invalid(path, f"interface {index}: private DHCP options are 224 to 254, not {number}")
    for position, server in enumerate(options.ntp_servers):
        if not _is_ipv4(server):
            yield invalid(
                f"{path}.domain.devices.interfaces[{index}].dhcpOptions.ntpServers[{position}]",
                f"NTP server {server!r} is no IPv4 address",
            )


def _is_ipv4(text: str) -> bool:
    """Whether it is an IPv4 address, plain or mapped into IPv6."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 4 or (address.ipv4_mapped is not None and "%" not in text)


def _default_network(spec: VirtualMachineInstanceSpec, config: Configuration) -> str | None:
    untyped = config.release.traits.untyped_network_is_default
    for network in spec.networks:
        if (network.pod is not None or untyped) if network.multus is None else network.multus.default:
            return network.name
    return None
