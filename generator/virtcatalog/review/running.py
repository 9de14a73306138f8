"""What a change does to the machine of a VM that runs: KubeVirt's own answer, in the terms of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from virtcatalog.api.kinds import is_halted
from virtcatalog.errors import CRASH, SWITCHED_OFF, UnsupportedError, some
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.identity import Data
from virtcatalog.review.verdict import Next, Now, Part

if TYPE_CHECKING:
    from virtcatalog.kubevirt.rollout.outcome import Rollout

_MOST_FIELDS = 3
BY_HAND: Final = "needs a restart by hand: "
"""What a reason of `restart` begins with."""
#: Where the fields of a VM's machine are in its manifest.
TEMPLATE = "spec.template.spec."
OF_POOL = "spec.virtualMachineTemplate."
POOL_TEMPLATE = f"{OF_POOL}{TEMPLATE}"


class Running(msgspec.Struct, frozen=True):
    """What happens to a machine, and why; `breaks` is why it does not start again, () if it does.

    `part` is to how many VMs of a pool or ReplicaSet it happens; `restarts` are those that a pool restarts by itself,
    `replaced` those that it deletes and creates anew.
    """

    now: Now = "unchanged"
    reasons: tuple[str, ...] = ()
    next: Next = "same"
    breaks: tuple[str, ...] = ()
    part: Part | None = None
    restarts: Part | None = None
    replaced: Part | None = None


def running(old: Data, new: Data, base: Cluster, head: Cluster) -> Running:
    """Return what becomes of the machine of a VM when its manifest or its cluster changes.

    The VM is taken to run, unless it says that it does not. A manifest that stays as it is nobody applies again.
    """
    from virtcatalog.kubevirt.rollout.rollout import rollout

    was_off, is_off = is_halted(old), is_halted(new)
    stays_off = was_off and is_off
    if stays_off and old == new:
        return Running()
    starts = was_off and not is_off
    if was_off:
        before, after = _switched_on(old), _switched_on(new) if stays_off else new
    else:
        before, after = old, new
    try:
        result = rollout(before, after, base, head, "keep" if old == new else "apply")
    except UnsupportedError as error:
        return Running("unknown", (str(error),), "unknown", (str(error),))
    if old == new and not result.runs:  # it did not run before, for whatever reason, which is not the change
        return Running()
    now = now_of(result)
    if now != "refused":
        now = "start" if starts else "unchanged" if stays_off else now
    reasons = _reasons(now, result, head) or _switched(now, old, new)
    if now == "refused" and result.refused and create_vmi(new, head).admitted:
        reasons += ("KubeVirt takes it when the VM is deleted and created anew",)
    return Running(now, reasons, *_breaks(result))


def now_of(result: Rollout) -> Now:
    """Return what a rollout is to the machine."""
    if result.refused or result.error:
        return "refused"
    if result.stopped:
        return "stop"
    if result.restart is not None and result.restart_before is None:
        return "restart"
    if not (result.live or result.migrated_volumes):
        return "unchanged"
    if result.migration.required == "no":
        return "live"
    moves = result.migration.action == "migrate" or result.migration.migratable
    return "migrate" if moves else "pending"


def _reasons(now: Now, result: Rollout, head: Cluster) -> tuple[str, ...]:
    """Why a machine meets that."""
    if now == "refused":
        stuck = (f"virt-controller cannot go on: {cause}" for cause in result.error)
        return tuple(map(str, result.reasons)) or tuple(stuck)
    if now == "restart" and result.restart is not None:
        return _restart_reasons(result, head)
    if now == "pending":
        return ("it comes with a live migration, which the VM cannot do", *result.obstacles)
    return ()


def _switched(now: Now, old: Data, new: Data) -> tuple[str, ...]:
    """Say by which field a VM is switched off or started."""
    before, after = map(_strategy, (old, new))
    if now not in ("stop", "start") or before == after:
        return ()
    done = f"the VM is {SWITCHED_OFF}" if now == "stop" else "the VM is started"
    field = before[0] if before[0] == after[0] else ""
    values = [value if field else f"{name} {value}" for name, value in (before, after)]
    return (f"{done}: {field}{' ' if field else ''}{values[0]} → {values[1]}",)


def _strategy(vm: Data) -> tuple[str, str]:
    """The field that says whether a VM runs, and its value."""
    spec = vm.get("spec") or {}
    if spec.get("runStrategy"):
        return "runStrategy", str(spec["runStrategy"])
    return "running", str(spec.get("running", False)).lower()


def _restart_reasons(result: Rollout, head: Cluster) -> tuple[str, ...]:
    assert result.restart is not None
    if not result.restart.fields:
        needs_migration = result.restart.reason in ("memory-not-migratable", "volumes")
        return (f"{BY_HAND}{result.restart.message}", *(result.obstacles if needs_migration else ()))
    if not head.configuration.live_update:
        return ("the rollout strategy Stage brings nothing to a VM that runs",)
    fields = [field.removeprefix(TEMPLATE) for field in result.restart.fields]
    return (f"{BY_HAND}{some(fields, _MOST_FIELDS)} cannot change while the VM runs",)


def _breaks(result: Rollout) -> tuple[Next, tuple[str, ...]]:
    """Whether the next start fails, and why."""
    following = result.following
    if following is None or following.refused_by is None:
        return "same", ()
    crash = any(cause.type == CRASH for cause in following.causes)
    return "crash" if crash else "refused", tuple(map(str, following.causes))


def _switched_on(manifest: Data) -> Data:
    spec = {key: value for key, value in manifest["spec"].items() if key != "running"}
    return {**manifest, "spec": {**spec, "runStrategy": "Always"}}
