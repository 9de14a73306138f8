"""The account of what became of the attributes of many VMs."""

from __future__ import annotations

from virtcatalog.bring.imports import carried, host, lost
from virtcatalog.bring.vmware.fates import Ledger, Line
from virtcatalog.bring.vmware.machine import Attribute


def attribute(path: str, value: str = "x") -> Attribute:
    return Attribute(path, value, "name")


def test_what_is_lost_comes_first_and_of_that_what_is_lost_most_often():
    ledger = Ledger()
    assert (ledger.lines(), ledger.counts) == ([], {})
    first, again = attribute("disks[0].bus", "a"), attribute("disks[12].bus", "b")
    ledger.add("web", [(first, lost("it is sata")), (again, lost("it is sata")), (attribute("name"), carried("a"))])
    ledger.add("db", [(attribute("disks[0].bus"), lost("it is ide")), (attribute("name"), carried("b"))])
    ledger.add("db", [(attribute("a"), host("h")), (attribute("b"), lost("it is b")), (attribute("z"), host("h"))])
    assert ledger.lines() == [
        Line("lost", "disks.bus", 2, "web", first, "it is sata"),
        Line("lost", "b", 1, "db", attribute("b"), "it is b"),
        Line("lost", "disks.bus", 1, "db", attribute("disks[0].bus"), "it is ide"),
        Line("host", "a", 1, "db", attribute("a"), "h"),
        Line("host", "z", 1, "db", attribute("z"), "h"),
        Line("carried", "name", 2, "web", attribute("name"), "a"),
    ]
    assert ledger.counts == {"lost": 4, "carried": 2, "host": 2}


def test_what_is_not_proven_comes_behind_what_is_lost():
    ledger = Ledger()
    unproven = lost("x")._replace(fate="unproven")
    ledger.add("a", [(attribute("a"), carried("")), (attribute("b"), host("")), (attribute("c"), unproven)])
    ledger.add("a", [(attribute("d"), lost("")), (attribute("c"), unproven._replace(why="y"))])
    assert [(line.fate, line.path, line.times, line.why) for line in ledger.lines()] == [
        ("lost", "d", 1, ""),
        ("unproven", "c", 2, "x"),
        ("host", "b", 1, ""),
        ("carried", "a", 1, ""),
    ]
