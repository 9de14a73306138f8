"""A cluster as the oracle: it agrees, a difference is found, and nothing of what was made stays."""

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from conformance.agree import WEBHOOK
from duel.__main__ import questions
from duel.cluster import STAGES, api_of, cluster_oracle
from duel.judge import differing
from duel.pipe import OracleError

TESTS = Path(__file__).parents[1]
PREFERENCE = "VirtualMachineClusterPreference"
#: A requirement of CPUs without a number: refused by the webhook of preferences.
WRONG = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": PREFERENCE,
    "metadata": {"name": "wrong"},
    "spec": {"cpu": {"spreadOptions": {"across": "CoresThreads", "ratio": 3}, "preferredCPUTopology": "spread"}},
}


@pytest.fixture
def oracle(cluster):
    """The cluster of the tests, asked as any other is: by the context of a kubeconfig."""
    with cluster_oracle(api_of(context(cluster), str(cluster.kubeconfig))) as asked:
        yield asked


def context(cluster):
    line = next(text for text in cluster.kubeconfig.read_text().splitlines() if "current-context" in text)
    return line.split(":")[1].strip().strip('",')


def question(oracle, **other):
    drawn = next(questions(1, oracle.release, conditions=oracle.conditions))
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}
    return {**drawn, "vm": {**drawn["vm"], "spec": {"runStrategy": "Always", "template": template}}, **other}


def test_a_cluster_is_held_against_us_by_its_context(cluster):
    before = [list(cluster.api.items(version, kind)) for version, kind in _KINDS]
    arguments = ["--context", context(cluster), "--kubeconfig", str(cluster.kubeconfig), "--cases", "40"]
    run = subprocess.run([sys.executable, "-m", "duel", *arguments], cwd=TESTS, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f", {WEBHOOK} " in run.stdout
    assert [list(cluster.api.items(version, kind)) for version, kind in _KINDS] == before


_KINDS = (
    ("v1", "PersistentVolumeClaim"),
    ("kubevirt.io/v1", "KubeVirt"),
    ("kubevirt.io/v1", "VirtualMachine"),
    ("instancetype.kubevirt.io/v1beta1", "VirtualMachineClusterInstancetype"),
    ("instancetype.kubevirt.io/v1beta1", PREFERENCE),
)


def test_what_the_webhooks_of_a_vm_refuse_is_told_by_field(oracle):
    refused = question(oracle)
    refused["vm"]["spec"]["runStrategy"] = "Sometimes"
    assert oracle.ask(question(oracle))[WEBHOOK] == {"allowed": True, "fields": []}
    assert oracle.ask(refused)[WEBHOOK] == {"allowed": False, "fields": ["spec.runStrategy"]}


def test_of_what_the_api_server_refuses_by_itself_no_fields_are_compared(oracle):
    refused = question(oracle)
    refused["vm"]["spec"]["unknown"] = 1
    assert oracle.ask(refused)[WEBHOOK] == {"allowed": False}
    assert differing(refused, oracle, STAGES) == {}


def test_a_type_that_is_refused_is_told_and_the_vm_that_needs_it_is_not_asked_about(oracle):
    answer = oracle.ask(question(oracle, objects=[WRONG]))
    assert set(answer) == {"objects"}
    assert answer["objects"].keys() == {f"{PREFERENCE}/wrong"}


def test_a_difference_is_found(oracle, monkeypatch):
    monkeypatch.setattr(oracle, "_webhook", lambda _vm: {"allowed": False, "fields": ["spec.runStrategy"]})
    assert WEBHOOK in differing(question(oracle), oracle, STAGES)


def test_a_case_of_another_configuration_is_not_asked(oracle):
    with pytest.raises(OracleError, match="another configuration"):
        oracle.ask(question(oracle, featureGates=["CPUManager"]))


def test_what_the_cluster_has_already_is_not_replaced(oracle, cluster):
    mine = {**WRONG, "spec": {}}
    cluster.api.create(mine)
    try:
        with pytest.raises(OracleError, match="already exists"):
            oracle.ask(question(oracle, objects=[mine]))
        oracle.forget()
        assert cluster.api.stored(mine)
    finally:
        cluster.api.delete(mine)


def test_cases_have_the_conditions_of_the_cluster_and_are_the_same_otherwise():
    conditions = {"arch": "arm64", "config": {}, "featureGates": []}
    for plain, other in zip(
        islice(questions(1, "v1.9.0"), 20), islice(questions(1, "v1.9.0", conditions=conditions), 20), strict=True
    ):
        assert json.dumps(other) == json.dumps({**plain, **conditions})
