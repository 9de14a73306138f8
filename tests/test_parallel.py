"""Many VMs in several processes: the same results in the same order, taken as they are asked for."""

import pytest

from virtcatalog.errors import UnsupportedError
from virtcatalog.fleet import expanding as parallel
from virtcatalog.fleet.expanding import expand_many
from virtcatalog.fleet.pool import Processes
from virtcatalog.kubevirt.cluster import Cluster

INSTANCETYPES = [
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": cpus}, "memory": {"guest": "1Gi"}},
    }
    for name, cpus in (("small", 1), ("huge", 70000))
]


def vm(number):
    """Make a VM: every seventh is refused, every eleventh asks for what is not modelled."""
    spec = {"domain": {"devices": {}}}
    if number % 7 == 0:
        spec["domain"]["cpu"] = {"cores": 2}
    size = "small" if number % 11 else "huge"
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": f"vm-{number}"},
        "spec": {"instancetype": {"name": size}, "runStrategy": "Always", "template": {"spec": spec}},
    }


def plain(result):
    if isinstance(result, UnsupportedError):
        return result.field, result.message
    return result.refused_by, result.causes, result.reasons, result.warnings, result.vm, result.vmi, result.domain_xml


@pytest.fixture
def run(monkeypatch):
    """Expand VMs, with processes however few there are."""
    monkeypatch.setattr(parallel, "WORTH_IT", 10)
    monkeypatch.setattr(parallel, "CHUNK", 4)
    return lambda vms, jobs: expand_many(vms, Cluster(INSTANCETYPES), Processes(jobs))


def test_processes_do_what_one_does(run):
    alone = list(map(plain, run(map(vm, range(60)), 1)))
    assert list(map(plain, run(map(vm, range(60)), 2))) == alone
    assert {each[0] for each in alone} == {None, "vm", "spec.template.spec.domain.cpu"}
    assert any(len(each) == 2 for each in alone)


def test_vms_are_taken_only_a_little_ahead(run):
    taken = []

    def vms():
        for number in range(1000):
            taken.append(number)
            yield vm(number)

    results = run(vms(), 2)
    next(results)
    assert len(taken) < 60
    results.close()


def test_few_vms_start_no_process(run, monkeypatch):
    monkeypatch.setattr(Processes, "results", None)
    assert len(list(run(map(vm, range(9)), 8))) == 9
