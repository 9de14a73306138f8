"""Hyper-V enlightenments. Source: webhooks/hyperv.go.

Only the VMI webhook looks at them, and it names a feature's field with `domain.features.hyperv` twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.hyperv import unfulfilled


def validate_hyperv(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A feature needs those that it builds on, and passing the host's through excludes a choice.

    Source: ValidateVirtualMachineInstanceHyperv.
    """
    features = spec.domain.features
    if not features or features.hyperv is None:
        return
    hyperv = features.hyperv
    field = f"{path}.domain.features.hyperv"
    for name, needed in unfulfilled(hyperv):
        yield invalid(f"{field}.domain.features.hyperv.{name}", f"{name} needs {needed}, which is disabled")
    if hyperv.evmcs is not None and hyperv.evmcs.enabled is not False:
        yield from _vmx(spec, path)
    if features.hyperv_passthrough is not None:
        yield invalid(field, "excludes features.hypervPassthrough: choose features, or take what the host has")


def _vmx(spec: VirtualMachineInstanceSpec, path: str) -> Iterator[Cause]:
    """Nested virtualisation's enlightenment needs the CPU feature vmx, required."""
    cpu = spec.domain.cpu
    if not cpu or not cpu.features:
        yield required(f"{path}.domain.cpu.features", "features.hyperv.evmcs needs vmx among them, policy require")
        return
    for index, feature in enumerate(cpu.features):
        if feature.name == "vmx" and feature.policy != "require":
            yield invalid(
                f"{path}.domain.cpu.features[{index}].policy",
                f"features.hyperv.evmcs needs vmx with the policy require, not {feature.policy!r}",
            )
