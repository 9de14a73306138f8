"""Features that KubeVirt has given up. Source: KubeVirt v1.9.0, pkg/virt-config/featuregate."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.expand.admission.causes import not_supported
from virtcatalog.expand.configuration import Configuration

DISCONTINUED = {"Macvtap": "macvtap", "Passt": "passt"}


def validate_feature_gates(spec: VirtualMachineInstanceSpec, _path: str, config: Configuration) -> Iterator[Cause]:
    """A VM must not use what a discontinued gate once switched on, where the cluster still lists that gate."""
    for gate in config.configured_feature_gates:
        binding = DISCONTINUED.get(gate)
        if binding and any(getattr(interface, binding) is not None for interface in spec.domain.devices.interfaces):
            yield not_supported("", f"the network binding {binding} is discontinued since KubeVirt v1.3; use a plugin")
