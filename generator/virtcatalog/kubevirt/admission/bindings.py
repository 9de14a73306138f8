"""How an interface is bound to its network: bridge, masquerade, sriov, passt or a plugin.

Source: pkg/network/admitter/binding.go, passt.go and discontinued.go; pkg/virt-config/featuregate.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.interfaces import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, not_supported
from virtcatalog.kubevirt.configuration import Configuration

IN_POD_BRIDGE_MAC = "02:00:00:00:00:00"
_DISCONTINUED = ("slirp", "passt", "macvtap")
_DISCONTINUED_GATES = {"Passt": "passt", "Macvtap": "macvtap"}


def validate_discontinued_bindings(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """Bindings that only an old VM can still have: they are refused in a new one (validateDiscontinuedBindings)."""
    discontinued = _DISCONTINUED[:1] if config.release.traits.passt_and_macvtap_gates else _DISCONTINUED
    causes = []
    for index, interface in enumerate(spec.domain.devices.interfaces):
        if interface.slirp is None and interface.passt is None and interface.macvtap is None:
            continue
        for binding in discontinued:
            if getattr(interface, binding) is not None:
                field = f"{path}.domain.devices.interfaces[{index}].{binding}"
                message = f"interface {interface.name!r}: the {binding} binding was removed in KubeVirt v1.3"
                causes.append(invalid(field, message))
    return causes


def validate_discontinued_feature_gates(
    spec: VirtualMachineInstanceSpec, _path: str, config: Configuration
) -> list[Cause]:
    """A gate that is still configured for a feature that is gone, while the spec uses that feature.

    Source: ValidateFeatureGates.
    """
    causes = []
    for gate in config.configured_feature_gates:
        binding = _DISCONTINUED_GATES.get(gate)
        if binding and any(getattr(interface, binding) is not None for interface in spec.domain.devices.interfaces):
            message = f"the feature gate {gate} and the {binding} binding were removed in KubeVirt v1.3"
            causes.append(not_supported("", message))
    return causes


def validate_bindings(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """One binding an interface, one that its network allows (validateInterfaceBinding)."""
    pods = {network.name: network.pod is not None for network in spec.networks}
    for index, interface in enumerate(spec.domain.devices.interfaces):
        bridge, masquerade, passt = interface.bridge, interface.masquerade, interface.passt_binding
        name, on_pod = interface.name, pods.get(interface.name, False)
        methods = (bridge is not None) + (masquerade is not None) + (passt is not None) + (interface.sriov is not None)
        if methods != 1 or interface.binding is not None:
            yield from _binding_exists(interface, methods, f"{path}.domain.devices.interfaces[{index}]", config)
        if masquerade is not None:
            if not on_pod:
                yield invalid(
                    f"{path}.domain.devices.interfaces[{index}].name",
                    f"interface {name!r}: masquerade works on the pod network alone",
                )
            if interface.mac_address == IN_POD_BRIDGE_MAC:
                yield invalid(
                    f"{path}.domain.devices.interfaces[{index}].macAddress",
                    f"interface {name!r}: {IN_POD_BRIDGE_MAC} belongs to the bridge inside the pod",
                )
        if bridge is not None and on_pod and not config.is_bridge_interface_on_pod_network_enabled:
            yield invalid(
                f"{path}.domain.devices.interfaces[{index}].name",
                f"interface {name!r}: the KubeVirt CR does not permit bridge on the pod network",
            )
        if config.release.traits.passt_and_macvtap_gates and (interface.macvtap or interface.passt):
            yield from _gated(interface, f"{path}.domain.devices.interfaces[{index}].name", spec, config)
        if passt is not None:
            yield from _passt(f"{path}.domain.devices.interfaces[{index}].name", name, on_pod, config)


def _binding_exists(interface: Interface, methods: int, place: str, config: Configuration) -> Iterator[Cause]:
    """Exactly one binding, or in some releases at least not a plugin beside a method."""
    name, traits = interface.name, config.release.traits
    plugin = interface.binding is not None
    if traits.interface_needs_binding:
        if methods + plugin != 1:
            number = "several" if methods or plugin else "none"
            message = "needs exactly one of bridge, masquerade, sriov, passtBinding and binding"
            yield invalid(place, f"interface {name!r} {message}, but has {number}")
        return
    if traits.passt_and_macvtap_gates:
        methods += sum(getattr(interface, method) is not None for method in _DISCONTINUED)
    if plugin and methods:
        yield invalid(f"{place}.binding", f"interface {name!r} has a binding plugin beside a binding method")


def _gated(
    interface: Interface, field: str, spec: VirtualMachineInstanceSpec, config: Configuration
) -> Iterator[Cause]:
    """The bindings macvtap and passt, while they work behind gates."""
    network = next((network for network in reversed(spec.networks) if network.name == interface.name), None)
    if interface.macvtap is not None:
        if not config.feature_gate("Macvtap"):
            yield invalid(field, f"interface {interface.name!r}: macvtap needs the feature gate Macvtap")
        if network is None or network.multus is None:
            yield invalid(field, f"interface {interface.name!r}: macvtap works on a Multus network alone")
    if interface.passt is not None:
        if not config.feature_gate("Passt"):
            yield invalid(field, f"interface {interface.name!r}: passt needs the feature gate Passt")
        if network is None or network.pod is None:
            yield invalid(field, f"interface {interface.name!r}: passt works on the pod network alone")


def _passt(field: str, name: str, on_pod: bool, config: Configuration) -> Iterator[Cause]:
    if not config.feature_gate("PasstBinding"):
        yield invalid(field, f"interface {name!r}: passtBinding needs the feature gate PasstBinding")
    if not on_pod:
        yield invalid(field, f"interface {name!r}: passtBinding works on the pod network alone")
