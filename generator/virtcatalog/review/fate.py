"""What KubeVirt does with the machine of a VM that runs, in the words of those who own it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.identity import Data
from virtcatalog.review.machines import MOST, machine_words

if TYPE_CHECKING:
    from virtcatalog.kubevirt.rollout.outcome import Rollout

FateKind = Literal["refused", "unsupported", "recreate", "restart", "live", "next", "kept", "nothing"]

#: What can become of a running VM, gravest first, with the words for it.
FATES: dict[FateKind, str] = {
    "refused": "refused",
    "unsupported": "cannot be told",
    "recreate": "only by deleting and creating it anew",
    "restart": "needs a restart",
    "live": "updated while it runs",
    "next": "at its next start",
    "kept": "kept by its stored revision",
    "nothing": "stays as it is",
}


class Fate(msgspec.Struct, frozen=True):
    """What becomes of a VM, and what is said of it."""

    kind: FateKind = "nothing"
    said: tuple[str, ...] = ()


def fate(old: Data, new: Data, base: Cluster, head: Cluster) -> Fate:
    """Return what becomes of the machine of a VM when its manifest or its cluster changes.

    The VM is taken to run, unless it says that it does not: what happens to one that is off happens at its next start.
    A manifest that stays as it is nobody applies again.
    """
    from virtcatalog.kubevirt.rollout.rollout import rollout

    if old.get("kind") != "VirtualMachine" or new.get("kind") != "VirtualMachine":
        return Fate()
    switched_off = _is_off(old) and _is_off(new)
    if switched_off:
        old, new = _switched_on(old), _switched_on(new)
    try:
        told = rollout(old, new, base, head, "keep" if old == new else "apply")
        found = _fate(told, new, head, unchanged=old == new)
    except UnsupportedError as error:
        return Fate("unsupported", (str(error),))
    if switched_off and found.kind in ("restart", "live"):
        return Fate("next", _next_start(told) or found.said)
    return found


def _fate(told: Rollout, new: Data, head: Cluster, *, unchanged: bool) -> Fate:
    if not told.runs and unchanged:  # it did not run before, for whatever reason, which is not the change
        return Fate()
    if told.refused:
        said = tuple(str(reason) for reason in told.reasons)
        return Fate("recreate" if create_vmi(new, head).admitted else "refused", said)
    if told.stopped:
        return Fate("restart", ("it is switched off",))
    if told.error:
        return Fate("refused", tuple(f"virt-controller cannot go on: {each}" for each in told.error))
    following = told.following
    if following is not None and following.refused_by is not None:
        return Fate("refused", tuple(f"at its next start: {cause}" for cause in following.causes))
    if told.restart is not None and told.restart_before is None:
        return Fate("restart", _next_start(told) or told.restart.fields or (told.restart.message,))
    if told.live:
        return Fate("live", (*_live(told), *_by_migration(told)))
    said = _next_start(told)
    return Fate("next", said) if said else Fate()


def _live(told: Rollout) -> tuple[str, ...]:
    return tuple(machine_words(told.machine_before, told.machine)) or tuple(
        change.path.removeprefix("/spec/").replace("/", ".") for change in told.live[:MOST]
    )


def _by_migration(told: Rollout) -> tuple[str, ...]:
    """How what is plugged in gets into the guest."""
    if told.migration.required == "no":
        return ()
    if told.migration.action == "evict":
        return ("it waits for a migration, which this VM cannot do",)
    return ("with a migration",)


def _next_start(told: Rollout) -> tuple[str, ...]:
    following = told.following
    if following is None or following.result is None:
        return ()
    return tuple(machine_words(told.machine_before, following.result.vmi_object))


def _is_off(manifest: Data) -> bool:
    spec = manifest.get("spec")
    given = spec if isinstance(spec, dict) else {}
    return given.get("runStrategy", None if given.get("running") else "Halted") == "Halted"


def _switched_on(manifest: Data) -> Data:
    spec = {key: value for key, value in manifest["spec"].items() if key != "running"}
    return {**manifest, "spec": {**spec, "runStrategy": "Always"}}
