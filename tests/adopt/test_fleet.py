"""Many VMs: those that are alike are searched for once, and what they have in common is one line."""

from __future__ import annotations

import copy
from typing import Any
from weakref import WeakSet

import pytest
from inline_vms import machine

from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import _in_pool, adopt, adopt_all
from virtcatalog.adopt.report import declarations, groups, proposals
from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.fleet.pool import Processes

SMALL = "{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}"
ODD = "{cpu: {sockets: 2}, memory: {guest: 3Gi}, devices: {}}"
REFUSED = "{cpu: {sockets: 2}, devices: {}}"


def vm(domain: str, name: str) -> dict[str, Any]:
    manifest = copy.deepcopy(machine(domain))
    manifest["metadata"]["name"] = name
    return manifest


@pytest.fixture
def fleet():
    kinds = (SMALL, ODD, REFUSED)
    return [vm(kinds[number % 3], f"machine-{number}") for number in range(60)]


@pytest.mark.parametrize("executor", [None, Processes(2)])
def test_each_vm_adopts_what_it_adopts_alone(fleet, candidates, executor):
    adoptions = dict(adopt_all(fleet, candidates, executor))
    for place, vm_data in enumerate(fleet):
        alone = adopt(vm_data, candidates)
        assert (adoptions[place].outcome, adoptions[place].before) == (alone.outcome, alone.before)
        assert (adoptions[place].shrunk is None) == (alone.shrunk is None)
        if alone.shrunk is not None:
            assert adoptions[place].shrunk.manifest == alone.shrunk.manifest
            assert places(adoptions[place]) == places(alone)


class Watched(dict):
    """A VM of which it is known whether somebody holds it."""

    __hash__ = object.__hash__


class Fleet:
    """VMs that are read when they are asked for, and those that are held."""

    def __init__(self, vms):
        self.vms, self.held = vms, WeakSet()

    def __len__(self):
        return len(self.vms)

    def __getitem__(self, place):
        watched = Watched(copy.deepcopy(self.vms[place]))
        self.held.add(watched)
        return watched


def test_few_vms_are_held_at_a_time(fleet, candidates):
    held = Fleet(fleet)
    assert len([place for place, _ in adopt_all(held, candidates) if len(held.held) < 5]) == len(fleet)


def places(adoption):
    return [(change.place, change.old, change.new) for change in adoption.shrunk.domain]


def named(fleet, candidates):
    return [(fleet[place]["metadata"]["name"], adoption) for place, adoption in adopt_all(fleet, candidates)]


def test_alike_vms_are_one_row_and_what_needs_a_look_comes_first(fleet, candidates):
    rows, left, vms = groups(named(fleet, candidates), candidates)
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("20", "refused", ""),
        ("20", "nearest", "small"),
        ("20", "adopted", "small"),
    ]
    assert rows[1][5] == "has 2 vCPUs and 3 GiB, not 2 vCPUs and 4 GiB"
    assert (left, vms) == (0, 0)


def test_what_a_table_leaves_off_is_counted(candidates):
    (refused,) = [adoption for _, adoption in adopt_all([vm(REFUSED, "x")], candidates)]
    many = [
        (f"machine-{number}", refused._replace(reasons=(UnsupportedError(f"spec.field{number}", "cannot be"),)))
        for number in range(104)
    ]
    rows, left, vms = groups([*many, many[-1]], candidates)
    assert (len(rows), left, vms) == (100, 4, 4)
    assert rows[0][:2] == ("2", "refused")


def test_a_size_that_several_vms_lack_is_proposed(fleet, candidates):
    (proposal,) = proposals(named(fleet, candidates))
    assert (proposal.size.vcpus, proposal.size.memory, len(proposal.vms)) == (2, 3 * 2**30, 20)
    assert list(declarations([proposal], candidates)) == [
        "# beside small",
        "sizes:",
        f"  2x3gi: {{vcpus: 2, memory: 3Gi}}  # {proposal.vms[0]} and 19 more",
    ]


def fleet_of(*sizes: tuple[int, int]) -> list[dict[str, Any]]:
    """Two VMs of each size, which is vCPUs and GiB."""
    domains = [f"{{cpu: {{sockets: {vcpus}}}, memory: {{guest: {gib}Gi}}, devices: {{}}}}" for vcpus, gib in sizes]
    return [vm(domain, f"machine-{place}{number}") for place, domain in enumerate(domains) for number in range(2)]


def test_several_sizes_of_a_new_ratio_are_a_class(candidates):
    lines = list(declarations(proposals(named(fleet_of((1, 3), (2, 6)), candidates)), candidates))
    assert lines[:4] == [
        "# a class of its own, to be named better: 2 sizes of 3 GiB a vCPU",
        "class: x3gi",
        "memoryPerVcpu: 3Gi",
        "sizes:",
    ]
    assert [line.partition("#")[0].strip() for line in lines[4:]] == ["1x3gi: {vcpus: 1}", "2x6gi: {vcpus: 2}"]


CLASS = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}\n  large: {vcpus: 8}\n"


@pytest.mark.parametrize(
    ("sizes", "of_class"),
    [
        pytest.param([(2, 6), (4, 12)], "x3gi.4x12gi", id="a class of its own"),
        pytest.param([(2, 8), (3, 10), (8, 40)], "m.8x40gi", id="sizes of a class"),
    ],
)
def test_what_is_proposed_is_a_catalog_that_the_vms_adopt(sizes, of_class, tmp_path):
    files = tmp_path / "instancetypes"
    files.mkdir()
    (tmp_path / "catalog.yaml").write_text("name: house\nkubevirt: v1.3.0\nvendor: house.example.org\n")
    (files / "m.yaml").write_text(CLASS)
    offered = Candidates(load_catalog(tmp_path).objects())
    fleet = fleet_of(*sizes)
    assert {adoption.outcome for _, adoption in named(fleet, offered)} == {"nearest"}
    proposed = "\n".join(declarations(proposals(named(fleet, offered)), offered)) + "\n"
    assert proposed.count("sizes:\n") == 1
    if "class:" in proposed:
        (files / "proposed.yaml").write_text(proposed)
    else:
        (files / "m.yaml").write_text(CLASS + proposed.partition("sizes:\n")[2])
    adoptions = [adoption for _, adoption in named(fleet, Candidates(load_catalog(tmp_path).objects()))]
    assert {adoption.outcome for adoption in adoptions} == {"adopted"}
    assert of_class in {adoption.shrunk.names.instancetype.name for adoption in adoptions}


def test_one_vm_proposes_nothing(candidates):
    assert proposals(named([vm(ODD, "alone")], candidates)) == []


@pytest.mark.parametrize(
    ("field", "of_pool"),
    [
        ("spec.template.spec.domain.cpu", "spec.virtualMachineTemplate.spec.template.spec.domain.cpu"),
        ("spec.instancetype", "spec.virtualMachineTemplate.spec.instancetype"),
    ],
)
def test_why_a_pool_adopts_nothing_is_at_its_own_field(field: str, of_pool: str) -> None:
    assert _in_pool(Reason(field, "is odd", "vm", "T", "o")) == Reason(of_pool, "is odd", "vm", "T", "o")
    unsupported = _in_pool(UnsupportedError(field, "is odd"))
    assert (unsupported.field, unsupported.message) == (of_pool, "is odd")
