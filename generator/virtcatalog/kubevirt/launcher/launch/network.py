"""Network phase 2: interfaces learn of the pod's tap devices, and of the MAC address and MTU of its links."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from hashlib import sha256

from virtcatalog.api.devices import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.volumes import Network
from virtcatalog.kubevirt.hosts import PodLinks
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.interfaces import is_tap
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.xml import Element, Shared, leaf

_PRIMARY_TAP = "tap0"
_HASH_LENGTH = 11
_CANONICAL = re.compile("[0-9a-f]{2}(:[0-9a-f]{2})+")
_NOT_HEXADECIMAL = re.compile("[^0-9a-f]")
_BEFORE_MTU = ("model", "driver", "link")


def attach_taps(elements: Sequence[Element], vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The interfaces, each tap with its device in the pod, and the MTU and, unless the VMI sets one, MAC of its link.

    LauncherCrashError where a release cannot do without a binding.
    Source: pkg/network/setup/launcher/configurator.go and pkg/network/domainspec/generators.go.
    """
    interfaces = vmi.spec.domain.devices.interfaces
    taps = {each.name: each for each in interfaces if is_tap(each, context)}
    if len(taps) < len(interfaces) and context.release.traits.crashes_on_unbound_interfaces:
        _look_for_unbound(vmi, context, taps)
    if not taps:
        return list(elements)
    attached, places = list(elements), {_alias(element): place for place, element in enumerate(elements)}
    for number, network in enumerate(vmi.spec.networks, 1):
        interface = taps.get(network.name)
        if interface is not None and interface.state != "absent":
            place, target = places[f"ua-{network.name}"], _target(interface, network, context)
            attached[place] = _attached(attached[place], interface.mac_address, target, number, context.pod_links)
    return attached


def _look_for_unbound(vmi: VirtualMachineInstance, context: Context, taps: Container[str]) -> None:
    """Raise LauncherCrashError for an interface that is attached in no way: there is nothing to make its XML."""
    for position, each in enumerate(vmi.spec.domain.devices.interfaces):
        bound = each.name in taps or each.binding or each.sriov or each.passt_binding or each.slirp
        if not bound and each.state != "absent":
            field, cause = f"spec.domain.devices.interfaces[{position}]", f"interface {each.name!r} has no binding"
            raise LauncherCrashError(context.release, field, f"{cause}: give it bridge, masquerade or sriov")


def _alias(interface: Element) -> str | None:
    alias = interface.find("alias")
    return None if alias is None else alias.get("name")


def _attached(element: Element, own_mac: str, target: str, number: int, links: PodLinks) -> Element:
    mac = _canonical(own_mac) if own_mac else f"{links.mac_prefix}:{number >> 8:02x}:{number & 255:02x}"
    if isinstance(element, Shared):
        return _shared(element, mac, target, links.mtu)
    _attach(element, mac, target, links.mtu)
    return element


@lru_cache(maxsize=1024)
def _shared(element: Element, mac: str, target: str, mtu: int) -> Element:
    attached = Shared("interface", element.attrib)
    attached.extend(element)
    _attach(attached, mac, target, mtu)
    return attached


def _attach(element: Element, mac: str, target: str, mtu: int) -> None:
    """Put `<mac>`, `<target>` and `<mtu>` where libvirt has them; the converter begins with `<mac>` and `<source>`."""
    if element[0].tag != "mac":
        element.insert(0, Element("mac", {"address": mac}))
    elif element[0].get("address") != mac:
        element[0] = Element("mac", {"address": mac})
    element.insert(2, leaf("target", dev=target, managed="no"))
    place = 3
    while element[place].tag in _BEFORE_MTU:
        place += 1
    element.insert(place, leaf("mtu", size=str(mtu)))


def _target(interface: Interface, network: Network, context: Context) -> str:
    """The tap that virt-handler or the plugin made beside the pod's link; a plugin of type `tap` made the link one."""
    secondary = network.multus is not None and not network.multus.default
    plugin = interface.binding
    if plugin is not None and context.binding_attachments.get(plugin.name) == "tap":
        return pod_link(network.name) if secondary else context.pod_interface
    return f"tap{_hash(network.name)}" if secondary else _PRIMARY_TAP


def pod_link(network: str) -> str:
    """The pod's link of a secondary network (networknamescheme.go, GenerateHashedInterfaceName)."""
    return f"pod{_hash(network)}"


@lru_cache(maxsize=1024)
def _hash(network: str) -> str:
    """What the links of a secondary network are named by (pkg/network/namescheme/networknamescheme.go)."""
    return sha256(network.encode()).hexdigest()[:_HASH_LENGTH]


def _canonical(mac: str) -> str:
    """A MAC address in lower case, its octets between colons; the webhook has seen to it that it is one."""
    if _CANONICAL.fullmatch(mac):
        return mac
    digits = _NOT_HEXADECIMAL.sub("", mac.lower())
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))
