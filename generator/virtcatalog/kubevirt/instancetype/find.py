"""The instance type and preference that a VM means: by pinned revision, else by name.

Source: pkg/instancetype/find and pkg/instancetype/preference/find.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from virtcatalog.api.core import ControllerRevision
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE
from virtcatalog.api.kubevirt import InstancetypeMatcher, PreferenceMatcher, VirtualMachine
from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES, namespace_or_default
from virtcatalog.api.status import InstancetypeStatusRef
from virtcatalog.errors import Cause, VirtcatalogError, nearest
from virtcatalog.kubevirt.causes import invalid, not_found, not_supported
from virtcatalog.kubevirt.instancetype.revision import (
    OBJECT_NAME_LABEL,
    OBJECT_VERSION_LABEL,
    VERSION,
    RevisionError,
    instancetype_of,
    is_replaced,
    preference_of,
)
from virtcatalog.kubevirt.matchers import Matcher, instancetype_kind, preference_kind

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster, Instancetype, Preference
    from virtcatalog.releases import Release

T = TypeVar("T")


class NotFoundError(VirtcatalogError):
    """A VM names an instance type, preference or revision that is not there or cannot be read."""

    def __init__(self, cause: Cause) -> None:
        self.cause = cause
        super().__init__(f"{cause.field}: {cause.message}")


def find_instancetype(vm: VirtualMachine, cluster: Cluster) -> VirtualMachineInstancetypeSpec | None:
    """Return the spec of the VM's instance type, None when it names none; NotFoundError when it is not there.

    The spec is the cluster's own: do not change it.
    """
    matcher = vm.spec.instancetype
    if matcher is None:
        return None
    status = vm.status.instancetype_ref if vm.status is not None else None
    revision = _revision(vm, matcher, status, "instancetype", cluster)
    if revision is None:
        return named_instancetype(vm, matcher, cluster).spec
    return _read(revision, "instancetype", cluster.release, instancetype_of)


def find_preference(vm: VirtualMachine, cluster: Cluster) -> VirtualMachinePreferenceSpec | None:
    """Return the spec of the VM's preference, None when it names none; NotFoundError when it is not there.

    The spec is the cluster's own: do not change it.
    """
    matcher = vm.spec.preference
    if matcher is None:
        return None
    status = vm.status.preference_ref if vm.status is not None else None
    revision = _revision(vm, matcher, status, "preference", cluster)
    if revision is None:
        return named_preference(vm, matcher, cluster).spec
    return _read(revision, "preference", cluster.release, preference_of)


def missing_matchers(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Say which of the instance type and preference that a VM names are not there."""
    causes = []
    for find in (find_instancetype, find_preference):
        try:
            find(vm, cluster)
        except NotFoundError as error:
            causes.append(error.cause)
    return causes


