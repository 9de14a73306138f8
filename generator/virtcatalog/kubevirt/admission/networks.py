"""The networks of a VMI and how they pair with its interfaces.

Source: pkg/network/admitter (validator.go gives the order).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, nearest
from virtcatalog.kubevirt.admission.bindings import validate_bindings
from virtcatalog.kubevirt.admission.interfaces import validate_interface_states, validate_interfaces
from virtcatalog.kubevirt.causes import duplicate, invalid, not_found, required
from virtcatalog.kubevirt.configuration import Configuration

_name = attrgetter("name")
_resource_claim = attrgetter("resource_claim")


def validate_networks(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """All rules about networks and interfaces that hold for a VM's template and for a VMI alike (Validate)."""
    interfaces, networks = spec.domain.devices.interfaces, spec.networks
    if networks:
        yield from _sources(spec, path)
    if interfaces:
        yield from validate_interface_states(spec, path, config)
        yield from validate_bindings(spec, path, config)
    if len(networks) > 1:
        yield from _unique_networks(spec, path)
    if any(map(_resource_claim, networks)):
        yield from _resource_claims(spec, path, config)
    names = set(map(_name, interfaces))  # most often there is nothing more to say of them
    if len(names) < len(interfaces) or names != set(map(_name, networks)):
        yield from _pairs(spec, names, path)
    if interfaces:
        yield from validate_interfaces(spec, path, config)


def _default_networks(pods: int, multus_defaults: int, path: str) -> Iterator[Cause]:
    """One pod network at most, or one Multus network in its place (netsource.go)."""
    if pods > 1:
        yield duplicate(f"{path}.interfaces", f"{pods} networks are the pod network, there can be one")
    if multus_defaults > 1:
        yield invalid(f"{path}.networks", f"{multus_defaults} Multus networks are the default, there can be one")
    if pods and multus_defaults:
        yield invalid(f"{path}.networks", "a default Multus network replaces the pod network: keep one of them")


def _sources(spec: VirtualMachineInstanceSpec, path: str) -> list[Cause]:
    """Exactly one source a network, a name for Multus, and one default network at most (netsource.go)."""
    pods = multus_defaults = 0
    nameless = -1
    causes = []
    for index, network in enumerate(spec.networks):
        multus = network.multus
        count = (network.pod is not None) + (multus is not None) + (network.resource_claim is not None)
        if count != 1:
            number = "several" if count else "none"
            message = f"network {network.name!r} needs exactly one of pod, multus and resourceClaim, but has {number}"
            causes.append(required(f"{path}.networks[{index}]", message))
        pods += network.pod is not None
        if multus is not None:
            multus_defaults += multus.default
            if nameless < 0 and not multus.network_name:
                nameless = index
    if nameless >= 0:
        name = spec.networks[nameless].name
        causes.append(required(f"{path}.networks[{nameless}]", f"network {name!r}: multus.networkName must be set"))
    return [*_default_networks(pods, multus_defaults, path), *causes] if pods + multus_defaults > 1 else causes


def _unique_networks(spec: VirtualMachineInstanceSpec, path: str) -> Iterator[Cause]:
    """One network a name (netiface.go)."""
    seen: set[str] = set()
    for index, network in enumerate(spec.networks):
        if network.name in seen:
            yield duplicate(f"{path}.networks[{index}].name", f"an earlier network is also named {network.name!r}")
        seen.add(network.name)


def _resource_claims(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Networks whose device comes from a DRA resource claim (dra.go)."""
    if not config.feature_gate("NetworkDevicesWithDRA"):
        yield invalid(f"{path}.networks", "resourceClaim networks need the feature gate NetworkDevicesWithDRA")
        return
    if any(network.multus is not None for network in spec.networks):
        yield invalid(f"{path}.networks", "multus and resourceClaim networks cannot be mixed in one VMI")
        return
    # The first of several interfaces with one name counts.
    interfaces = {interface.name: interface for interface in reversed(spec.domain.devices.interfaces)}
    claims = {claim.name for claim in spec.resource_claims}
    seen: set[tuple[str, str]] = set()
    for index, network in enumerate(spec.networks):
        request = network.resource_claim
        if request is None:
            continue
        interface = interfaces.get(network.name)
        if interface is not None and interface.sriov is None and interface.binding is None:
            yield invalid(
                f"{path}.domain.devices.interfaces",
                f"resourceClaim network {network.name!r} needs an interface with sriov or a binding plugin",
            )
        place = f"{path}.networks[{index}]"
        if not request.claim_name:
            yield required(f"{place}.resourceClaim.claimName", "a resourceClaim network needs a claimName")
        if not request.request_name:
            yield required(f"{place}.resourceClaim.requestName", "a resourceClaim network needs a requestName")
        if not (request.claim_name and request.request_name):
            continue
        if request.claim_name not in claims:
            yield not_found(
                f"{place}.resourceClaim.claimName", f"{path}.resourceClaims has no claim {request.claim_name!r}"
            )
        pair = (request.claim_name, request.request_name)
        if pair in seen:
            yield duplicate(place, f"an earlier network also asks claim {pair[0]!r} for request {pair[1]!r}")
        seen.add(pair)


def _pairs(spec: VirtualMachineInstanceSpec, interfaces: set[str], path: str) -> Iterator[Cause]:
    """One interface a network and one network an interface, joined by name (netiface.go)."""
    networks = {network.name for network in spec.networks}
    for index, network in enumerate(spec.networks):
        if network.name not in interfaces:
            yield required(f"{path}.networks[{index}].name", f"no interface is named {network.name!r}")
    seen: set[str] = set()
    orphans = []
    for index, interface in enumerate(spec.domain.devices.interfaces):
        name = interface.name
        if name in seen:
            field = f"{path}.domain.devices.interfaces[{index}].name"
            yield duplicate(field, f"an earlier interface is already connected to network {name!r}")
        seen.add(name)
        if name not in networks:
            orphans.append(index)
    for index in orphans:
        name = spec.domain.devices.interfaces[index].name
        hint = nearest(name, networks - interfaces) if len(orphans) == 1 else ""
        yield invalid(f"{path}.domain.devices.interfaces[{index}].name", f"no network is named {name!r}{hint}")
