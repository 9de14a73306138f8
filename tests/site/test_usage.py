"""Who uses what: counted by namespace, whatever the VMs, and told on the pages."""

from __future__ import annotations

import json
import re
import tracemalloc

import pytest
from pagetext import words

from sampling import thorough
from virtcatalog import load_catalog
from virtcatalog.site.pages import render
from virtcatalog.site.usage import FEW, ROWS, Fleet

FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "preferences/p.yaml": "preferences: {plain: {}}\n",
}
OVERLAYS = (
    "production: {namespaces: ['prod-*'], clusters: [east], select: {names: ['m.large', plain]}}\n"
    "lab: {scope: namespaced, namespace: lab}\n"
)


def catalog(overlays: str = ""):
    files = {**FILES, **({"overlays.yaml": overlays} if overlays else {})}
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def vm(name: str, instancetype: object = "m.small", namespace: str = "shop", preference: str = "", **others: object):
    spec: dict[str, object] = {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}}
    if instancetype:
        spec["instancetype"] = {"name": instancetype} if isinstance(instancetype, str) else instancetype
    if preference:
        spec["preference"] = {"name": preference}
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec, **others}


def fleet(*vms, overlays: str = "", where: str = "", anonymous: bool = False) -> Fleet:
    deployed = Fleet(catalog(overlays), anonymous=anonymous)
    for vm in vms:
        deployed.add(vm, where)
    return deployed


def places(deployed: Fleet, name: str = "m.small", section: str = "instancetypes") -> list[tuple[str, str, int]]:
    return [(place.where, place.namespace, place.users.count) for place in deployed.usage(section, name).places]


def test_vms_are_counted_by_what_they_name_and_where():
    deployed = fleet(vm("a"), vm("b", preference="plain"), vm("c", namespace=""), vm("d", "m.large"))
    assert deployed.counts("instancetypes") == {"m.small": 3, "m.large": 1}
    assert deployed.counts("preferences") == {"plain": 1}
    assert places(deployed) == [("", "shop", 2), ("", "default", 1)]
    assert deployed.usage("instancetypes", "m.large").places[0].users.names == ["d"]


def test_the_first_names_are_the_same_in_whichever_order_vms_come():
    vms = [vm(f"vm-{number}") for number in (10, 3, 7, 1, 22, 2)]
    for order in (vms, vms[::-1]):
        assert fleet(*order).usage("instancetypes", "m.small").places[0].users.names == ["vm-1", "vm-2", "vm-3"]
    assert FEW == 3


def test_what_is_not_of_the_catalog_or_names_nothing_is_told_apart():
    deployed = fleet(
        vm("a", "u1.small"),
        vm("b", ""),
        vm("c", {"inferFromVolume": "root"}),
        vm("d", {"kind": "Sofa", "name": "m.small"}),
    )
    assert (deployed.total, deployed.others, deployed.inferring, deployed.plain) == (4, 1, 1, 1)
    assert deployed.counts("instancetypes") == {}


def test_other_kinds_do_not_count():
    other = {"apiVersion": "example.org/v1", "kind": "VirtualMachine", "metadata": {"name": "x"}, "spec": {}}
    pool = {"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool", "metadata": {"name": "x"}}
    assert fleet(other, pool, {"kind": "List"}).total == 0


class TestEnvironments:
    def test_a_vm_counts_where_its_environment_has_what_it_names(self):
        deployed = fleet(vm("a", "m.large", "prod-a"), vm("b", "m.small", "prod-a"), overlays=OVERLAYS)
        assert deployed.counts("instancetypes") == {"m.large": 1}
        assert deployed.others == 1  # production has no m.small

    def test_namespaced_objects_are_those_of_their_own_namespace(self):
        namespaced = {"kind": "VirtualMachineInstancetype", "name": "m.small"}
        deployed = fleet(vm("a", namespaced, "lab"), vm("b", namespaced, "prod-a"), overlays=OVERLAYS)
        assert places(deployed) == [("", "lab", 1)]

    def test_where_a_dump_is_from_is_told(self):
        assert places(fleet(vm("a", "m.large", "any"), overlays=OVERLAYS, where="east"), "m.large") == [
            ("east", "any", 1)
        ]

    def test_without_environments_namespaced_objects_may_be_anywhere(self):
        assert places(fleet(vm("a", {"kind": "VirtualMachineInstancetype", "name": "m.small"}))) == [("", "shop", 1)]


def test_namespaces_with_the_most_vms_come_first_and_many_are_counted_together():
    vms = [
        vm(f"v{number}-{index}", namespace=f"n{number}")
        for number in range(ROWS + 5)
        for index in range(1 + (number == 9))
    ]
    usage = fleet(*vms).usage("instancetypes", "m.small")
    assert (usage.places[0].namespace, usage.places[1].namespace) == ("n9", "n0")
    assert (usage.count, len(usage.places), usage.more) == (ROWS + 6, ROWS, (5, 5))


def test_counted_only_nobody_is_named():
    pages = render(catalog(), fleet=fleet(vm("secret-vm", namespace="secret-ns"), anonymous=True))
    assert "1 of the 1 VMs that are known" in words(pages["types/m.small.html"])
    assert not [path for path, page in pages.items() if "secret" in page]


def test_pages_tell_who_uses_what():
    vms = [vm(f"web-{number}", preference="plain") for number in range(5)]
    pages = render(catalog(), fleet=fleet(*vms, vm("x", "nowhere"), vm("y", "")))
    page = words(pages["types/m.small.html"])
    assert "Who uses it 5 of the 7 VMs that are known, in 1 namespace." in page
    assert "shop 5 web-0, web-1, web-2 and 2 more" in page
    assert "None of the 7 VMs that are known." in words(pages["types/m.large.html"])
    assert "5 of the 7 VMs" in words(pages["preferences/plain.html"])
    index = pages["index.html"]
    rows = {row["name"]: row for row in json.loads(re.search(r'id="data">(.*?)</script>', index, re.DOTALL)[1])}
    assert (rows["m.small"]["vms"], "vms" in rows["m.large"]) == (5, False)
    assert "VMs are of a fleet of 7, 1 name" in words(index)
    assert "1 name no instance type and no preference, 1 name something that is not of this catalog" in words(index)


def test_without_a_fleet_nothing_is_said_of_users():
    pages = render(catalog())
    assert "Who uses it" not in pages["types/m.small.html"]
    assert "VMs" not in words(pages["index.html"])


def test_hostile_names_are_shown_and_not_obeyed():
    hostile = "</td><img src=x onerror=alert(1)>\u202e\x1b[2J"
    page = render(catalog(), fleet=fleet(vm(hostile, namespace=hostile)))["types/m.small.html"]
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("spec", [None, [], "x", {"instancetype": []}, {"instancetype": {"name": ["x"]}}])
def test_a_vm_that_is_none_is_counted_and_uses_nothing(spec):
    deployed = fleet({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": None, "spec": spec})
    assert (deployed.total, deployed.counts("instancetypes")) == (1, {})


@thorough
def test_memory_does_not_grow_with_the_vms():
    deployed = fleet()
    tracemalloc.start()
    try:
        for number in range(2000):
            deployed.add(vm(f"v{number:05}", namespace=f"n{number % 10}"))
        before = tracemalloc.get_traced_memory()[0]
        for number in range(2000, 12000):
            deployed.add(vm(f"v{number:05}", namespace=f"n{number % 10}"))
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()
