"""Interfaces and networks of a running VMI: plugged, unplugged, linked, moved to another network.

Source: pkg/network/controllers/vm.go and pkg/network/vmliveupdate/restart.go.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from virtcatalog.api.interfaces import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.configuration import Configuration

ABSENT = "absent"


def interfaces_by_name(spec: VirtualMachineInstanceSpec) -> dict[str, Interface]:
    """Return the interfaces by name."""
    return {interface.name: interface for interface in spec.domain.devices.interfaces}


def networks_by_name(spec: VirtualMachineInstanceSpec) -> dict[str, Network]:
    """Return the networks by name."""
    return {network.name: network for network in spec.networks}


def pod_network(spec: VirtualMachineInstanceSpec) -> Network | None:
    """Return the pod network (LookupPodNetwork)."""
    return next((network for network in spec.networks if network.pod is not None), None)


def networks_are_live(config: Configuration) -> bool:
    """Whether a running interface may move to another NetworkAttachmentDefinition (LiveUpdateNADRefEnabled)."""
    return config.feature_gate("LiveUpdateNADRef")


def networks_move(config: Configuration, *, migratable: bool) -> bool:
    """Whether the networks of a VMI that is `migratable`, or is not, may be others while it runs."""
    return networks_are_live(config) and (migratable or not config.release.traits.networks_follow_migratable_only)


def needs_restart(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec, config: Configuration, *, migratable: bool
) -> bool:
    """Whether interfaces or networks of the running VMI are gone or changed in a way that it cannot follow.

    New ones never count. Source: IsRestartRequired.
    """
    anywhere = _anywhere if networks_move(config, migratable=migratable) else _as_it_is
    interfaces, networks = interfaces_by_name(wanted), networks_by_name(wanted)
    for interface in vmi.domain.devices.interfaces:
        wanted_interface = interfaces.get(interface.name)
        if wanted_interface is None or replace(wanted_interface, state="") != replace(interface, state=""):
            return True
    joins = pod_network(wanted) is not None and pod_network(vmi) is None
    if joins and config.release.traits.pod_network_needs_restart:
        return True
    return any(
        network.name not in networks or anywhere(networks[network.name]) != anywhere(network)
        for network in vmi.networks
    )


def _as_it_is(network: Network) -> Network:
    return network


def _anywhere(network: Network) -> Network:
    """The network without the NetworkAttachmentDefinition that it is."""
    if network.multus is None:
        return network
    return replace(network, multus=replace(network.multus, network_name=""))


def plug(
    wanted: VirtualMachineInstanceSpec,
    vmi: VirtualMachineInstanceSpec,
    attached: Container[str],
    config: Configuration,
    *,
    migratable: bool,
) -> VirtualMachineInstanceSpec:
    """Return the VMI's spec with the interfaces that its VM wants, as far as they can follow.

    `attached` are the interfaces in the VMI's status. Source: syncVMIInterfaces, vmiInterfacesPatch.
    """
    interfaces, networks = list(vmi.domain.devices.interfaces), list(vmi.networks)
    places = {interface.name: place for place, interface in enumerate(interfaces)}
    wanted_networks = networks_by_name(wanted)
    for interface in wanted.domain.devices.interfaces:
        place = places.get(interface.name)
        if place is None:
            if interface.state != ABSENT and (interface.bridge is not None or interface.sriov is not None):
                interfaces.append(interface)
                networks += [network for network in wanted.networks if network.name == interface.name]
        elif interfaces[place].state not in (interface.state, ABSENT):
            interfaces[place] = replace(interfaces[place], state=interface.state)
    interfaces = [interface for interface in interfaces if interface.state != ABSENT or interface.name in attached]
    networks = _networks_of(interfaces, networks)
    if networks_move(config, migratable=migratable):
        networks = [_moved(network, wanted_networks.get(network.name)) for network in networks]
    if interfaces == vmi.domain.devices.interfaces and not config.release.traits.networks_change_alone:
        return vmi
    return _with(vmi, interfaces, networks)


def unplug(
    wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstanceSpec | None, attached: Container[str]
) -> VirtualMachineInstanceSpec:
    """Return the template of a VM without the interfaces that are to be absent and have left the VMI.

    Its networks come in the order of their interfaces then. Source: clearDetachedIfacesFromVM.
    """
    left = interfaces_by_name(vmi) if vmi is not None else {}
    interfaces = [
        interface
        for interface in wanted.domain.devices.interfaces
        if interface.state != ABSENT or interface.name in left or interface.name in attached
    ]
    return _with(wanted, interfaces, _networks_of(interfaces, wanted.networks))


def _networks_of(interfaces: list[Interface], networks: list[Network]) -> list[Network]:
    """Source: FilterNetworksByInterfaces."""
    by_name = {network.name: network for network in networks}
    return [by_name[interface.name] for interface in interfaces if interface.name in by_name]


def _moved(network: Network, wanted: Network | None) -> Network:
    """Source: syncNetworks."""
    if wanted is None or wanted.multus is None or network.multus is None:
        return network
    return replace(network, multus=replace(network.multus, network_name=wanted.multus.network_name))


def _with(
    spec: VirtualMachineInstanceSpec, interfaces: list[Interface], networks: list[Network]
) -> VirtualMachineInstanceSpec:
    devices = replace(spec.domain.devices, interfaces=interfaces)
    return replace(spec, domain=replace(spec.domain, devices=devices), networks=networks)
