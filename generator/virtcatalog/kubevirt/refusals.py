"""Results of what is refused: by the API server that cannot read it, by a webhook, or by virt-controller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import Cause, Problem, Reason, Refuser, Warning
from virtcatalog.kubevirt.causes import MOST_CAUSES
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.reasons import field_in_template, reasons
from virtcatalog.kubevirt.result import Result


def unreadable(faults: Iterable[Problem | Warning], warnings: list[Warning], kind: str = "FieldValueInvalid") -> Result:
    """The refusal of what is no VM: causes without a field, as those of a webhook that cannot decode it."""
    reasons = tuple(Reason(fault.field, fault.message, "vm", kind) for fault in faults)
    texts = [str(Cause(kind, reason.field, reason.message)) for reason in reasons[:MOST_CAUSES]]
    return Result(
        refused_by="vm",
        causes=tuple(Cause(kind, "", text) for text in texts),
        reasons=reasons,
        warnings=tuple(warnings),
    )


def refused(
    by: Refuser,
    causes: Sequence[Cause],
    manifest: dict[str, Any],
    cluster: Cluster,
    warnings: list[Warning],
    vm: VirtualMachine | None = None,
    vmi: VirtualMachineInstance | None = None,
) -> Result:
    """The refusal of a VM or VMI by one of KubeVirt's stages, for reasons at the fields of the manifest."""
    return refusal(by, causes, reasons(by, causes, manifest, cluster, vm, vmi), warnings, vm, vmi)


def refusal(
    by: Refuser,
    causes: Sequence[Cause],
    against: tuple[Reason, ...],
    warnings: list[Warning],
    vm: VirtualMachine | None = None,
    vmi: VirtualMachineInstance | None = None,
) -> Result:
    """The refusal for these reasons: only a webhook's has causes, and its answer holds ten (pkg/util/webhooks)."""
    return Result(
        refused_by=by,
        causes=tuple(causes[:MOST_CAUSES]) if by in ("vm", "vmi") else (),
        reasons=against,
        warnings=tuple(warnings),
        raw_vm=vm,
        raw_vmi=vmi,
    )


def refused_holder(causes: Sequence[Cause], warnings: list[Warning]) -> Result:
    """The refusal of a ReplicaSet or pool by its own webhook, at its own fields."""
    against = tuple(Reason(field_in_template(cause.field), cause.message, "vm", cause.type) for cause in causes)
    return refusal("vm", causes, against, warnings)
