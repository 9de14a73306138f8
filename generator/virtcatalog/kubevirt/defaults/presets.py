"""VirtualMachineInstancePresets: domain settings given to VMIs by label, deprecated in favour of instance types.

Source: pkg/virt-api/webhooks/mutating-webhook/mutators/preset.go.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from virtcatalog.api.annotations import APPLIED_PRESET
from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import Clock, DomainSpec
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstancePreset
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.selectors import label_selector, selects

EXCLUSION_ANNOTATION = "virtualmachineinstancepresets.admission.kubevirt.io/exclude"


def apply_presets(vmi: VirtualMachineInstance, cluster: Cluster) -> list[Cause]:
    """Merge the presets that select the VMI into its domain; changes `vmi`.

    A preset never overrides what the VMI says. A cause (KubeVirt gives it no field) is a selector that cannot be
    evaluated, or two presets of this VMI that contradict each other.

    Source: applyPresets.
    """
    presets = cluster.presets(vmi.metadata.namespace or "default")
    if not presets or vmi.metadata.annotations.get(EXCLUSION_ANNOTATION) == "true":
        return []
    for preset in presets:
        for problem in label_selector(preset.spec.selector, "spec.selector"):
            message = f"preset {preset.metadata.name}: {problem.field}: {problem.message}"
            return [Cause("", "", message)]
    matching = [preset for preset in presets if selects(preset.spec.selector, vmi.metadata.labels)]
    matching.sort(key=lambda preset: preset.metadata.name)
    conflicts = _conflicts_between(matching)
    if conflicts:
        return [Cause("", "", f"the presets contradict each other: {'; '.join(conflicts)}")]
    for preset in matching:
        if preset.spec.domain is not None and _merge(preset.spec.domain, vmi.spec.domain):
            vmi.metadata.annotations[APPLIED_PRESET + preset.metadata.name] = "kubevirt.io/v1"
    return []


def applied_presets(vmi: VirtualMachineInstance) -> list[str]:
    """Return the names of the presets that were applied to a VMI."""
    start = APPLIED_PRESET
    return [name.removeprefix(start) for name in vmi.metadata.annotations if name.startswith(start)]


def preset_warnings(vmi: VirtualMachineInstance) -> list[Warning]:
    """What the VMI webhook remarks when presets were applied, of each of them."""
    message = "presets are deprecated: use an instance type and a preference"
    about = f"VirtualMachineInstancePreset/{vmi.metadata.namespace or 'default'}"
    return [Warning("Deprecated", "", message, f"{about}/{name}") for name in applied_presets(vmi)]


def _conflicts_between(presets: list[VirtualMachineInstancePreset]) -> list[str]:
    return [
        f"{one.metadata.name} and {other.metadata.name} on {', '.join(fields)}"
        for one, other in combinations(presets, 2)
        if one.spec.domain and other.spec.domain and (fields := _conflicts(one.spec.domain, other.spec.domain))
    ]


def _conflicts(one: DomainSpec, other: DomainSpec) -> list[str]:
    """Name the settings that both make, differently."""
    fields = []
    for key, amount in one.resources.requests.items():
        if other.resources.requests.get(key, amount) != amount:
            fields.append(f"resources.requests[{key}]")
    one_timer, other_timer = one.clock and one.clock.timer, other.clock and other.clock.timer
    settings: tuple[tuple[str, Any, Any], ...] = (
        ("cpu", one.cpu, other.cpu),
        ("firmware", one.firmware, other.firmware),
        ("clock offset", one.clock and _offset(one.clock), other.clock and _offset(other.clock)),
        ("clock.timer", one_timer, other_timer),
        ("features", one.features, other.features),
        ("devices.watchdog", one.devices.watchdog, other.devices.watchdog),
        ("ioThreadsPolicy", one.io_threads_policy, other.io_threads_policy),
    )
    fields += [name for name, ours, theirs in settings if ours is not None and theirs is not None and ours != theirs]
    return fields


def _offset(clock: Clock) -> tuple[object, object]:
    return clock.utc, clock.timezone


def _merge(preset: DomainSpec, domain: DomainSpec) -> bool:
    """Fill in what the domain leaves open; say whether anything of the preset now holds."""
    applied = False
    if preset.resources.requests:
        if not domain.resources.requests:
            domain.resources.requests = dict(preset.resources.requests)
        applied = domain.resources.requests == preset.resources.requests
    for name in ("cpu", "firmware", "features", "io_threads_policy"):
        applied = _fill(preset, domain, name) or applied
    applied = _fill(preset.devices, domain.devices, "watchdog") or applied
    if preset.clock is not None:
        if domain.clock is None:
            # Without the timer: it follows below, and only a clock that has none of its own gets one.
            domain.clock = Clock(utc=clone(preset.clock.utc) if preset.clock.utc else None)
            domain.clock.timezone = preset.clock.timezone
        applied = domain.clock == preset.clock or applied
        applied = _fill(preset.clock, domain.clock, "timer") or applied
    return applied


def _fill(source: Any, target: Any, name: str) -> bool:
    value = getattr(source, name)
    if value is None:
        return False
    if getattr(target, name) is None:
        setattr(target, name, value if isinstance(value, str) else clone(value))
    return bool(getattr(target, name) == value)
