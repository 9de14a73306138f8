"""What a change does to the VMs of a VirtualMachinePool or VirtualMachineInstanceReplicaSet, and to a VMI without a VM.

Source: pkg/virt-controller/watch/pool/pool.go (scale, update, opportunisticUpdate, proactiveUpdate, isOutdatedVMI),
pkg/virt-controller/watch/replicaset/replicaset.go (execute, scale), admitters/vmpool-admitter.go,
admitters/vmi-update-admitter.go; the same in all releases but for identity_risks.
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachinePool, VirtualMachinePoolSpec
from virtcatalog.api.kinds import replicas
from virtcatalog.errors import counted
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import first_vm
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.identity import Data
from virtcatalog.review.running import Running, running
from virtcatalog.review.verdict import Part, PartKind, Risk, Verdict

_EVERY = "100%"
_LEFT = Running(next="kept")
"""A VMI is never started again, and a ReplicaSet changes none: it makes new ones of its template."""


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
        return _around(old, base, head) if kind == "VirtualMachinePool" else _LEFT
    if kind == "VirtualMachineInstance":
        if old.get("spec") == new.get("spec"):
            return _LEFT
        return Running("refused", ("a VirtualMachineInstance cannot be changed: delete it and create it anew",))
    result = create_vmi(new, head)
    if not result.admitted and result.refused_by == "vm":
        return Running("refused", tuple(map(str, result.reasons)))
    if not create_vmi(old, base).admitted:
        return Running("create" if result.admitted else "unchanged", part=all_of(new))
    scaled, machine = _scaled(old, new), Running()
    if kind == "VirtualMachinePool":
        pools = [decode_manifest(manifest, VirtualMachinePool) for manifest in (old, new)]
        if pools[0].spec.selector != pools[1].spec.selector:
            return Running("refused", ("spec.selector: it cannot be changed (refused by the VM webhook)",))
        machine = _updated(pools[0], pools[1], base, head)
        left = _not_scaled(pools[1].spec, scaled)
        if left:
            return replace(machine, now="unchanged", next="kept", reasons=(f"{scaled.reasons[0]}: {left}",))
    else:
        machine = _LEFT
        if (new.get("spec") or {}).get("paused"):
            return replace(machine, reasons=tuple(f"{reason}: the ReplicaSet is paused" for reason in scaled.reasons))
    if not replicas(old) and machine.now not in ("refused", "unknown"):  # there is no VM that meets it
        machine = replace(machine, now="unchanged", reasons=(), restarts=None)
    if scaled.now == "delete" or machine.now == "unchanged":
        part = machine.part if machine.now == "delete" else scaled.part
        restarts, stay = machine.restarts, min(replicas(old) or 0, replicas(new) or 0)
        if restarts is not None:
            restarts = replace(restarts, number=restarts.number and stay) if stay else None
        return replace(
            machine, now=scaled.now, part=part, reasons=(*scaled.reasons, *machine.reasons), restarts=restarts
        )
    return replace(machine, reasons=(*machine.reasons, *scaled.reasons))


def identity_risks(old: Data, new: Data, head: Cluster) -> tuple[Risk, ...]:
    """What guests of a pool risk that updates its VMs where that takes the firmware's uuid and serial from them."""
    if new.get("kind") != "VirtualMachinePool" or head.release.traits.pools_keep_identities:
        return ()
    before, after = (
        decode_manifest(manifest, VirtualMachinePool).spec.virtual_machine_template for manifest in (old, new)
    )
    firmware = after.spec.template.spec.domain.firmware
    if before == after or (firmware is not None and firmware.uuid and firmware.serial):
        return ()
    release = head.release.name
    reason = f"a pool of {release} takes SMBIOS uuid and serial from the VMs that it updates: licences go by them"
    return (Risk("activation", reason),)


def _around(pool: Data, base: Cluster, head: Cluster) -> Running:
    """A pool that stays as it is: what its VMs meet when their cluster changes."""
    if not create_vmi(pool, base).admitted:
        return Running()
    vm = _first(decode_manifest(pool, VirtualMachinePool), base)
    return running(vm, vm, base, head)


def _scaled(old: Data, new: Data) -> Running:
    """VMs that come or go with the number of replicas."""
    before, after = replicas(old) or 0, replicas(new) or 0
    if before == after:
        return Running()
    reasons = (f"replicas: {before:,} → {after:,}",)
    if after < before:
        return Running("delete", reasons, part=Part(_kind(old), before - after, before))
    return Running("create", reasons, part=Part(_kind(new), after - before, after))


def _not_scaled(spec: VirtualMachinePoolSpec, scaled: Running) -> str:
    """Why a pool does not come to its number of replicas by itself, and then updates none of its VMs; "" if it does."""
    if spec.paused:
        return "the pool is paused" if scaled.reasons else ""
    strategy = spec.scale_in_strategy
    if scaled.now != "delete" or strategy is None:
        return ""
    if strategy.unmanaged is not None:
        return "scaleInStrategy unmanaged deletes none"
    return "scaleInStrategy opportunistic deletes none" if strategy.opportunistic is not None else ""


def _updated(old: VirtualMachinePool, new: VirtualMachinePool, base: Cluster, head: Cluster) -> Running:
    """What becomes of the VMs of a pool whose template changes."""
    spec, strategy = new.spec, new.spec.update_strategy
    template, former = spec.virtual_machine_template, old.spec.virtual_machine_template
    if template == former:
        return Running()
    if spec.paused:
        return Running(next="kept", reasons=("the pool is paused: its VMs stay as they are",))
    if strategy is not None and strategy.unmanaged is not None:
        return Running(next="kept", reasons=("updateStrategy unmanaged: VMs that exist stay as they are",))
    machine = running(_first(old, base), _first(new, head), base, head)
    if machine.now == "refused" or (strategy is not None and strategy.opportunistic is not None):
        return machine
    some = strategy.proactive.selection_policy if strategy is not None and strategy.proactive is not None else None
    chosen = some is not None and some.selectors is not None
    of_some = " (those that its selectors choose)" if chosen else ""
    number = 1 if old.spec.replicas is None else old.spec.replicas
    part = Part("pool", None if chosen else number, number)
    if template.spec.data_volume_templates != former.spec.data_volume_templates:
        reason = f"the pool deletes its VMs{of_some} and creates them anew: dataVolumeTemplates are others"
        return replace(machine, now="delete", reasons=(reason,), part=part)
    if template.spec.template != former.spec.template and machine.now not in ("stop", "start"):
        reason = f"the pool restarts its VMs itself{of_some}, now, {_pace(spec)}"
        return replace(machine, now="restart", reasons=(reason,), part=part, restarts=part)
    return machine


def _pace(spec: VirtualMachinePoolSpec) -> str:
    """How many VMs a pool restarts at once (calculateMaxUnavailableInt)."""
    limit, number = spec.max_unavailable, 1 if spec.replicas is None else spec.replicas
    if limit is None or limit == _EVERY:
        return "all at once"
    most = number * int(limit.removesuffix("%")) // 100 if isinstance(limit, str) else limit
    return f"{counted(max(most, 1), 'VM')} at once"


def _first(pool: VirtualMachinePool, cluster: Cluster) -> Data:
    """The manifest of a pool's first VM; what its number gives it is the same before and after."""
    return to_manifest(first_vm(pool, cluster.release))
