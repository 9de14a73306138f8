"""Preferred model and binding of network interfaces.

Source: pkg/instancetype/preference/apply/interface.go.
"""

from __future__ import annotations

from virtcatalog.api.devices import Interface, InterfaceMasquerade
from virtcatalog.api.instancetype import DevicePreferences
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Network


def apply_interfaces(preference: DevicePreferences, vmi_spec: VirtualMachineInstanceSpec) -> None:
    """Fill in the model, and masquerade on interfaces of the pod network that have no binding.

    Source: applyInterfacePreferences.
    """
    for interface in vmi_spec.domain.devices.interfaces:
        if not interface.model:
            interface.model = preference.preferred_interface_model
        if (
            preference.preferred_interface_masquerade is not None
            and not _has_binding(interface)
            and _on_pod_network(interface.name, vmi_spec.networks)
        ):
            interface.masquerade = InterfaceMasquerade()


def _has_binding(interface: Interface) -> bool:
    return any(
        binding is not None
        for binding in (
            interface.bridge,
            interface.masquerade,
            interface.sriov,
            interface.slirp,
            interface.macvtap,
            interface.passt,
            interface.passt_binding,
            interface.binding,
        )
    )


def _on_pod_network(name: str, networks: list[Network]) -> bool:
    for network in networks:
        if network.name == name:
            return network.pod is not None
    return False
