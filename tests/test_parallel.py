"""Many VMs in several processes: the same results in the same order, taken as they are asked for."""

import json

import pytest

from virtcatalog.cli.expand_output import FORMS
from virtcatalog.fleet import expanding as parallel
from virtcatalog.fleet.expanding import Expander, expand_fleet
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.pool import Processes
from virtcatalog.fleet.sources import Placed
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


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Expand so many VMs of a file, with processes however few there are; count what is read here."""
    monkeypatch.setattr(parallel, "WORTH_IT", 10)
    monkeypatch.setattr(parallel, "CHUNK", 4)

    def expanded(number, jobs):
        file = tmp_path / "vms.json"
        file.write_text("".join(f"{json.dumps(vm(index))}\n" for index in range(number)))
        expander = Expander(Cluster(INSTANCETYPES), FORMS["json"].form, lambda _vm, _result: [], many=True)
        return expand_fleet(Fleet([Placed(str(file))]), expander, Processes(jobs))

    return expanded


def test_processes_do_what_one_does(run):
    alone = list(run(60, 1))
    assert list(run(60, 2)) == alone
    assert {expansion.became for expansion in alone} == {"admitted", "refused", "unsupported"}


def test_results_come_before_all_vms_are_read(run, monkeypatch):
    read, sections = [], Fleet.sections

    def counted(fleet, _size):
        for section in sections(fleet, 4):
            read.append(section)
            yield section

    monkeypatch.setattr(Fleet, "sections", counted)
    results = run(1000, 2)
    next(results)
    assert len(read) < 60
    results.close()


def test_few_vms_start_no_process(run, monkeypatch):
    monkeypatch.setattr(Processes, "results", None)
    assert len(list(run(9, 8))) == 9