def replaced_revisions(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Say which revisions that a VM names are gone when it starts: virt-controller stores them by another name."""
    causes = []
    for path, matcher in (("instancetype", vm.spec.instancetype), ("preference", vm.spec.preference)):
        name = matcher.revision_name if matcher is not None else ""
        revision = cluster.controller_revision(_namespace(vm), name) if name else None
        if revision is not None and is_replaced(revision):
            message = f"ControllerRevision {name} has no label {OBJECT_VERSION_LABEL}={VERSION}: KubeVirt replaces it"
            causes.append(not_found(f"spec.{path}.revisionName", f"{message}, and then misses it"))
    return causes


def named_instancetype(vm: VirtualMachine, matcher: InstancetypeMatcher, cluster: Cluster) -> Instancetype:
    """Return the instance type of the matcher's kind and name, whatever revision it is pinned to."""
    kind = instancetype_kind(matcher.kind)
    if kind is None:
        raise _unknown_kind(matcher, "instancetype")
    instancetype = cluster.instancetype(kind, _namespace(vm) if kind == INSTANCETYPE else "", matcher.name)
    if instancetype is None:
        raise _missing(vm, kind, matcher, "instancetype", cluster)
    return instancetype


def named_preference(vm: VirtualMachine, matcher: PreferenceMatcher, cluster: Cluster) -> Preference:
    """Return the preference of the matcher's kind and name, whatever revision it is pinned to."""
    kind = preference_kind(matcher.kind)
    if kind is None:
        raise _unknown_kind(matcher, "preference")
    preference = cluster.preference(kind, _namespace(vm) if kind == PREFERENCE else "", matcher.name)
    if preference is None:
        raise _missing(vm, kind, matcher, "preference", cluster)
    return preference


def _namespace(vm: VirtualMachine) -> str:
    return namespace_or_default(vm.metadata.namespace)


def _read(
    revision: ControllerRevision, path: str, release: Release, read: Callable[[ControllerRevision, Release], T]
) -> T:
    try:
        return read(revision, release)
    except RevisionError as error:
        raise NotFoundError(invalid(f"spec.{path}.revisionName", str(error))) from error


def _revision(
    vm: VirtualMachine, matcher: Matcher, status: InstancetypeStatusRef | None, path: str, cluster: Cluster
) -> ControllerRevision | None:
    """The revision that the VM is pinned to, None where it is not pinned."""
    if matcher.revision_name:
        return _controller_revision(vm, matcher.revision_name, f"spec.{path}.revisionName", cluster)
    if status is None or status.controller_revision_ref is None or not status.controller_revision_ref.name:
        return None
    field = f"status.{path}Ref.controllerRevisionRef.name"
    revision = _controller_revision(vm, status.controller_revision_ref.name, field, cluster)
    # The status may still name the revision of an object that the matcher has turned away from.
    return revision if revision.metadata.labels.get(OBJECT_NAME_LABEL) == matcher.name else None


def _controller_revision(vm: VirtualMachine, name: str, field: str, cluster: Cluster) -> ControllerRevision:
    revision = cluster.controller_revision(_namespace(vm), name)
    if revision is None:
        message = f"there is no ControllerRevision {_namespace(vm)}/{name}"
        raise NotFoundError(not_found(field, message))
    return revision


_DEPLOYED = {CLUSTER_INSTANCETYPE: RESERVED_INSTANCETYPES, CLUSTER_PREFERENCE: RESERVED_PREFERENCES}
_OTHER_SCOPE = {
    CLUSTER_INSTANCETYPE: INSTANCETYPE,
    INSTANCETYPE: CLUSTER_INSTANCETYPE,
    CLUSTER_PREFERENCE: PREFERENCE,
    PREFERENCE: CLUSTER_PREFERENCE,
}


def _missing(vm: VirtualMachine, kind: str, matcher: Matcher, path: str, cluster: Cluster) -> NotFoundError:
    key = (kind, _namespace(vm), matcher.name)
    hints = cluster.computed(_hints)
    if key not in hints:
        hints[key] = _hint(*key, path, cluster)
    message = f"there is no {kind} {matcher.name!r}{hints[key]}"
    return NotFoundError(not_found(f"spec.{path}.name", message))


def _hints(_cluster: Cluster) -> dict[tuple[str, str, str], str]:
    """What was said of names that are not there: looking for one that is like it takes long."""
    return {}


def _hint(kind: str, namespace: str, name: str, path: str, cluster: Cluster) -> str:
    other = _OTHER_SCOPE[kind]
    if name in cluster.names(other, namespace):
        return f"; there is a {other} of that name, which spec.{path}.kind has to say"
    release = cluster.release
    if name in _DEPLOYED.get(kind, ()) and (release.traits.deploys_dedicated_series or not name.startswith("d1.")):
        catalog = release.common_instancetypes
        return f"; {catalog}, which KubeVirt's operator deploys, has it: name that with -c, or give its objects"
    return nearest(name, cluster.names(kind, namespace))


def _unknown_kind(matcher: Matcher, path: str) -> NotFoundError:
    message = f"{matcher.kind!r} is no kind of {path}"
    return NotFoundError(not_supported(f"spec.{path}.kind", message))
