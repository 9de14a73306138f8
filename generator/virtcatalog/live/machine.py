"""The machine of a VM: whether it is there, and in which state, beside what the VM's run strategy wants.

Source: pkg/virt-controller/watch/vm/vm.go (execute, syncRunStrategy).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.kubevirt.admission.vm import RECEIVER
from virtcatalog.live.verdict import Reason
from virtcatalog.manifests.identity import Data

POWER: Final = ("runStrategy", "running")
#: Phases of a machine that has ended, and the run strategies that want it to run again.
_AGAIN: Final = {"Succeeded": ("Always",), "Failed": ("Always", "RerunOnFailure")}
#: What virt-controller says of a VM that it cannot bring to what it wants.
_CANNOT: Final = ("Failure", "ManualRecoveryRequired")


def power(spec: Any) -> str:
    """Return the run strategy of a VM's spec as data; "" where that is no map."""
    if not isinstance(spec, dict):
        return ""
    return str(spec.get("runStrategy") or ("Always" if spec.get("running") else "Halted"))


def controller_of(obj: Data) -> Data | None:
    """Return the owner reference of what controls an object, None for one that nothing controls."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if isinstance(owner, dict) and owner.get("controller"):
            return owner
    return None


def is_of(vmi: Data, vm: Data) -> bool:
    """Whether a VM has the VMI of its name; it leaves alone what another has (ClaimVirtualMachineInstanceByName)."""
    owner, uid = controller_of(vmi), vm["metadata"].get("uid")
    if owner is None:
        return True
    return owner.get("kind") == "VirtualMachine" and (not uid or not owner.get("uid") or owner["uid"] == uid)


def has_ended(vmi: Data) -> bool:
    """Whether nothing runs in a VMI any more (IsFinal): only a new one gets what its VM has now."""
    return phase_of(vmi) in _AGAIN


def phase_of(vmi: Data) -> str:
    """Return the phase of a VMI."""
    return str((vmi.get("status") or {}).get("phase") or "unknown")


def condition(obj: Data, kind: str, status: str = "True") -> Data | None:
    """Return a condition of an object that is true, or has another status."""
    conditions = (obj.get("status") or {}).get("conditions")
    for entry in conditions if isinstance(conditions, list) else ():
        if isinstance(entry, dict) and entry.get("type") == kind and entry.get("status") == status:
            return entry
    return None


def failures(live: Data) -> Iterator[Reason]:
    """Yield what virt-controller says of a VM that it cannot bring to what it wants."""
    for kind in _CANNOT:
        failed = condition(live, kind)
        if failed is not None:
            message = f"virt-controller gets no further: {_why(failed)}"
            yield Reason(kind="following", message=message, since=_since(failed))


def without_machine(live: Data, other: Data | None, unread: str) -> tuple[str, Reason | None]:
    """Return the word for a VM without a machine, and what is wrong with that.

    `other` is a VMI of its name that is not its own. `unread` says why the cluster's VMIs are not known.
    """
    status, strategy = live.get("status") or {}, power(live.get("spec"))
    if status.get("created") and other is None:
        why = unread or "it is not among what was read"
        message = f"the VM runs, and its VirtualMachineInstance is not known: {why}"
        return "unread", Reason(kind="unread", message=message)
    if not _wants_machine(status, strategy) or live["metadata"].get("deletionTimestamp"):
        return "off", None
    owner = controller_of(other) if other is not None else None
    message = f"its runStrategy is {strategy}, and there is no machine: {status.get('printableStatus') or 'no status'}"
    if owner is not None:
        message += f"; the VirtualMachineInstance of its name is that of another {owner.get('kind')}"
    return "off", Reason(kind="down", message=message)


def _wants_machine(status: Data, strategy: str) -> bool:
    """Whether virt-controller starts a VM that has no machine."""
    requests = status.get("stateChangeRequests")
    first = requests[0] if isinstance(requests, list) and requests else None
    if isinstance(first, dict) and first.get("action") == "Start":
        return True
    if strategy == "RerunOnFailure":  # once it has been started so, it may end
        return bool(status.get("runStrategy") != strategy)
    return strategy in ("Always", "Once", RECEIVER)


def state(vmi: Data, live: Data) -> tuple[str, list[Reason]]:
    """Return the word for a machine's state, and what is wrong with it."""
    status, strategy, phase = vmi.get("status") or {}, power(live.get("spec")), phase_of(vmi)
    ends = str(vmi["metadata"].get("deletionTimestamp") or "")
    if ends or (strategy == "Halted" and not has_ended(vmi)):
        return "stops", [Reason(kind="stopping", message="its machine is still there", since=ends)]
    reasons: list[Reason] = []
    failed = condition(vmi, "Synchronized", "False")
    if failed is not None:
        reasons.append(
            Reason(kind="domain", message=f"its machine cannot follow: {_why(failed)}", since=_since(failed))
        )
    paused = condition(vmi, "Paused")
    if paused is not None:
        reasons.append(Reason(kind="paused", message=str(paused.get("reason") or ""), since=_since(paused)))
        return "paused", reasons
    move = status.get("migrationState")
    if isinstance(move, dict) and move.get("startTimestamp") and not (move.get("completed") or move.get("failed")):
        to = str(move.get("targetNode") or "another node")
        message = f"from {status.get('nodeName') or 'its node'} to {to}"
        reasons.append(Reason(kind="migrating", message=message, since=str(move["startTimestamp"])))
        return "moves", reasons
    if phase == "Running":
        return "same", reasons
    if strategy != RECEIVER and strategy in _AGAIN.get(phase, (strategy,)):
        stands = (live.get("status") or {}).get("printableStatus") or "no status"
        reasons.append(Reason(kind="down", message=f"the phase of its machine is {phase}: {stands}"))
    return phase, reasons


def _why(entry: Data) -> str:
    return str(entry.get("message") or entry.get("reason") or "nobody says why")


def _since(entry: Data) -> str:
    return str(entry.get("lastTransitionTime") or "")
