"""What virt-controller does about a VM's instance type and preference: it keeps their revisions, or expands the VM.

Source: pkg/instancetype/controller/vm/controller.go (Sync), pkg/instancetype/revision/store.go (Store).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from virtcatalog.api.core import ControllerRevision
from virtcatalog.api.decode import clone, convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceTemplateSpec
from virtcatalog.api.status import ControllerRevisionRef, InstancetypeStatusRef, VirtualMachineStatus
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.cluster import Cluster, Instancetype, Preference
from virtcatalog.kubevirt.controller.vm import ControllerError, sync_instancetype
from virtcatalog.kubevirt.instancetype.apply import apply_instancetype, apply_to_vmi
from virtcatalog.kubevirt.instancetype.find import (
    NotFoundError,
    find_instancetype,
    find_preference,
    named_instancetype,
    named_preference,
)
from virtcatalog.kubevirt.instancetype.pin import revision_of
from virtcatalog.kubevirt.matchers import Matcher, instancetype_kind, preference_kind
from virtcatalog.kubevirt.rollout.running import Running, SyncError


def applied(vm: VirtualMachine, cluster: Cluster) -> VirtualMachineInstanceTemplateSpec:
    """Return the VM's template with its instance type and preference; SyncError when they cannot be applied.

    Source: pkg/instancetype/apply/vm.go (ApplyToVM).
    """
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return vm.spec.template
    try:
        instancetype, preference = find_instancetype(vm, cluster), find_preference(vm, cluster)
    except NotFoundError as error:
        raise SyncError(error.cause) from error
    template = clone(vm.spec.template)
    conflicts = apply_to_vmi(
        "spec.template.spec", instancetype, preference, template.spec, template.metadata, cluster.release.traits
    )
    if conflicts:
        raise SyncError(*conflicts)
    return template


def sync_references(running: Running, vm: VirtualMachine) -> VirtualMachine | None:
    """Keep the revisions of what the VM refers to; changes `running` and the status of `vm`, the controller's copy.

    Returns the VM as it is to be stored instead when the reference policy has it expanded. SyncError when something
    is missing or cannot be applied.
    """
    cluster = running.cluster
    if vm.spec.instancetype is None and vm.spec.preference is None:
        return None
    try:
        find_instancetype(vm, cluster)
        find_preference(vm, cluster)
    except NotFoundError as error:
        raise SyncError(error.cause) from error
    policy = cluster.configuration.instancetype_reference_policy
    if policy not in ("expand", "expandAll"):
        _store(running, vm)
        return None
    if policy == "expand" and _stored(vm):
        return None
    try:
        return sync_instancetype(vm, cluster)
    except ControllerError as error:
        raise SyncError(*error.causes) from error


def forget_references(running: Running, before: VirtualMachine) -> None:
    """Drop the revisions of a VM that has been expanded, and what its status says of them; changes `running`."""
    names = _stored(before)
    if names:
        running.keep({(running.namespace, name): None for name in names})
    if running.vm.status is not None:
        running.vm.status.instancetype_ref = running.vm.status.preference_ref = None


def revision_names(vm: VirtualMachine) -> tuple[str, str]:
    """Return the names of the stored instance type and preference, "" where there is none."""
    status = vm.status
    statuses = (status.instancetype_ref, status.preference_ref) if status is not None else (None, None)
    instancetype, preference = (
        reference.controller_revision_ref.name
        if reference is not None and reference.controller_revision_ref is not None
        else ""
        for reference in statuses
    )
    return instancetype, preference


def _stored(vm: VirtualMachine) -> list[str]:
    return [name for name in revision_names(vm) if name]


def _store(running: Running, vm: VirtualMachine) -> None:
    status = vm.status = clone(vm.status) if vm.status is not None else VirtualMachineStatus()
    if vm.spec.instancetype is not None:
        create = partial(_create_instancetype, running, vm)
        status.instancetype_ref = _followed(vm.spec.instancetype, status.instancetype_ref, create)
    if vm.spec.preference is not None:
        create = partial(_create_preference, running, vm)
        status.preference_ref = _followed(vm.spec.preference, status.preference_ref, create)


def _followed(
    matcher: Matcher, reference: InstancetypeStatusRef | None, create: Callable[[], str]
) -> InstancetypeStatusRef:
    """What the status says of a matcher: another name or kind renews the revision (syncStatusWithMatcher).

    The webhook has put names in place of volumes to infer from.
    """
    now = clone(reference) if reference is not None else InstancetypeStatusRef()
    turned = False
    if matcher.name and matcher.name != now.name:
        now.name, turned = matcher.name, True
    if matcher.kind and matcher.kind != now.kind:
        now.kind, turned = matcher.kind, True
    if turned:
        now.controller_revision_ref = None
    if matcher.revision_name:
        now.controller_revision_ref = ControllerRevisionRef(name=matcher.revision_name)
    if now.controller_revision_ref is None:
        now.controller_revision_ref = ControllerRevisionRef(name=create())
    return now


def _create_instancetype(running: Running, vm: VirtualMachine) -> str:
    """Store the instance type; its annotations stay in the controller's copy of the template.

    Source: createInstancetypeRevision, checkForInstancetypeConflicts.
    """
    matcher, template = vm.spec.instancetype, vm.spec.template
    assert matcher is not None
    try:
        instancetype = named_instancetype(vm, matcher, running.cluster)
    except NotFoundError as error:
        raise SyncError(error.cause) from error
    conflicts = apply_instancetype(
        instancetype.spec, None, clone(template.spec), template.metadata, path="spec.template.spec"
    )
    if conflicts:
        raise SyncError(*(invalid(field, "the instance type decides this") for field in conflicts))
    return _keep(running, vm, str(instancetype_kind(matcher.kind)), instancetype)


def _create_preference(running: Running, vm: VirtualMachine) -> str:
    """Store the preference. Source: createPreferenceRevision."""
    matcher = vm.spec.preference
    assert matcher is not None
    try:
        preference = named_preference(vm, matcher, running.cluster)
    except NotFoundError as error:
        raise SyncError(error.cause) from error
    return _keep(running, vm, str(preference_kind(matcher.kind)), preference)


def _keep(running: Running, vm: VirtualMachine, kind: str, obj: Instancetype | Preference) -> str:
    """Store an object for the VM, and return the revision's name (storeControllerRevision)."""
    revision = convert(revision_of(vm, kind, obj, *running.identity_of(kind, obj)), ControllerRevision)
    place = running.namespace, revision.metadata.name
    there = running.cluster.controller_revision(*place)
    if there is None:
        running.keep({place: revision})
    elif (there.data or {}).get("spec") != (revision.data or {}).get("spec"):
        message = f"there is a ControllerRevision {'/'.join(place)} already, which holds something else"
        raise SyncError(invalid("", message))
    return revision.metadata.name
