"""What the webhooks of VMs make of one that is updated.

Source: pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go, pkg/instancetype/webhooks/vm/mutator.go and
pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go, with the operation UPDATE.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.admission.vm import admit_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.webhooks import mutate_updated_vm
from virtcatalog.kubevirt.matchers import Matcher


def admit_update(vm: VirtualMachine, old: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Give a VM that is updated what its webhook gives it, and say why it is refused; changes `vm`."""
    return (
        list(_turned(vm.spec.instancetype, old.spec.instancetype, "spec.instancetype"))
        or list(_turned(vm.spec.preference, old.spec.preference, "spec.preference"))
        or mutate_updated_vm(vm, cluster)
        or admit_vm(vm, cluster, updated=True)
    )


def _turned(new: Matcher | None, old: Matcher | None, path: str) -> Iterator[Cause]:
    """A revision belongs to the object that it was made of (validateMatcherUpdate)."""
    if new is None or old is None or not new.revision_name or new.name == old.name:
        return
    if new.revision_name == old.revision_name:
        message = f"is a revision of {old.name!r}: clear it, or name one of {new.name!r}"
        yield invalid(f"{path}.revisionName", f"{new.revision_name!r} {message}")
