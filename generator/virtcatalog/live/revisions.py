"""The instance type and preference that KubeVirt has stored for a VM, beside what these are now.

Source: pkg/instancetype/controller/vm/controller.go (Sync): a VM follows what was stored for it, until the revision is
cleared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from virtcatalog.api.core import ControllerRevision
from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.kinds import NAMESPACED_KINDS, vm_spec
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.revision import OBJECT_NAME_LABEL, RevisionError, instancetype_of, preference_of
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.live.managers import unmanaged
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.manifests.difference import Difference, differences
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, namespace_of
from virtcatalog.review.machines import machine_words
from virtcatalog.review.pinned import recreated, revisions

Which = Literal["instancetype", "preference"]
Past = Sequence[tuple[str, Mapping[tuple[str, str], str]]]
"""The catalog's releases, the oldest first: what each is called, and its specs as text, by `instancetype` or
`preference` and name."""


class Revision(NamedTuple):
    """A revision that KubeVirt keeps for a VM, of its instance type or preference, which has a name and a kind.

    `missing` is the revision's name when it could not be read. `changes` are what the instance type or preference has
    become since; `gone` says that there is none of its name any more. `release` is the one of the catalog that has it
    as the revision does, "" when none does.
    """

    which: Which
    name: str
    kind: str = ""
    missing: str = ""
    changes: tuple[Difference, ...] = ()
    gone: bool = False
    release: str = ""


def stored_revisions(vm: Data, cluster: Cluster, past: Past) -> Iterator[Revision]:
    """Yield the revisions that KubeVirt keeps for a VM of the cluster; `cluster` has those that could be read."""
    namespace = namespace_of(vm)
    for matcher, revision_name in revisions(vm):
        which: Which = "preference" if matcher == "preference" else "instancetype"
        spec = vm_spec(vm)[which]
        stored = cluster.controller_revision(namespace, revision_name)
        if stored is None:
            yield Revision(which, str(spec.get("name") or ""), missing=revision_name)
            continue
        name = str(spec.get("name") or stored.metadata.labels.get(OBJECT_NAME_LABEL) or "")
        try:
            before = to_manifest(
                (instancetype_of if which == "instancetype" else preference_of)(stored, cluster.release)
            )
        except RevisionError as error:
            yield Revision(which, name, missing=f"{revision_name} ({error})")
            continue
        release = release_of(which, name, before, past)
        kind = MATCHERS[which](str(spec.get("kind") or "")) or ""
        now = _object(which, kind, namespace, name, cluster)
        if now is None:
            yield Revision(which, name, kind, gone=True, release=release)
        else:
            yield Revision(which, name, kind, changes=tuple(differences(before, now)), release=release)


def decoded(revision: Data) -> ControllerRevision:
    """Return a ControllerRevision of the cluster."""
    return decode_manifest(unmanaged(revision), ControllerRevision)


def with_revisions(vm: Data, snapshot: Snapshot, cluster: Cluster, *names: str) -> Cluster:
    """Return the cluster with the revisions that a VM names, and those of these names."""
    namespace = namespace_of(vm)
    stored = {}
    for name in {*(name for _, name in revisions(vm)), *names}:
        if cluster.controller_revision(namespace, name) is not None:
            continue
        revision = snapshot.revision(namespace, name)
        if revision is not None:
            with suppress(ManifestError):  # then it counts as one that could not be read
                stored[namespace, name] = decoded(revision)
    return cluster.with_revisions(stored) if stored else cluster


class Started(NamedTuple):
    """The spec of a VM as its machine was started, None where it is not known; and what it met, and meets, there."""

    spec: Data | None
    meets: Cluster


def started(vm: Data, vmi: Data, snapshot: Snapshot, cluster: Cluster) -> Started:
    """Return what a machine was started with: a revision holds that, and names those of its type and preference."""
    name = str((vmi.get("status") or {}).get("virtualMachineRevisionName") or "")
    revision = snapshot.revision(namespace_of(vm), name) if name else None
    spec = ((revision or {}).get("data") or {}).get("spec")
    if not isinstance(spec, dict):
        return Started(None, with_revisions(vm, snapshot, cluster))
    references = (map_at(spec, matcher) for matcher in MATCHERS)
    names = (str(reference["revisionName"]) for reference in references if reference.get("revisionName"))
    return Started(spec, with_revisions(vm, snapshot, cluster, *names))


def refreshed(vm: Data, cluster: Cluster) -> list[str]:
    """Say what a VM becomes when its revisions are cleared, in words for people; `cluster` has these revisions."""
    before, after = create_vmi(vm, cluster), create_vmi(recreated(vm), cluster)
    if not after.admitted:
        return [f"it is refused: {after.reasons[0]}"]
    return machine_words(before.vmi_object, after.vmi_object)


def release_of(which: Which, name: str, spec: Data, past: Past) -> str:
    """Return the last release of the catalog that has an object so, "" when none does."""
    if not past:
        return ""
    text = content(spec)
    return next((release for release, specs in reversed(past) if specs.get((which, name)) == text), "")


def content(spec: Any) -> str:
    """Return a spec as text: two that are the same give the same."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"))


def _object(which: Which, kind: str, namespace: str, name: str, cluster: Cluster) -> Data | None:
    """What the object is now whose copy a VM has."""
    find = cluster.instancetype if which == "instancetype" else cluster.preference
    obj = find(kind, namespace if kind in NAMESPACED_KINDS else "", name)
    return None if obj is None else to_manifest(obj.spec)
