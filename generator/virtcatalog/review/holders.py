"""What a change does to the VMs of a VirtualMachinePool or VirtualMachineInstanceReplicaSet, and to a VMI without a VM.

Source: pkg/virt-controller/watch/replicaset/replicaset.go (execute, scale), admitters/vmi-update-admitter.go.
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.kinds import replicas
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.identity import Data
from virtcatalog.review.pools import changed_pool, is_scaled, unchanged_pool
from virtcatalog.review.running import Running
from virtcatalog.review.verdict import Part, PartKind, Verdict

_LEFT = Running(next="kept")
"""A VMI is never started again, and a ReplicaSet changes none: it makes new ones of its template."""
_LEFT_VMI = Running(next="kept", reasons=("a VirtualMachineInstance without a VM is never started again",))


def running_held(old: Data, new: Data, base: Cluster, head: Cluster) -> Running:
    """Return what becomes of the VMs of a pool or ReplicaSet, or of a VMI, as `running` does of a VM.

    Of VMs that the pool leaves as they are the next start is "kept".
    """
    change = _held(old, new, base, head)
    if change.now in ("refused", "unknown", "unchanged"):
        return replace(change, part=None)
    return change if change.part is not None else replace(change, part=all_of(old))


def all_of(manifest: Data) -> Part | None:
    """Return all VMs that a pool or ReplicaSet stands for; None where it has none, and for what is one VM."""
    number = replicas(manifest)
    return Part(_kind(manifest), number, number) if number else None


def none_of(manifest: Data) -> Part | None:
    """Return that it is a pool or ReplicaSet to none of whose VMs anything happens; None for what is one VM."""
    number = replicas(manifest)
    return Part(_kind(manifest), 0, number) if number is not None else None


def with_next(verdict: Verdict, old: Data, new: Data) -> Verdict:
    """Return a verdict that says how many VMs of a pool or ReplicaSet its next start is about.

    Those are the VMs that were there and stay. Where there is none, nothing changes at a next start.
    """
    before, after = replicas(old), replicas(new)
    if before is None or after is None or verdict.next in ("same", "none"):
        return verdict
    stay = min(before, after)
    if not stay:
        differs = verdict.next == "changed" or (verdict.next == "kept" and verdict.anew == "changed")
        return replace(verdict, next="same", anew="same", changes=(), risks=()) if differs else verdict
    of_some = verdict.part is not None and verdict.part.number is None
    return replace(verdict, held=Part(_kind(old), None if of_some else stay, before))


def _kind(manifest: Data) -> PartKind:
    return "pool" if manifest.get("kind") == "VirtualMachinePool" else "ReplicaSet"


def _held(old: Data, new: Data, base: Cluster, head: Cluster) -> Running:
    kind = new.get("kind")
    if old == new:
        return unchanged_pool(old, base, head) if kind == "VirtualMachinePool" else _stays(kind)
    if kind == "VirtualMachineInstance":
        if old.get("spec") == new.get("spec"):
            return _LEFT_VMI
        return Running("refused", ("a VirtualMachineInstance cannot be changed: delete it and create it anew",))
    result = create_vmi(new, head)
    if not result.admitted and result.refused_by == "vm":
        return Running("refused", tuple(map(str, result.reasons)))
    if not create_vmi(old, base).admitted:
        return Running("create" if result.admitted else "unchanged", part=all_of(new))
    scaled = _scaled(old, new)
    if kind == "VirtualMachinePool":
        machine = changed_pool(old, new, scaled, base, head)
        if machine.now == "refused" or not is_scaled(new, scaled):
            return machine
    else:
        machine = _LEFT
        if (new.get("spec") or {}).get("paused"):
            return replace(machine, reasons=tuple(f"{reason}: the ReplicaSet is paused" for reason in scaled.reasons))
    if not replicas(old) and machine.now != "unknown":  # there is no VM that meets it
        machine = replace(machine, now="unchanged", reasons=(), restarts=None, replaced=None)
    if scaled.now != "delete" and machine.now != "unchanged":
        return replace(machine, reasons=(*machine.reasons, *scaled.reasons))
    stay = min(replicas(old) or 0, replicas(new) or 0)
    return replace(
        machine,
        now=scaled.now,
        part=machine.part if machine.now == "delete" else scaled.part,
        reasons=(*scaled.reasons, *machine.reasons),
        restarts=_of_those(stay, machine.restarts),
        replaced=_of_those(stay, machine.replaced),
    )


def _of_those(stay: int, part: Part | None) -> Part | None:
    """A part of the VMs that are there, as a part of those that stay."""
    return replace(part, number=part.number and stay) if part is not None and stay else None


def _stays(kind: object) -> Running:
    return _LEFT_VMI if kind == "VirtualMachineInstance" else _LEFT


def _scaled(old: Data, new: Data) -> Running:
    """VMs that come or go with the number of replicas."""
    before, after = replicas(old) or 0, replicas(new) or 0
    if before == after:
        return Running()
    reasons = (f"replicas: {before:,} → {after:,}",)
    if after < before:
        return Running("delete", reasons, part=Part(_kind(old), before - after, before))
    return Running("create", reasons, part=Part(_kind(new), after - before, after))
