"""The annotations of an instance type, and those that name it.

Source: pkg/instancetype/apply/annotations.go, pkg/instancetype/annotations/annotations.go and
pkg/instancetype/preference/annotations/annotations.go.
"""

from __future__ import annotations

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.kubevirt.matchers import instancetype_kind, preference_kind

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
