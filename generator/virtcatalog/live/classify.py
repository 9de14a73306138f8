"""What the differences of one VM's stages mean: its reasons, and what is noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import ManifestError, UnsupportedError, some
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.rollout.running import MIGRATION_REQUIRED
from virtcatalog.live.arriving import comes_with_a_migration
from virtcatalog.live.clusters import not_known
from virtcatalog.live.compare import Waiting, synced, vm_of, waiting
from virtcatalog.live.disks import other_disks
from virtcatalog.live.machine import condition, controller_of, failures, has_ended, is_of, state, without_machine
from virtcatalog.live.managers import Managers
from virtcatalog.live.redaction import redacted
from virtcatalog.live.revisions import (
    Past,
    Revision,
    refreshed,
    started,
    stored_revisions,
    with_revisions,
)
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.live.syncing import differing, not_in_git, switched
from virtcatalog.live.verdict import IN_GIT, Drift, Field, Noise, Reason, Stages, ordered
from virtcatalog.manifests.difference import Difference
from virtcatalog.manifests.identity import Data

Stored = Callable[[], VirtualMachine]
"""Decodes the VM of the cluster once; UnsupportedError when its release's API does not have all of it."""


def drift_of(name: str, wanted: Data | None, snapshot: Snapshot, cluster: Cluster, past: Past = ()) -> Drift:
    """Return what is so of a VM, by `namespace/name`: in Git, in the cluster, and of the machine that runs.

    `wanted` is its manifest in Git; fields that Git has are in the place `IN_GIT`. `cluster` has what VMs refer to.
    What could not be read of the VM, or is not modelled, is a reason, too.
    """
    live, vmi = snapshot.vm(name), snapshot.vmi(name)
    if live is None:
        return _without_vm(name, snapshot, vmi)
    meets = with_revisions(live, snapshot, cluster)
    stored = cache(partial(vm_of, live, meets))
    reasons: list[Reason] = []
    noise: list[Noise] = []
    git, vm_word = _git_stage(wanted, live, stored, meets, reasons, noise)
    vmi_word = _vmi_stage(live, stored, vmi, snapshot, meets, reasons, noise)
    reasons += failures(live)
    reasons += _disks(stored, meets)
    runs = dict(_types(live, snapshot, meets, past, reasons))
    return Drift(
        vm=name,
        stages=Stages(git, vm_word, vmi_word),
        reasons=ordered(reasons),
        noise=tuple(noise),
        runs=runs,
    )


def _disks(stored: Stored, cluster: Cluster) -> list[Reason]:
    """The disks that stay as they were made; of a VM that is not modelled another stage says so."""
    try:
        reason = other_disks(stored(), cluster)
    except UnsupportedError:
        return []
    return [reason] if reason is not None else []


def _without_vm(name: str, snapshot: Snapshot, vmi: Data | None) -> Drift:
    unread = snapshot.absent("VirtualMachine", name)
    if unread:
        reason = Reason(kind="unread", message=f"the cluster's VMs are not known: {unread}")
    else:
        reason = Reason(kind="only-in-git", message="the cluster has no VM of this name")
    stages = Stages("there", "unread" if unread else "none", "runs" if vmi is not None else "none")
    return Drift(vm=name, stages=stages, reasons=(reason,))


def _git_stage(
    wanted: Data | None, live: Data, stored: Stored, cluster: Cluster, reasons: list[Reason], noise: list[Noise]
) -> tuple[str, str]:
    """Judge the VM of the cluster by Git's; return the words for both."""
    managers = Managers(live)
    metadata = live["metadata"]
    if metadata.get("deletionTimestamp"):
        since = str(metadata["deletionTimestamp"])
        reasons.append(Reason(kind="deleting", message="its deletion was asked for", since=since))
    if wanted is None:
        if controller_of(live) is None:
            reasons.append(not_in_git(metadata, managers))
        return "none", "there"
    manifest = redacted(wanted)
    reasons += switched(manifest, live, managers)
    try:
        result = synced(manifest, live, stored(), cluster)
    except (UnsupportedError, ManifestError) as error:
        reasons.append(Reason(kind="unread", message=f"Git and the VM cannot be compared: {error}"))
        return "there", "not known"
    if result.refused:
        fields = tuple(Field(reason.field, place=IN_GIT) for reason in result.refused)
        message = "; ".join(str(reason) for reason in result.refused)
        reasons.append(Reason(kind="refused", message=message, fields=fields, wins="hand"))
        return "there", "refused"
    reasons += differing(result, live, wanted, managers, noise)
    number = sum(len(reason.fields) for reason in reasons if reason.kind in ("edited", "behind", "stopped", "started"))
    return "there", f"{number} other" if number else "same"


