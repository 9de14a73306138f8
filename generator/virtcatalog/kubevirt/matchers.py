"""How a VM names its instance type and preference: spellings of their kinds, and rules for them; annotations of a VMI.

Source: pkg/instancetype/webhooks/vm/mutator.go, staging/src/kubevirt.io/api/instancetype/register.go;
pkg/instancetype/apply/annotations.go, pkg/instancetype/annotations/annotations.go and
pkg/instancetype/preference/annotations/annotations.go.
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, INSTANCETYPE_KINDS, PREFERENCE
from virtcatalog.api.kubevirt import InstancetypeMatcher, PreferenceMatcher, VirtualMachine
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, not_found, not_supported

Matcher = InstancetypeMatcher | PreferenceMatcher
FAILURE_POLICIES = ("Ignore", "Reject")


def _spellings(cluster_kind: str, *kinds: str) -> dict[str, str]:
    spellings = {"": cluster_kind}
    for kind in (cluster_kind, *kinds):
        spellings[kind.lower()] = spellings[f"{kind.lower()}s"] = kind
    return spellings


_INSTANCETYPES = _spellings(CLUSTER_INSTANCETYPE, INSTANCETYPE)
_PREFERENCES = _spellings(CLUSTER_PREFERENCE, PREFERENCE)


def instancetype_kind(kind: str) -> str | None:
    """Return the kind that a matcher's `kind` means (singular, plural, any case; silence is cluster-wide), or None."""
    return _INSTANCETYPES.get(kind.lower())


def preference_kind(kind: str) -> str | None:
    """Return the kind that a preference matcher's `kind` means, or None; see `instancetype_kind`."""
    return _PREFERENCES.get(kind.lower())


MATCHERS = {"instancetype": instancetype_kind, "preference": preference_kind}
"""The matchers of a VM's spec, each with what makes the kind that it means of the kind that it names."""


def matcher_of(kind: str) -> str:
    """Return the matcher that names objects of a kind of instance types or preferences."""
    return "instancetype" if kind in INSTANCETYPE_KINDS else "preference"


def matched_objects(vm: VirtualMachine) -> list[tuple[str, str]]:
    """Return kind and name of the instance type and preference that a VM names; without what is of no such kind."""
    matchers = [(getattr(vm.spec, name), kind_of) for name, kind_of in MATCHERS.items()]
    kinds = [(kind_of(matcher.kind), matcher.name) for matcher, kind_of in matchers if matcher is not None]
    return [(kind, name) for kind, name in kinds if kind is not None]


def validate_matchers(vm: VirtualMachine) -> list[Cause]:
    """Return what is wrong with the VM's matchers themselves; the preference's is looked at when the other is fine."""
    return _validate(vm.spec.instancetype, "spec.instancetype") or _validate(vm.spec.preference, "spec.preference")


def _validate(matcher: Matcher | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if matcher is None:
        return causes
    if not matcher.name and not matcher.infer_from_volume:
        causes.append(not_found(path, "give name or inferFromVolume"))
    if matcher.infer_from_volume:
        for key, value in (("name", matcher.name), ("kind", matcher.kind)):
            if value:
                message = f"{key} and inferFromVolume exclude each other"
                causes.append(not_supported(f"{path}.{key}", message))
    policy = matcher.infer_from_volume_failure_policy
    if policy is not None and policy not in FAILURE_POLICIES:
        message = f"{policy!r} is not a failure policy: use {' or '.join(FAILURE_POLICIES)}"
        causes.append(invalid(f"{path}.inferFromVolumeFailurePolicy", message))
    return causes


NAMING = {
    INSTANCETYPE: "kubevirt.io/instancetype-name",
    CLUSTER_INSTANCETYPE: "kubevirt.io/cluster-instancetype-name",
    PREFERENCE: "kubevirt.io/preference-name",
    CLUSTER_PREFERENCE: "kubevirt.io/cluster-preference-name",
}
"""The annotation that names what a VMI has, by its kind."""


def apply_annotations(annotations: dict[str, str], metadata: ObjectMeta) -> list[str]:
    """Add an instance type's annotations; returns those that the VM has with another value."""
    conflicts = []
    for key, value in annotations.items():
        if metadata.annotations.setdefault(key, value) != value:
            conflicts.append(f"annotations.{key}")
    return conflicts


def set_annotations(vm: VirtualMachine, metadata: ObjectMeta) -> None:
    """Note the names of the VM's instance type and preference in the annotations of its VMI."""
    instancetype, preference = vm.spec.instancetype, vm.spec.preference
    if instancetype is not None and (kind := instancetype_kind(instancetype.kind)):
        metadata.annotations[NAMING[kind]] = instancetype.name
    if preference is not None and (kind := preference_kind(preference.kind)):
        metadata.annotations[NAMING[kind]] = preference.name
