"""What becomes of a machine follows from KubeVirt's own answer by a table: for every pair of the conformance cases."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import otheryaml
from conformance import rollouts
from sampling import sample
from virtcatalog import Cluster
from virtcatalog.kubevirt.identity import type_uid
from virtcatalog.kubevirt.rollout.outcome import Rollout
from virtcatalog.review.running import BY_HAND, Running, now_of, running


def expected(answer: dict[str, Any], rollout: Rollout) -> str:
    """The table: what KubeVirt answers, the gravest first, and what the machine meets.

    That a VM needed a restart before already, KubeVirt does not answer: that is ours.
    """
    if not answer["admission"]["allowed"] or answer["error"]:
        return "refused"
    if answer["stopped"]:
        return "stop"
    if answer["restart"] and rollout.restart_before is None:
        return "restart"
    if not answer["live"] and not answer["migratedVolumes"]:
        return "unchanged"
    migration = answer["migration"]
    if migration["required"] == "no":
        return "live"
    return "migrate" if migration["action"] == "migrate" or migration["migratable"] else "pending"


def test_what_becomes_of_a_machine_follows_from_kubevirts_answer() -> None:
    differing, numbers = {}, Counter[str]()
    pairs = sample(rollouts.pairs()[::3], 6)
    for pair in pairs:
        rollout = rollouts.rollout(pair)
        now = now_of(rollout)
        numbers[now] += 1
        if now != expected(pair.expected, rollout):
            differing[pair.name] = (now, expected(pair.expected, rollout))
    # Those of which the answer itself is not KubeVirt's: see test_conformance.py.
    allowed = {pair.name for pair in pairs if pair.name in differing and rollouts.check(pair)}
    assert {name: pair for name, pair in differing.items() if name not in allowed} == {}
    assert len(allowed) <= 3
    assert min(numbers[now] for now in ("refused", "stop", "restart", "pending", "migrate", "live", "unchanged")) > 0
    assert len(rollouts.pairs()) >= 2411


VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {cores: 1, sockets: 2}
        memory: {guest: 2Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
"""
OFF = ("runStrategy: Always", "runStrategy: Halted")
RUNNING, STOPPED = ("runStrategy: Always", "running: true"), ("runStrategy: Always", "running: false")
NAMED = ("    spec:\n      domain", "    spec:\n      hostname: a\n      domain")
MORE = ("sockets: 2", "sockets: 3")
REFUSED = ("disk: {bus: virtio}", "disk: {bus: none}")
EVERYTHING = (
    ("    spec:\n", "    spec:\n      hostname: a\n      subdomain: b\n"),
    ("cores: 1", "cores: 2"),
    ("devices:\n", "devices:\n          rng: {}\n          blockMultiQueue: true\n"),
)
CANNOT = "cannot change while the VM runs"
Edit = tuple[str, str]


def edited(*edits: Edit) -> dict[str, Any]:
    text = VM
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return otheryaml.load(text)


def cluster(mode: str = "ReadWriteMany", strategy: str = "LiveUpdate") -> Cluster:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "root", "namespace": "shop"},
        "spec": {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}},
    }
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {"vmRolloutStrategy": strategy}},
    }
    return Cluster([claim, kubevirt])


@pytest.mark.parametrize(
    ("old", "new", "now", "reasons"),
    [
        ([], [], "unchanged", []),
        ([OFF], [OFF], "unchanged", []),
        ([OFF], [OFF, NAMED], "unchanged", []),
        ([], [MORE], "migrate", []),
        ([], [NAMED], "restart", ["needs a restart by hand: hostname cannot change while the VM runs"]),
        (
            [],
            EVERYTHING,
            "restart",
            [f"{BY_HAND}domain.cpu.cores, domain.devices.blockMultiQueue, domain.devices.rng and 2 more {CANNOT}"],
        ),
        ([], [OFF], "stop", ["the VM is switched off: runStrategy Always → Halted"]),
        ([OFF], [], "start", ["the VM is started: runStrategy Halted → Always"]),
        ([RUNNING], [STOPPED], "stop", ["the VM is switched off: running true → false"]),
        ([STOPPED], [RUNNING], "start", ["the VM is started: running false → true"]),
        ([STOPPED], [], "start", ["the VM is started: running false → runStrategy Always"]),
        ([RUNNING], [OFF], "stop", ["the VM is switched off: running true → runStrategy Halted"]),
    ],
)  # fmt: skip
def test_what_becomes_of_a_machine_and_why(old: list[Edit], new: list[Edit], now: str, reasons: list[str]) -> None:
    outcome = running(edited(*old), edited(*new), cluster(), cluster())
    assert (outcome.now, list(outcome.reasons), outcome.next, outcome.breaks) == (now, reasons, "same", ())


