"""What became of a running VM: a value that says it, and its form as plain data."""

from __future__ import annotations

from typing import Any

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.errors import Cause, Reason, Refuser
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.running import Restart
from virtcatalog.manifests.difference import Change


class Migration(msgspec.Struct, frozen=True):
    """What a live migration has to bring.

    `required` is "yes", "no" or "pending" (interfaces that come or go: in 15 seconds, unless another controller plugs
    them); `migratable` says whether the VMI can migrate then; `action` is what the workload updater does if it may
    both migrate and evict: "migrate", "evict" or "none".
    """

    required: str = "no"
    migratable: bool = False
    action: str = "none"


class Next(msgspec.Struct, frozen=True):
    """The machine at the next start; `changes` are those of its VMI, `result` is all that virtcatalog tells of it."""

    refused_by: Refuser | None = None
    causes: tuple[Cause, ...] = ()
    changes: tuple[Change, ...] = ()
    result: Result | None = None


class Rollout(msgspec.Struct, frozen=True, kw_only=True):
    """What KubeVirt does with a VM that runs when its manifest or its cluster changes.

    `runs` is False when the VM did not run before. `reasons` are why the update is refused, at the fields of the new
    manifest, `causes` what the webhook answers then. `stopped` tells that the VM was switched off. `restart` is why it
    has the condition RestartRequired, `restart_before` why it had that before. `live` are the changes of the running
    VMI's labels, annotations and spec; `conditions` are those of the VMI that came or changed, with "True" or
    "False". `obstacles` are what keeps the VMI on its node. `error` is why the controller cannot do all of it, and
    tries again and again. `vm_changes` are what the controllers then change in the VM's spec; `revisions` are the names
    of the stored instance type and preference, before and after. `following` is the machine at the next start; None
    when there is none. `machine_before` and `machine` are the running VMI before and after: read them, do not change
    them.
    """

    runs: bool = True
    reasons: tuple[Reason, ...] = ()
    causes: tuple[Cause, ...] = ()
    restart_before: Restart | None = None
    stopped: bool = False
    restart: Restart | None = None
    live: tuple[Change, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    migrated_volumes: tuple[str, ...] = ()
    migration: Migration = Migration()
    obstacles: tuple[str, ...] = ()
    error: tuple[Cause, ...] = ()
    generation_observed: bool = False
    vm_changes: tuple[Change, ...] = ()
    revisions: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    following: Next | None = None
    machine_before: VirtualMachineInstance | None = None
    machine: VirtualMachineInstance | None = None

    @property
    def refused(self) -> bool:
        """Whether the update is refused: everything stays as it is."""
        return bool(self.reasons)

    @property
    def restart_required(self) -> bool:
        """Whether the VM has to restart for all of its template to count."""
        return self.restart is not None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; of a refused update only why."""
        plain: dict[str, Any] = {
            "restartRequiredBefore": self.restart_before is not None,
            "updateAdmission": {
                "allowed": not self.refused,
                "fields": sorted({cause.field for cause in self.causes}),
                "causes": [msgspec.to_builtins(cause) for cause in self.causes],
                "message": "; ".join(map(str, self.reasons)),
            },
        }
        if self.refused:
            return plain
        before, after = self.revisions
        return {
            **plain,
            "stopped": self.stopped,
            "restartRequired": self.restart_required,
            "restartReason": self.restart.reason if self.restart else None,
            "message": self.restart.message if self.restart else "",
            "liveUpdates": [change.to_dict() for change in self.live],
            "vmiConditions": [{"type": kind, "status": status} for kind, status in self.conditions],
            "migratedVolumes": list(self.migrated_volumes),
            "migration": msgspec.to_builtins(self.migration),
            "syncError": _sentence(self.error),
            "generationObserved": self.generation_observed,
            "vmChanges": [vm_change.to_dict() for vm_change in self.vm_changes],
            "instancetypeRevision": {"before": before[0], "after": after[0]},
            "preferenceRevision": {"before": before[1], "after": after[1]},
            "afterRestart": self._following(),
        }

    def _following(self) -> dict[str, Any] | None:
        following = self.following
        if following is None:
            return None
        by_webhook = following.refused_by in ("vm", "vmi")  # controller and launcher answer with nothing but a sentence
        return {
            "refusedBy": following.refused_by,
            "fields": sorted({cause.field for cause in following.causes}) if by_webhook else [],
            "message": _sentence(following.causes),
            "changes": [change.to_dict() for change in following.changes],
        }


def _sentence(causes: tuple[Cause, ...]) -> str:
    return "; ".join(map(str, causes))
