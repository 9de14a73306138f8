"""The network that a VM gets when it names none.

Source: pkg/network/vmispec/defaults.go.
"""

from __future__ import annotations

from virtcatalog.api.devices import Interface, InterfaceBridge, InterfaceMasquerade
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Network, PodNetwork
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.configuration import Configuration

_NAME = "default"


class NetworkDefaultError(VirtcatalogError):
    """The cluster's configuration does not allow the default network interface that it asks for."""


def set_default_network_interface(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    """Connect a VM without networks and interfaces to the pod network, unless it does not want to be.

    Source: SetDefaultNetworkInterface.
    """
    devices = spec.domain.devices
    if devices.autoattach_pod_interface is False or spec.networks or devices.interfaces:
        return
    binding = config.default_network_interface
    if binding == "bridge":
        if not config.is_bridge_interface_on_pod_network_enabled:
            raise NetworkDefaultError("the cluster does not permit a bridge interface on the pod network")
        devices.interfaces = [Interface(name=_NAME, bridge=InterfaceBridge())]
    elif binding == "masquerade":
        devices.interfaces = [Interface(name=_NAME, masquerade=InterfaceMasquerade())]
    elif binding == "slirp":
        raise NetworkDefaultError("the cluster's default interface slirp is gone since v1.3")
    spec.networks = [Network(name=_NAME, pod=PodNetwork())]
