"""What VMs adopt, in the words that people read and as the data that machines do."""

from __future__ import annotations

from typing import Any

import pytest
from inline_vms import PREFERENCE, TYPE, machine, named, of_size

from virtcatalog.adopt.candidates import Candidates, Reference
from virtcatalog.adopt.fleet import Adoption, Size, adopt
from virtcatalog.adopt.report import Proposal, declarations, document, explain, groups, proposals, rows
from virtcatalog.errors import UnsupportedError

SMALL = "{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}"


PREFERS = named(PREFERENCE, "linux", {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}})
VMS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "all of it": (
        [of_size("small"), PREFERS],
        machine(
            """
            cpu: {sockets: 2, model: host-passthrough}
            memory: {guest: 4096Mi}
            resources: {limits: {cpu: 2}}
            devices: {rng: {}, disks: [{name: root, disk: {bus: virtio}}, {name: data, disk: {bus: sata}}]}
            """,
            "volumes: [{name: root, emptyDisk: {capacity: 1Gi}}, {name: data, emptyDisk: {capacity: 1Gi}}]",
        ),
    ),
    "no hotplug": ([of_size("small")], machine("{cpu: {cores: 2}, memory: {guest: 4Gi}, devices: {}}")),
    "another size": (
        [of_size("large", cpu={"guest": 4, "model": "Haswell"}, memory={"guest": "8Gi"})],
        machine("{cpu: {sockets: 3}, memory: {guest: 6Gi}, devices: {}}"),
    ),
    "nothing left": ([of_size("small")], machine("{devices: {}}", spec="instancetype: {name: small}")),
    "refused with all": (
        [of_size("small", cpu={"guest": 4, "isolateEmulatorThread": True})],
        machine(SMALL),
    ),
    "placed elsewhere": ([of_size("small", nodeSelector={"zone": "a"})], machine(SMALL, "nodeSelector: {zone: b}")),
    "refused": ([of_size("small")], machine(SMALL.replace("devices: {}", "devices: {disks: [{name: root}]}"))),
}


def adoption_of(case: str) -> Adoption:
    objects, vm = VMS[case]
    return adopt(vm, Candidates(objects))


@pytest.mark.parametrize("case", VMS)
def test_an_adoption_in_words_and_as_data(case, snapshot):
    adoption = adoption_of(case)
    assert list(explain(adoption)) == snapshot(name=f"{case}, in words")
    data = document("vm", adoption)
    data.pop("vm", None)
    assert data == snapshot(name=f"{case}, as data")


def test_a_table_has_a_row_a_vm():
    assert list(rows((case, adoption_of(case)) for case in ("all of it", "nothing left", "refused"))) == [
        ("all of it", "adopted", "small", "linux", "17 -> 14"),
        ("nothing left", "unchanged", "", "", "6"),
        ("refused", "refused", "", "", "7"),
    ]


@pytest.mark.parametrize(("length", "shown"), [(100, "x" * 100), (101, "x" * 100 + "…")])
def test_long_values_are_cut(length, shown):
    annotated = of_size("small", annotations={"note": "x" * length})
    vm = machine(SMALL)
    vm["spec"]["template"]["metadata"] = {"annotations": {"note": "x" * length}}
    lines = explain(adopt(vm, Candidates([annotated])))
    (line,) = [line for line in lines if "xxx" in line]
    assert line == f"    spec.template.metadata.annotations.note: {shown} (annotations[note])"


def test_a_group_says_why_it_adopts_nothing_that_keeps_its_domain():
    objects, vm = VMS["another size"]
    candidates = Candidates([*objects, of_size("four", cpu={"guest": 4, "model": "Haswell"})])
    several_places = adopt(machine("{cpu: {sockets: 4}, memory: {guest: 4Gi}, devices: {}}"), candidates)
    assert several_places.shrunk is not None
    domain = several_places.shrunk.domain
    one_place = several_places._replace(shrunk=several_places.shrunk._replace(domain=domain[:1]))
    gone = several_places._replace(shrunk=several_places.shrunk._replace(domain=[domain[0]._replace(new=None)]))
    reasons = UnsupportedError("spec.a", "cannot be"), UnsupportedError("spec.b", "cannot be either")
    adoptions = {
        "two reasons": Adoption("refused", None, 1, reasons),
        "of the whole": Adoption("unsupported", None, 1, (UnsupportedError("", "no such kind"),)),
        "size": adopt(vm, candidates),
        "several places": several_places,
        "one place": one_place,
        "gone": gone,
        "elsewhere": adoption_of("placed elsewhere"),
        "adopted": adoption_of("all of it"),
    }
    table, *unshown = groups(((name, adoption) for name, adoption in adoptions.items()), candidates)
    assert {(row[1], row[4], row[5]) for row in table} == {
        ("refused", "two reasons", "spec.a: not supported by virtcatalog: cannot be"),
        ("unknown", "of the whole", "not supported by virtcatalog: no such kind"),
        ("nearest", "size", "has 3 vCPUs and 6 GiB, not 4 vCPUs and 8 GiB"),
        ("nearest", "several places", "cpu/@mode would be custom, and 2 more"),
        ("nearest", "one place", "cpu/@mode would be custom"),
        ("nearest", "gone", "cpu/@mode would be gone"),
        (
            "nearest",
            "elsewhere",
            "no instance type that the VM may name leaves its placement and annotations as they are",
        ),
        ("adopted", "adopted", ""),
    }
    assert unshown == [0, 0]


