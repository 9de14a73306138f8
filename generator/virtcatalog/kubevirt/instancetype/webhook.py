"""What the VM mutating webhook does about instance types and preferences.

Source: pkg/instancetype/webhooks/vm/mutator.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_preference
from virtcatalog.kubevirt.instancetype.infer import infer_matchers
from virtcatalog.kubevirt.preference import apply_architecture, apply_machine

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster


def mutate_matchers(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Infer the matchers, then take from the preference what the VM must have before its defaults; changes `vm`.

    That is the architecture, the machine type and the storage class of dataVolumeTemplates. A preference that does
    not exist is left for virt-controller to find missing.
    """
    causes = infer_matchers(vm, cluster)
    if causes or vm.spec.preference is None:
        return causes
    try:
        preference = find_preference(vm, cluster)
    except NotFoundError:
        return []
    if preference is None or not takes(preference):
        return []
    template = vm.spec.template.spec
    apply_architecture(preference, template)
    if preference.machine is not None:
        apply_machine(preference.machine, template.domain)
    if preference.volumes is not None and preference.volumes.preferred_storage_class_name:
        _set_storage_class(vm, preference.volumes.preferred_storage_class_name)
    return []


def takes(preference: VirtualMachinePreferenceSpec) -> bool:
    """Whether this webhook takes anything from a preference."""
    storage_class = preference.volumes is not None and preference.volumes.preferred_storage_class_name
    return bool(preference.preferred_architecture or preference.machine is not None or storage_class)


def _set_storage_class(vm: VirtualMachine, name: str) -> None:
    for template in vm.spec.data_volume_templates:
        for claim in (template.spec.pvc, template.spec.storage):
            if claim is not None and claim.storage_class_name is None:
                claim.storage_class_name = name
