"""Network phase 2: interfaces learn of the pod's tap devices, and of the MAC address and MTU of its links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from virtcatalog.api.devices import Interface
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.interfaces import Interfaces, is_tap
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, Shared, leaf

_PRIMARY_TAP = "tap0"
_HASH_LENGTH = 11
_CANONICAL = re.compile("[0-9a-f]{2}(:[0-9a-f]{2})+")
_NOT_HEXADECIMAL = re.compile("[^0-9a-f]")
_BEFORE_MTU = ("model", "driver", "link")


def attach_taps(interfaces: Filled) -> Filled:
    """The interfaces, each tap with its device in the pod, and the MTU and, unless the VMI sets one, MAC of its link.

    LauncherCrashError where a release cannot do without a binding.
    Source: pkg/network/setup/launcher/configurator.go and pkg/network/domainspec/generators.go.
    """
    form = interfaces.form
    assert isinstance(form, Interfaces)
    macs = list(interfaces.texts)
    for link in form.links if macs else ():
        if link.tap and link.own is not None:
            macs[link.own] = _canonical(macs[link.own])
    return form.computed(_attached).filled(*macs)


def _attached(interfaces: Interfaces) -> Form:
    context = interfaces.context
    if context.release.traits.crashes_on_unbound_interfaces:
        _look_for_unbound(interfaces.found, context)
    links = {name: (number, secondary) for number, (name, secondary) in enumerate(interfaces.networks, 1)}

    def make(*macs: str) -> Sequence[Element]:
        made = []
        for element, link in zip(interfaces.make(*macs), interfaces.links, strict=True):
            number, secondary = links[link.interface.name]
            if link.tap:
                given = f"{context.pod_links.mac_prefix}:{number >> 8:02x}:{number & 255:02x}"
                mac = given if link.own is None else macs[link.own]
                target = _target(link.interface, context, secondary=secondary)
                made.append(_with_tap(element, mac, target, context.pod_links.mtu))
            else:
                made.append(element)
        return made

    return Form(make, interfaces.texts)


def _look_for_unbound(interfaces: Sequence[Interface], context: Context) -> None:
    """Raise LauncherCrashError for an interface that is attached in no way: there is nothing to make its XML."""
    for position, interface in enumerate(interfaces):
        bound = (
            is_tap(interface, context)
            or interface.binding
            or interface.sriov
            or interface.passt_binding
            or interface.slirp
        )
        if not bound and interface.state != "absent":
            field, cause = f"spec.domain.devices.interfaces[{position}]", f"interface {interface.name!r} has no binding"
            raise LauncherCrashError(context.release, field, f"{cause}: give it bridge, masquerade or sriov")


def _with_tap(element: Element, mac: str, target: str, mtu: int) -> Element:
    """An interface like another, with `<mac>`, `<target>` and `<mtu>` where libvirt has them.

    The converter begins with `<mac>`, if it says any, and `<source>`.
    """
    rest = [part for part in element if part.tag != "mac"]
    place = next(place for place, part in enumerate(rest[1:], 1) if part.tag not in _BEFORE_MTU)
    attached = Shared("interface", element.attrib)
    attached.append(Element("mac", {"address": mac}))
    attached.extend(rest[:1])
    attached.append(leaf("target", dev=target, managed="no"))
    attached.extend(rest[1:place])
    attached.append(leaf("mtu", size=str(mtu)))
    attached.extend(rest[place:])
    return attached


def _target(interface: Interface, context: Context, *, secondary: bool) -> str:
    """The tap that virt-handler or the plugin made beside the pod's link; a plugin of type `tap` made the link one."""
    plugin = interface.binding
    if plugin is not None and context.binding_attachments.get(plugin.name) == "tap":
        return pod_link(interface.name) if secondary else context.pod_interface
    return f"tap{_hash(interface.name)}" if secondary else _PRIMARY_TAP


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
