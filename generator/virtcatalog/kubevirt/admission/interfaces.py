"""The fields of each interface: state, name, model, addresses, ports and DHCP options.

Source: pkg/network/admitter/netiface.go and admit.go; port names: apimachinery, pkg/util/validation/validation.go.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter

from virtcatalog.api.addresses import is_mac_address, is_pci_address
from virtcatalog.api.interfaces import DHCPOptions, Interface, Port, PortRange
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, nearest
from virtcatalog.kubevirt.causes import duplicate, invalid, not_supported, required
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.releases import Traits

_state = attrgetter("state")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_MODELS = frozenset({"e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio"})
_STATES = frozenset({"absent", "down", "up"})


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
    plain_mac_addresses = config.release.traits.plain_mac_addresses
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
                f"interface {name!r}: model {interface.model!r} is none of {', '.join(sorted(_MODELS))}"
                f"{nearest(interface.model, _MODELS)}",
            )
        if interface.mac_address and not is_mac_address(interface.mac_address, plain=plain_mac_addresses):
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


MAX_PORT_RANGES = 10
_PROTOCOLS = ("TCP", "UDP")
_PORT_NAME = re.compile(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", re.DOTALL)


def validate_ports(ports: list[Port], interface_path: str, traits: Traits) -> Iterator[Cause]:
    """The single ports of an interface on the pod network: all names first, then numbers and protocols.

    Source: validatePortConfiguration.
    """
    seen: set[str] = set()
    for index, port in enumerate(ports):
        if not port.name:
            continue
        field = f"{interface_path}.ports[{index}].name"
        if port.name in seen:
            yield duplicate(field, f"an earlier port is also named {port.name!r}")
        if not _PORT_NAME.fullmatch(port.name):
            yield invalid(
                field, f"{port.name!r} must be up to 15 of a-z, 0-9 and single inner hyphens, with one letter at least"
            )
        seen.add(port.name)
    for index, port in enumerate(ports):
        field = f"{interface_path}.ports[{index}]{traits.port_field}"
        if port.port == 0:
            yield required(field, "port must be set")
        elif not 0 < port.port <= traits.highest_port:
            yield invalid(field, f"port {port.port} is not between 1 and 65535")
        if port.protocol and port.protocol not in _PROTOCOLS:
            field = f"{interface_path}.ports[{index}].protocol"
            yield invalid(field, f"protocol {port.protocol!r} is neither TCP nor UDP")


def validate_port_ranges(interface: Interface, interface_path: str) -> Iterator[Cause]:
    """The port ranges of an interface on the pod network (validatePortRangesConfiguration)."""
    name, ranges = interface.name, interface.port_ranges
    if interface.ports:
        yield invalid(f"{interface_path}.name", f"interface {name!r} can have ports or portRanges, not both")
    if interface.masquerade is None:
        yield invalid(f"{interface_path}.name", f"interface {name!r}: portRanges need masquerade")
    if len(ranges) > MAX_PORT_RANGES:
        field = f"{interface_path}.portRanges"
        yield invalid(field, f"{len(ranges)} portRanges are more than {MAX_PORT_RANGES}")
        return
    for index, port_range in enumerate(ranges):
        problem = _problem(port_range)
        if problem:
            yield invalid(f"{interface_path}.portRanges[{index}].{problem[0]}", problem[1])
    for protocol in _PROTOCOLS:
        intervals = sorted(
            (ports.start, ports.end) for ports in ranges if ports.protocol == protocol and _problem(ports) is None
        )
        for (start, end), (next_start, next_end) in pairwise(intervals):
            if next_start <= end:
                yield invalid(
                    f"{interface_path}.portRanges",
                    f"{protocol} portRanges {start}-{end} and {next_start}-{next_end} overlap",
                )


def _problem(ports: PortRange) -> tuple[str, str] | None:
    """The first thing wrong with a range, as (field, message)."""
    if ports.protocol not in _PROTOCOLS:
        return "protocol", f"protocol {ports.protocol!r} is neither TCP nor UDP"
    if not 0 < ports.start < 65536:
        return "start", f"start {ports.start} is not between 1 and 65535"
    if not 0 < ports.end < 65536:
        return "end", f"end {ports.end} is not between 1 and 65535"
    if ports.start > ports.end:
        return "start", f"start {ports.start} is greater than end {ports.end}"
    return None