def test_what_needs_a_migration_that_cannot_be_says_why() -> None:
    outcome = running(edited(), edited(MORE), cluster("ReadWriteOnce"), cluster("ReadWriteOnce"))
    assert outcome.now == "pending"
    assert outcome.reasons[0] == "it comes with a live migration, which the VM cannot do"
    assert "root" in outcome.reasons[1]


def test_with_the_strategy_stage_all_waits_for_a_restart() -> None:
    staged = cluster(strategy="Stage")
    outcome = running(edited(), edited(MORE), staged, staged)
    assert (outcome.now, outcome.reasons) == (
        "restart",
        ("the rollout strategy Stage brings nothing to a VM that runs",),
    )


def test_what_is_refused_says_whether_a_new_vm_would_be_taken() -> None:
    refused = running(edited(), edited(REFUSED), cluster(), cluster())
    assert refused.now == "refused"
    assert not any("created anew" in reason for reason in refused.reasons)


def test_of_a_vm_that_stays_off_it_is_said_what_the_webhook_refuses() -> None:
    refused = running(edited(OFF), edited(OFF, REFUSED), cluster(), cluster())
    assert (refused.now, len(refused.reasons), refused.next) == ("refused", 1, "same")


TYPED = ("cpu: {cores: 1, sockets: 2}\n        memory: {guest: 2Gi}\n        ", "")


def of_type(name: str, cpus: int = 2) -> dict[str, Any]:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": cpus}, "memory": {"guest": "4Gi"}},
    }


def revision(name: str, data: dict[str, Any]) -> dict[str, Any]:
    labels = {"instancetype.kubevirt.io/object-version": "v1beta1"}
    metadata = {"name": name, "namespace": "shop", "labels": labels}
    return {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "revision": 0, "data": data}


def test_what_only_an_update_is_refused_for_is_taken_when_it_is_created_anew() -> None:
    vm, other = edited(TYPED), edited(TYPED)
    vm["spec"]["instancetype"] = {"name": "small", "revisionName": "r"}
    other["spec"]["instancetype"] = {"name": "large", "revisionName": "r"}
    types = Cluster([of_type("small"), of_type("large"), revision("r", of_type("small"))])
    refused = running(vm, other, types, types)
    assert refused.now == "refused"
    assert refused.reasons[1:] == ("KubeVirt takes it when the VM is deleted and created anew",)


def test_where_virt_controller_cannot_go_on_nothing_is_said_of_a_vm_that_is_created_anew() -> None:
    vm, other = edited(TYPED), edited(TYPED)
    vm["spec"]["instancetype"], other["spec"]["instancetype"] = {"name": "small"}, {"name": "large"}
    types = [of_type("small"), of_type("large", 4)]
    name = f"web-large-v1beta1-{type_uid('VirtualMachineClusterInstancetype', '', 'large')}-1"
    stuck = running(vm, other, Cluster(types), Cluster([*types, revision(name, of_type("large", 1))]))
    (reason,) = stuck.reasons
    assert stuck.now == "refused"
    assert reason.startswith(f"virt-controller cannot go on: there is a ControllerRevision shop/{name} already")


@pytest.mark.parametrize(("edits", "next_start"), [([], "refused"), ([OFF], "same")])
def test_a_machine_whose_cluster_changes_may_not_start_again(edits: list[Edit], next_start: str) -> None:
    """A VM that is off starts no machine, and nothing is known of when it will."""

    def gated(*gates: str) -> Cluster:
        developer = {"developerConfiguration": {"featureGates": list(gates)}}
        metadata = {"name": "kubevirt", "namespace": "kubevirt"}
        spec = {"configuration": developer}
        return Cluster([{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": metadata, "spec": spec}])

    device = "          hostDevices: [{name: a, deviceName: example.org/a}]\n"
    vm = edited(*edits, ("devices:\n", f"devices:\n{device}"))
    outcome = running(vm, vm, gated("HostDevices"), gated())
    assert (outcome.now, outcome.next) == ("unchanged", next_start)


def test_a_machine_that_did_not_run_meets_nothing_when_its_cluster_changes() -> None:
    assert running(edited(REFUSED), edited(REFUSED), cluster(), cluster("ReadWriteOnce")) == Running()
