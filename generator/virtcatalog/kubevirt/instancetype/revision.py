"""ControllerRevisions: the copies of an instance type and a preference that a VM is pinned to.

Source: pkg/instancetype/revision/store.go, pkg/instancetype/compatibility/compatibility.go and
pkg/instancetype/upgrade/handler.go.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from virtcatalog.api.core import ControllerRevision
from virtcatalog.api.decode import convert, prune
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE
from virtcatalog.errors import VirtcatalogError
from virtcatalog.releases import Release

GROUP = "instancetype.kubevirt.io"
VERSION = "v1beta1"
OBJECT_NAME_LABEL = f"{GROUP}/object-name"
OBJECT_VERSION_LABEL = f"{GROUP}/object-version"

Spec = TypeVar("Spec", VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec)


class RevisionError(VirtcatalogError):
    """A ControllerRevision does not hold what KubeVirt reads from it."""


def is_replaced(revision: ControllerRevision) -> bool:
    """Whether virt-controller stores it anew, under another name, and removes it (upgrader.Upgrade)."""
    return revision.metadata.labels.get(OBJECT_VERSION_LABEL) != VERSION


def instancetype_of(revision: ControllerRevision, release: Release) -> VirtualMachineInstancetypeSpec:
    """Return the spec of the instance type, of either scope, that a ControllerRevision holds; RevisionError if none."""
    return _stored(revision, release, (INSTANCETYPE, CLUSTER_INSTANCETYPE), VirtualMachineInstancetypeSpec)


def preference_of(revision: ControllerRevision, release: Release) -> VirtualMachinePreferenceSpec:
    """Return the spec of the preference, of either scope, that a ControllerRevision holds; RevisionError if none."""
    return _stored(revision, release, (PREFERENCE, CLUSTER_PREFERENCE), VirtualMachinePreferenceSpec)


def _stored(revision: ControllerRevision, release: Release, kinds: tuple[str, str], spec: type[Spec]) -> Spec:
    name, stored = revision.metadata.name, revision.data
    if stored is None:
        raise RevisionError(f"ControllerRevision {name} holds no object")
    version, kind = stored.get("apiVersion"), stored.get("kind")
    if version != f"{GROUP}/{VERSION}":
        raise RevisionError(
            f"ControllerRevision {name} holds {version or 'an object without apiVersion'}; KubeVirt reads "
            f"{GROUP}/{VERSION} only since v1.7 (older releases rewrite older ones when the VM is reconciled); "
            "convert it with `virtcatalog convert`"
        )
    if kind not in kinds:
        raise RevisionError(f"ControllerRevision {name} holds a {kind or 'nameless kind'}, not a {kinds[0]}")
    try:
        return convert(prune(stored.get("spec") or {}, spec, release.minor)[0], spec)
    except msgspec.ValidationError as error:
        raise RevisionError(f"ControllerRevision {name} does not hold a valid {kind}: {error}") from error
