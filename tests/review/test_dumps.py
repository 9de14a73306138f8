"""The VMs of dumps, read by one process or by several."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.fleet.pool import Processes
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.review import dumps as fleets
from virtcatalog.review.dumps import Dump, dump_of, header_of, vms_of

TYPE = ("VirtualMachineClusterInstancetype", "", "m")
OWN = ("VirtualMachinePreference", "team", "p")


def vm(name: str, spec: Any = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "team"}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec or {}, **more}


def stream(text: str) -> Stream:
    return Stream(Spool().copy(text.encode()), "dump")


@pytest.mark.parametrize(
    ("spec", "references"),
    [
        ({}, ()),
        ({"instancetype": {"name": "m"}}, (TYPE,)),
        (
            {
                "instancetype": {"kind": "virtualmachineclusterinstancetypes", "name": "m"},
                "preference": {"kind": "VirtualMachinePreference", "name": "p"},
            },
            (TYPE, OWN),
        ),
        ({"preference": {"inferFromVolume": "root"}}, None),
        ({"instancetype": {"name": "m"}, "preference": {"inferFromVolume": "root"}}, None),
        ({"instancetype": {"kind": "Flavor", "name": "m"}}, None),
        ({"instancetype": {"kind": "virtualmachineinstancetype"}}, None),
        ({"instancetype": "m"}, None),
        ("none", None),
    ],
)
def test_what_a_vm_names_is_known_unless_more_decides_it(spec: Any, references: object) -> None:
    assert header_of(vm("a", spec)).references == references


def test_a_vm_names_what_is_in_its_own_namespace() -> None:
    own = {"kind": "VirtualMachineInstancetype", "name": "m"}
    specs = ({}, {"instancetype": {"name": "m"}}, {"instancetype": own})
    inferring = {"preference": {"inferFromVolume": "root"}}
    specs += (inferring, {**inferring, "instancetype": own})
    vms = vms_of([Dump(vm("a", spec) for spec in specs)])
    assert [dumped.names_own for dumped in vms] == [False, False, True, False, True]


def test_the_stored_revision_is_that_of_the_spec_or_of_the_same_object_in_the_status() -> None:
    named = {"instancetype": {"name": "m"}, "preference": {"name": "p"}}
    status = {
        "instancetypeRef": {"name": "m", "controllerRevisionRef": {"name": "of-m"}},
        "preferenceRef": {"name": "other", "controllerRevisionRef": {"name": "of-other"}},
    }
    assert header_of(vm("a", named, status=status)).revisions == (("instancetype", "of-m"),)
    named["preference"]["revisionName"] = "mine"
    assert header_of(vm("a", named, status=status)).revisions == (("instancetype", "of-m"), ("preference", "mine"))
    assert header_of(vm("a", status=status)).revisions == ()


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
VMS = [vm(f"vm-{number}", {"instancetype": {"name": f"m-{number}"}, "n": 2**70}) for number in range(7)]
LIST = {"apiVersion": "v1", "kind": "List", "items": [*VMS[:3], NODE, *VMS[3:]]}


@pytest.mark.parametrize("text", [json.dumps(LIST, indent=4), json.dumps(LIST), dump(LIST)])
def test_several_processes_read_what_one_does(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = dump_of(stream(text), "lab")
    monkeypatch.setattr(fleets, "WORTH_IT", 2)
    monkeypatch.setattr(fleets, "forked", lambda: Processes(2))
    monkeypatch.setattr(fleets, "_CHUNK", 2)
    together = dump_of(stream(text), "lab")
    for read_vms in (alone, together):
        assert [list(read_vms.vms), read_vms.others, read_vms.where] == [VMS, [NODE], "lab"]
        assert read_vms.headers == list(map(header_of, VMS))


def test_several_processes_say_what_is_wrong_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(LIST).replace('"name": "m-4"', '"name": "m-4", "name": "m-5"')
    with pytest.raises(ManifestError) as alone:
        dump_of(stream(text))
    monkeypatch.setattr(fleets, "WORTH_IT", 2)
    monkeypatch.setattr(fleets, "forked", lambda: Processes(2))
    monkeypatch.setattr(fleets, "_CHUNK", 2)
    with pytest.raises(ManifestError) as together:
        dump_of(stream(text))
    assert together.value.problems == alone.value.problems
    assert "twice" in str(together.value)


def pooled(name: str, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "team", "labels": labels}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": {"template": {}}}


def test_vms_of_a_pool_stand_for_it_where_the_dump_has_them() -> None:
    pool = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web-eu", "namespace": "team"},
        "spec": {"replicas": 2, "virtualMachineTemplate": {"spec": {}}},
    }
    vms = [pooled(f"web-eu-{number}", **{"kubevirt.io/vm-pool-revision-name": "web-eu-12"}) for number in (0, 1)]
    together = vms_of([Dump([*vms, pool])])
    assert [vm.header.name for vm in together] == ["team/web-eu-0", "team/web-eu-1"]
    assert len(together) == 2
    assert [vm.vm["metadata"]["name"] for vm in together] == ["web-eu-0", "web-eu-1"]
    apart = vms_of([Dump([pool, pooled("web-eu-0")])])  # another one's VM
    assert [vm.header.name for vm in apart] == ["team/web-eu", "team/web-eu-0"]
