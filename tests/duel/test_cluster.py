"""A cluster as the oracle: it agrees, a difference is found, and nothing of what was made stays."""

import json
from itertools import islice

import pytest

from cluster.api import Api, ApiError
from conformance.agree import EXPANDED, WEBHOOK
from duel.__main__ import main, questions
from duel.cluster import api_of, cluster_oracle
from duel.judge import differing
from duel.pipe import OracleError

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
    with cluster_oracle(api_of(context(cluster), str(cluster.kubeconfig))) as oracle:
        yield oracle


def context(cluster):
    line = next(text for text in cluster.kubeconfig.read_text().splitlines() if "current-context" in text)
    return line.split(":")[1].strip().strip('",')


def question(oracle, **other):
    drawn = next(questions(1, oracle.release, conditions=oracle.conditions))
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}
    return {**drawn, "vm": {**drawn["vm"], "spec": {"runStrategy": "Always", "template": template}}, **other}


def test_a_cluster_is_held_against_us_by_its_context(cluster, capsys):
    before = [list(cluster.api.items(version, kind)) for version, kind in _KINDS]
    arguments = ["--context", context(cluster), "--kubeconfig", str(cluster.kubeconfig), "--cases", "40"]
    status = main(arguments)
    printed = capsys.readouterr()
    assert status == 0, printed.out
    assert f", {WEBHOOK} " in printed.out
    assert printed.err == "the cluster serves no subresources of KubeVirt: expanded is not compared\n"
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
    assert differing(refused, oracle, oracle.stages) == {}


def test_a_type_that_is_refused_is_told_and_the_vm_that_needs_it_is_not_asked_about(oracle):
    answer = oracle.ask(question(oracle, objects=[WRONG]))
    assert set(answer) == {"objects"}
    assert answer["objects"].keys() == {f"{PREFERENCE}/wrong"}


def test_a_difference_is_found(oracle, monkeypatch):
    refused = {WEBHOOK: {"allowed": False, "fields": ["spec.runStrategy"]}}
    monkeypatch.setattr(oracle, "_of_vm", lambda _vm: refused)
    assert WEBHOOK in differing(question(oracle), oracle, oracle.stages)


def of_type(oracle, **domain):
    """A VM of a type with two vCPUs."""
    spec = {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}
    type_ = {**WRONG, "kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "two"}, "spec": spec}
    case = question(oracle, objects=[type_])
    template = {"spec": {"domain": {"devices": {}, **domain}}}
    case["vm"]["spec"] = {"runStrategy": "Always", "instancetype": {"name": "two"}, "template": template}
    return case


@pytest.fixture
def expanding(cluster, monkeypatch):
    """The cluster of the tests with a stand-in for virt-api: expand-vm-spec is what `answer` makes of a stored VM."""
    ask = Api.ask

    def served(api, method, path, body=None, **options):
        if path == "/apis/subresources.kubevirt.io/v1":
            return {"kind": "APIResourceList"}
        if path.endswith("/expand-vm-spec"):
            assert (method, path.split("/")[-2]) == ("PUT", body["metadata"]["namespace"])
            return served.answer(body)
        return ask(api, method, path, body, **options)

    monkeypatch.setattr(Api, "ask", served)
    with cluster_oracle(api_of(context(cluster), str(cluster.kubeconfig))) as oracle:
        yield oracle, served


def two_sockets(vm):
    spec = vm["spec"]["template"]["spec"]
    spec["domain"] |= {"cpu": {"cores": 1, "sockets": 2, "threads": 1}, "memory": {"guest": "2Gi"}}
    spec["domain"]["devices"] = {"interfaces": [{"name": "default", "bridge": {}}]}
    spec |= {"evictionStrategy": "None", "networks": [{"name": "default", "pod": {}}]}
    return vm


def test_a_vm_with_its_types_applied_is_held_against_expand_vm_spec(expanding):
    oracle, served = expanding
    case = of_type(oracle)
    served.answer = two_sockets
    assert oracle.ask(case)[EXPANDED]["spec"]["domain"]["cpu"]["sockets"] == 2
    assert differing(case, oracle, oracle.stages) == {}
    served.answer = lambda vm: vm
    lines = differing(case, oracle, oracle.stages)[EXPANDED]
    assert 'spec.domain.cpu: KubeVirt <absent>, here {"cores": 1, "sockets": 2, "threads": 1}' in lines


def test_a_type_that_cannot_be_applied_is_refused_by_both(expanding):
    def conflicts(_vm):
        raise ApiError({"code": 400, "message": "VM fields conflict with selected instance type"})

    oracle, served = expanding
    served.answer = conflicts
    case = of_type(oracle, cpu={"sockets": 4})
    assert oracle.ask(of_type(oracle))[EXPANDED] == {"refused": True}
    assert EXPANDED in differing(of_type(oracle), oracle, oracle.stages)
    assert EXPANDED not in differing(case, oracle, oracle.stages)


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
