"""VirtualMachineInstancePresets: domain settings given to VMIs by label, deprecated in favour of instance types.

Source: pkg/virt-api/webhooks/mutating-webhook/mutators/preset.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.clock import Clock
from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstancePreset
from virtcatalog.api.names import APPLIED_PRESET, namespace_or_default
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.causes import crash
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.selectors import label_selector, selects

_APPLIED_PARTS: tuple[Path, ...] = (
    ("resources", "requests"),
    ("cpu",),
    ("firmware",),
    ("features",),
    ("ioThreadsPolicy",),
    ("devices", "watchdog"),
    ("clock",),
)
EXCLUSION_ANNOTATION = "virtualmachineinstancepresets.admission.kubevirt.io/exclude"


def apply_presets(vmi: VirtualMachineInstance, cluster: Cluster) -> list[Cause]:
    """Merge the presets that select the VMI into its domain; changes `vmi`.

    A preset never overrides what the VMI says. A cause (KubeVirt gives it no field) is a selector that cannot be
    evaluated, or two presets of this VMI that contradict each other.

    Source: applyPresets.
    """
    presets = cluster.presets(namespace_or_default(vmi.metadata.namespace))
    if not presets or vmi.metadata.annotations.get(EXCLUSION_ANNOTATION) == "true":
        return []
    for preset in presets:
        for problem in label_selector(preset.spec.selector, "spec.selector"):
            message = f"preset {preset.metadata.name}: {problem.field}: {problem.message}"
            return [Cause("", "", message)]
    matching = _matching(vmi, cluster)
    for preset in matching:
        if preset.spec.domain is None:
            return [crash(f"preset {preset.metadata.name} has no spec.domain, on which KubeVirt fails")]
    conflicts = _conflicts_between(matching)
    if conflicts:
        return [Cause("", "", f"the presets contradict each other: {'; '.join(conflicts)}")]
    for preset in matching:
        assert preset.spec.domain is not None
        if _merge(preset.spec.domain, vmi.spec.domain):
            vmi.metadata.annotations[APPLIED_PRESET + preset.metadata.name] = "kubevirt.io/v1"
    return []


def applied_presets(vmi: VirtualMachineInstance) -> list[str]:
    """Return the names of the presets that were applied to a VMI."""
    start = APPLIED_PRESET
    return [name.removeprefix(start) for name in vmi.metadata.annotations if name.startswith(start)]


def preset_warnings(vmi: VirtualMachineInstance, cluster: Cluster) -> list[Warning]:
    """What the VMI webhook remarks when presets were applied, of each of them; and what they say that does not hold.

    The VMI says otherwise then: presets that contradict each other refuse it.
    """
    namespace = namespace_or_default(vmi.metadata.namespace)
    if not cluster.presets(namespace):
        return []
    message = "presets are deprecated: use an instance type and a preference"
    about = f"VirtualMachineInstancePreset/{namespace}"
    warnings = [Warning("Deprecated", "", message, f"{about}/{name}") for name in applied_presets(vmi)]
    domain = dict(_leaves(to_manifest(vmi.spec.domain), ()))
    for preset in _matching(vmi, cluster):
        for path, value in _settings(preset.spec.domain):
            if domain.get(path) != value:
                outcome = f"the VM's own is kept, not {value!r}" if path in domain else f"{value!r} is left out"
                place = field_path(("spec", "domain", *path))
                warnings.append(Warning("Ignored", place, outcome, f"{about}/{preset.metadata.name}"))
    return warnings


def _matching(vmi: VirtualMachineInstance, cluster: Cluster) -> list[VirtualMachineInstancePreset]:
    """The presets that select a VMI, by name."""
    if vmi.metadata.annotations.get(EXCLUSION_ANNOTATION) == "true":
        return []
    presets = cluster.presets(namespace_or_default(vmi.metadata.namespace))
    matching = [preset for preset in presets if selects(preset.spec.selector, vmi.metadata.labels)]
    return sorted(matching, key=lambda preset: preset.metadata.name)


def _settings(domain: DomainSpec | None) -> Iterator[tuple[Path, Any]]:
    """The leaves of a preset that a VMI can get from it."""
    data = to_manifest(domain) if domain is not None else {}
    for path in _APPLIED_PARTS:
        part: Any = data
        for step in path:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None:
            yield from _leaves(part, path)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif not isinstance(value, dict):
        yield path, value


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
        if key in other.resources.requests and not amount.is_written_as(other.resources.requests[key]):
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
            domain.clock = replace(preset.clock, timer=None)
        applied = domain.clock == preset.clock or applied
        if preset.clock.timer is not None:
            domain.clock = replace(domain.clock, timer=domain.clock.timer or preset.clock.timer)
            applied = domain.clock.timer == preset.clock.timer or applied
    return applied


def _fill(source: Any, target: Any, name: str) -> bool:
    value = getattr(source, name)
    if value is None:
        return False
    if getattr(target, name) is None:
        setattr(target, name, value if isinstance(value, str) else clone(value))
    return bool(getattr(target, name) == value)
