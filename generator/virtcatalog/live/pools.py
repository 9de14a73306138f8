"""Pools in Git beside those of the cluster, and what Git's pool makes of each VM of the cluster's.

Source: pkg/virt-controller/watch/pool/pool.go (update, indexVMSpec): a pool updates those of its VMs whose template was
an older one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachinePool
from virtcatalog.errors import ManifestError, counted
from virtcatalog.kubevirt.controller.vm import POOL_REVISION_LABEL, vm_of_pool
from virtcatalog.live.compare import Synced, applied_before, bare
from virtcatalog.live.machine import controller_of
from virtcatalog.live.managers import Managers
from virtcatalog.live.redaction import redacted
from virtcatalog.live.syncing import differing, not_in_git
from virtcatalog.live.verdict import POOL, Drift, Noise, Reason, Stages, Wins, ordered
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import three_way
from virtcatalog.releases import Release

_OF_VM: Final = "spec.virtualMachineTemplate."


def pool_of(vm: Data) -> str:
    """Return the name of the pool that a VM of the cluster is of, "" for one of none."""
    owner = controller_of(vm)
    return str(owner.get("name")) if owner is not None and owner.get("kind") == POOL else ""


def wanted_vm(pool: Data, vm: Data, release: Release) -> Data | None:
    """Return the manifest that a pool of Git has for a VM of the cluster; None for one that it would not name so.

    Which template of the pool a VM was made of is the cluster's own count. None, too, for a pool that cannot be read.
    """
    try:
        decoded = decode_manifest(pool, VirtualMachinePool)
    except ManifestError:
        return None
    number = str(vm["metadata"]["name"]).removeprefix(f"{decoded.metadata.name}-")
    if not number.isdecimal():
        return None
    wanted: Data = to_manifest(vm_of_pool(decoded, release, int(number)))
    for of_git, of_cluster in (
        (wanted, vm),
        (wanted["spec"]["template"], (vm.get("spec") or {}).get("template") or {}),
    ):
        _take_revision(of_git["metadata"]["labels"], of_cluster.get("metadata") or {})
    return wanted


def _take_revision(labels: dict[str, str], metadata: Data) -> None:
    of_vm = metadata.get("labels")
    revision = of_vm.get(POOL_REVISION_LABEL) if isinstance(of_vm, dict) else None
    if revision is None:
        labels.pop(POOL_REVISION_LABEL, None)
    else:
        labels[POOL_REVISION_LABEL] = revision


def of_pool(drift: Drift, pool: Data) -> Drift:
    """Return what is so of a pool's VM: the pool brings what it has not yet, and leaves what was changed by hand."""
    return replace(
        drift,
        reasons=tuple(
            replace(reason, wins=_brings(pool) if reason.kind == "behind" else "hand") if reason.wins else reason
            for reason in drift.reasons
        ),
    )


def _brings(pool: Data) -> Wins:
    spec = pool.get("spec") or {}
    return "hand" if spec.get("paused") or "unmanaged" in (spec.get("updateStrategy") or {}) else "controller"


def in_pool(field: str) -> str:
    """Return what a field of a pool's VM is in its pool."""
    return f"{_OF_VM}{field}"


def pool_drift(name: str, wanted: Data | None, live: Data | None, unread: str) -> Drift:
    """Return what is so of a pool, by `namespace/name`: as Git has it, and as the cluster does.

    `unread` says why the cluster's pools are not known, "" where they are.
    """
    if live is None:
        reason = (
            Reason(kind="unread", message=f"the cluster's pools are not known: {unread}")
            if unread
            else Reason(kind="only-in-git", message="the cluster has no pool of this name")
        )
        return Drift(vm=name, kind=POOL, stages=Stages("there", "unread" if unread else "none"), reasons=(reason,))
    managers = Managers(live)
    if wanted is None:
        return Drift(
            vm=name, kind=POOL, stages=Stages("none", "there"), reasons=(not_in_git(live["metadata"], managers),)
        )
    noise: list[Noise] = []
    manifest = redacted(wanted)
    try:
        reasons = [*differing(_compared(manifest, live), live, manifest, managers, noise)]
    except ManifestError as error:
        reasons = [Reason(kind="unread", message=f"Git and the pool cannot be compared: {error}")]
    number = sum(len(reason.fields) for reason in reasons)
    word = f"{number} other" if number else "not known" if reasons else "same"
    reasons += _scaling(live)
    return Drift(vm=name, kind=POOL, stages=Stages("there", word), reasons=ordered(reasons), noise=tuple(noise))


def _scaling(live: Data) -> Iterator[Reason]:
    """Yield that a pool has not as many VMs as its spec in the cluster says; its status leaves out that it has none."""
    spec, status = live.get("spec") or {}, live.get("status")
    wanted, there = spec.get("replicas", 1), status.get("replicas", 0) if status else None
    if there is not None and there != wanted:
        paused = "; it is paused" if spec.get("paused") else ""
        yield Reason(kind="following", message=f"it has {there} of {counted(wanted, 'VM')}{paused}")


def _compared(wanted: Data, live: Data) -> Synced:
    """What the next sync does to a pool, as `synced` says it of a VM; no webhook changes pools."""
    here, there, before = bare(wanted, live), bare(live, live), applied_before(live)
    merged = _decoded(three_way(before, here, there))
    extras = (extra for extra in differences(_decoded(here), merged) if extra.old is None)
    return Synced(changes=tuple(differences(_decoded(there), merged)), extras=tuple(extras), before=before)


def _decoded(pool: Data) -> Any:
    """A pool as the API has it: amounts are the same however they are written."""
    data = to_manifest(decode_manifest(pool, VirtualMachinePool))
    metadata = data.get("metadata") or {}
    return {
        "metadata": {key: metadata.get(key) or {} for key in ("labels", "annotations")},
        "spec": data.get("spec") or {},
    }
