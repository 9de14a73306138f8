"""Network interfaces of a domain, how they are bound, and what their DHCP servers say."""

from __future__ import annotations

from typing import Annotated

from virtcatalog.api.object import Int32, Int64, Object, UInt32, since


class DHCPPrivateOptions(Object):
    """A DHCP option of the private range, 224 to 254."""

    option: Int64
    value: str


class DeprecatedInterfaceMacvtap(Object):
    """Macvtap binding; KubeVirt has given it up for a binding plugin."""


class InterfaceSRIOV(Object):
    """The interface is a virtual function of the host's network card."""


class PortRange(Object):
    """A range of ports of the guest that are forwarded, both ends included."""

    protocol: Annotated[str, since("v1.9")]
    start: Annotated[Int32, since("v1.9")]
    end: Annotated[Int32, since("v1.9")]


class PluginBinding(Object):
    """The interface is bound by a registered plugin."""

    name: Annotated[str, since("v1.1")]


class DeprecatedInterfacePasst(Object):
    """Passt binding of old; KubeVirt has given it up for `passtBinding`."""


class InterfaceBridge(Object):
    """The interface is bridged to the pod's."""


class DeprecatedInterfaceSlirp(Object):
    """Slirp binding; KubeVirt has given it up for a binding plugin."""


class Port(Object):
    """A port of the guest that masquerade and slirp forward; all when none is listed."""

    port: Int32
    name: str = ""
    protocol: str = ""


class InterfacePasstBinding(Object):
    """The interface goes through passt, a user-mode network stack."""


class DHCPOptions(Object):
    """Extra options that KubeVirt's DHCP server gives the guest."""

    boot_file_name: str = ""
    tftp_server_name: str = ""
    ntp_servers: list[str] = []
    private_options: list[DHCPPrivateOptions] = []


class InterfaceMasquerade(Object):
    """The interface is behind NAT on the pod's."""


class Interface(Object):
    """A network interface; its network has the same name. At most one binding."""

    name: str
    model: str = ""
    bridge: InterfaceBridge | None = None
    slirp: DeprecatedInterfaceSlirp | None = None
    masquerade: InterfaceMasquerade | None = None
    sriov: InterfaceSRIOV | None = None
    macvtap: DeprecatedInterfaceMacvtap | None = None
    passt: DeprecatedInterfacePasst | None = None
    passt_binding: Annotated[InterfacePasstBinding | None, since("v1.8")] = None
    binding: Annotated[PluginBinding | None, since("v1.1")] = None
    ports: list[Port] = []
    port_ranges: Annotated[list[PortRange], since("v1.9")] = []
    mac_address: str = ""
    boot_order: UInt32 | None = None
    pci_address: str = ""
    dhcp_options: DHCPOptions | None = None
    tag: str = ""
    acpi_index: Int64 = 0
    state: str = ""