def test_the_groups_that_need_a_look_come_first_then_the_largest():
    candidates = Candidates([])
    adoptions = [
        *[("a", Adoption("unchanged", None, 1))] * 1001,
        ("b", Adoption("unsupported", None, 1, (UnsupportedError("z", "cannot be"),))),
        *[("c", Adoption("refused", None, 1, (UnsupportedError("y", "cannot be"),)))] * 2,
        ("d", Adoption("refused", None, 1, (UnsupportedError("x", "cannot be"),))),
        ("e", Adoption("refused", None, 1, (UnsupportedError("w", "cannot be"),))),
        ("f", Adoption("nearest", None, 1)),
    ]
    table, *_ = groups(adoptions, candidates)
    assert [(row[0], row[4]) for row in table] == [
        ("1", "b"), ("2", "c"), ("1", "e"), ("1", "d"), ("1", "f"), ("1,001", "a"),
    ]  # fmt: skip


def test_sizes_are_proposed_by_how_many_vms_have_them():
    nearest = adoption_of("another size")
    sizes = {"a": Size(2, 2**30), "b": Size(3, 2**30), "c": Size(1, 2**30), "d": Size(9, 2**30)}
    vms = [
        (name, nearest._replace(missing_size=sizes[name[0]]))
        for name in ("a1", "b1", "b2", "b3", "c1", "a2", "c2", "d1")
    ]
    proposed = proposals([*vms, ("kept", adoption_of("nothing left"))])
    large = Reference(TYPE, "", "large")
    assert proposed == [
        Proposal(sizes["b"], ("b1", "b2", "b3"), large),
        Proposal(sizes["c"], ("c1", "c2"), large),
        Proposal(sizes["a"], ("a1", "a2"), large),
    ]


def proposal(vcpus: int, memory: int, nearest: str, vms: int = 2) -> Proposal:
    names = tuple(f"vm-{number}" for number in range(vms))
    return Proposal(Size(vcpus, memory), names, Reference(TYPE, "", nearest))


MI = 2**20


@pytest.mark.parametrize(
    ("proposed", "lines"),
    [
        pytest.param(
            [
                proposal(3, 6144 * MI, "m.small"),
                proposal(5, 10240 * MI, "m.large"),
                proposal(1, 1536 * MI, "u.tiny", 1),
            ],
            [
                "# beside m.large, m.small",
                "sizes:",
                "  3x6gi: {vcpus: 3, memory: 6Gi}  # vm-0 and 1 more",
                "  5x10gi: {vcpus: 5, memory: 10Gi}  # vm-0 and 1 more",
                "# beside u.tiny",
                "sizes:",
                "  1x1536mi: {vcpus: 1, memory: 1536Mi}  # vm-0",
            ],
            id="of the ratio of the catalog, or alone with theirs",
        ),
        pytest.param(
            [proposal(3, 100 * MI + 1, "small"), proposal(6, 200 * MI + 2, "small")],
            [
                "# beside small",
                "sizes:",
                "  3x104857601: {vcpus: 3, memory: 104857601}  # vm-0 and 1 more",
                "  6x209715202: {vcpus: 6, memory: 209715202}  # vm-0 and 1 more",
            ],
            id="of a ratio that is no number of bytes",
        ),
        pytest.param(
            [proposal(1, 1536 * MI, "m.small"), proposal(2, 3072 * MI, "m.small")],
            [
                "# a class of its own, to be named better: 2 sizes of 1.5 GiB a vCPU",
                "class: x1536mi",
                "memoryPerVcpu: 1536Mi",
                "sizes:",
                "  1x1536mi: {vcpus: 1}  # vm-0 and 1 more",
                "  2x3gi: {vcpus: 2}  # vm-0 and 1 more",
            ],
            id="a class",
        ),
    ],
)
def test_declarations_of_proposed_sizes(proposed, lines):
    candidates = Candidates([of_size("m.small"), of_size("none", cpu={"guest": 0})])
    assert list(declarations(proposed, candidates)) == lines
