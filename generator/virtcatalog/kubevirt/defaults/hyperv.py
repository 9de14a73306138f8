"""Hyper-V enlightenments bring along those that they need.

Source: pkg/defaults/hyperv.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from virtcatalog.api.devices import FeatureState
from virtcatalog.api.domainspec import CPUFeature, FeatureHyperv, Features
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.memo import memo


class _State(Protocol):
    @property
    def enabled(self) -> bool | None: ...


class Dependency(NamedTuple):
    """`feature` needs `required`; both are attributes of FeatureHyperv."""

    feature: str
    required: str


# Leaves first: what a feature brings along may need something itself.
DEPENDENCIES = (
    Dependency("evmcs", "vapic"),
    Dependency("ipi", "vpindex"),
    Dependency("tlbflush", "vpindex"),
    Dependency("synictimer", "synic"),
    Dependency("synic", "vpindex"),
)


def unfulfilled(hyperv: FeatureHyperv) -> Iterator[Dependency]:
    """Yield the dependencies of enabled features on features that are not."""
    for dependency in DEPENDENCIES:
        if _enabled(getattr(hyperv, dependency.feature)) and not _enabled(getattr(hyperv, dependency.required)):
            yield dependency


def set_hyperv_dependencies(spec: VirtualMachineInstanceSpec) -> None:
    """Enable what enabled enlightenments need and the VMI does not mention; admission refuses what it disables.

    Those that the VMI mentions say by now whether they are on (`set_object_defaults`).
    Source: SetHypervFeatureDependencies.
    """
    assert spec.domain.features is not None
    spec.domain.features, needs_vmx = _with_dependencies(spec.domain.features)
    if needs_vmx:
        _require_vmx(spec)


@memo
def _with_dependencies(features: Features) -> tuple[Features, bool]:
    """The features with what they need, and whether that is the CPU's feature vmx, too."""
    hyperv = features.hyperv
    if hyperv is None:
        return features, False
    for feature, required in DEPENDENCIES:
        if not _enabled(getattr(hyperv, feature)):
            continue
        state = getattr(hyperv, required)
        if state is None:
            hyperv = replace(hyperv, **{required: FeatureState(enabled=True)})
        elif not state.enabled:
            return replace(features, hyperv=hyperv), False
    return replace(features, hyperv=hyperv), _enabled(hyperv.evmcs)


def _enabled(state: _State | None) -> bool:
    return state is not None and bool(state.enabled)


def _require_vmx(spec: VirtualMachineInstanceSpec) -> None:
    cpu = spec.domain.cpu
    assert cpu is not None  # it has its topology by now
    for feature in cpu.features:
        if feature.name == "vmx":
            feature.policy = "require"
            return
    cpu.features = [*cpu.features, CPUFeature(name="vmx", policy="require")]
