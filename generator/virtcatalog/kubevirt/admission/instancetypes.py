"""What the webhooks of instance types and preferences, and those of VMs about them, refuse or warn of.

Source: pkg/instancetype/webhooks/admitter.go, pkg/instancetype/preference/webhooks/admitter.go,
pkg/instancetype/webhooks/vm/admitter.go.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from virtcatalog.api.decode import decode_manifest, manifest_name, prune
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import kind_type
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import Cause, ManifestError, UnsupportedError, Warning, nearest
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.instancetype.apply import apply_to_vmi
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype, find_preference
from virtcatalog.kubevirt.instancetype.revision import GROUP, VERSION
from virtcatalog.kubevirt.preference.topology import (
    DEPRECATED_TOPOLOGIES,
    SPREADS,
    THREADS_PER_CORE,
    TOPOLOGIES,
    check_spread,
    preferred_topology,
    spread_options,
)
from virtcatalog.releases import DEFAULT, Release

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster


class Applied(msgspec.Struct, frozen=True):
    """The specs that `apply_to_vm` applied, None where the VM has none; both None when there are causes."""

    instancetype: VirtualMachineInstancetypeSpec | None
    preference: VirtualMachinePreferenceSpec | None
    causes: list[Cause]


def admit(object_manifest: dict[str, Any], cluster: Cluster) -> list[Cause]:
    """Return why the webhooks of instance types and preferences refuse an object.

    A manifest that does not fit its API gives causes without a field, one for each problem. UnsupportedError for an
    object of another kind.
    """
    try:
        spec = _spec(object_manifest, cluster.release)
    except ManifestError as error:
        return [Cause("", "", str(Cause("", problem.field, problem.message))) for problem in error.problems]
    if isinstance(spec, VirtualMachineInstancetypeSpec):
        return validate_instancetype(spec)
    if isinstance(spec, VirtualMachinePreferenceSpec):
        return validate_preference(spec)
    kind, hint = object_manifest.get("kind"), ""
    if kind == "VirtualMachine":
        hint = "; expand tells of VMs"
    raise UnsupportedError("kind", f"{kind!r} is no kind of instance type or preference{hint}")


def warnings(manifest: dict[str, Any], release: Release = DEFAULT) -> list[Warning]:
    """Return the deprecations in an instance type or preference that its webhook would admit.

    Source: checkForDeprecatedFields, checkForDeprecatedPreferredCPUTopology.
    """
    spec = _spec(manifest, release)
    moved = release.traits.launch_security_moves_to_preference
    if moved and isinstance(spec, VirtualMachineInstancetypeSpec) and spec.launch_security is not None:
        message = "is deprecated in an instance type: use a preference's preferredLaunchSecurity"
        return [Warning("Deprecated", "spec.launchSecurity", message, manifest_name(manifest))]
    if isinstance(spec, VirtualMachinePreferenceSpec) and spec.cpu is not None:
        topology = spec.cpu.preferred_cpu_topology
        if topology in DEPRECATED_TOPOLOGIES:
            message = f"{topology} is deprecated: use {DEPRECATED_TOPOLOGIES[topology]}"
            return [Warning("Deprecated", "spec.cpu.preferredCPUTopology", message, manifest_name(manifest))]
    return []


def _spec(
    manifest: dict[str, Any], release: Release
) -> VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec | None:
    kind = kind_type(f"{GROUP}/{VERSION}", str(manifest.get("kind")))
    if kind is None:
        return None
    obj: Any = decode_manifest(prune(manifest, kind, release.minor)[0], kind)
    spec: VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec = obj.spec
    return spec


def validate_instancetype(spec: VirtualMachineInstancetypeSpec) -> list[Cause]:
    """Return what is wrong with an instance type: memory overcommit out of range, or together with huge pages.

    Source: ValidateInstanceTypeSpec.
    """
    causes, memory = [], spec.memory
    field = "spec.memory.overcommitPercent"
    if not 0 <= memory.overcommit_percent <= 100:
        causes.append(invalid(field, f"{memory.overcommit_percent} is not a percentage from 0 to 100"))
    if memory.overcommit_percent and memory.hugepages is not None:
        causes.append(invalid(field, "memory backed by hugepages cannot be overcommitted"))
    return causes


def validate_preference(spec: VirtualMachinePreferenceSpec) -> list[Cause]:
    """Return what is wrong with a preference: its CPU topology, and how that spreads (ValidatePreferenceSpec)."""
    if spec.cpu is None or spec.cpu.preferred_cpu_topology is None:
        return []
    if spec.cpu.preferred_cpu_topology not in TOPOLOGIES:
        message = _none_of(spec.cpu.preferred_cpu_topology, DEPRECATED_TOPOLOGIES.values())
        return [invalid("spec.cpu.preferredCPUTopology", message)]
    if preferred_topology(spec) != "spread":
        return []
    ratio, across = spread_options(spec)
    if across not in SPREADS:
        return [invalid("spec.cpu.spreadOptions.across", _none_of(across, SPREADS))]
    if across == "CoresThreads" and ratio != THREADS_PER_CORE:
        message = f"across CoresThreads the ratio is {THREADS_PER_CORE}, threads of each core, not {ratio}"
        return [invalid("spec.cpu.spreadOptions.ratio", message)]
    return []


def _none_of(value: str, words: Collection[str]) -> str:
    return f"{value!r} is not one of {', '.join(words)}{nearest(value, words)}"


def apply_to_vm(vm: VirtualMachine, cluster: Cluster) -> Applied:
    """Apply the VM's instance type and preference to its template, as the validating webhook does on its copy.

    Objects that do not exist are passed over here: virt-controller finds them missing.
    """
    try:
        instancetype = find_instancetype(vm, cluster)
    except NotFoundError:
        instancetype = None
    try:
        preference = find_preference(vm, cluster)
    except NotFoundError:
        preference = None
    template = vm.spec.template
    causes = check_spread(instancetype, preference) or apply_to_vmi(
        "spec.template.spec", instancetype, preference, template.spec, template.metadata, cluster.release.traits
    )
    return Applied(None, None, causes) if causes else Applied(instancetype, preference, [])
