"""VMs that are alike are expanded once, their outcome is cached, and messages stay the same."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import fleets
import pytest

from virtcatalog.check import outcome
from virtcatalog.check.outcome import Expander, Outcome
from virtcatalog.errors import UNKNOWN_FIELD, Reason, UnsupportedError, Warning
from virtcatalog.fleet.alike import Alike
from virtcatalog.fleet.cache import Cache
from virtcatalog.kubevirt.cluster import Cluster

Data = dict[str, Any]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the VMs that are expanded."""
    names: list[str] = []
    expand = outcome.expand

    def note(vm: Data, cluster: Cluster) -> Any:
        names.append(vm["metadata"]["name"])
        return expand(vm, cluster)

    monkeypatch.setattr(outcome, "expand", note)
    return names


def drawn(seed: int) -> tuple[list[Data], list[Data]]:
    """The objects of a cluster, and VMs."""
    chance = Random(seed)
    around = [*fleets.changed(fleets.catalog(), chance), fleets.kubevirt(chance.choice(fleets.CONFIGURATIONS))]
    fleet = fleets.fleet(60, chance)
    vms = [manifest for manifest in fleet if manifest["kind"] == "VirtualMachine"]
    for vm in vms:
        if chance.random() < 0.1:
            vm["metadata"]["labels"] = {"app": chance.choice(("fine", "not fine!", "x" * 64))}
    return [*around, *(manifest for manifest in fleet if manifest["kind"] != "VirtualMachine")], vms


def all_of(objects: list[Data], vms: list[Data], cache: Cache | None = None) -> list[Outcome]:
    expander = Expander(objects, Cluster(objects), cache)
    return [expander.outcome(vm) for vm in vms]


@pytest.mark.parametrize("seed", range(8))
def test_each_is_told_what_it_would_be_told_alone(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects, vms = drawn(seed)
    outcomes = all_of(objects, vms)
    cache = Cache(str(tmp_path))
    assert all_of(objects, vms, cache) == outcomes
    assert all_of(objects, vms, cache) == outcomes
    numbers = iter(range(len(vms)))
    monkeypatch.setattr(Alike, "key", lambda *_: b"%d" % next(numbers))
    assert all_of(objects, vms) == outcomes


def test_those_that_are_alike_are_expanded_once(names: list[str]) -> None:
    vms = [fleets.vm(f"vm-{number}", "large", "linux") for number in range(20, 30)]
    first, *others = all_of(fleets.catalog(), vms)
    assert names == ["vm-20"]
    assert first.requests
    assert all(other == first for other in others)


def test_what_is_said_of_one_is_said_of_no_other(names: list[str]) -> None:
    vms = [fleets.vm(f"vm-{number}", "gone", "linux") for number in (20, 21)]
    outcomes = all_of(fleets.catalog(), vms)
    assert names == ["vm-20", "vm-21"]
    assert all(outcome.reasons for outcome in outcomes)


def test_a_second_run_expands_nothing(tmp_path: Path, names: list[str]) -> None:
    objects, vms = drawn(3)
    cache = Cache(str(tmp_path))
    first = all_of(objects, vms, cache)
    cache.save()
    names.clear()
    assert all_of(objects, vms, Cache(str(tmp_path))) == first
    assert not names
    objects[0]["spec"]["memory"]["guest"] = "17Gi"
    all_of(objects, vms, Cache(str(tmp_path)))
    assert names


def of(**domain: Any) -> Outcome:
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}, **domain}}}
    spec = {"runStrategy": "Always", "template": template}
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a"}, "spec": spec}
    return Expander([], Cluster([])).outcome(manifest)


def test_what_is_not_modelled_has_an_outcome_of_its_own() -> None:
    field = "spec.template.spec.domain.ioThreads.supplementalPoolThreadCount"
    message = "not supported by virtcatalog: a domain with more than 1,024 IO threads is not made"
    outcome_of_vm = of(ioThreadsPolicy="supplementalPool", ioThreads={"supplementalPoolThreadCount": 10**6})
    assert (outcome_of_vm, outcome_of_vm.silent) == (Outcome(unsupported=(message, field)), False)


