"""What is said of a VM without a machine, and of a machine by its state."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.live.machine import controller_of, failures, is_of, state, without_machine

Data = dict[str, Any]
LATER = "2026-01-02T00:00:00Z"


def vm(strategy: str = "Always", status: Data | None = None, **metadata: Any) -> Data:
    return {"metadata": {"name": "db", **metadata}, "spec": {"runStrategy": strategy}, "status": status or {}}


def vmi(phase: str = "Running", *conditions: Data, **status: Any) -> Data:
    return {"metadata": {"name": "db"}, "status": {"phase": phase, "conditions": [*conditions], **status}}


START = {"stateChangeRequests": [{"action": "Start"}]}


@pytest.mark.parametrize(
    ("live", "message"),
    [
        (vm(), "its runStrategy is Always, and there is no machine: no status"),
        (vm(status={"printableStatus": "Stopped"}), "its runStrategy is Always, and there is no machine: Stopped"),
        (vm("Once"), "its runStrategy is Once, and there is no machine: no status"),
        (vm("WaitAsReceiver"), "its runStrategy is WaitAsReceiver, and there is no machine: no status"),
        (vm("RerunOnFailure"), "its runStrategy is RerunOnFailure, and there is no machine: no status"),
        (vm("Manual", START), "its runStrategy is Manual, and there is no machine: no status"),
        (vm("RerunOnFailure", {"runStrategy": "RerunOnFailure"}), None),
        (vm("Manual"), None),
        (vm("Manual", {"stateChangeRequests": [{"action": "Stop"}]}), None),
        (vm("Manual", {"stateChangeRequests": []}), None),
        (vm("Halted"), None),
        (vm(deletionTimestamp=LATER), None),
    ],
)
def test_a_vm_without_a_machine_is_down_where_it_wants_one(live: Data, message: str | None) -> None:
    word, reason = without_machine(live, None, "")
    assert (word, reason and reason.kind, reason and reason.message) == ("off", message and "down", message)


def test_a_machine_that_was_created_and_not_read_is_not_known() -> None:
    created = vm(status={"created": True})
    beginning = "the VM runs, and its VirtualMachineInstance is not known: "
    for unread, why in (("", "it is not among what was read"), ("the dump has none", "the dump has none")):
        word, reason = without_machine(created, None, unread)
        assert reason is not None
        assert (word, reason.kind, reason.message) == ("unread", "unread", beginning + why)


@pytest.mark.parametrize(
    ("owners", "more"),
    [
        (None, ""),
        ([{"kind": "VirtualMachinePool"}, "x"], ""),
        ([{"kind": "Job", "controller": True}], "; the VirtualMachineInstance of its name is that of another Job"),
    ],
)
def test_the_machine_of_its_name_may_be_anothers(owners: Any, more: str) -> None:
    other = {"metadata": {"name": "db", "ownerReferences": owners}}
    _, reason = without_machine(vm(status={"created": True}), other, "")
    assert reason is not None
    assert reason.message == f"its runStrategy is Always, and there is no machine: no status{more}"


@pytest.mark.parametrize(
    ("owner", "own"),
    [
        (None, True),
        ({"kind": "VirtualMachine", "uid": "1", "controller": True}, True),
        ({"kind": "VirtualMachine", "controller": True}, True),
        ({"kind": "VirtualMachine", "uid": "2", "controller": True}, False),
        ({"kind": "VirtualMachineInstanceReplicaSet", "uid": "1", "controller": True}, False),
        ({"kind": "VirtualMachineInstanceReplicaSet", "uid": "1"}, True),
    ],
)
def test_a_machine_is_a_vms_unless_something_else_controls_it(owner: Data | None, own: bool) -> None:
    machine = {"metadata": {"name": "db", "ownerReferences": [owner] if owner else []}}
    assert is_of(machine, vm(uid="1")) is own
    assert is_of(machine, vm()) is (own or owner == {"kind": "VirtualMachine", "uid": "2", "controller": True})
    assert (controller_of(machine) is None) is not bool(owner and owner.get("controller"))


MOVE = {"startTimestamp": LATER, "targetNode": "node-2"}


@pytest.mark.parametrize(
    ("machine", "live", "word", "sentences"),
    [
        (vmi(), vm(), "same", []),
        (vmi("Failed"), vm(), "Failed", ["down: the phase of its machine is Failed: no status"]),
        (vmi("Failed"), vm("RerunOnFailure"), "Failed", ["down: the phase of its machine is Failed: no status"]),
        (vmi("Failed"), vm("Once"), "Failed", []),
        (vmi("Succeeded"), vm("RerunOnFailure"), "Succeeded", []),
        (vmi("Succeeded"), vm(), "Succeeded", ["down: the phase of its machine is Succeeded: no status"]),
        (
            vmi("Scheduling"),
            vm("Manual", {"printableStatus": "Starting"}),
            "Scheduling",
            ["down: the phase of its machine is Scheduling: Starting"],
        ),
        (vmi("Scheduling"), vm("WaitAsReceiver"), "Scheduling", []),
        (vmi("Succeeded"), vm("Halted"), "Succeeded", []),
        (vmi(), vm("Halted"), "stops", ["stopping: its machine is still there"]),
        (
            vmi("Running", {"type": "Synchronized", "status": "False", "message": "no such disk"}),
            vm(),
            "same",
            ["domain: its machine cannot follow: no such disk"],
        ),
        (
            vmi("Running", {"type": "Synchronized", "status": "False", "reason": "NoDisk"}),
            vm(),
            "same",
            ["domain: its machine cannot follow: NoDisk"],
        ),
        (
            vmi("Running", {"type": "Synchronized", "status": "False"}),
            vm(),
            "same",
            ["domain: its machine cannot follow: nobody says why"],
        ),
        (vmi("Running", {"type": "Synchronized", "status": "True"}), vm(), "same", []),
        (
            vmi("Running", {"type": "Paused", "status": "True", "reason": "PausedByUser"}),
            vm(),
            "paused",
            ["paused: PausedByUser"],
        ),
        (vmi(nodeName="node-1", migrationState=MOVE), vm(), "moves", ["migrating: from node-1 to node-2"]),
        (
            vmi(migrationState={"startTimestamp": LATER}),
            vm(),
            "moves",
            ["migrating: from its node to another node"],
        ),
        (vmi(migrationState={**MOVE, "completed": True}), vm(), "same", []),
        (vmi(migrationState={**MOVE, "failed": True}), vm(), "same", []),
        (vmi(migrationState={"targetNode": "node-2"}), vm(), "same", []),
    ],
)
def test_a_machine_is_in_a_state(machine: Data, live: Data, word: str, sentences: list[str]) -> None:
    actual_word, reasons = state(machine, live)
    assert (actual_word, [f"{reason.kind}: {reason.message}" for reason in reasons]) == (word, sentences)


def test_what_goes_is_told_with_since_when() -> None:
    machine = vmi()
    machine["metadata"]["deletionTimestamp"] = LATER
    (reason,) = state(machine, vm())[1]
    assert (reason.kind, reason.since) == ("stopping", LATER)


@pytest.mark.parametrize("kind", ["Failure", "ManualRecoveryRequired"])
def test_what_virt_controller_cannot_bring_is_told(kind: str) -> None:
    failed = {"type": kind, "status": "True", "message": "no claim", "lastTransitionTime": LATER}
    (reason,) = failures(vm(status={"conditions": [{"type": "Ready", "status": "True"}, failed]}))
    assert (reason.kind, reason.message, reason.since) == (
        "following",
        "virt-controller gets no further: no claim",
        LATER,
    )
    assert [*failures(vm(status={"conditions": [{**failed, "status": "False"}]}))] == []
