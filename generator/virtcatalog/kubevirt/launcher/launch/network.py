"""Network phase 2: interfaces learn of the pod's tap devices, and of the MAC address and MTU of its links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from virtcatalog.api.addresses import host_bits
from virtcatalog.api.interfaces import Interface
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.hosts import PodLinks
from virtcatalog.kubevirt.launcher.elements.interfaces import Attachments, has_element, is_tap
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, leaf, own, shared
from virtcatalog.kubevirt.memo import memo
from virtcatalog.releases import Release

_PRIMARY_TAP = "tap0"
_HASH_LENGTH = 11
_SEPARATORS = re.compile("[:.-]")
_BEFORE_MTU = ("model", "driver", "link")
_FEWEST_HOST_BITS = 2


def attach_taps(
    devices: Element,
    interfaces: Sequence[Interface],
    networks: Sequence[Network],
    attachments: Attachments,
    pod_interface: str,
    pod_links: PodLinks,
) -> None:
    """Give each `<interface>` of a tap its device in the pod, MTU and, unless the VMI sets one, MAC of its link.

    Source: pkg/network/setup/launcher/configurator.go and pkg/network/domainspec/generators.go.
    """
    links = {network.name: (number, is_secondary(network)) for number, network in enumerate(networks, 1)}
    attached = [interface for interface in interfaces if has_element(interface, attachments)]
    places = [place for place, device in enumerate(devices) if device.tag == "interface"]
    for place, interface in zip(places, attached, strict=True):
        if is_tap(interface, attachments):
            number, secondary = links[interface.name]
            target = _target(interface, attachments, pod_interface, secondary=secondary)
            devices[place] = _with_tap(devices[place], interface.mac_address, number, target, pod_links)


def refuse_unbound(interfaces: Sequence[Interface], attachments: Attachments, release: Release) -> None:
    """Raise LauncherCrashError for an interface that is attached in no way: there is nothing to make its XML."""
    for position, interface in enumerate(interfaces):
        bound = interface.binding or interface.sriov or interface.passt_binding or interface.slirp
        if not bound and not is_tap(interface, attachments) and interface.state != "absent":
            field, cause = f"spec.domain.devices.interfaces[{position}]", f"interface {interface.name!r} has no binding"
            raise LauncherCrashError(release, field, f"{cause}: give it bridge, masquerade or sriov")


def network_faults(interfaces: Sequence[Interface], networks: Sequence[Network]) -> Iterator[tuple[str, str]]:
    """Yield where networks of masquerade have no room for a gateway and the guest: (field below networks, message).

    Source: pkg/network/setup/netpod/netpod.go (gatewayIP), pkg/network/link/address.go.
    """
    masquerading = {interface.name for interface in interfaces if interface.masquerade is not None}
    for position, network in enumerate(networks):
        if network.pod is None or network.name not in masquerading:
            continue
        for field, cidr, condition in (
            ("vmNetworkCIDR", network.pod.vm_network_cidr, ""),
            ("vmIPv6NetworkCIDR", network.pod.vm_ipv6_network_cidr, ", in a cluster with IPv6"),
        ):
            bits = host_bits(cidr) if cidr else _FEWEST_HOST_BITS
            if bits is None or bits < _FEWEST_HOST_BITS:
                wrong = "is no network, such as 10.0.2.0/24" if bits is None else "has fewer than four addresses"
                message = f"virt-handler cannot set up the pod's network, and the machine never starts{condition}"
                yield f"networks[{position}].pod.{field}", f"{cidr!r} {wrong}: {message}"


def _with_tap(element: Element, own_mac: str, number: int, target: str, links: PodLinks) -> Element:
    """An interface with `<mac>`, its own or that of the pod's link of this number, `<target>` and `<mtu>`."""
    mac = _canonical(own_mac) if own_mac else f"{links.mac_prefix}:{number >> 8:02x}:{number & 255:02x}"
    if isinstance(element, Shared) and not own_mac:
        return _shared_with_tap(element, mac, target, links.mtu)
    parts = _parts_with_tap(target, links.mtu, *_behind_mac(element))
    return own("interface", own("mac", address=mac), *parts, **element.attrib)


@memo
def _shared_with_tap(element: Element, mac: str, target: str, mtu: int) -> Element:
    parts = _parts_with_tap(target, mtu, *_behind_mac(element))
    return shared("interface", leaf("mac", address=mac), *parts, **element.attrib)


def _behind_mac(element: Element) -> Sequence[Element]:
    """What is in an interface of the converter's: it begins with `<mac>`, if any, and `<source>`."""
    return element[1:] if element[0].tag == "mac" else element[:]


@memo
def _parts_with_tap(target: str, mtu: int, source: Element, *parts: Element) -> Sequence[Element]:
    """What is in an interface behind `<mac>`, where libvirt has it, with `<target>` and `<mtu>`."""
    place = next(place for place, part in enumerate(parts) if part.tag not in _BEFORE_MTU)
    device = leaf("target", dev=target, managed="no")
    return (source, device, *parts[:place], leaf("mtu", size=str(mtu)), *parts[place:])


def _target(interface: Interface, attachments: Attachments, pod_interface: str, *, secondary: bool) -> str:
    """The tap that virt-handler or the plugin made beside the pod's link; a plugin of type `tap` made the link one."""
    plugin = interface.binding
    if plugin is not None and attachments.get(plugin.name) == "tap":
        return pod_link(interface.name) if secondary else pod_interface
    return f"tap{_hash(interface.name)}" if secondary else _PRIMARY_TAP


def is_secondary(network: Network) -> bool:
    """Whether a network is a Multus network beside the default one (pkg/network/vmispec, IsSecondaryMultusNetwork)."""
    return network.multus is not None and not network.multus.default


def pod_link(network: str) -> str:
    """The pod's link of a secondary network (networknamescheme.go, GenerateHashedInterfaceName)."""
    return f"pod{_hash(network)}"


@memo
def _hash(network: str) -> str:
    """What the links of a secondary network are named by (pkg/network/namescheme/networknamescheme.go)."""
    return sha256(network.encode()).hexdigest()[:_HASH_LENGTH]


def _canonical(mac: str) -> str:
    """A MAC address in lower case, its octets between colons; the webhook has seen to it that it is one."""
    return bytes.fromhex(_SEPARATORS.sub("", mac)).hex(":")