def _vmi_stage(
    live: Data,
    stored: Stored,
    vmi: Data | None,
    snapshot: Snapshot,
    cluster: Cluster,
    reasons: list[Reason],
    noise: list[Noise],
) -> str:
    """Judge the machine by its VM; return the word for it."""
    if vmi is None or not is_of(vmi, live):
        word, reason = without_machine(live, vmi, snapshot.unread("VirtualMachineInstance"))
        reasons += [reason] if reason is not None else []
        return word
    word, wrong = state(vmi, live)
    reasons += wrong
    if has_ended(vmi):
        return word
    then, meets = started(live, vmi, snapshot, cluster)
    try:
        due = waiting(live, stored(), vmi, then, meets)
    except (UnsupportedError, ManifestError) as error:
        reasons.append(Reason(kind="unread", message=f"the VM and its machine cannot be compared: {error}"))
        return "not known"
    if due.refused:
        message = "; ".join(str(reason) for reason in due.refused)
        reasons.append(Reason(kind="refused", message=f"its next start fails: {message}"))
    waits = [*_waits(due, live, cluster, noise)]
    reasons += waits
    if all(reason.kind != "migration" for reason in waits):
        reasons += _moves(vmi)
    number = len(due.restart) + len(due.arriving) + len(due.alone)
    return f"{number} other" if number else word


def _moves(vmi: Data) -> Iterator[Reason]:
    """Yield that a machine has what its VM wants, and its guest only once it has moved: False is in a while."""
    required = condition(vmi, MIGRATION_REQUIRED) or condition(vmi, MIGRATION_REQUIRED, "False")
    if required is not None:
        since = str(required.get("lastTransitionTime") or "")
        yield Reason(kind="migration", message=f"KubeVirt has set {MIGRATION_REQUIRED}", since=since)


def _waits(due: Waiting, live: Data, cluster: Cluster, noise: list[Noise]) -> Iterator[Reason]:
    required = condition(live, "RestartRequired")
    since = str(required.get("lastTransitionTime") or "") if required is not None else ""
    managers = Managers(live)
    if required is None:
        migrating = [*filter(comes_with_a_migration, due.arriving)]
        if migrating:
            yield Reason(kind="migration", fields=_fields((*due.turned, *migrating), managers))
        following = [difference for difference in due.arriving if difference not in migrating]
        if following:
            yield Reason(kind="following", fields=_fields(following, managers))
    if due.alone:
        fields = tuple(Field(difference.field, difference.old, difference.new) for difference in due.alone)
        yield Reason(kind="restart", message="its machine alone has it, until it starts again", fields=fields)
    waits = (*due.restart, *(due.arriving if required is not None else ()))
    if waits:
        fields = _fields((*due.turned, *waits), managers)
        since = since or max((field.writer.when for field in fields if field.writer is not None), default="")
        message = "" if required is not None else "KubeVirt has not set RestartRequired"
        yield Reason(kind="restart", message=message, fields=fields, since=since)
    elif required is not None and due.basis == "revision" and cluster.release.traits.takes_restart_back:
        message = "KubeVirt has set RestartRequired, and no field is seen that waits for it"
        yield Reason(kind="restart", message=message, since=since)
    elif required is not None:
        noise.append(Noise("status.conditions", "RestartRequired is set, and no field waits for a restart"))


def _fields(differences: Iterable[Difference], managers: Managers) -> tuple[Field, ...]:
    return tuple(
        Field(difference.field, difference.old, difference.new, managers.writer(difference.path))
        for difference in differences
    )


def _types(
    live: Data, snapshot: Snapshot, cluster: Cluster, past: Past, reasons: list[Reason]
) -> Iterator[tuple[str, str]]:
    """Judge the stored type and preference of a VM by what these are now; yield the catalog's releases they are of."""
    for revision in stored_revisions(live, cluster, past):
        if revision.release:
            yield revision.which, revision.release
        if revision.missing:
            message = f"the revision {revision.missing} of its {revision.which} could not be read"
            reasons.append(Reason(kind="unread", message=message))
        elif revision.gone and (unread := snapshot.unread(revision.kind)):
            reasons.append(not_known(revision.which, revision.name, unread))
        elif revision.changes or revision.gone:
            reasons.append(_old_revision(revision, live, cluster))


def _old_revision(revision: Revision, live: Data, cluster: Cluster) -> Reason:
    of = f"{revision.which} {revision.name}" + (f" as of {revision.release}" if revision.release else "")
    if revision.gone:
        return Reason(kind="pinned", message=f"{of}, which the cluster has no more")
    try:
        words = refreshed(live, cluster)
    except UnsupportedError as error:
        words = [f"what a refresh does is not known: {error}"]
    fields = tuple(Field(difference.field, difference.old, difference.new) for difference in revision.changes)
    gives = f"; refreshed: {some(words, 3)}" if words else "; a refresh changes nothing of this VM"
    return Reason(kind="pinned", message=f"{of}{gives}", fields=fields)
