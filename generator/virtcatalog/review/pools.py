"""What a VirtualMachinePool does with its VMs when it changes, or when what they refer to does.

Source: pkg/virt-controller/watch/pool/pool.go (scale, update, opportunisticUpdate, proactiveUpdate, isOutdatedVMI,
handleResourceUpdate, scaleIn), admitters/vmpool-admitter.go; the same in all releases but for identity_risks.
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachinePool, VirtualMachinePoolSpec
from virtcatalog.errors import counted
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import first_vm
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.identity import Data
from virtcatalog.review.running import Running, running
from virtcatalog.review.verdict import LOST, Part, Risk, Verdict

_EVERY = "100%"
_STAYS_OFF = ("Manual", "RerunOnFailure")
"""With these a VM is not started again whose machine somebody deletes (syncRunStrategy)."""


def unchanged_pool(manifest: Data, base: Cluster, head: Cluster) -> Running:
    """Return what becomes of the VMs of a pool that stays as it is when their cluster changes."""
    if not create_vmi(manifest, base).admitted:
        return Running()
    vm = _first(_pool(manifest), base)
    return running(vm, vm, base, head)


def changed_pool(old: Data, new: Data, scaled: Running, base: Cluster, head: Cluster) -> Running:
    """Return what becomes of the VMs of a pool that changes, all but that some come or go, as `scaled` has it."""
    before, after = _pool(old), _pool(new)
    if before.spec.selector != after.spec.selector:
        return Running("refused", ("spec.selector: it cannot be changed (refused by the VM webhook)",))
    machine = _updated(before, after, base, head)
    obstacle = _not_scaled(after.spec, scaled)
    if obstacle:
        return replace(machine, now="unchanged", next="kept", reasons=(f"{scaled.reasons[0]}: {obstacle}",))
    return machine


def is_scaled(new: Data, scaled: Running) -> bool:
    """Whether a pool comes to its number of replicas by itself."""
    return not _not_scaled(_pool(new).spec, scaled)


def disk_risks(old: Data, new: Data, verdict: Verdict) -> tuple[Risk, ...]:
    """Return that the disks of VMs that a pool deletes go with them, unless it is told to keep them.

    Those are the disks of its dataVolumeTemplates, which the VM owns. VMs that are replaced leave the pool as those do
    that something else deletes (opportunisticScaleIn).
    """
    if new.get("kind") != "VirtualMachinePool" or verdict.now != "delete":
        return ()
    before, strategy = _pool(old).spec, _pool(new).spec.scale_in_strategy
    if not before.virtual_machine_template.spec.data_volume_templates:
        return ()
    if strategy is not None:
        way = strategy.opportunistic if verdict.replaced is not None else strategy.proactive
        if way is not None and way.state_preservation not in (None, "Disabled"):
            return ()
    return (Risk("disks", f"{LOST}: those of its dataVolumeTemplates"),)


def identity_risks(old: Data, new: Data, head: Cluster) -> tuple[Risk, ...]:
    """What guests of a pool risk that updates its VMs where that takes the firmware's uuid and serial from them."""
    if new.get("kind") != "VirtualMachinePool" or head.release.traits.pools_keep_identities:
        return ()
    before, after = (_pool(manifest).spec.virtual_machine_template for manifest in (old, new))
    firmware = after.spec.template.spec.domain.firmware
    if before == after or (firmware is not None and firmware.uuid and firmware.serial):
        return ()
    release = head.release.name
    reason = f"a pool of {release} takes SMBIOS uuid and serial from the VMs that it updates: licences go by them"
    return (Risk("activation", reason),)


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
    """What becomes of the VMs of a pool whose template changes.

    It writes the template into each VM. Then it deletes the machine where the template of that differs, and the VM
    where its dataVolumeTemplates do; all else, as another instance type, the VM takes as any VM does.
    """
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
    policy = strategy.proactive.selection_policy if strategy is not None and strategy.proactive is not None else None
    selects = policy is not None and policy.selectors is not None
    of_some = " (those that its selectors choose)" if selects else ""
    number = 1 if old.spec.replicas is None else old.spec.replicas
    part = Part("pool", None if selects else number, number)
    if template.spec.data_volume_templates != former.spec.data_volume_templates:
        reason = f"a pool replaces VMs{of_some} when their dataVolumeTemplates change"
        return replace(machine, now="delete", next="same", breaks=(), reasons=(reason,), part=part, replaced=part)
    if template.spec.template == former.spec.template or machine.now in ("stop", "start"):
        return machine
    run_strategy = template.spec.run_strategy
    if run_strategy in _STAYS_OFF:
        reason = f"the pool deletes their machines{of_some}, and runStrategy {run_strategy} does not start them again"
        return replace(machine, now="stop", reasons=(reason,), part=part)
    reason = f"by the pool itself{of_some}: {_pace(spec)}"
    return replace(machine, now="restart", reasons=(reason,), part=part, restarts=part)


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


def _pool(manifest: Data) -> VirtualMachinePool:
    return decode_manifest(manifest, VirtualMachinePool)