def test_a_vm_of_which_nothing_is_to_be_said_has_the_requests_of_its_pod() -> None:
    outcome_of_vm = of()
    assert (
        outcome_of_vm.unsupported,
        outcome_of_vm.pod_error,
        outcome_of_vm.reasons,
        outcome_of_vm.warnings,
        outcome_of_vm.silent,
    ) == (
        None,
        None,
        (),
        (),
        True,
    )
    assert outcome_of_vm.requests is not None
    assert outcome_of_vm.requests["cpu"] == 105


def test_what_is_refused_says_why() -> None:
    outcome_of_vm = of(cpu={"sockets": 2, "maxSockets": 1})
    assert (outcome_of_vm.requests, outcome_of_vm.pod_error, outcome_of_vm.silent) == (None, None, False)
    assert outcome_of_vm.reasons[0] == (
        "2 sockets are more than cpu.maxSockets, 1 (refused by the VM webhook)",
        "spec.template.spec.domain.cpu.sockets",
    )


def test_alike_vms_of_longer_names_and_other_states_are_expanded_each(names: list[str]) -> None:
    vms = [fleets.vm(name, "large", "linux") for name in ("vm-20", "vm-21", "vm-200", "vm-22")]
    vms[3]["status"] = {"created": True}
    all_of(fleets.catalog(), vms)
    assert names == ["vm-20", "vm-200", "vm-22"]


def test_a_vm_with_a_label_that_is_none_shares_no_outcome(names: list[str]) -> None:
    vms = [fleets.vm(name, "large", "linux") for name in ("vm-20", "vm-21")]
    for vm in vms:
        vm["metadata"]["labels"] = {"app": "not fine!"}
    first, second = all_of(fleets.catalog(), vms)
    assert names == ["vm-20", "vm-21"]
    assert first == second


FAULT = Reason("spec.a", "is odd", "vm")
UNKNOWN = Reason("spec.b", "unknown field", "vm", UNKNOWN_FIELD)
NO_POD = UnsupportedError("spec.c", "it is odd")
HELD = SimpleNamespace(message="no Pod is made", field="spec.d")
OWN, OF_CLAIM, PRUNED = (
    Warning("Ignored", "spec.e", "counts for nothing"),
    Warning("Suspect", "spec.f", "is odd", "PersistentVolumeClaim/a"),
    Warning("Pruned", "spec.g", "is dropped"),
)


@pytest.mark.parametrize(
    ("admitted", "pod_error", "reasons", "warnings", "expected"),
    [
        (True, None, [], [], Outcome()),
        (True, HELD, [], [], Outcome(pod_error=("no Pod is made", "spec.d"))),
        (False, HELD, [FAULT], [], Outcome(reasons=((FAULT.sentence, "spec.a"),))),
        (False, None, [UNKNOWN], [], Outcome()),
        (False, None, [UNKNOWN, FAULT], [], Outcome(reasons=((FAULT.sentence, "spec.a"),))),
        (True, None, [], [OWN, PRUNED], Outcome(warnings=((OWN.sentence, "spec.e"),))),
        (True, None, [], [OF_CLAIM], Outcome(warnings=((OF_CLAIM.sentence, ""),))),
    ],
)
def test_what_is_told_of_a_vm(
    admitted: bool,
    pod_error: object,
    reasons: list[Reason],
    warnings: list[Warning],
    expected: Outcome,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = SimpleNamespace(pod=None, pod_error=pod_error, admitted=admitted, reasons=reasons, warnings=warnings)
    monkeypatch.setattr(outcome, "expand", lambda *_: result)
    (told_outcome,) = all_of([], [{"kind": "VirtualMachine", "metadata": {"name": "a"}}])
    assert told_outcome == expected
    assert told_outcome.silent is (expected == Outcome())


def test_what_is_not_modelled_is_told_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NO_POD

    monkeypatch.setattr(outcome, "expand", fail)
    (told_outcome,) = all_of([], [{"kind": "VirtualMachine", "metadata": {"name": "a"}}])
    assert told_outcome == Outcome(unsupported=(NO_POD.sentence, "spec.c"))
    assert not told_outcome.silent
